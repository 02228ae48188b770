/**
 * The word that a misspelt one means, and the hints that use it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closestMatch } from "../../lib/program/closest-match.ts";
import { bowline } from "../support/program/fake-terminal.ts";

describe("closestMatch", () => {
  it("closestMatch finds a word with changed, missing or doubled letters, and nothing for a distant word", () => {
    const known = ["BOWLINE_EDITS", "BOWLINE_CLAUDE"];
    for (const word of ["BOWLINE_EDIT", "BOWLINE_EDDITS", "BOWLINE_ETIDS"])
      assert.equal(closestMatch(word, known), known[0]);
    assert.equal(closestMatch("BOWLINE_CLUADE", known), known[1]);
    assert.equal(closestMatch("BOWLINE_NOTHING", known), undefined);
  });
});

describe("hints of the program", () => {
  it("a misspelt command or option is answered with the one that was meant", async () => {
    assert.match(
      (await bowline(["docter"])).stderr,
      /unknown command "docter"; did you mean doctor\? See bowline --help/,
    );
    assert.match(
      (await bowline(["serve", "--dmeo"])).stderr,
      /unknown option "--dmeo"; did you mean --demo\? See bowline serve --help/,
    );
    assert.doesNotMatch((await bowline(["x"])).stderr, /did you mean/);
  });
});
