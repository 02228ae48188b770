/**
 * A fake terminal: keeps what a command writes, and types what a spec sets beforehand.
 */
import { PassThrough } from "node:stream";
import { runProgram } from "../../../lib/program/index.ts";
import type { ProgramStreams } from "../../../lib/program/command.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FakeOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the user types. */
  readonly input?: string;
  readonly isTTY?: boolean;
}

/** Runs the program in this process as `bowline <words>`. */
export async function bowline(words: readonly string[], options: FakeOptions = {}): Promise<Ran> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const isTTY = options.isTTY ?? false;
  for (const stream of [stdin, stdout, stderr]) Object.assign(stream, { isTTY });
  const texts = [stdout, stderr].map(textOf);
  stdin.end(options.input ?? "");
  // The streams of a process have more methods; commands use only those of every stream.
  const terminal = { stdin, stdout, stderr, env: options.env ?? process.env } as unknown as ProgramStreams;
  const code = await runProgram(words, terminal);
  stdout.end();
  stderr.end();
  const [out = "", err = ""] = await Promise.all(texts);
  return { code, stdout: out, stderr: err };
}

async function textOf(stream: PassThrough): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}
