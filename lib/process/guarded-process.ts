/**
 * Runs a CLI as a child process and offers it as a link.
 *
 * Spawns without a shell, in a process group of its own. `close` ends stdin, then sends
 * SIGTERM, then SIGKILL, each after a grace period, and kills every descendant. `onClose`
 * comes after the CLI has exited and its output has been read. If this process dies, the
 * orphan guard stops the CLI. Windows has no signals: there the CLI and its descendants are
 * ended at once, after the first grace period.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  codeOf,
  endWindowsDescendants,
  endWindowsTree,
  StderrTail,
  lineReader,
  type Link,
  type LinkCallbacks,
  Outbox,
  paced,
  realTimer,
} from "../wire/index.ts";
import { type Guarded, orphanGuard } from "./orphan-guard.ts";
import { killProcesses, runIdVariable, readProcessTree, type ProcessIdentity, sendSignal } from "./process-table.ts";
import { descendantsIn, killByRunId, newRunId } from "./process-tree.ts";

/** The longest line accepted from the CLI. Longer lines are skipped. */
const defaultMaxCliLineBytes = 64 * 1024 * 1024;
/** How long the CLI may take to exit after the end of its stdin. An idle CLI takes 35 ms. */
const defaultEndGraceMs = 1000;
/** How long the CLI may take to exit after SIGTERM. It takes 25 to 190 ms. */
const defaultTermGraceMs = 2000;

/** How long to wait for the last output after exit. There is a limit because descendants can hold the pipes open. */
const drainMs = 250;
const isWindows = process.platform === "win32";
const maxStderrLines = 20;
const maxKillRounds = 3;
/** Limits how many CLIs are stopped in the same turn of the event loop. */
const stopSlot = paced(16);

export interface GuardedLaunch {
  /** The name in messages, for example "the Claude CLI". */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxLineBytes?: number | undefined;
  readonly maxQueuedChars?: number | undefined;
  readonly endGraceMs?: number | undefined;
  readonly termGraceMs?: number | undefined;
  /** Daemons of the CLI (no longer its descendants, and their session leader has exited) outlive it. True by default. */
  readonly leavesDaemons?: boolean | undefined;
  /** Receives stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface ProcessExit {
  /** Why the link closed, in words for the user. */
  readonly reason: string;
  /** Null when a signal ended the CLI, or when the CLI never ran. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines the CLI wrote to stderr. */
  readonly stderr: readonly string[];
}

/** How many processes this program has started, and how many of them ended without having been asked to. */
export const processCounts = { started: 0, crashed: 0 };

export class GuardedProcess implements Link {
  readonly #launch: GuardedLaunch;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #outbox: Outbox;
  readonly #stderrTail: StderrTail;
  readonly #runId = newRunId();
  readonly #orphanGuard: Guarded | undefined;
  #callbacks: LinkCallbacks | undefined;
  /** The reason given to `close`. */
  #closeReason: string | undefined;
  /** The first failure of a pipe. Reported only if we had to kill the CLI; otherwise its exit status says more. */
  #pipeFailure: string | undefined;
  #timers: (() => void)[] = [];
  #descendants: readonly ProcessIdentity[] = [];
  #isStopping = false;
  /** The descendants were listed before stdin was ended. */
  #areDescendantsListed = false;
  #wasSignalled = false;
  #exitStatus: { readonly code: number | null; readonly signal: string | null } | undefined;
  #cleanup: Promise<void> | undefined;
  #exit: ProcessExit | undefined;

  /** Throws an `Error` for the user when spawning fails at once. A later failure closes the link. */
  constructor(launch: GuardedLaunch) {
    this.#launch = launch;
    this.#child = start(launch, this.#runId);
    processCounts.started++;
    const { stdin, stdout, stderr } = this.#child;
    this.#outbox = new Outbox(
      {
        write: (text) => stdin.write(text, "utf8"),
        defer: (flush) => process.nextTick(flush),
        onDrain: () => this.#callbacks?.onDrain(),
        onOverflow: (chars) => this.#fail(`${launch.name} does not read: more than ${chars} characters wait`),
      },
      { maxQueuedChars: launch.maxQueuedChars },
    );
    stdin.on("error", (error) => this.#fail(`writing to ${launch.name} failed: ${codeOf(error)}`));
    stdin.on("drain", () => {
      this.#outbox.writable();
      this.#endInput();
    });
    stdout.on("error", (error) => this.#fail(`reading from ${launch.name} failed: ${codeOf(error)}`));
    this.#stderrTail = new StderrTail(stderr, launch.onStderr);
    this.#child.on("error", (error) => {
      // For a running CLI this event reports a failed signal, which the exit event covers.
      if (this.pid === undefined) this.#finish(`could not start ${launch.command}: ${codeOf(error)}`);
    });
    this.#child.on("exit", (code, signal) => this.#onExit(code, signal));
    this.#child.on("close", () => this.#exitStatus && void this.#finishAfterCleanup());
    if (this.pid !== undefined) this.#orphanGuard = orphanGuard(this.pid, this.#runId, launch.leavesDaemons);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what the CLI wrote to stderr. */
  get stderrTail(): string {
    return this.#stderrTail.text;
  }

  open(callbacks: LinkCallbacks): void {
    this.#callbacks = callbacks;
    const exit = this.#exit;
    if (exit !== undefined) return queueMicrotask(() => callbacks.onClose(exit.reason));
    const reader = lineReader(callbacks, this.#launch.maxLineBytes ?? defaultMaxCliLineBytes);
    this.#child.stdout.on("data", reader.push);
    this.#child.stdout.on("end", () => {
      reader.end();
      // A CLI without output is useless. Usually it is about to exit, so wait for the exit status first.
      this.#schedule(drainMs, () => this.#fail(`${this.#launch.name} closed its output`));
    });
  }

  send(line: string): boolean {
    if (this.#closeReason !== undefined || this.#exit !== undefined) return false;
    return this.#outbox.send(line);
  }

  /** Works only while the CLI runs: after its exit Node reads the rest of the pipe, which is little. */
  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  /** Writes the queued lines, lists the descendants, ends stdin, then escalates to SIGTERM and SIGKILL. */
  close(reason: string): void {
    this.#closeReason ??= reason;
    // A paused pipe would never report its end.
    this.resume();
    this.#outbox.flush();
    this.#endInput();
    this.#stop();
  }

  /** Sends SIGKILL to the CLI and all its descendants. */
  async kill(): Promise<void> {
    if (this.pid === undefined || this.#exitStatus !== undefined) return;
    this.#wasSignalled = true;
    if (!isWindows) await this.#listDescendants(this.pid);
    if (this.#exitStatus === undefined) await this.#signal("SIGKILL");
  }

  /** Must happen while the CLI runs: the children of a dead process can no longer be found, except on Windows. */
  scanChildren(): void {
    if (!isWindows && this.pid !== undefined && this.#exitStatus === undefined) void this.#listDescendants(this.pid);
  }

  /** How the CLI ended; undefined while the link is open. */
  exit(): ProcessExit | undefined {
    return this.#exit;
  }

  #endInput(): void {
    if (this.#closeReason !== undefined && this.#areDescendantsListed && this.#outbox.isEmpty) this.#child.stdin.end();
  }

  #fail(reason: string): void {
    this.#pipeFailure ??= reason;
    this.#stop();
  }

  #stop(): void {
    const { pid } = this;
    // Signalling a child that never started would signal our own group (nodejs/node#65054).
    if (this.#isStopping || pid === undefined || this.#exitStatus !== undefined) return;
    this.#isStopping = true;
    const listed = (isWindows ? Promise.resolve() : this.#listDescendants(pid)).then(stopSlot);
    void listed.then(() => {
      this.#areDescendantsListed = true;
      this.#endInput();
      this.#escalate(pid);
    });
  }

  /** Schedules SIGTERM and, after that, SIGKILL. The descendants have been listed. */
  #escalate(pid: number): void {
    if (this.#exitStatus !== undefined) return;
    const { endGraceMs = defaultEndGraceMs, termGraceMs = defaultTermGraceMs } = this.#launch;
    this.#schedule(endGraceMs, () => {
      if (isWindows) return void this.kill();
      this.#wasSignalled = true;
      void this.#listDescendants(pid).then(() => {
        if (this.#exitStatus !== undefined) return;
        void this.#signal("SIGTERM");
        this.#schedule(termGraceMs, () => void this.kill());
      });
    });
  }

  /** Lists the descendants while they can still be found: those of a dead process cannot. */
  async #listDescendants(pid: number): Promise<void> {
    const tree = await readProcessTree();
    this.#descendants = descendantsIn(tree, pid, this.#descendants);
    // The CLI exited during the scan, so these processes have outlived it.
    if (this.#exitStatus !== undefined) await killProcesses(this.#descendants);
  }

  /** SIGTERM goes only to the CLI's process group, because the CLI stops its commands. SIGKILL goes to all descendants. */
  async #signal(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    if (isWindows) return endWindowsTree(pid);
    sendSignal(-pid, signal);
    if (signal === "SIGKILL") await killProcesses(this.#descendants);
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#exitStatus = { code, signal };
    if (this.#closeReason === undefined) processCounts.crashed++;
    this.#cancelTimers();
    // A CLI that exited after `close` without a signal has stopped its commands; a killed one had no time to.
    const hasStoppedCommands = signal === null && this.#closeReason !== undefined && this.#areDescendantsListed;
    // Kills what may have outlived the CLI: its process group and the listed descendants.
    const killed = isWindows
      ? this.#endWindowsLeftovers(hasStoppedCommands)
      : Promise.all([
          this.#signal("SIGKILL"),
          hasStoppedCommands ? undefined : this.#killLeftovers(new Set(), maxKillRounds),
        ]);
    this.#cleanup = killed.then(() => this.#orphanGuard?.release());
    this.#schedule(drainMs, () => void this.#finishAfterCleanup());
  }

  /** On Windows a process keeps the id of its parent, so the commands of an exited CLI can still be found. */
  async #endWindowsLeftovers(hasStoppedCommands: boolean): Promise<void> {
    if (this.pid !== undefined && !hasStoppedCommands) await endWindowsDescendants(this.pid);
  }

  /** Kills the commands of an exited CLI. Repeats, because a command may have been starting during the first round. */
  async #killLeftovers(sessions: Set<number>, times: number): Promise<void> {
    // Listed descendants may lead sessions, and may be dead before their sessions are looked for.
    for (const { pid } of this.#descendants) sessions.add(pid);
    await killByRunId(this.#runId, sessions, this.#launch.leavesDaemons);
    if (times > 1) realTimer(drainMs, () => void this.#killLeftovers(sessions, times - 1));
  }

  /** Closes the link once the processes that outlived the CLI are killed. */
  async #finishAfterCleanup(): Promise<void> {
    await this.#cleanup;
    this.#finish();
  }

  #finish(failure?: string): void {
    if (this.#exit !== undefined) return;
    const status = this.#exitStatus ?? { code: null, signal: null };
    const stderr = this.stderrTail.split(/\r?\n/).filter((line) => line.trim() !== "");
    const fault = this.#wasSignalled ? this.#pipeFailure : undefined;
    const reason = this.#closeReason ?? failure ?? fault ?? describeExit(this.#launch.name, status.code, status.signal);
    this.#exit = { reason, ...status, stderr: stderr.slice(-maxStderrLines) };
    this.#cancelTimers();
    this.#outbox.close();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    this.#callbacks?.onClose(reason);
  }

  #schedule(delayMs: number, run: () => void): void {
    this.#timers.push(realTimer(delayMs, run));
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }
}

function start({ command, args, cwd, env }: GuardedLaunch, runId: string): ChildProcessWithoutNullStreams {
  try {
    return spawn(command, args, {
      cwd,
      env: { ...env, [runIdVariable]: runId },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      // Creates a process group. On Windows it would only open a console.
      detached: !isWindows,
      windowsHide: true,
    });
  } catch (cause) {
    throw new Error(`could not start ${command}: ${codeOf(cause)}`, { cause });
  }
}

function describeExit(name: string, code: number | null, signal: string | null): string {
  return signal === null ? `${name} exited with code ${code ?? 0}` : `${name} was ended by ${signal}`;
}
