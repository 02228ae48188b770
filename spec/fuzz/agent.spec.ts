/**
 * The whole agent in a storm: any traffic of a client, any of the CLIs, any time
 * in between.
 */
import { describe, it } from "node:test";
import { campaign } from "./support/campaign.ts";
import { storms, type Weather } from "./support/moves.ts";
import { Storm } from "./support/storm.ts";

const shown = ({ throughEditor, moves }: Weather): string =>
  [throughEditor ? "through the editor:" : "", ...moves.map((move) => JSON.stringify(move))].join("\n");

describe("the agent in a storm", () => {
  it("answers every request once, ends every call, leaves nothing, and works when it is over", () =>
    campaign<Weather>({
      name: "storms",
      file: import.meta.filename,
      cases: storms,
      count: 150,
      shown,
      check: (weather) => new Storm(weather).blow(),
    }));

  it("whose client goes in the middle of it leaves nothing either", () =>
    campaign<Weather>({
      name: "storms that end at once",
      file: import.meta.filename,
      cases: storms,
      count: 100,
      shown,
      check: (weather) => new Storm(weather).blow(true),
    }));
});
