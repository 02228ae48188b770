/**
 * The MCP servers and the commands in the background of a conversation with Codex.
 *
 * Codex connects to a server again only with all others, so there is no reconnect.
 */
import {
  type BackgroundTask,
  type ConversationControls,
  EngineFailure,
  type McpServerState,
} from "../../../engine/index.ts";
import { unknown } from "../../../schema/index.ts";
import { toFailure } from "../../app-server/errors.ts";
import { BackgroundTerminals, McpServerPage, McpSignIn } from "../../protocol/index.ts";
import type { LoadedThread } from "./conversation-thread.ts";

/** `load` loads the thread where it is not loaded. */
export function threadControls(load: () => Promise<LoadedThread>): Pick<ConversationControls, "mcp" | "tasks"> {
  async function ask<Result>(doing: string, send: (loaded: LoadedThread) => Promise<Result>): Promise<Result> {
    try {
      return await send(await load());
    } catch (cause) {
      throw toFailure(cause, doing);
    }
  }

  return {
    mcp: {
      servers: () =>
        ask("listing the MCP servers", async ({ server, threadId }) => {
          const params = { threadId, detail: "toolsAndAuthOnly" };
          return (await server.request("mcpServerStatus/list", params, McpServerPage)).data.map(serverState);
        }),
      signIn: (name) =>
        ask("the sign-in", async ({ server, threadId }) => {
          const answer = await server.request("mcpServer/oauth/login", { name, threadId }, McpSignIn);
          return answer.authorizationUrl;
        }),
    },
    tasks: {
      list: () =>
        ask("listing the background commands", async ({ server, threadId }) => {
          const { data } = await server.request("thread/backgroundTerminals/list", { threadId }, BackgroundTerminals);
          return data.flatMap(({ processId, command, itemId }): BackgroundTask[] =>
            processId == null
              ? []
              : [{ id: processId, kind: "command", title: command ?? "a command", toolCallId: itemId ?? undefined }],
          );
        }),
      stop: (processId) =>
        ask("stopping the command", async ({ server, threadId }) => {
          const { data } = await server.request("thread/backgroundTerminals/list", { threadId }, BackgroundTerminals);
          if (!data.some((one) => one.processId === processId)) {
            throw new EngineFailure("invalid", "taskId must be that of a task that runs");
          }
          await server.request("thread/backgroundTerminals/terminate", { threadId, processId }, unknown);
        }),
    },
  };
}

const statuses: Readonly<Record<string, McpServerState["status"]>> = {
  connected: "connected",
  notStarted: "starting",
  starting: "starting",
  authenticationRequired: "needs_sign_in",
  disabled: "off",
};

function serverState({ name, runtimeStatus, authStatus, tools }: McpServerPage["data"][number]): McpServerState {
  const names = Object.keys(tools ?? {});
  // A server that needs a sign-in may have no state of its own yet.
  const untold = names.length > 0 ? "connected" : authStatus === "notLoggedIn" ? "needs_sign_in" : "starting";
  const status = runtimeStatus == null ? untold : (statuses[runtimeStatus] ?? "failed");
  return { name, status, tools: names };
}
