/**
 * Fuzzes a session with two engines: random prompts, switches, duets, cancels, questions and
 * exits, with random time between them.
 */
import { describe, it } from "node:test";
import { campaign } from "../tooling/fuzz/campaign.ts";
import { TwoEngineDriver, type TwoEngineMove, twoEngineRuns } from "../tooling/fuzz/two-engines.ts";

describe("a session with two engines under random traffic", () => {
  it("a session of two engines answers each prompt once, announces and ends each call once, and shows nothing after the answer", () =>
    campaign<readonly TwoEngineMove[]>({
      name: "random traffic of two engines",
      file: import.meta.filename,
      cases: twoEngineRuns,
      count: 75,
      shown: (moves) => moves.map((one) => JSON.stringify(one)).join("\n"),
      check: (moves) => new TwoEngineDriver().run(moves),
    }));
});
