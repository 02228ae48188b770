/**
 * Faults at the seam to Codex: a recorded conversation whose app-server breaks after every
 * single line, and whose host fails at every single write.
 *
 * Whatever the moment: each prompt is answered once, every call has ended by then, no timer
 * and no app-server is left, and the next prompt works.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CodexFaultRunner, type CodexRow, codexScript } from "../support/faults/codex-fault-runner.ts";
import type { Fault } from "../support/faults/recorded-cli.ts";

/** Every kind of moment: words, thoughts, commands, patches, questions, subagents, cancels. */
const names = [
  "commentary",
  "reasoning",
  "command-live-output",
  "command-declined",
  "cancelled-mid-command",
  "parallel-calls",
  "patch-move",
  "patch-cancelled",
  "ask-user",
  "mcp-picture",
  "stream-breaks",
  "subagent",
  "usage-limit",
  "web-search",
] as const;

const cuts = ["obeys a cancel", "exits", "ends its output", "stops in the middle of a line", "falls silent"] as const;
const failures = ["breaks the pipe", "loses a frame", "throws"] as const;

/** Plays until the fault has no place any more; gives how often it had. */
async function everywhere(rows: readonly CodexRow[], faultAt: (n: number) => Fault): Promise<number> {
  for (let n = 0; ; n++) {
    const fault = faultAt(n);
    const runner = new CodexFaultRunner(rows, fault);
    try {
      await runner.play();
    } catch (cause) {
      throw new Error(`${JSON.stringify(fault)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    if (!runner.hasFaulted) return n;
  }
}

for (const name of names) {
  const rows = codexScript(name);

  describe(`the recording ${name} of Codex, with an app-server that fails`, () => {
    for (const kind of cuts) {
      it(`the recording ${name} of Codex ends well with an app-server that ${kind} after any line`, async () => {
        assert.ok((await everywhere(rows, (after) => ({ kind, after }))) > 10);
      });
    }
    for (const kind of failures) {
      it(`the recording ${name} of Codex ends well with an app-server that ${kind} at any write`, async () => {
        assert.ok((await everywhere(rows, (at) => ({ kind, at }))) >= 4);
      });
    }
  });
}
