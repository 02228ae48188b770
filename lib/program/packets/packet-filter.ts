/**
 * Reads a conversation from a stream and writes its packets, one JSON object a line.
 *
 * Applies backpressure from the output to the input. A line that cannot be parsed is
 * reported with its number and skipped. When the output's reader goes away (EPIPE), the
 * filter ends without an error.
 */
import type { Readable, Writable } from "node:stream";
import { lineReader, type LineFault } from "../../wire/index.ts";
import { printJson } from "../print.ts";
import { BadLine, type LineOptions, type SessionPacket } from "./packet-line.ts";
import { LineParser } from "./line-parser.ts";

export interface FilterOptions extends LineOptions {
  /** Writes the packets of this session alone. */
  readonly sessionId: string | undefined;
  /** Wraps each packet in `{"sessionId":…,"packet":…}`. */
  readonly isNamed: boolean;
  readonly onRemark: (text: string) => void;
}

export interface Filtered {
  readonly readLines: number;
  readonly badLines: number;
}

/** Bad lines that are reported one by one; further ones are only counted. */
const maxRemarks = 20;

export async function filterPackets(input: Readable, output: Writable, options: FilterOptions): Promise<Filtered> {
  const lines = new LineParser(options);
  const sessions = new Set<string>();
  let number = 1;
  let readLines = 0;
  let badLines = 0;
  let pending = "";
  let isOutputGone = false;

  const bad = (why: string): void => {
    if (++badLines <= maxRemarks) options.onRemark(`line ${number} is skipped: ${why}`);
  };
  const write = ({ sessionId, packet }: SessionPacket): void => {
    if (options.sessionId !== undefined && options.sessionId !== sessionId) return;
    if (sessions.add(sessionId).size === 2 && !options.isNamed)
      options.onRemark(`line ${number} is of another session; --with-session tells them apart, --session takes one`);
    pending += `${JSON.stringify(options.isNamed ? { sessionId, packet } : packet)}\n`;
  };
  const reader = lineReader({
    onLine: (line) => {
      const packets = lines.line(line);
      if (packets instanceof BadLine) return bad(packets.why);
      readLines++;
      packets.forEach(write);
    },
    onFault: (fault) => bad(describe(fault)),
  });
  const flush = async (): Promise<void> => {
    const text = pending;
    pending = "";
    if (text !== "" && !isOutputGone && !printJson(output, text)) await drained(output);
  };
  const onOutputError = (cause: NodeJS.ErrnoException): void => {
    isOutputGone = true;
    if (cause.code !== "EPIPE") options.onRemark(`writing failed: ${cause.message}`);
    input.destroy();
  };

  output.on("error", onOutputError);
  try {
    for await (const chunk of input) {
      // Pushed line by line, so that `number` is right when the reader reports a bad line.
      const bytes = Buffer.from(chunk);
      for (let start = 0; start < bytes.length;) {
        const newline = bytes.indexOf(10, start);
        const end = newline < 0 ? bytes.length : newline + 1;
        reader.push(bytes.subarray(start, end));
        if (newline >= 0) number++;
        start = end;
      }
      await flush();
    }
    reader.end();
    await flush();
  } catch (cause) {
    if (!isOutputGone) throw cause;
  } finally {
    output.off("error", onOutputError);
  }
  if (badLines > maxRemarks) options.onRemark(`${badLines} lines were skipped in all`);
  return { readLines, badLines };
}

/** Resolves when the output can take more, or is closed or broken. */
function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off("drain", done);
      output.off("close", done);
      output.off("error", done);
      resolve();
    };
    output.on("drain", done);
    output.on("close", done);
    output.on("error", done);
  });
}

function describe(fault: LineFault): string {
  return fault.kind === "too-long" ? `it is longer than ${fault.maxLineBytes} bytes` : "it is not UTF-8";
}
