/**
 * Stuck consumer with vscode-jsonrpc: a connection whose update handler never returns.
 */
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onNotification("session/update", () => new Promise<void>(() => {}));
connection.listen();
await connection.sendRequest("initialize", { protocolVersion: 1, clientCapabilities: {} });
// A process whose input is paused and that waits for nothing else would end.
setInterval(() => {}, 1000);
