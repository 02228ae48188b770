/**
 * Faults at the seam: a recorded conversation whose CLI breaks after every kind of line
 * (support/faults/fault-places.ts), and whose host fails at every single write.
 *
 * Whatever the moment: each prompt is answered once, every call has ended by then,
 * every word that was said is shown once, no timer and no CLI is left, and the next
 * prompt works.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeFaultRunner, type ClaudeRow } from "../support/faults/claude-fault-runner.ts";
import { faultPlaces } from "../support/faults/fault-places.ts";
import { playWith } from "../support/faults/fault-runner.ts";
import type { Fault } from "../support/faults/faulty-link.ts";
import { script } from "../support/faults/recording-script.ts";

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

const play = (rows: readonly ClaudeRow[], fault: Fault): Promise<boolean> =>
  playWith(new ClaudeFaultRunner(rows, fault), fault);

const placesOf = faultPlaces();

for (const name of names) {
  const rows = script(name);
  const lines = rows.filter((row) => "said" in row).length;
  const places = placesOf(
    rows.map((row) =>
      "said" in row ? { isCounted: true, message: parsed(row.said) } : { isCounted: false, message: row.heard },
    ),
  );

  describe(`the recording ${name}, with a CLI that fails`, () => {
    for (const kind of cuts) {
      it(`the recording ${name} ends well with a CLI that ${kind} after any kind of line`, async () => {
        for (const after of places) assert.ok(await play(rows, { kind, after }), `line ${after} is sent`);
        assert.equal(await play(rows, { kind, after: lines }), false);
      });
    }
    for (const kind of failures) {
      it(`the recording ${name} ends well with a CLI that ${kind} at any write`, async () => {
        let writes = 0;
        while (await play(rows, { kind, at: writes })) writes++;
        assert.ok(writes >= 2, `${writes} writes`);
      });
    }
  });
}

/** Undefined for a line that is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
