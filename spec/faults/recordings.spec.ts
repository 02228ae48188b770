/**
 * Faults at the seam: a recorded conversation whose CLI breaks after every single
 * line, and whose host fails at every single write.
 *
 * Whatever the moment: each prompt is answered once, every call has ended by then,
 * every word that was said is shown once, no timer and no CLI is left, and the next
 * prompt works.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Fault } from "../support/faults/recorded-cli.ts";
import { script } from "../support/faults/recording-script.ts";
import { type Row, FaultRunner } from "../support/faults/fault-runner.ts";

/** Every kind of moment: words, thoughts, tools, questions, subagents, cancels, several turns. */
const names = [
  "text",
  "thinking",
  "edit",
  "bash-denied",
  "parallel-tools",
  "agent-permission",
  "agent-background",
  "ask-user-question",
  "cancelled-mid-tool",
  "stream-breaks",
  "slash-clear",
  "elicitation",
] as const;

const cuts = ["obeys a cancel", "exits", "ends its output", "stops in the middle of a line", "falls silent"] as const;
const failures = ["breaks the pipe", "loses a frame", "throws"] as const;

/** Plays until the fault has no place any more; gives how often it had. */
async function everywhere(rows: readonly Row[], faultAt: (n: number) => Fault): Promise<number> {
  for (let n = 0; ; n++) {
    const fault = faultAt(n);
    const environment = new FaultRunner(rows, fault);
    try {
      await environment.play();
    } catch (cause) {
      throw new Error(`${JSON.stringify(fault)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    if (!environment.hasFaulted) return n;
  }
}

for (const name of names) {
  const rows = script(name);
  const lines = rows.filter((row) => "said" in row).length;

  describe(`the recording ${name}, with a CLI that fails`, () => {
    for (const kind of cuts) {
      it(`the recording ${name} ends well with a CLI that ${kind} after any line`, async () => {
        assert.equal(await everywhere(rows, (after) => ({ kind, after })), lines);
      });
    }
    for (const kind of failures) {
      it(`the recording ${name} ends well with a CLI that ${kind} at any write`, async () => {
        assert.ok((await everywhere(rows, (at) => ({ kind, at }))) >= 2);
      });
    }
  });
}
