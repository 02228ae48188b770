/**
 * The whole agent with recordings that are spoiled: lines of the CLI lost, doubled,
 * moved, cut and changed, and breaks on top of that.
 */
import fc from "fast-check";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { Fault } from "../support/faults/faulty-link.ts";
import { linesOf, rowsOf, script } from "../support/faults/recording-script.ts";
import { ClaudeFaultRunner } from "../support/faults/claude-fault-runner.ts";
import { campaign } from "../tooling/fuzz/campaign.ts";
import { type Damage, damaged, damages, harmless } from "../tooling/fuzz/damage.ts";
import { recorded } from "../tooling/fuzz/recordings.ts";

interface Spoiled {
  readonly name: string;
  readonly damage: readonly Damage[];
  readonly fault: Fault | undefined;
}

const names = fc.constantFrom(...recorded.keys());
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("exits", "ends its output", "stops in the middle of a line", "falls silent"),
    after: fc.nat(60),
  }),
  fc.record({ kind: fc.constantFrom("breaks the pipe", "loses a frame"), at: fc.nat(5) }),
);
const shown = (one: object): string => inspect(one, { depth: 6, maxStringLength: 200 });

async function play({ name, damage, fault: broken }: Spoiled, isSpoiled: boolean): Promise<void> {
  const rows = script(name);
  await new ClaudeFaultRunner(rowsOf(damaged(linesOf(rows), damage), rows), broken, isSpoiled).play();
}

describe("the agent, with recordings that are spoiled", () => {
  it("the agent with a spoiled recording answers every prompt once, sends only valid updates, leaves no process and no timer, and answers the next prompt", () =>
    campaign<Spoiled>({
      name: "spoiled recordings through the agent",
      file: import.meta.filename,
      cases: fc.record({ name: names, damage: damages, fault: fc.option(fault, { nil: undefined, freq: 2 }) }),
      count: 60,
      shown,
      check: (one) => play(one, true),
    }));

  it("the agent with a spoiled recording loses and doubles no word when the inserted lines are harmless", () =>
    campaign<Spoiled>({
      name: "disturbed recordings through the agent",
      file: import.meta.filename,
      cases: fc.record({ name: names, damage: harmless, fault: fc.option(fault, { nil: undefined, freq: 2 }) }),
      count: 40,
      shown,
      check: (one) => play(one, false),
    }));
});
