/**
 * Tap: an agent started in the place of another, every byte passed on as it is.
 *
 * Bytes go through before anybody looks at them, and as fast as the slower side reads
 * them. The end of input, signals, the exit code and stderr are passed on too. What
 * passes is recorded and checked; neither can hold it up.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Recorder } from "../../tape/index.ts";
import { codeOf, type LineReader, lineReader, onParentGone } from "../../wire/index.ts";
import { CommandFailure, type Terminal } from "../command.ts";
import { passOn, printLine } from "../print.ts";
import { type Direction, TrafficValidator } from "./traffic-validator.ts";

/** How long what a gone agent wrote may take to arrive; descendants can hold its pipes. */
const drainMs = 250;
/** Different problems told on stderr; the tape has them all. */
const maxTold = 50;
const signals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"] as const;
const acp = { side: "acp" } as const;

export interface TapOptions {
  readonly program: readonly string[];
  /** Called once the agent runs; before that there is nothing to record. */
  readonly record: () => Recorder | undefined;
  readonly terminal: Terminal;
}

/** Resolves with the agent's exit code when it is gone; ends as it did when a signal ended it. */
export async function tap({ program, record, terminal }: TapOptions): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  const child = await start(program);
  const recorder = record();
  const watch = new Watch(recorder, (sentence) => void printLine(stderr, `bowline tap: ${sentence}`));
  const forward = signals.map((signal) => {
    // A terminal tells the whole group by itself.
    const pass = (): void => void (signal === "SIGINT" && stdin.isTTY ? false : child.kill(signal));
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  const gone = once(child, "exit");
  const closed = once(child, "close");
  carry(stdin, child.stdin, watch.reader("in"), (chunk) => child.stdin.write(chunk));
  stdin.on("end", () => {
    child.stdin.end();
    recorder?.note({ dir: "in", ...acp, eof: true });
  });
  // An agent that looks after its parent sees us, who stay.
  const forget = onParentGone(() => child.stdin.end());
  carry(child.stdout, stdout, watch.reader("out"), passOn(stdout));
  carry(child.stderr, stderr, stderrReader(recorder), passOn(stderr));
  const [code, signal]: (number | NodeJS.Signals | null)[] = await gone;
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, drainMs))]);
  stdin.destroy();
  // What the editor has not read yet.
  await new Promise<void>((resolve) => stdout.write("", () => resolve()));
  watch.sum();
  recorder?.note({ dir: "exit", ...acp, code, signal });
  await recorder?.end();
  for (const stop of [...forward, forget]) stop();
  return typeof signal === "string" ? endBy(signal) : Number(code);
}

async function start([command = "", ...args]: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    await once(child, "spawn");
    return child;
  } catch (cause) {
    throw new CommandFailure(`could not start ${command} (${codeOf(cause)}); is it installed, and on PATH?`, { cause });
  }
}

/** Passes bytes on, no faster than they are taken; a side that has gone is gone for the other too. */
function carry(from: Readable, to: Writable, reader: LineReader, pass: (chunk: Buffer) => boolean): void {
  from.on("data", (chunk: Buffer) => {
    if (!pass(chunk)) from.pause();
    reader.push(chunk);
  });
  from.on("end", reader.end);
  to.on("drain", () => from.resume());
  to.on("error", () => from.destroy());
  from.on("error", () => {});
}

/** Looks at the lines that passed. */
class Watch {
  readonly #recorder: Recorder | undefined;
  readonly #tell: (sentence: string) => void;
  readonly #check = new TrafficValidator();
  readonly #told = new Set<string>();
  #messages = 0;
  #problems = 0;

  constructor(recorder: Recorder | undefined, tell: (sentence: string) => void) {
    this.#recorder = recorder;
    this.#tell = tell;
  }

  reader(dir: Direction): LineReader {
    return lineReader({
      onLine: (line) => {
        this.#messages++;
        this.#recorder?.line(dir, line, acp);
        const problem = this.#check.see(dir, line);
        if (problem !== undefined) this.#complain(dir, problem);
      },
      onFault: ({ kind }) => this.#complain(dir, kind === "too-long" ? "a line is too long" : "a line is not UTF-8"),
    });
  }

  sum(): void {
    if (this.#problems === 0) return;
    const where = this.#recorder === undefined ? "" : "; all are marked on the tape";
    this.#tell(`${this.#problems} problems in ${this.#messages} messages${where}`);
  }

  /** Each once, and not without end: the editor may read none of it. */
  #complain(dir: Direction, problem: string): void {
    this.#problems++;
    this.#recorder?.note({ dir: "problem", ...acp, about: problem });
    const sentence = `the ${dir === "in" ? "client" : "agent"}: ${problem}`;
    if (this.#told.size >= maxTold || this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.#tell(this.#told.size === maxTold ? `${sentence}; further problems are only counted` : sentence);
  }
}

function stderrReader(recorder: Recorder | undefined): LineReader {
  return lineReader({ onLine: (text) => recorder?.note({ dir: "stderr", ...acp, text }), onFault: () => {} });
}

/** Ends this process the way the agent ended, so that whoever waits for it learns the same. */
async function endBy(signal: NodeJS.Signals): Promise<number> {
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, drainMs));
  return 128 + constants.signals[signal];
}
