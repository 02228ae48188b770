/**
 * Specs of `takenBack`: the text for other clients after a rewind.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { takenBack } from "../../../lib/hub/session/taken-back.ts";

describe("takenBack", () => {
  it("takenBack names the prompt that another client has taken back", () => {
    const prompt = [{ type: "text", text: "Write\n a test" }];
    assert.equal(
      takenBack({ prompt, later: [] }),
      'Another client has taken back a prompt and its answer: "Write a test". This is no longer part of the conversation.',
    );
    assert.match(takenBack({ prompt, later: ["a", "b"] }), /back 3 prompts and their answers, beginning with "Write a/);
  });

  it("takenBack cuts a long prompt, and needs nothing of the agent's answer", () => {
    const prompt = [{ type: "image" }, { type: "text", text: "x".repeat(200) }];
    assert.ok(takenBack({ prompt }).includes(`"${"x".repeat(80)}…"`));
    for (const odd of [undefined, null, "text", { prompt: 3, later: 4 }]) {
      assert.match(takenBack(odd), /^Another client has taken back a prompt and its answer\. /);
    }
  });
});
