/**
 * Filter: bytes of a conversation in, packets as lines out.
 *
 * Reads no faster than its reader reads. A line that cannot be read is told of with
 * its number and skipped; a reader that goes away ends it quietly.
 */
import type { Readable, Writable } from "node:stream";
import { lineReader, type LineFault } from "../../wire/index.ts";
import { printJson } from "../print.ts";
import { BadLine, type LineOptions, type SessionPacket } from "./packet-line.ts";
import { LineParser } from "./line-parser.ts";

export interface FilterOptions extends LineOptions {
  /** Only this session. */
  readonly sessionId: string | undefined;
  /** Each packet within `{"sessionId":…,"packet":…}`. */
  readonly isNamed: boolean;
  readonly onRemark: (text: string) => void;
}

export interface Filtered {
  readonly readLines: number;
  readonly badLines: number;
}

/** Bad lines told of one by one; the rest are counted. */
const maxRemarks = 20;

export async function filterPackets(input: Readable, output: Writable, options: FilterOptions): Promise<Filtered> {
  const lines = new LineParser(options);
  const sessions = new Set<string>();
  let number = 1;
  let readLines = 0;
  let badLines = 0;
  let written = "";
  let isGone = false;

  const bad = (why: string): void => {
    if (++badLines <= maxRemarks) options.onRemark(`line ${number} is skipped: ${why}`);
  };
  const write = ({ sessionId, packet }: SessionPacket): void => {
    if (options.sessionId !== undefined && options.sessionId !== sessionId) return;
    if (sessions.add(sessionId).size === 2 && !options.isNamed)
      options.onRemark(`line ${number} is of another session; --with-session tells them apart, --session takes one`);
    written += `${JSON.stringify(options.isNamed ? { sessionId, packet } : packet)}\n`;
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
    const text = written;
    written = "";
    if (text !== "" && !isGone && !printJson(output, text)) await drained(output);
  };
  const onGone = (cause: NodeJS.ErrnoException): void => {
    isGone = true;
    if (cause.code !== "EPIPE") options.onRemark(`writing failed: ${cause.message}`);
    input.destroy();
  };

  output.on("error", onGone);
  try {
    for await (const chunk of input) {
      // One line at a time, so that a bad one can be told by its number.
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
    if (!isGone) throw cause;
  } finally {
    output.off("error", onGone);
  }
  if (badLines > maxRemarks) options.onRemark(`${badLines} lines were skipped in all`);
  return { readLines, badLines };
}

/** When the reader wants more, or never will. */
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
