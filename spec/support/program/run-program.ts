/**
 * Runs the program with one of its commands, as a child process.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { programArgs } from "../built-program.ts";

/** The command line of `bowline <args>`. */
export function bowline(args: readonly string[]): readonly [command: string, ...args: string[]] {
  return [process.execPath, ...programArgs, ...args];
}

export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** All output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when stdout or stderr contains this text. */
  readonly says: (text: string) => Promise<void>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const running = new Set<ChildProcessWithoutNullStreams>();
// A failed spec must not leave a process behind.
after(() => running.forEach((child) => child.kill("SIGKILL")));

export function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const [command, ...rest] = bowline(args);
  const child = spawn(command, rest, { env: { ...process.env, ...env } });
  running.add(child);
  const out: Buffer[] = [];
  let err = "";
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const one of woken) one();
  };
  child.stdin.on("error", () => {});
  child.stdout.on("data", (chunk: Buffer) => (out.push(chunk), wake()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => ((err += text), wake()));
  const stdout = (): string => Buffer.concat(out).toString();
  const ended = once(child, "close").then(([code, signal]): Ended => {
    running.delete(child);
    wake();
    return { code, signal, stdout: Buffer.concat(out), stderr: err };
  });
  return {
    child,
    ended,
    stdout,
    stderr: () => err,
    says: async (text) => {
      while (!`${stdout()}${err}`.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended before it said ${text}: ${err}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

/** A directory that is removed when the specs are done. */
export function scratch(): string {
  const place = mkdtempSync(join(tmpdir(), "bowline-spec-"));
  after(() => rmSync(place, { recursive: true, force: true }));
  return place;
}
