/**
 * Fuzzes the whole agent: random messages of a client, random events of CLIs, and random
 * time between them.
 */
import { describe, it } from "node:test";
import { campaign } from "../tooling/fuzz/campaign.ts";
import { scenarios, type Scenario } from "../tooling/fuzz/random-moves.ts";
import { RandomDriver } from "../tooling/fuzz/random-driver.ts";

const shown = ({ throughEditor, moves }: Scenario): string =>
  [throughEditor ? "through the editor:" : "", ...moves.map((move) => JSON.stringify(move))].join("\n");

describe("the agent under random traffic", () => {
  it("an agent under random traffic answers every request once, ends every tool call, and leaves nothing running", () =>
    campaign<Scenario>({
      name: "random traffic",
      file: import.meta.filename,
      cases: scenarios,
      count: 70,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(),
    }));

  it("an agent whose client disconnects in the middle of random traffic leaves nothing running", () =>
    campaign<Scenario>({
      name: "random traffic that ends at once",
      file: import.meta.filename,
      cases: scenarios,
      count: 50,
      shown,
      check: (scenario) => new RandomDriver(scenario).run(true),
    }));
});
