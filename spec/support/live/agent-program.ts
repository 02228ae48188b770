/**
 * Runs an ACP agent as a child process and keeps every byte.
 *
 * `wire` holds each line of both directions in order; `write` sends raw bytes, so that a
 * test can send what no client would. `streams` gives the same pipes to the official
 * SDK. Parses JSON only to show it.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable } from "node:stream";
import { isObject, type JsonObject } from "../json.ts";
import { Log } from "./client/event-log.ts";

export interface WireLine {
  readonly from: "client" | "agent";
  readonly text: string;
  /** The line as a JSON object; undefined when it is none. */
  readonly message: JsonObject | undefined;
  readonly atMs: number;
}

export interface ProgramOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class AgentProgram implements AsyncDisposable {
  readonly wire = new Log<WireLine>("wire", ({ from, text }) => `${from}: ${text}`);
  readonly exited: Promise<ProgramExit>;
  /** Bytes the agent wrote to stdout so far. */
  bytesOut = 0;
  stderr = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #started = performance.now();
  readonly #fromClient = splitter((text) => this.#keep("client", text));
  readonly #fromAgent = splitter((text) => this.#keep("agent", text));

  constructor({ command, args = [], env, cwd }: ProgramOptions) {
    this.#child = spawn(command, [...args], { env: { ...env }, cwd });
    // A write to a program that has just ended is answered by its exit.
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    // This listener comes first, so that a line is recorded before the SDK acts on it.
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.bytesOut += chunk.length;
      this.#fromAgent(chunk);
    });
    this.exited = new Promise((resolve) => {
      this.#child.on("error", (cause) => this.wire.close(`could not be started: ${cause.message}`));
      this.#child.on("close", (code, signal) => {
        this.wire.close(`the agent exited with ${code ?? signal}; stderr: ${this.stderr.slice(-1000)}`);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** For ndJsonStream of the official SDK. */
  streams(): { readonly input: WritableStream<Uint8Array>; readonly output: ReadableStream<Uint8Array> } {
    const input = new WritableStream<Uint8Array>({ write: (chunk) => this.write(chunk) });
    // The SDK and Node each name the same web stream.
    const output = Readable.toWeb(this.#child.stdout) as unknown as ReadableStream<Uint8Array>;
    return { input, output };
  }

  /** Writes raw bytes to stdin; resolves when the pipe has taken them or is closed. */
  write(bytes: string | Uint8Array): Promise<void> {
    this.#fromClient(Buffer.from(bytes));
    return new Promise((resolve) => this.#child.stdin.write(bytes, () => resolve()));
  }

  send(message: unknown): Promise<void> {
    return this.write(`${JSON.stringify(message)}\n`);
  }

  /** Stops reading the agent's stdout, like an editor that hangs; `resume` goes on. */
  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  /** Closes stdin, as an editor does that goes away, and waits for the end. */
  hangUp(): Promise<ProgramExit> {
    this.#child.stdin.end();
    return this.exited;
  }

  kill(signal: NodeJS.Signals): Promise<ProgramExit> {
    this.#child.kill(signal);
    return this.exited;
  }

  /** Stdin closed, then a limit, then SIGKILL: a test ends in any case. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), 8_000);
    await this.hangUp();
    clearTimeout(limit);
  }

  #keep(from: WireLine["from"], text: string): void {
    this.wire.push({ from, text, message: parsed(text), atMs: performance.now() - this.#started });
  }
}

/** Whole lines of a byte stream, whatever the chunks. */
function splitter(onLine: (text: string) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      onLine(Buffer.concat([...pieces, chunk.subarray(from, to)]).toString("utf8"));
      pieces = [];
      from = to + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
