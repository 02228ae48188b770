/**
 * What a permission request does not show of its input.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputText, unshownInput } from "../../lib/display/index.ts";

describe("unshownInput", () => {
  it("unshownInput returns the fields whose values are not in the shown texts as whole words", () => {
    assert.equal(unshownInput({ command: "ls  -l\n", description: "" }, ["Run `ls -l`"]), undefined);
    assert.deepEqual(unshownInput({ command: "rm", note: "it" }, ["confirm it"]), { command: "rm" });
    assert.deepEqual(unshownInput({ force: true, dry: false, none: null, empty: {} }, ["x"]), { force: true });
    assert.deepEqual(unshownInput({ list: ["x"] }, ["x"]), { list: ["x"] });
    assert.equal(unshownInput("rm x", ["ls"]), "rm x");
    assert.equal(unshownInput(undefined, []), undefined);
  });

  it("unshownInput takes time proportional to the text, and an input of any depth", () => {
    let deep: unknown = "x";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    assert.equal(inputText(unshownInput({ deep }, ["x"])), "deep: (nested too deeply to be shown)");
    const text = "a".repeat(1_000_000);
    assert.deepEqual(unshownInput({ text: "a".repeat(500_000) }, [text]), { text: "a".repeat(500_000) });
  });
});
