/**
 * Example agent: a small agent that plans, asks before it acts, and edits
 * nothing real.
 *
 * It shows every part of a turn, so that the demo and the specs have something
 * to look at without a model behind it.
 */
import {
  agent,
  type AgentConnection,
  location,
  permissionOption,
  planEntry,
  type PromptRequest,
  type StopReason,
  toolContent,
  update,
} from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import type { Link } from "../wire/index.ts";
import { version } from "../version.ts";

/** Where the example pretends to work. */
const readme = { path: "/example/README.md", oldText: "# Bowlin\n", newText: "# Bowline\n" };

export function exampleAgent(link: Link): AgentConnection {
  const sessions = new Set<string>();
  return agent(link, {
    info: { name: "bowline", title: "Bowline example", version },
    authMethods: () => [{ id: "none", name: "No sign-in needed" }],
    handlers: (client) => ({
      authenticate: () => {},
      "session/new": () => {
        // The global one: importing node:crypto takes 2 ms before `initialize` is answered.
        const sessionId = crypto.randomUUID();
        sessions.add(sessionId);
        return { sessionId };
      },
      "session/prompt": async (request, { signal }) => {
        if (!sessions.has(request.sessionId)) {
          throw new RpcError(errorCodes.resourceNotFound, "unknown session", { sessionId: request.sessionId });
        }
        return { stopReason: await turn(client, request, signal) };
      },
      "session/close": ({ sessionId }) => void sessions.delete(sessionId),
    }),
  });
}

async function turn(
  client: AgentConnection,
  { sessionId, prompt }: PromptRequest,
  signal: AbortSignal,
): Promise<StopReason> {
  const words = prompt.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
  await client.update(sessionId, update.agentThought("The heading of the README has a letter missing."));
  await client.update(sessionId, update.agentMessage(`You said: ${words}\n`));
  await client.update(
    sessionId,
    update.plan([planEntry("Find the typo", "completed"), planEntry("Mend it", "in_progress")]),
  );
  const toolCall = {
    toolCallId: crypto.randomUUID(),
    title: "Edit README.md",
    kind: "edit",
    content: [toolContent.diff(readme.path, readme.oldText, readme.newText)],
    locations: [location(readme.path, 1)],
  } as const;
  await client.update(sessionId, update.toolCall({ ...toolCall, status: "pending" }));
  const isAllowed = await ask(client, sessionId, toolCall, signal);
  await client.update(
    sessionId,
    update.toolCallUpdate({ toolCallId: toolCall.toolCallId, status: isAllowed ? "completed" : "failed" }),
  );
  await client.update(
    sessionId,
    update.plan([planEntry("Find the typo", "completed"), planEntry("Mend it", isAllowed ? "completed" : "pending")]),
  );
  await client.update(sessionId, update.agentMessage(isAllowed ? "Mended.\n" : "Left as it was.\n"));
  return "end_turn";
}

async function ask(
  client: AgentConnection,
  sessionId: string,
  toolCall: { readonly toolCallId: string; readonly title: string },
  signal: AbortSignal,
): Promise<boolean> {
  const options = [
    permissionOption("allow_once", "allow", "Allow"),
    permissionOption("reject_once", "reject", "Reject"),
  ];
  const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
  return outcome.outcome === "selected" && outcome.optionId === "allow";
}
