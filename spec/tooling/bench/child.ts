/**
 * Starts and ends a bundled program.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export type Child = ChildProcessByStdio<Writable, Readable, null>;

export function start(program: string): Child {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  // The program may exit while the bench still writes.
  child.stdin.on("error", () => {});
  return child;
}

/** Resolves once the program has exited. */
export async function stop(child: Child): Promise<void> {
  const hasExited = once(child, "exit");
  child.kill("SIGKILL");
  await hasExited;
}
