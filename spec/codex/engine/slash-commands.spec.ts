/**
 * Specs of reading the slash commands of Codex.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { block } from "../../../lib/acp/index.ts";
import { reviewTarget, slashCommandOf } from "../../../lib/codex/engine/slash-commands.ts";

describe("the slash commands of Codex", () => {
  it("a single text block that begins with a known name is a command", () => {
    assert.deepEqual(slashCommandOf([block.text("/compact")]), { name: "compact", argument: "" });
    assert.deepEqual(slashCommandOf([block.text(" /plan  write a\nlist ")]), {
      name: "plan",
      argument: "write a\nlist",
    });
  });

  it("a prompt that is no command of Codex goes to the model", () => {
    const texts = ["compact", "/unknown", "/toString", "/compacted", "see /compact", "/", "//compact", "/etc/hosts"];
    for (const text of texts) assert.equal(slashCommandOf([block.text(text)]), undefined, text);
    assert.equal(slashCommandOf([block.text("/compact"), block.text("now")]), undefined);
    assert.equal(slashCommandOf([]), undefined);
  });

  it("the argument of /review names what is reviewed", () => {
    assert.deepEqual(reviewTarget(""), { type: "uncommittedChanges" });
    assert.deepEqual(reviewTarget("branch main"), { type: "baseBranch", branch: "main" });
    assert.deepEqual(reviewTarget("1a2b3c4d"), { type: "commit", sha: "1a2b3c4d" });
    assert.deepEqual(reviewTarget("look at the tests"), { type: "custom", instructions: "look at the tests" });
  });
});
