/**
 * Child link: a program started by us, spoken to over its standard streams.
 *
 * Closing ends its input, then asks, then kills, each after a grace; the link is
 * closed when the program is gone and all it wrote has arrived. What it writes to
 * stderr is kept as a bounded tail. Started without a shell, so arguments are
 * never interpreted.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { codeOf } from "./error-text.ts";
import { StderrTail } from "./stderr-tail.ts";
import { type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "./link.ts";
import { streamLink } from "./stream-link.ts";

/** How long a program has to leave, first after EOF and then after SIGTERM. */
const defaultGraceMs = 2000;

/** How long what a gone program wrote may take to arrive. */
const drainMs = 250;

export interface ChildLinkOptions extends LinkLimits {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly graceMs?: number | undefined;
  /** Sees stderr as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface ChildLink extends Link {
  readonly pid: number | undefined;
  /** The last of what the program wrote to stderr. */
  readonly stderrTail: () => string;
}

export function childLink(command: string, args: readonly string[] = [], options: ChildLinkOptions = {}): ChildLink {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: options.cwd,
      env: options.env,
      shell: false,
    });
  } catch (error) {
    return unstarted(command, Promise.resolve(error));
  }
  // Some failures are thrown and some are told later; with the latter the streams may be missing.
  if (child.pid === undefined) return unstarted(command, new Promise((resolve) => child.once("error", resolve)));
  return started(child, options);
}

function started(child: ChildProcessWithoutNullStreams, options: ChildLinkOptions): ChildLink {
  const stop = stopper(child, options.graceMs ?? defaultGraceMs);
  // A broken pipe only says that the program is going; its exit says more.
  const inner = streamLink({ input: child.stdout, output: child.stdin }, options, stop);
  let callbacks: LinkCallbacks | undefined;
  let closeReason: string | undefined;
  let exit: string | undefined;
  let isGone = false;
  let endTimer: NodeJS.Timeout | undefined;
  let drainTimer: NodeJS.Timeout | undefined;
  const lastWords = new StderrTail(child.stderr, options.onStderr);
  // A signal that cannot be sent is an error event; the next one may do.
  child.on("error", () => {});
  child.on("exit", (code, signal) => {
    exit = describeExit(code, signal);
    // Descendants may hold the pipes open for ever. Should we have been too busy to read what the
    // program itself wrote, it is read between the timer and the immediate.
    drainTimer = setTimeout(() => setImmediate(gone), drainMs);
  });
  child.on("close", gone);

  return {
    pid: child.pid,
    stderrTail: () => lastWords.text,
    open(given) {
      callbacks = given;
      if (isGone) return reportClosed(given, goneReason());
      inner.open({
        // Not spread: the methods of a class instance would be lost.
        onLine: (line) => given.onLine(line),
        onFault: (fault) => given.onFault(fault),
        onDrain: () => given.onDrain(),
        onEnd() {
          // A program that ends its output is mostly about to exit, and its exit says more.
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
      // What a leaving program still has to say is bounded by its pipe, and keeping it there would keep us.
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

/** The link to a program that could not be started. */
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

/** Waits for the program to follow its closed input, then asks, then kills. */
function stopper(child: ChildProcess, graceMs: number): () => void {
  let isStopping = false;
  return () => {
    if (isStopping || child.exitCode !== null || child.signalCode !== null) return;
    isStopping = true;
    let timer = setTimeout(() => {
      child.kill("SIGTERM");
      // Counted from the asking: had we been too busy to ask in time, the grace would be gone.
      timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    }, graceMs);
    child.once("exit", () => clearTimeout(timer));
  };
}
