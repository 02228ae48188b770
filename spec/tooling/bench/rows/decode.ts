/**
 * Measures decoding: bytes in chunks to parsed messages, through each whole reader.
 *
 * The floor gets lines that are already split and decoded and only parses them, so its
 * distance to the others is the cost of finding, decoding and carrying lines. Every
 * reader is called at its lowest-level entry point, without a stream where possible.
 */
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { PassThrough, type Transform } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { type DataCallback, ReadableStreamMessageReader } from "vscode-jsonrpc/node";
import type { Bowline } from "../bundle.ts";
import { chunksOf, headerChunksOf, largeLines, smallLines } from "../messages.ts";
import { type Contestants, timed, timedAsync } from "../measure.ts";
import type { Row, Setting } from "../row.ts";

/** The package comes without types. */
const split2 = createRequire(import.meta.url)("split2") as (
  map: (line: string) => unknown,
  options: { readonly maxLength: number },
) => Transform;

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
/** Past the 50 MB line, for readers that have a limit. */
const maxLineBytes = 128 * megabyte;
/** A reader that takes longer is stopped and its time extrapolated linearly, which favours a quadratic one. */
const patienceMs = 800;

export function decodeRows({ bowline, isQuick }: Setting): Row[] {
  const few = isQuick ? 0.25 : 1;
  const small = (): string[] => smallLines(20_000);
  const hundred = (): string[] => largeLines(160 * few, 100 * kilobyte);
  const huge = (): string[] => largeLines(1, (isQuick ? 10 : 50) * megabyte);
  const hugeName = isQuick ? "10 MB" : "50 MB";
  const rate = (count: number, unit: string): Row["scale"] => ({ kind: "rate", count, unit });
  return [
    {
      name: "decode small updates (195 B)",
      scale: rate(20_000, "/s"),
      target: 0.85,
      warmUps: 20,
      rounds: 31,
      open: () => ({ contestants: decoders(bowline, small(), 64 * kilobyte) }),
    },
    {
      name: "decode small updates, each tenth not ASCII",
      scale: rate(20_000, "/s"),
      warmUps: 3,
      open: () => ({ contestants: decoders(bowline, small().map(withDashes), 64 * kilobyte) }),
    },
    {
      name: "decode 100 KB messages",
      scale: rate(160 * few, "/s"),
      target: 0.85,
      isSwept: true,
      open: () => ({ contestants: decoders(bowline, hundred(), 64 * kilobyte) }),
    },
    {
      name: `decode one ${hugeName} line, 64 KB chunks`,
      scale: rate(isQuick ? 10 : 50, " MB/s"),
      target: 0.45,
      warmUps: 1,
      isSwept: true,
      open: () => ({ contestants: decoders(bowline, huge(), 64 * kilobyte) }),
    },
    {
      name: `decode one ${hugeName} line, 1 KB chunks`,
      scale: rate(isQuick ? 10 : 50, " MB/s"),
      // Linear: however small the chunks, half as long again as the row above may take.
      target: 0.3,
      warmUps: 1,
      isSwept: true,
      open: () => ({ contestants: decoders(bowline, huge(), kilobyte) }),
    },
    {
      name: "decode small updates, 7-byte chunks",
      scale: rate(4000, "/s"),
      target: 0.15,
      open: () => ({ contestants: decoders(bowline, smallLines(4000), 7) }),
    },
  ];
}

/** Text with some characters outside ASCII, as models write it. */
function withDashes(line: string, i: number): string {
  return i % 10 === 0 ? line.replace('"text":"', '"text":"— é ') : line;
}

function decoders(bowline: Bowline, lines: readonly string[], chunkBytes: number): Contestants {
  const chunks = chunksOf(lines, chunkBytes);
  const headerChunks = headerChunksOf(lines, chunkBytes);
  return {
    floor: () => timed(() => parseAll(lines)),
    ours: () => timed(() => readWithBowline(bowline, chunks, lines.length)),
    "official SDK": () => timedAsync(() => readWithOfficial(chunks, lines.length)),
    "vscode-jsonrpc": () => timedAsync(() => readWithVscode(headerChunks, lines.length)),
    split2: () => readWithSplit2(chunks, lines.length),
    readline: () => timed(() => readWithReadline(chunks, lines.length)),
  };
}

function parseAll(lines: readonly string[]): void {
  let seen = 0;
  for (const line of lines) if (isMessage(JSON.parse(line))) seen++;
  expectAll(seen, lines.length);
}

function readWithBowline({ lineReader }: Bowline, chunks: readonly Buffer[], count: number): void {
  let seen = 0;
  const onLine = (line: string): void => {
    if (isMessage(JSON.parse(line))) seen++;
  };
  const reader = lineReader({ onLine, onFault: ({ kind }) => expectAll(kind, "no fault") }, maxLineBytes);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  expectAll(seen, count);
}

async function readWithOfficial(chunks: readonly Buffer[], count: number): Promise<void> {
  let next = 0;
  const input = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const { readable } = ndJsonStream(new WritableStream(), input, { maxMessageBytes: maxLineBytes });
  const reader = readable.getReader();
  let seen = 0;
  for (let got = await reader.read(); !got.done; got = await reader.read()) if (isMessage(got.value)) seen++;
  expectAll(seen, count);
}

async function readWithVscode(chunks: readonly Buffer[], count: number): Promise<void> {
  let push: (chunk: Uint8Array) => void = () => {};
  const nothing = { dispose() {} };
  const reader = new ReadableStreamMessageReader({
    onData(listener) {
      push = listener;
      return nothing;
    },
    onClose: () => nothing,
    onError: () => nothing,
    onEnd: () => nothing,
  });
  let seen = 0;
  await new Promise<void>((resolve) => {
    const onMessage: DataCallback = (message) => {
      if (isMessage(message) && ++seen === count) resolve();
    };
    reader.listen(onMessage);
    for (const chunk of chunks) push(chunk);
  });
  reader.dispose();
}

async function readWithSplit2(chunks: readonly Buffer[], count: number): Promise<number> {
  const stream = split2((line): unknown => JSON.parse(line), { maxLength: maxLineBytes });
  let seen = 0;
  let pushed = 0;
  stream.on("data", (message: unknown) => {
    if (isMessage(message)) seen++;
  });
  const giveUpAt = performance.now() + patienceMs;
  const cost = await timedAsync(async () => {
    for (; pushed < chunks.length && performance.now() < giveUpAt; pushed++) {
      if (!stream.write(chunks[pushed])) await once(stream, "drain");
    }
    if (pushed < chunks.length) return;
    stream.end();
    await once(stream, "end");
    expectAll(seen, count);
  });
  return (cost * chunks.length) / pushed;
}

function readWithReadline(chunks: readonly Buffer[], count: number): void {
  const input = new PassThrough();
  const lines = createInterface({ input, crlfDelay: Infinity });
  let seen = 0;
  lines.on("line", (line) => {
    if (isMessage(JSON.parse(line))) seen++;
  });
  for (const chunk of chunks) input.emit("data", chunk);
  lines.close();
  expectAll(seen, count);
}

/** Reads the message, so that every reader has to parse it. */
function isMessage(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message;
}

function expectAll(seen: unknown, count: unknown): void {
  if (seen !== count) throw new Error(`the bench is broken: ${String(seen)} instead of ${String(count)}`);
}
