/**
 * The scripted agent on this process's stdin and stdout, made with the official SDK.
 */
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { officialAgent } from "../official.ts";

const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
officialAgent(acp, acp.ndJsonStream(Writable.toWeb(process.stdout), input));
