/**
 * Stuck consumer with the official SDK: a client whose update handler never returns.
 */
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const { agent } = client({ name: "stuck" })
  .onNotification(methods.client.session.update, () => new Promise<void>(() => {}))
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
// A process whose input is paused and that waits for nothing else would end.
setInterval(() => {}, 1000);
