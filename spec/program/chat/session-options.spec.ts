/**
 * Session options of the chat, from config options and from the older modes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configOption, update } from "../../../lib/acp/index.ts";
import {
  choiceNamed,
  nextValue,
  withUpdate,
  shownValue,
  sessionOptions,
} from "../../../lib/program/chat/session-options.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "plan", name: "Plan first" },
  ],
};
const model = configOption.select(
  "model",
  [
    { value: "oak", name: "Oak" },
    { value: "elm", name: "Elm" },
  ],
  { name: "Model", category: "model", currentValue: "elm" },
);
const mode = configOption.select("how", [{ value: "ask", name: "Ask" }], {
  name: "Mode",
  category: "mode",
  currentValue: "ask",
});

describe("sessionOptions", () => {
  it("modes become an option, unless the agent has a config option for the mode", () => {
    assert.deepEqual(
      sessionOptions({ modes, configOptions: [model] }).map(({ category, kind }) => `${category} ${kind}`),
      ["mode mode", "model option"],
    );
    assert.deepEqual(
      sessionOptions({ modes, configOptions: [mode, model] }).map(({ id, kind }) => `${id} ${kind}`),
      ["how option", "model option"],
    );
    assert.deepEqual(sessionOptions({ modes: null }), []);
  });

  it("grouped values and boolean options are read", () => {
    const grouped = { ...model, options: [{ group: "g", name: "G", options: [{ value: "a", name: "A" }] }] };
    const fast = { id: "fast", name: "Fast", type: "boolean", currentValue: true } as const;
    const [first, second] = sessionOptions({ configOptions: [grouped, fast] });
    assert.deepEqual(first?.choices, [{ value: "a", name: "A" }]);
    assert.equal(second && shownValue(second), "On");
  });
});

describe("nextValue", () => {
  it("nextValue cycles through the values, also from one that is not offered", () => {
    const [one] = sessionOptions({ modes });
    assert.ok(one);
    assert.equal(nextValue(one), "plan");
    assert.equal(nextValue({ ...one, value: "plan" }), "ask");
    assert.equal(nextValue({ ...one, value: "gone" }), "ask");
    assert.equal(nextValue({ ...one, choices: [] }), undefined);
  });
});

describe("choiceNamed", () => {
  it("choiceNamed finds a choice by number, value or name", () => {
    const [one] = sessionOptions({ modes });
    assert.ok(one);
    assert.deepEqual(
      ["2", "PLAN", "plan first", "3", "x", "-1"].map((word) => choiceNamed(one, word)),
      ["plan", "plan", "plan", undefined, undefined, undefined],
    );
  });
});

describe("withUpdate", () => {
  it("an update of the agent changes the options", () => {
    const before = sessionOptions({ modes, configOptions: [model] });
    assert.deepEqual(withUpdate(before, update.currentMode("plan")).map(shownValue), ["Plan first", "Elm"]);
    const changed = update.configOptions([{ ...model, currentValue: "oak" }]);
    assert.deepEqual(withUpdate(before, changed).map(shownValue), ["Ask", "Oak"]);
    assert.equal(withUpdate(before, update.agentMessage("x")), before);
  });
});
