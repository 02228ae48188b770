/**
 * A small agent made with the official SDK, on this process's stdin and stdout, like
 * that SDK's own example.
 */
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const turns = new Map<string, AbortController>();
const app = acp.agent({ name: "sdk-agent" });

app.onRequest("initialize", () => ({
  protocolVersion: acp.PROTOCOL_VERSION,
  agentInfo: { name: "sdk-agent", version: "1.0.0" },
  agentCapabilities: { loadSession: false },
}));
app.onRequest("session/new", () => {
  const sessionId = crypto.randomUUID();
  turns.set(sessionId, new AbortController());
  return { sessionId };
});
app.onNotification("session/cancel", ({ params }) => turns.get(params.sessionId)?.abort());
app.onRequest("session/prompt", async ({ params: { sessionId } }) => {
  if (!turns.has(sessionId)) throw new acp.RequestError(-32002, "unknown session", { sessionId });
  const turn = new AbortController();
  turns.set(sessionId, turn);
  const tell = (update: acp.SessionUpdate): Promise<void> =>
    connection.client.notify("session/update", { sessionId, update });
  const toolCallId = crypto.randomUUID();
  await tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Let me look." } });
  await tell({ sessionUpdate: "tool_call", toolCallId, title: "Read a file", kind: "read", status: "pending" });
  const options = [{ optionId: "no", name: "No", kind: "reject_once" } as const];
  await connection.client.request("session/request_permission", { sessionId, toolCall: { toolCallId }, options });
  // A turn takes some time, unless it is cancelled.
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 300);
    turn.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  await tell({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
  return { stopReason: turn.signal.aborted ? "cancelled" : "end_turn" };
});

const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), input));
