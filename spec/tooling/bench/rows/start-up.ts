/**
 * Measures start-up: from spawning an agent to its response to `initialize`, and its
 * memory while idle.
 *
 * Ours and the official SDK's are single bundled files, the peer is as npm installs it.
 * The floor of the time is a Node that does nothing, the floor of the memory an agent of
 * twenty lines.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Child, start, stop } from "../child.ts";
import { residentMegabytes } from "../memory.ts";
import { clocked, type Contestants } from "../measure.ts";
import { findPeer } from "../real-clis/peer.ts";
import type { Row, Setting } from "../row.ts";

/** How long an agent may settle before its memory counts as idle. */
const settleMs = 400;

export function startUpRows({ program }: Setting): Row[] {
  return [
    {
      name: "start-up to initialize answered",
      scale: { kind: "cost", unit: " ms" },
      // The file is plain code, which Node scans as a whole before it runs the first line.
      target: 1.35,
      rounds: 31,
      quickRounds: 9,
      warmUps: 1,
      open: () => ({
        contestants: {
          floor: () => clocked(emptyNode),
          ours: () => timeToInitialize(program("bowline")),
          "official SDK": () => timeToInitialize(program("agent-official")),
          ...withPeer(timeToInitialize),
        },
      }),
    },
    {
      name: "memory, idle after initialize",
      scale: { kind: "cost", unit: " MB" },
      target: 1.15,
      rounds: 7,
      warmUps: 0,
      open: () => ({
        contestants: {
          floor: () => idleMegabytes(program("agent-floor")),
          ours: () => idleMegabytes(program("bowline")),
          "official SDK": () => idleMegabytes(program("agent-official")),
          ...withPeer(idleMegabytes),
        },
      }),
    },
  ];
}

function withPeer(cost: (program: string) => Promise<number>): Contestants {
  const peer = findPeer();
  return peer === undefined ? {} : { "claude-agent-acp": () => cost(peer.program) };
}

const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
})}\n`;

async function emptyNode(): Promise<void> {
  await once(spawn(process.execPath, ["-e", "0"], { stdio: ["pipe", "pipe", "inherit"] }), "exit");
}

async function timeToInitialize(program: string): Promise<number> {
  const begin = performance.now();
  const child = await initialized(program);
  const elapsed = performance.now() - begin;
  await stop(child);
  return elapsed;
}

async function idleMegabytes(program: string): Promise<number> {
  const child = await initialized(program);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const megabytes = residentMegabytes(child.pid ?? 0);
  await stop(child);
  return megabytes;
}

async function initialized(program: string): Promise<Child> {
  const child = start(program);
  child.stdin.write(initialize);
  await once(child.stdout, "data");
  return child;
}
