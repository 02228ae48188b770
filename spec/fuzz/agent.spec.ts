/**
 * The whole agent in a storm: any traffic of a client, any of the CLIs, any time
 * in between.
 */
import { describe, it } from "node:test";
import { campaign } from "../tooling/fuzz/campaign.ts";
import { scenarios, type Scenario } from "../tooling/fuzz/random-moves.ts";
import { RandomDriver } from "../tooling/fuzz/random-driver.ts";

const shown = ({ throughEditor, moves }: Scenario): string =>
  [throughEditor ? "through the editor:" : "", ...moves.map((move) => JSON.stringify(move))].join("\n");

describe("the agent under random traffic", () => {
  it("answers every request once, ends every call, leaves nothing, and works when it is over", () =>
    campaign<Scenario>({
      name: "random traffic",
      file: import.meta.filename,
      cases: scenarios,
      count: 150,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(),
    }));

  it("whose client goes in the middle of it leaves nothing either", () =>
    campaign<Scenario>({
      name: "random traffic that ends at once",
      file: import.meta.filename,
      cases: scenarios,
      count: 100,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(true),
    }));
});
