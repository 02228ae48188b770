/**
 * Specs of `mergedHistory`: the histories of two engines in one order.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { mergedHistory, turnMark } from "../../../lib/agent/routes/merged-history.ts";

/** The id of a prompt is its text, with the engine that saved it. */
const turn = (engine: string, prompt: string, ...answers: readonly string[]): readonly SessionUpdate[] => [
  update.userMessage(prompt, `${engine}-${prompt}`),
  ...answers.map((text) => update.agentMessage(text)),
];
const claude = (prompt: string): string => turnMark("claude", `claude-${prompt}`, false);
const codex = (prompt: string, isFollowUp = false): string => turnMark("codex", `codex-${prompt}`, isFollowUp);
const texts = (updates: readonly SessionUpdate[]): string =>
  updates
    .map((one) =>
      "content" in one && one.content && "text" in one.content ? String(one.content.text) : one.sessionUpdate,
    )
    .join(" ");

describe("mergedHistory", () => {
  const parts = new Map([
    ["claude", [...turn("claude", "1", "a", "b"), ...turn("claude", "3", "c"), ...turn("claude", "4", "e")]],
    ["codex", [...turn("codex", "2", "x"), ...turn("codex", "3", "y")]],
  ]);

  it("turns of two engines are shown in their order, and the prompt of a duet once", () => {
    const turns = [claude("1"), codex("2"), claude("3"), codex("3", true), claude("4")];
    assert.equal(texts(mergedHistory(parts, turns)), "1 a b 2 x 3 c y 4 e");
  });

  it("a remark before the first prompt of an engine is no turn of its own", () => {
    const remarked = new Map([...parts, ["codex", [update.agentMessage("!"), ...turn("codex", "2", "x")]]]);
    const turns = [claude("1"), codex("2"), claude("3"), claude("4")];
    assert.equal(texts(mergedHistory(remarked, turns)), "1 a b ! 2 x 3 c 4 e");
    const duet = [claude("1"), codex("2", true), claude("3"), claude("4")];
    assert.equal(texts(mergedHistory(remarked, duet)), "1 a b ! x 3 c 4 e");
  });

  it("a turn that an engine did not save, such as a command that it answered itself, moves no other turn", () => {
    const turns = [codex("/status"), claude("1"), claude("/help"), codex("2"), claude("3"), codex("3", true)];
    assert.equal(texts(mergedHistory(parts, turns)), "1 a b 2 x 3 c 4 e y");
  });

  it("a prompt that was added to a running turn stays in that turn, also in a duet", () => {
    const steered = [...turn("codex", "2", "x"), ...turn("codex", "and hurry", "xx"), ...turn("codex", "3", "y")];
    const turns = [claude("1"), codex("2", true), claude("3"), codex("3", true), claude("4")];
    const merged = mergedHistory(new Map([...parts, ["codex", steered]]), turns);
    assert.equal(texts(merged), "1 a b x and hurry xx 3 c y 4 e");
  });

  it("the blocks of one prompt are one prompt, and two prompts without an answer between them are two", () => {
    const blocks = [update.userMessage("look at", "p"), update.userMessage("this", "p"), update.userMessage("2", "q")];
    const merged = mergedHistory(new Map([...parts, ["codex", [...blocks, update.agentMessage("x")]]]), [
      turnMark("codex", "p", false),
      claude("1"),
      turnMark("codex", "q", true),
      claude("3"),
    ]);
    assert.equal(texts(merged), "look at this 1 a b x 3 c 4 e");
  });

  it("turns that are not listed come last, and turns that are gone are left out", () => {
    assert.equal(texts(mergedHistory(parts, [codex("2")])), "2 x 3 y 1 a b 3 c 4 e");
    assert.equal(texts(mergedHistory(parts, ["codex", "claude"])), "1 a b 3 c 4 e 2 x 3 y", "a list without prompts");
    assert.deepEqual(mergedHistory(new Map(), [claude("1"), codex("2")]), []);
  });
});
