/**
 * Starts a child process and returns a link over its standard streams.
 *
 * Closing the link ends the child's stdin, then sends SIGTERM, then SIGKILL, with a
 * grace period before each signal. The link closes when the child has exited and all
 * its output has arrived. The end of its stderr is kept. The child is started without
 * a shell, so arguments are never interpreted. On Windows, which has no signals, the
 * child and all its descendants are ended after the first grace period.
 */
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { codeOf } from "../error-text.ts";
import { StderrTail } from "./stderr-tail.ts";
import { type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "../link.ts";
import { spawnProgram } from "./spawn-program.ts";
import { streamLink } from "../stream-link.ts";
import { endWindowsTree } from "./windows-processes.ts";

/** How long a child may take to exit, first after EOF and then after SIGTERM. */
const defaultGraceMs = 2000;

/** How long the last output of an exited child may take to arrive. */
const drainMs = 250;

export interface ChildLinkOptions extends LinkLimits {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly graceMs?: number | undefined;
  /** Receives stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface ChildLink extends Link {
  readonly pid: number | undefined;
  /** The end of what the child has written to stderr. */
  readonly stderrTail: () => string;
}

/** Starts a program and makes a link of its stdin and stdout. */
export function childLink(command: string, args: readonly string[] = [], options: ChildLinkOptions = {}): ChildLink {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawnProgram(command, args, options);
  } catch (error) {
    return unstarted(command, Promise.resolve(error));
  }
  // `spawn` throws some failures and emits others as an "error" event; then the streams may be missing.
  if (child.pid === undefined) return unstarted(command, new Promise((resolve) => child.once("error", resolve)));
  return started(child, options);
}

function started(child: ChildProcessWithoutNullStreams, options: ChildLinkOptions): ChildLink {
  const stop = stopper(child, options.graceMs ?? defaultGraceMs);
  // A broken pipe only means that the child is exiting; its exit status says more.
  const inner = streamLink({ input: child.stdout, output: child.stdin }, options, stop);
  let callbacks: LinkCallbacks | undefined;
  let closeReason: string | undefined;
  let exit: string | undefined;
  let isGone = false;
  let endTimer: NodeJS.Timeout | undefined;
  let drainTimer: NodeJS.Timeout | undefined;
  const stderrTail = new StderrTail(child.stderr, options.onStderr);
  // A signal that cannot be sent is an "error" event; the next signal may still work.
  child.on("error", () => {});
  child.on("exit", (code, signal) => {
    exit = describeExit(code, signal);
    // Descendants may hold the pipes open for ever, so "close" may never come. If this process was
    // too busy to read the child's own output, it reads it between the timer and the immediate.
    drainTimer = setTimeout(() => setImmediate(gone), drainMs);
  });
  child.on("close", gone);

  return {
    pid: child.pid,
    stderrTail: () => stderrTail.text,
    open(given) {
      callbacks = given;
      if (isGone) return reportClosed(given, goneReason());
      inner.open({
        // Not spread: that would lose the methods of a class instance.
        onLine: (line) => given.onLine(line),
        onFault: (fault) => given.onFault(fault),
        onDrain: () => given.onDrain(),
        onEnd() {
          // A child that ends its output usually exits next, and its exit status says more.
          if (exit === undefined) endTimer = setTimeout(() => given.onEnd(), drainMs);
        },
        onClose(reason) {
          closeReason ??= reason;
          stop();
        },
      });
    },
    send: (line) => !isGone && inner.send(line),
    pause() {
      // The last output of an exiting child is bounded by its pipe; not reading it would delay the close.
      if (exit === undefined && closeReason === undefined) inner.pause();
    },
    resume: inner.resume,
    close(reason) {
      closeReason ??= reason;
      inner.close(reason);
      inner.resume();
      stop();
    },
  };

  function gone(): void {
    if (isGone) return;
    isGone = true;
    clearTimeout(endTimer);
    clearTimeout(drainTimer);
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    if (callbacks !== undefined) reportClosed(callbacks, goneReason());
  }

  function goneReason(): string {
    return closeReason ?? exit ?? "the program is gone";
  }
}

/** The link to a child that could not be started. */
function unstarted(command: string, failure: Promise<unknown>): ChildLink {
  return {
    pid: undefined,
    stderrTail: () => "",
    open(callbacks) {
      void failure.then((error) => callbacks.onClose(`could not start ${command}: ${codeOf(error)}`));
    },
    send: () => false,
    pause() {},
    resume() {},
    close() {},
  };
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `the program exited with code ${code ?? 0}` : `the program was ended by ${signal}`;
}

/** Waits for the child to exit after EOF, then sends SIGTERM, then SIGKILL. */
function stopper(child: ChildProcess, graceMs: number): () => void {
  let isStopping = false;
  return () => {
    if (isStopping || child.exitCode !== null || child.signalCode !== null) return;
    isStopping = true;
    let timer = setTimeout(() => {
      if (process.platform === "win32") return endTree(child);
      child.kill("SIGTERM");
      // Started with SIGTERM: this process may have been too busy to send it in time.
      timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    }, graceMs);
    child.once("exit", () => clearTimeout(timer));
  };
}

function endTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  // The child itself last: by then its descendants have been found.
  void endWindowsTree(child.pid).then(() => child.kill());
}
