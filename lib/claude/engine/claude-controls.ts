/**
 * The controls of a conversation with Claude (lib/engine/controls.ts): usage, background tasks and
 * MCP servers. Each is a control request to the running CLI.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import { type ConversationControls, EngineFailure, type McpServerState } from "../../engine/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type McpServerStatus, type OutgoingControlRequests, ownServer } from "../index.ts";
import type { TranslationState } from "../translate/index.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { cliFailure } from "./failures.ts";
import { askUsage, usageReport } from "./usage-report.ts";

export interface ClaudeControlsOptions {
  /** Requests to the running CLI; undefined when none runs. */
  readonly control: () => OutgoingControlRequests | undefined;
  readonly state: () => TranslationState;
  readonly tasks: BackgroundTasks;
  readonly emit: (updates: readonly SessionUpdate[]) => void;
}

export function claudeControls({ control, state, tasks, emit }: ClaudeControlsOptions): ConversationControls {
  /** Sends one request to the running CLI. */
  async function ask<Answer>(send: (control: OutgoingControlRequests) => Promise<Answer>): Promise<Answer> {
    const running = control();
    if (running === undefined) throw new EngineFailure("exited", "the Claude CLI does not run");
    return send(running).catch((cause: unknown) => Promise.reject(cliFailure(cause)));
  }

  return {
    usage: async () => {
      const answer = await ask(askUsage);
      const { limits, usage } = state();
      limits.takeAnswer(answer);
      const update = usage.limited(limits.all);
      if (update !== undefined) emit([update]);
      return usageReport(answer, limits.all);
    },
    tasks: {
      // Without a CLI nothing runs.
      list: async () => (control() === undefined ? [] : ask((running) => tasks.list(running))),
      stop: (id) => ask((running) => tasks.stop(running, id)),
    },
    mcp: {
      servers: async () => {
        const { mcpServers } = await ask((running) => running.request("mcp_status", {}));
        return mcpServers.filter(({ name }) => name !== ownServer).map(serverState);
      },
      reconnect: async (serverName) => void (await ask((running) => running.request("mcp_reconnect", { serverName }))),
      setEnabled: async (serverName, enabled) =>
        void (await ask((running) => running.request("mcp_toggle", { serverName, enabled }))),
      signIn: async (serverName) =>
        (await ask((running) => running.request("mcp_authenticate", { serverName }))).authUrl,
      // The CLI connects without a request only after the browser has returned to it.
      finishSignIn: async (serverName, callbackUrl) => {
        await ask((running) => running.request("mcp_oauth_callback_url", { serverName, callbackUrl }));
        await ask((running) => running.request("mcp_reconnect", { serverName }));
      },
    },
  };
}

const statuses: Readonly<Record<string, McpServerState["status"]>> = {
  connected: "connected",
  pending: "starting",
  "needs-auth": "needs_sign_in",
  disabled: "off",
};

function serverState({ name, status, error, tools = [] }: McpServerStatus): McpServerState {
  return {
    name,
    status: statuses[status] ?? "failed",
    ...(error !== undefined && { error }),
    tools: tools.flatMap((tool) => (isRecord(tool) && typeof tool["name"] === "string" ? [tool["name"]] : [])),
  };
}
