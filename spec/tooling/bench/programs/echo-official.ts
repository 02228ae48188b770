/**
 * Echo with the official SDK: an agent with one extension method.
 */
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";

agent({ name: "echo" })
  .onRequest(
    "_echo",
    (params: unknown) => params,
    ({ params }) => params,
  )
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
