/**
 * Faults at the seam to Codex: a recorded conversation whose app-server breaks after every
 * kind of line (support/faults/fault-places.ts), and whose host fails at every single write.
 *
 * Whatever the moment: each prompt is answered once, every call has ended by then, no timer
 * and no app-server is left, and the next prompt works.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CodexFaultRunner, type CodexRow, codexScript } from "../support/faults/codex-fault-runner.ts";
import { faultPlaces } from "../support/faults/fault-places.ts";
import { playWith } from "../support/faults/fault-runner.ts";
import type { Fault } from "../support/faults/faulty-link.ts";

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

const play = (rows: readonly CodexRow[], fault: Fault): Promise<boolean> =>
  playWith(new CodexFaultRunner(rows, fault), fault);

const placesOf = faultPlaces();

for (const name of names) {
  const rows = codexScript(name);
  const places = placesOf(
    rows.map((row) =>
      "said" in row ? { isCounted: true, message: row.said } : { isCounted: false, message: row.heard },
    ),
  );

  describe(`the recording ${name} of Codex, with an app-server that fails`, () => {
    for (const kind of cuts) {
      it(`the recording ${name} of Codex ends well with an app-server that ${kind} after any kind of line`, async () => {
        for (const after of places) assert.ok(await play(rows, { kind, after }), `line ${after} is sent`);
      });
    }
    for (const kind of failures) {
      it(`the recording ${name} of Codex ends well with an app-server that ${kind} at any write`, async () => {
        let writes = 0;
        while (await play(rows, { kind, at: writes })) writes++;
        assert.ok(writes >= 4, `${writes} writes`);
      });
    }
  });
}
