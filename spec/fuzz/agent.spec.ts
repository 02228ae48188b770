/**
 * The whole agent in a storm: any traffic of a client, any of the CLIs, any time
 * in between.
 */
import { describe, it } from "node:test";
import { campaign } from "./support/campaign.ts";
import { type Move, storms } from "./support/moves.ts";
import { Storm } from "./support/storm.ts";

describe("the agent in a storm", () => {
  it("answers every request once, ends every call, leaves nothing, and works when it is over", async () => {
    await campaign<readonly Move[]>({
      name: "storms",
      file: import.meta.filename,
      cases: storms,
      count: 150,
      shown: (moves) => moves.map((move) => JSON.stringify(move)).join("\n"),
      check: (moves) => new Storm().blow(moves),
    });
  });
});
