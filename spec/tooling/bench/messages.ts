/**
 * The messages that the bench sends, as objects, as lines and as chunks of bytes.
 */
import { Buffer } from "node:buffer";

export const sessionId = "sess_0197c1f4a6b27d3e";

const words = [
  "The heading of the ",
  "README has a letter ",
  "missing, so I will ",
  "mend it now and run ",
  'the "tests" again.\n',
] as const;

/** Some words of an answer, a little different each time. */
export function textOf(i: number): string {
  return `${words[i % words.length] ?? ""}${1000 + (i % 9000)}`;
}

/** A `session/update` with a text chunk, about 195 bytes as a line. */
export function textChunk(text: string) {
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  } as const;
}

export function smallLines(count: number): string[] {
  return Array.from({ length: count }, (_, i) => JSON.stringify(textChunk(textOf(i))));
}

/** Lines of about `bytes` each: source code as a tool call's result, with its newlines and quotes. */
export function largeLines(count: number, bytes: number): string[] {
  const source = 'export function add(a: number, b: number): number {\n  return a + b; // "sum"\n}\n\n';
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify(textChunk(`${i} ${source.repeat(Math.ceil(bytes / (source.length + 6)))}`)),
  );
}

/** The lines as a stream of chunks of one size. */
export function chunksOf(lines: readonly string[], chunkBytes: number): Buffer[] {
  return cut(Buffer.from(lines.map((line) => `${line}\n`).join("")), chunkBytes);
}

/** The same messages under the header framing of vscode-jsonrpc. */
export function headerChunksOf(lines: readonly string[], chunkBytes: number): Buffer[] {
  const framed = lines.map((line) => `Content-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}`);
  return cut(Buffer.from(framed.join("")), chunkBytes);
}

function cut(bytes: Buffer, chunkBytes: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  return chunks;
}
