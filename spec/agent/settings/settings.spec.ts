import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionConfigOption } from "../../../lib/acp/index.ts";
import {
  availableModes,
  changeOption,
  configOptions,
  launchSettings,
  modelNamed,
  type CliFeatures,
  type Settings,
} from "../../../lib/agent/settings/settings.ts";
import { InitializeAnswer } from "../../../lib/claude/index.ts";
import { offers as initializeAnswer } from "../../support/fake-cli.ts";

const answer = InitializeAnswer.read(initializeAnswer);
assert.ok(answer !== null && "models" in answer);
const editor = { hasFiles: false, hasTerminals: false };
const offers: CliFeatures = { answer, mayBypass: false, editor };
const settings: Settings = { mode: "default", autoResume: false, edits: false, commands: false };

describe("configOptions", () => {
  it("config options match the ACP schema", () => {
    for (const option of configOptions(offers, settings)) assert.equal(SessionConfigOption.read(option), option);
  });

  it("the model that is set is listed even if the CLI does not offer it", () => {
    const [, model] = configOptions(offers, { ...settings, model: "custom-1" });
    assert.match(JSON.stringify(model), /"value":"custom-1"/);
  });

  it("effort is left out for a model without efforts, and the model for a CLI without a model list", () => {
    const ids = (given: CliFeatures, set: Settings): readonly string[] => configOptions(given, set).map(({ id }) => id);
    assert.deepEqual(ids(offers, settings), ["mode", "model", "effort", "auto_resume"]);
    assert.deepEqual(ids(offers, { ...settings, model: "haiku" }), ["mode", "model", "auto_resume"]);
    assert.deepEqual(ids({ answer: {}, mayBypass: false, editor }, settings), ["mode", "auto_resume"]);
  });
});

describe("availableModes", () => {
  const ids = (given: CliFeatures, set: Settings): readonly string[] => availableModes(given, set).map(({ id }) => id);

  it("auto mode is offered if the model supports it, and bypassPermissions if the CLI accepts it", () => {
    assert.deepEqual(ids(offers, settings), ["default", "acceptEdits", "plan", "auto", "dontAsk"]);
    assert.ok(!ids(offers, { ...settings, model: "haiku" }).includes("auto"));
    assert.ok(ids({ answer: offers.answer, mayBypass: true, editor }, settings).includes("bypassPermissions"));
  });
});

describe("changeOption", () => {
  it("changeOption changes one option", () => {
    assert.deepEqual(changeOption(offers, settings, "mode", "plan"), {
      kind: "changed",
      settings: { ...settings, mode: "plan" },
    });
    assert.deepEqual(changeOption(offers, settings, "auto_resume", true), {
      kind: "changed",
      settings: { ...settings, autoResume: true },
    });
  });

  it("changing the model drops an effort that the new model does not have", () => {
    const changed = changeOption(offers, { ...settings, effort: "high" }, "model", "haiku");
    assert.ok(changed.kind === "changed");
    assert.equal(changed.settings.effort, undefined);
    const kept = changeOption(offers, { ...settings, effort: "high" }, "model", "opus");
    assert.ok(kept.kind === "changed");
    assert.equal(kept.settings.effort, "high");
  });

  it("changeOption refuses a value that is not offered and lists the offered ones", () => {
    assert.deepEqual(changeOption(offers, settings, "effort", "extreme"), {
      kind: "refused",
      why: "value must be one of default, low, medium, high",
    });
    assert.deepEqual(changeOption(offers, settings, "__proto__", "x"), {
      kind: "refused",
      why: "configId must be one of mode, model, effort, auto_resume",
    });
  });
});

describe("modelNamed", () => {
  it("modelNamed returns undefined for the model that is set, under either of its names", () => {
    assert.equal(modelNamed(offers.answer, undefined, "opus-5"), undefined);
    assert.equal(modelNamed(offers.answer, "opus", "opus-5"), undefined);
    assert.equal(modelNamed(offers.answer, "custom-1", "custom-1"), undefined);
  });

  it("modelNamed names another model by its option value, or by the reported name", () => {
    assert.equal(modelNamed(offers.answer, "opus", "haiku-5"), "haiku");
    assert.equal(modelNamed(offers.answer, undefined, "new-6"), "new-6");
  });

  it("modelNamed returns undefined if the CLI does not report what its models resolve to", () => {
    assert.equal(modelNamed({}, undefined, "opus-5"), undefined);
  });
});

describe("launchSettings", () => {
  it("launchSettings leaves every setting that was not chosen to the user's own settings", () => {
    assert.deepEqual(launchSettings(settings, false), {});
    assert.deepEqual(launchSettings({ ...settings, model: "default" }, true), { permissionMode: "default" });
    assert.deepEqual(launchSettings({ ...settings, model: "haiku", effort: "low" }, false), {
      model: "haiku",
      effort: "low",
    });
  });
});
