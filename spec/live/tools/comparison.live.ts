/**
 * Live comparison of the editor options with the CLI's own tools: a fixed sample of `npm
 * run test:compare`.
 *
 * The CLI's own outcomes come from fixtures/comparison, so only the side with the
 * options on is run. The sample is the same in every run; the whole comparison, other
 * samples and other shells are a command of their own.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import type { Kind, Mode, Shell } from "../comparison/call.ts";
import { comparedCalls } from "../comparison/cases.ts";
import { compareAll, runCalls } from "../comparison/comparison.ts";
import { columnOf, RecordedOutcomes } from "../comparison/recorded.ts";
import { sampleOf } from "../comparison/sample.ts";

/** Changed only to compare other calls; the outcomes of all samples are recorded. */
const seed = 1;

const samples: readonly (readonly [mode: Mode, shell: Shell, counts: Readonly<Record<Kind, number>>])[] = [
  ["default", "bash", { commands: 80, paths: 30, rules: 60 }],
  ["acceptEdits", "bash", { commands: 30, paths: 40, rules: 0 }],
  ["plan", "bash", { commands: 12, paths: 2, rules: 0 }],
  ["dontAsk", "bash", { commands: 12, paths: 2, rules: 0 }],
  ["bypassPermissions", "bash", { commands: 0, paths: 0, rules: 16 }],
  ["default", "dash", { commands: 16, paths: 0, rules: 0 }],
  ["default", "zsh", { commands: 16, paths: 0, rules: 0 }],
];

describe("with the editor options on, no call is let through that the CLI's own tool asks about or denies", () => {
  for (const [mode, shell, counts] of samples) {
    const skip = existsSync(`/bin/${shell}`) ? false : `/bin/${shell} is not installed`;
    it(
      `no call is looser than the CLI's own tool in the mode ${mode} with ${shell} as the terminal's shell`,
      { skip },
      async () => {
        const recorded = RecordedOutcomes.read();
        const known = comparedCalls().filter(({ id }) => recorded.get(columnOf(mode, shell), id) !== undefined);
        const calls = Object.entries(counts).flatMap(([kind, count]) =>
          sampleOf(
            known.filter((call) => call.kind === kind),
            count,
            seed,
          ),
        );
        const wanted = Object.values(counts).reduce((sum, count) => sum + count, 0);
        assert.equal(
          calls.length,
          wanted,
          "npm run test:compare -- --record has to be run for this version of the CLI",
        );
        const options = { mode, shell, edits: true, commands: true, workers: 4, isAlwaysFresh: false };
        const ours = await runCalls(calls, options);
        const compared = compareAll(calls, recorded, ours, options);
        const looser = compared.flatMap(({ call, finding }) =>
          finding.kind === "looser" ? [`${call.id}: ${finding.why}`] : [],
        );
        assert.deepEqual(looser, []);
        assert.equal(compared.length, calls.length, "every call has an outcome");
      },
    );
  }
});
