/**
 * The whole agent in a storm: any traffic of a client, any of the CLIs, any time
 * in between.
 */
import { describe, it } from "node:test";
import { campaign } from "./support/campaign.ts";
import { scenarios, type Scenario } from "./support/moves.ts";
import { RandomDriver } from "./support/storm.ts";

const shown = ({ throughEditor, moves }: Scenario): string =>
  [throughEditor ? "through the editor:" : "", ...moves.map((move) => JSON.stringify(move))].join("\n");

describe("the agent in a storm", () => {
  it("answers every request once, ends every call, leaves nothing, and works when it is over", () =>
    campaign<Scenario>({
      name: "storms",
      file: import.meta.filename,
      cases: scenarios,
      count: 150,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(),
    }));

  it("whose client goes in the middle of it leaves nothing either", () =>
    campaign<Scenario>({
      name: "storms that end at once",
      file: import.meta.filename,
      cases: scenarios,
      count: 100,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(true),
    }));
});
