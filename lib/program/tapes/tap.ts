/**
 * Runs an agent as a child process and forwards all bytes between it and the editor,
 * recording and validating the messages.
 *
 * Bytes are forwarded before they are looked at, with backpressure in both directions.
 * End of input, signals, stderr and the exit code are forwarded too. Recording and
 * validation cannot delay or change the traffic.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Faults, type Recorder, withFaults } from "../../tape/index.ts";
import { codeOf, type LineReader, lineReader, onParentGone, spawnProgram } from "../../wire/index.ts";
import { CommandFailure, type ProgramStreams } from "../command.ts";
import { passOn, printLine } from "../print.ts";
import { seedSentence } from "./fault-options.ts";
import { type Direction, TrafficValidator } from "./traffic-validator.ts";

/** How long to wait for the output of an agent that exited; a descendant can hold its pipes open. */
const drainMs = 250;
/** Different problems printed on stderr; the tape has all of them. */
const maxReported = 50;
const signals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"] as const;
const acp = { side: "acp" } as const;

export interface TapOptions {
  readonly program: readonly string[];
  /** Called once the agent has started, so that a failed start leaves no tape. */
  readonly record: () => Recorder | undefined;
  /** Puts faults into the messages; the tape has what passes after them. */
  readonly faults?: Faults | undefined;
  readonly terminal: ProgramStreams;
  /** The command, as messages on stderr name it. */
  readonly name?: "tap" | "trace";
}

/** Resolves with the agent's exit code; ends this process by the same signal when a signal ended the agent. */
export async function tap({ program, record, faults, terminal, name = "tap" }: TapOptions): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  const child = await start(program);
  const recorder = record();
  const monitor = new TrafficMonitor(recorder, (sentence) => void printLine(stderr, `bowline ${name}: ${sentence}`));
  const forwarding = signals.map((signal) => {
    // Ctrl-C in a terminal signals the whole process group, the agent included.
    const pass = (): void => void (signal === "SIGINT" && stdin.isTTY ? false : child.kill(signal));
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  const gone = once(child, "exit");
  const closed = once(child, "close");
  const { fromClient, fromAgent } = afterFaults();
  forward(fromClient, child.stdin, monitor.reader("in"), (chunk) => child.stdin.write(chunk));
  fromClient.on("end", () => {
    child.stdin.end();
    recorder?.note({ dir: "in", ...acp, eof: true });
  });
  // An agent that watches its parent process watches this one, so the end of our parent is passed on.
  const forget = onParentGone(() => child.stdin.end());
  forward(fromAgent, stdout, monitor.reader("out"), passOn(stdout));
  forward(child.stderr, stderr, stderrReader(recorder), passOn(stderr));
  const [code, signal]: (number | NodeJS.Signals | null)[] = await gone;
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, drainMs))]);
  stdin.destroy();
  // Waits until the editor has taken all buffered output.
  if (!stdout.writableEnded) await new Promise<void>((resolve) => stdout.write("", () => resolve()));
  monitor.sum();
  recorder?.note({ dir: "exit", ...acp, code, signal });
  await recorder?.end();
  for (const stop of [...forwarding, forget]) stop();
  return typeof signal === "string" ? endBy(signal) : Number(code);

  function afterFaults(): { readonly fromClient: Readable; readonly fromAgent: Readable } {
    if (faults === undefined) return { fromClient: stdin, fromAgent: child.stdout };
    printLine(stderr, `bowline tap: ${seedSentence(faults)}`);
    const report = {
      onFault: (about: string) => recorder?.note({ dir: "problem", ...acp, about }),
      onEnd(kind: "cut" | "die") {
        if (kind === "die") return void child.kill("SIGKILL");
        stdin.destroy();
        stdout.end();
        child.stdin.end();
      },
    };
    return {
      fromClient: withFaults("client", stdin, faults, report),
      fromAgent: withFaults("agent", child.stdout, faults, report),
    };
  }
}

async function start([command = "", ...args]: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawnProgram(command, args);
    await once(child, "spawn");
    return child;
  } catch (cause) {
    throw new CommandFailure(`could not start ${command} (${codeOf(cause)}); is it installed, and on PATH?`, { cause });
  }
}

/** Forwards bytes with backpressure. When the destination breaks, the source is destroyed. */
function forward(from: Readable, to: Writable, reader: LineReader, pass: (chunk: Buffer) => boolean): void {
  from.on("data", (chunk: Buffer) => {
    if (!pass(chunk)) from.pause();
    reader.push(chunk);
  });
  from.on("end", reader.end);
  to.on("drain", () => from.resume());
  to.on("error", () => from.destroy());
  from.on("error", () => {});
}

/** Records and validates the lines that were forwarded. */
class TrafficMonitor {
  readonly #recorder: Recorder | undefined;
  readonly #report: (sentence: string) => void;
  readonly #validator = new TrafficValidator();
  readonly #reported = new Set<string>();
  #messages = 0;
  #problems = 0;

  constructor(recorder: Recorder | undefined, report: (sentence: string) => void) {
    this.#recorder = recorder;
    this.#report = report;
  }

  reader(dir: Direction): LineReader {
    return lineReader({
      onLine: (line) => {
        this.#messages++;
        this.#recorder?.line(dir, line, acp);
        const problem = this.#validator.see(dir, line);
        if (problem !== undefined) this.#onProblem(dir, problem);
      },
      onFault: ({ kind }) => this.#onProblem(dir, kind === "too-long" ? "a line is too long" : "a line is not UTF-8"),
    });
  }

  sum(): void {
    if (this.#problems === 0) return;
    const where = this.#recorder === undefined ? "" : "; all are marked on the tape";
    this.#report(`${this.#problems} problems in ${this.#messages} messages${where}`);
  }

  /** Prints each problem once, and at most `maxReported` of them: an editor may show or drop all stderr. */
  #onProblem(dir: Direction, problem: string): void {
    this.#problems++;
    this.#recorder?.note({ dir: "problem", ...acp, about: problem });
    const sentence = `the ${dir === "in" ? "client" : "agent"}: ${problem}`;
    if (this.#reported.size >= maxReported || this.#reported.has(sentence)) return;
    this.#reported.add(sentence);
    this.#report(this.#reported.size === maxReported ? `${sentence}; further problems are only counted` : sentence);
  }
}

function stderrReader(recorder: Recorder | undefined): LineReader {
  return lineReader({ onLine: (text) => recorder?.note({ dir: "stderr", ...acp, text }), onFault: () => {} });
}

/** Ends this process by the agent's signal, so that the editor sees the same exit status. */
async function endBy(signal: NodeJS.Signals): Promise<number> {
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, drainMs));
  return 128 + constants.signals[signal];
}
