/**
 * A small agent made with the official SDK alone.
 */
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const app = acp.agent({ name: "official" });
app.onRequest("initialize", () => ({
  protocolVersion: acp.PROTOCOL_VERSION,
  agentInfo: { name: "official", title: "Official", version: "2.4.0" },
  agentCapabilities: {},
}));
app.onRequest("session/new", () => ({
  sessionId: "only",
  modes: {
    currentModeId: "calm",
    availableModes: [
      { id: "calm", name: "Calm" },
      { id: "large", name: "Large" },
    ],
  },
}));
app.onRequest("session/set_mode", () => ({}));
app.onRequest("session/prompt", async ({ params, client }) => {
  const { sessionId } = params;
  const tell = (update: acp.SessionUpdate): Promise<void> => client.notify("session/update", { sessionId, update });
  await tell({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Knots." } });
  await tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "A **bowline**, " } });
  await tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "of course.\n" } });
  const toolCall = {
    toolCallId: "tie",
    title: "Tie knot.txt",
    kind: "edit",
    status: "pending",
    content: [{ type: "diff", path: "/project/knot.txt", oldText: null, newText: "round\nthrough\n" }],
  } satisfies acp.ToolCall;
  await tell({ sessionUpdate: "tool_call", ...toolCall });
  const { outcome } = (await client.request("session/request_permission", {
    sessionId,
    toolCall,
    options: [
      { optionId: "tie", name: "Tie it", kind: "allow_once" },
      { optionId: "leave", name: "Leave it", kind: "reject_once" },
    ],
  })) as acp.RequestPermissionResponse; // read by the SDK's own schema
  const isTied = outcome.outcome === "selected" && outcome.optionId === "tie";
  await tell({ sessionUpdate: "tool_call_update", toolCallId: "tie", status: isTied ? "completed" : "failed" });
  await tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: isTied ? "Tied.\n" : "Left.\n" } });
  return { stopReason: "end_turn" };
});
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>; // Node and the SDK each name the same stream
app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), input));
