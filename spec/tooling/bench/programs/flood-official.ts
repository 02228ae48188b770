/**
 * Flood with the official SDK: an agent whose turn consists of awaited, numbered
 * updates.
 */
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

agent({ name: "flood" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "flood" }))
  .onRequest(methods.agent.session.prompt, async ({ client, params: { sessionId, prompt } }) => {
    const [block] = prompt;
    const count = Number(block?.type === "text" && block.text);
    for (let i = 0; i < count; i++) {
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: String(i) } },
      });
    }
    return { stopReason: "end_turn" as const };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
