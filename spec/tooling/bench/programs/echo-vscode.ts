/**
 * Echo with vscode-jsonrpc: a connection with one method.
 */
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest("_echo", (params: unknown) => params);
connection.listen();
