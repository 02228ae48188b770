/**
 * Specs of the config options of a session.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionConfigOption } from "../../../lib/acp/index.ts";
import { configOptions, refusalOf, type SettingsView } from "../../../lib/agent/settings/config-options.ts";

const view: SettingsView = {
  engineName: "Claude",
  autoResume: false,
  autoContinue: false,
  continueAtReset: false,
  settingsState: {
    modes: [{ id: "default", name: "Ask" }],
    mode: "default",
    models: [{ value: "opus", name: "Opus" }],
    model: "opus",
    efforts: [{ value: "low", name: "Low" }],
    effort: "low",
    options: [],
  },
};

describe("configOptions", () => {
  const ids = (settingsState: Partial<SettingsView["settingsState"]>): readonly string[] =>
    configOptions({ ...view, settingsState: { ...view.settingsState, ...settingsState } }).map(({ id }) => id);

  it("config options match the ACP schema", () => {
    for (const option of configOptions(view)) assert.equal(SessionConfigOption.read(option), option);
  });

  it("the model that is set is listed even if the engine does not offer it", () => {
    const [, model] = configOptions({ ...view, settingsState: { ...view.settingsState, model: "custom-1" } });
    assert.match(JSON.stringify(model), /"value":"custom-1"/);
  });

  it("effort and model are left out where there is nothing to choose from", () => {
    assert.deepEqual(ids({}), ["mode", "model", "effort", "auto_resume", "auto_continue", "continue_at_reset"]);
    assert.deepEqual(ids({ efforts: [] }), ["mode", "model", "auto_resume", "auto_continue", "continue_at_reset"]);
    assert.deepEqual(ids({ efforts: [], models: [], model: "default" }), [
      "mode",
      "auto_resume",
      "auto_continue",
      "continue_at_reset",
    ]);
  });
});

describe("on/off options", () => {
  const own = ["auto_resume", "auto_continue", "continue_at_reset"];

  it("a client that shows switches gets them as switches, and any other client as selects", () => {
    const typesOf = (hasSwitches: boolean): readonly string[] =>
      configOptions({ ...view, autoResume: true, hasSwitches }).flatMap(({ id, type, currentValue }) =>
        own.includes(id) ? [`${type} ${JSON.stringify(currentValue)}`] : [],
      );
    assert.deepEqual(typesOf(true), ["boolean true", "boolean false", "boolean false"]);
    assert.deepEqual(typesOf(false), ['select "true"', 'select "false"', 'select "false"']);
    const switched = configOptions({ ...view, hasSwitches: true });
    for (const option of switched) assert.equal(SessionConfigOption.read(option), option);
    assert.equal(refusalOf(switched, "auto_resume", "false"), undefined);
    assert.equal(refusalOf(switched, "auto_resume", "maybe"), "value must be true or false");
  });
});

describe("refusalOf", () => {
  it("a value or an option that is not offered is refused with those that are", () => {
    const options = configOptions(view);
    assert.equal(refusalOf(options, "effort", "low"), undefined);
    assert.equal(refusalOf(options, "effort", "extreme"), "value must be one of low");
    assert.equal(
      refusalOf(options, "__proto__", "x"),
      "configId must be one of mode, model, effort, auto_resume, auto_continue, continue_at_reset",
    );
  });
});
