/**
 * Child link: a program started by us, spoken to over its standard streams.
 *
 * Closing ends its input, then asks, then kills, each after a grace; the link is
 * closed when the program is gone. What it writes to stderr is kept as a bounded
 * tail. Started without a shell, so arguments are never interpreted.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Link, LinkLimits } from "./link.ts";
import { pipeClosed, streamLink } from "./stream-link.ts";

/** How much of the program's last stderr output is kept. */
export const defaultStderrTailChars = 8 * 1024;
/** How long a program has to leave, first after EOF and then after SIGTERM. */
export const defaultGraceMs = 2000;

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
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: options.cwd,
    env: options.env,
    shell: false,
  });
  const inner = streamLink({ input: child.stdout, output: child.stdin }, options);
  let tail = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("error", () => {});
  child.stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-defaultStderrTailChars);
    options.onStderr?.(text);
  });
  const stop = stopper(child, options.graceMs ?? defaultGraceMs);
  let closeReason: string | undefined;

  return {
    pid: child.pid,
    stderrTail: () => tail,
    open(ends) {
      let exit: string | undefined;
      let hasEnded = false;
      let isGone = false;
      child.on("error", (error) => {
        if (child.pid === undefined)
          gone(`could not start ${command}: ${"code" in error ? String(error.code) : error.name}`);
      });
      child.on("exit", (code, signal) => {
        exit = describeExit(code, signal);
        // Descendants may hold the pipe open for ever; what the program itself wrote is here soon.
        if (hasEnded) gone(exit);
        else setTimeout(gone, drainMs, exit);
      });
      inner.open({
        ...ends,
        onEnd() {
          hasEnded = true;
          // A program that ends its output is mostly about to exit, and its exit says more.
          if (exit !== undefined) gone(exit);
          else setTimeout(() => isGone || ends.onEnd(), drainMs);
        },
        onClose(reason) {
          // A broken pipe only says that the program is going; its exit says more.
          if (reason !== pipeClosed) closeReason ??= reason;
          stop();
          if (exit !== undefined) gone(exit);
        },
      });

      function gone(reason: string): void {
        if (isGone) return;
        isGone = true;
        inner.close(reason);
        ends.onClose(closeReason ?? reason);
      }
    },
    send: inner.send,
    pause: inner.pause,
    resume: inner.resume,
    close(reason) {
      closeReason ??= reason;
      inner.close(reason);
      stop();
    },
  };
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `the program exited with code ${code ?? 0}` : `the program was ended by ${signal}`;
}

/** Waits for the program to follow its closed input, then asks, then kills. */
function stopper(child: ChildProcess, graceMs: number): () => void {
  let isStopping = false;
  return () => {
    // Signalling a child that never started would signal our own process group.
    if (isStopping || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    isStopping = true;
    const timers = [
      setTimeout(() => child.kill("SIGTERM"), graceMs),
      setTimeout(() => child.kill("SIGKILL"), 2 * graceMs),
    ];
    child.once("exit", () => timers.forEach((timer) => clearTimeout(timer)));
  };
}
