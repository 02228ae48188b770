/**
 * Starts an agent of `programs/` as a child process.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { type ChildLink, childLink } from "../../../lib/index.ts";
import { bundledProgram } from "../bundled-program.ts";
import type { Stream } from "./official.ts";

export type ProgramName = "our-agent" | "official-agent";

/** How long a program may take to exit after the end of its input. */
const graceMs = 5000;

const cwd = fileURLToPath(new URL("../../../", import.meta.url));

/** The program on our own link. */
export async function linkTo(name: ProgramName): Promise<ChildLink> {
  return childLink(process.execPath, [await programFile(name)], { cwd, graceMs });
}

/** The program as a plain child process. */
export async function start(name: ProgramName): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [await programFile(name)], { cwd });
}

/** The child's streams, as the official SDK takes them. */
export function streamOf({ stdin, stdout }: ChildProcessWithoutNullStreams): Stream {
  // Node's web streams of bytes are those of the SDK, except for the names of their types.
  return ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
}

/** Ends the child's input and waits until it has exited; a child that does not exit is killed. */
export async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  child.stdin.end();
  await once(child, "exit");
  clearTimeout(timer);
}

const files = new Map<ProgramName, Promise<string>>();

function programFile(name: ProgramName): Promise<string> {
  const known = files.get(name) ?? bundledProgram(fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url)));
  files.set(name, known);
  return known;
}
