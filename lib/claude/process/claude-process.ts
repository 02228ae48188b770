/**
 * Process: the user's Claude CLI as a link.
 *
 * Started without a shell in a group of its own. Closing ends its input, then
 * asks, then kills, each after a grace, with every descendant; the link is closed
 * when the CLI is gone and what it wrote has arrived. Nothing but whole JSON
 * objects is ever written to it, because one other line ends it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { codeOf, StderrTail, lineReader, type LinkCallbacks, Outbox, paced, wallClock } from "../../wire/index.ts";
import {
  descendantsIn,
  killByRunId,
  newRunId,
  orphanGuard,
  killProcesses,
  runIdVariable,
  readProcessTree,
  type ProcessIdentity,
  sendSignal,
} from "../../process/index.ts";
import { ClaudeExit } from "../errors.ts";
import type { ClaudeLink } from "../claude-connection.ts";

/** The longest line the CLI may write; a longer one is skipped. */
const defaultMaxCliLineBytes = 64 * 1024 * 1024;
/** How long the CLI has to follow the end of its input. Idle it takes 35 ms. */
const defaultEndGraceMs = 1000;
/** How long it has after SIGTERM. It takes 25 to 190 ms. */
const defaultTermGraceMs = 2000;

/** How long what a gone CLI wrote may take to arrive; descendants can hold its pipes. */
const drainMs = 250;
const maxStderrLines = 20;
const maxSweeps = 3;
/** CLIs whose input ends in the same turn of the event loop. */
const mayAsk = paced(16);

export interface ProcessLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxLineBytes?: number | undefined;
  readonly maxQueuedChars?: number | undefined;
  readonly endGraceMs?: number | undefined;
  readonly termGraceMs?: number | undefined;
  /** Sees stderr as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export class ClaudeProcess implements ClaudeLink {
  readonly #launch: ProcessLaunch;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #outbox: Outbox;
  readonly #stderrTail: StderrTail;
  readonly #runId = newRunId();
  readonly #orphanGuard: ReturnType<typeof orphanGuard> = null;
  #callbacks: LinkCallbacks | undefined;
  /** Why we closed it. */
  #closeReason: string | undefined;
  /** What went wrong with its pipes; only its own exit says more. */
  #brokenBy: string | undefined;
  #timers: (() => void)[] = [];
  #known: readonly ProcessIdentity[] = [];
  #isStopping = false;
  /** Its descendants were listed before it was asked to go. */
  #isListed = false;
  #wasSignalled = false;
  #left: { readonly code: number | null; readonly signal: string | null } | undefined;
  #swept: Promise<void> | undefined;
  #exit: ClaudeExit | undefined;

  /** Throws `ClaudeExit` when the system refuses at once; a later refusal closes the link. */
  constructor(launch: ProcessLaunch) {
    this.#launch = launch;
    this.#child = start(launch, this.#runId);
    const { stdin, stdout, stderr } = this.#child;
    this.#outbox = new Outbox(
      {
        write: (text) => stdin.write(text, "utf8"),
        defer: (flush) => process.nextTick(flush),
        onDrain: () => this.#callbacks?.onDrain(),
        onOverflow: (chars) => this.#broke(`the Claude CLI does not read: more than ${chars} characters wait`),
      },
      { maxQueuedChars: launch.maxQueuedChars },
    );
    stdin.on("error", (error) => this.#broke(`writing to the Claude CLI failed: ${codeOf(error)}`));
    stdin.on("drain", () => {
      this.#outbox.writable();
      this.#endInput();
    });
    stdout.on("error", (error) => this.#broke(`reading from the Claude CLI failed: ${codeOf(error)}`));
    this.#stderrTail = new StderrTail(stderr, launch.onStderr);
    this.#child.on("error", (error) => {
      // Errors of a CLI that runs are failed signals; its exit will tell.
      if (this.pid === undefined) this.#finish(`could not start ${launch.command}: ${codeOf(error)}`);
    });
    this.#child.on("exit", (code, signal) => this.#onExit(code, signal));
    this.#child.on("close", () => this.#left && void this.#end());
    if (this.pid !== undefined) this.#orphanGuard = orphanGuard(this.pid, this.#runId);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last of what the CLI wrote to stderr. */
  get stderrTail(): string {
    return this.#stderrTail.text;
  }

  open(callbacks: LinkCallbacks): void {
    this.#callbacks = callbacks;
    const exit = this.#exit;
    if (exit !== undefined) return queueMicrotask(() => callbacks.onClose(exit.message));
    const reader = lineReader(callbacks, this.#launch.maxLineBytes ?? defaultMaxCliLineBytes);
    this.#child.stdout.on("data", reader.push);
    this.#child.stdout.on("end", () => {
      reader.end();
      // Without output it is of no use; mostly it is about to exit, and its exit says more.
      this.#later(drainMs, () => this.#broke("the Claude CLI closed its output"));
    });
  }

  /** Queues one line. Throws a `TypeError` rather than write what would end the CLI. */
  send(line: string): boolean {
    if (!isObjectLine(line)) throw new TypeError("a line to the Claude CLI must be one JSON object");
    if (this.#closeReason !== undefined || this.#exit !== undefined) return false;
    return this.#outbox.send(line);
  }

  /** Holds while the CLI lives: node reads on when it is gone, and a pipe holds little. */
  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  /** Sends what is queued, lists the descendants, ends the input and follows the ladder to the end. */
  close(reason: string): void {
    this.#closeReason ??= reason;
    // Nobody waits for more, and a paused pipe would never be seen to end.
    this.resume();
    this.#outbox.flush();
    this.#endInput();
    this.#stop();
  }

  /** The end of the ladder: SIGKILL for the CLI and all its descendants. */
  async kill(): Promise<void> {
    if (this.pid === undefined || this.#left !== undefined) return;
    this.#wasSignalled = true;
    await this.#know(this.pid);
    if (this.#left === undefined) await this.#signal("SIGKILL");
  }

  /** Afterwards would be too late: the children of a dead process belong to nobody. */
  scanChildren(): void {
    if (this.pid !== undefined && this.#left === undefined) void this.#know(this.pid);
  }

  exit(): ClaudeExit | undefined {
    return this.#exit;
  }

  #endInput(): void {
    if (this.#closeReason !== undefined && this.#isListed && this.#outbox.isEmpty) this.#child.stdin.end();
  }

  #broke(how: string): void {
    this.#brokenBy ??= how;
    this.#stop();
  }

  #stop(): void {
    const { pid } = this;
    // Signalling a child that never started would signal our own group (nodejs/node#65054).
    if (this.#isStopping || pid === undefined || this.#left !== undefined) return;
    this.#isStopping = true;
    const listed = this.#know(pid).then(mayAsk);
    void listed.then(() => {
      this.#isListed = true;
      this.#endInput();
      this.#ask(pid);
    });
  }

  /** The ladder of one whose descendants are known. */
  #ask(pid: number): void {
    if (this.#left !== undefined) return;
    const { endGraceMs = defaultEndGraceMs, termGraceMs = defaultTermGraceMs } = this.#launch;
    this.#later(endGraceMs, () => {
      this.#wasSignalled = true;
      void this.#know(pid).then(() => {
        if (this.#left !== undefined) return;
        void this.#signal("SIGTERM");
        this.#later(termGraceMs, () => void this.kill());
      });
    });
  }

  /** Remembers the descendants while they can still be found: a dead parent's belong to nobody. */
  async #know(pid: number): Promise<void> {
    const tree = await readProcessTree();
    this.#known = descendantsIn(tree, pid, this.#known);
    // It ended while we looked, and what was found has outlived it.
    if (this.#left !== undefined) await killProcesses(this.#known);
  }

  /** SIGTERM goes to the CLI's group, for the CLI ends its own commands; SIGKILL to everyone. */
  async #signal(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    if (process.platform === "win32") return void this.#child.kill(signal);
    sendSignal(-pid, signal);
    if (signal === "SIGKILL") await killProcesses(this.#known);
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#left = { code, signal };
    this.#cancelTimers();
    // One that left by itself when asked has ended its commands; one that was killed had no time to.
    const wasAsked = signal === null && this.#closeReason !== undefined && this.#isListed;
    // What it left behind: its group, and those we know that outlived it.
    const swept = Promise.all([this.#signal("SIGKILL"), wasAsked ? undefined : this.#sweep(new Set(), maxSweeps)]);
    this.#swept = swept.then(() => this.#orphanGuard?.release());
    this.#later(drainMs, () => void this.#end());
  }

  /** Kills the commands of a CLI that is gone, and again: one may be just beginning. */
  async #sweep(sessions: Set<number>, times: number): Promise<void> {
    await killByRunId(this.#runId, sessions);
    if (times > 1) wallClock(drainMs, () => void this.#sweep(sessions, times - 1));
  }

  /** The CLI is gone, and so is what it left. */
  async #end(): Promise<void> {
    await this.#swept;
    this.#finish();
  }

  #finish(failure?: string): void {
    if (this.#exit !== undefined) return;
    const left = this.#left ?? { code: null, signal: null };
    const stderr = this.stderrTail.split(/\r?\n/).filter((line) => line.trim() !== "");
    const fault = this.#wasSignalled ? this.#brokenBy : undefined;
    const reason = this.#closeReason ?? failure ?? fault ?? describeExit(left.code, left.signal);
    this.#exit = new ClaudeExit(reason, { ...left, stderr: stderr.slice(-maxStderrLines) });
    this.#cancelTimers();
    this.#outbox.close();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    this.#callbacks?.onClose(reason);
  }

  #later(delayMs: number, run: () => void): void {
    this.#timers.push(wallClock(delayMs, run));
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }
}

function start({ command, args, cwd, env }: ProcessLaunch, mark: string): ChildProcessWithoutNullStreams {
  try {
    return spawn(command, args, {
      cwd,
      env: { ...env, [runIdVariable]: mark },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      // A group of its own; on Windows it would only open a console.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (cause) {
    throw new ClaudeExit(`could not start ${command}: ${codeOf(cause)}`);
  }
}

/** Parsing what we send costs little beside what the CLI does with it. */
function isObjectLine(line: string): boolean {
  if (!line.startsWith("{") || line.includes("\n")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `the Claude CLI exited with code ${code ?? 0}` : `the Claude CLI was ended by ${signal}`;
}
