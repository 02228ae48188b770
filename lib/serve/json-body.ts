/**
 * Reads and validates the JSON body of a request.
 *
 * Never buffers more than `maxBytes`. Error messages state the expectation and never
 * quote the body.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, type Schema } from "../schema/index.ts";
import { HttpError } from "./http-error.ts";

/** Enough for a prompt with a few images. */
export const defaultMaxBodyBytes = 8 * 1024 * 1024;

/** A request, and the response that can ask for its body. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export async function readBody<T>({ request, response }: Exchange, schema: Schema<T>, maxBytes: number): Promise<T> {
  const { "content-type": type, "content-length": length } = request.headers;
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (type !== undefined ? !/^application\/json *(;|$)/i.test(type) : hasBody(request))
    throw new HttpError("wrong_type", "the body must be application/json");
  if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
  const value = parse(await bytesOf(request, maxBytes));
  const read = schema.read(value);
  if (read instanceof Fault) throw new HttpError("bad_request", read.describe("the body"));
  return read;
}

/** Whether the headers announce a body; a chunked body may turn out to be empty. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return encoding !== undefined || Number(length) !== 0;
}

/** Uses events: leaving a `for await` loop early would destroy the connection before the response is sent. */
function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      reject(tooLarge(maxBytes));
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("close", () => reject(new HttpError("bad_request", "the body was not sent completely")));
  });
}

/** An empty body counts as `{}`: most requests need no parameters. */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError("bad_request", "the body must be JSON");
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError("too_large", `the body must not be larger than ${maxBytes} bytes`);
}
