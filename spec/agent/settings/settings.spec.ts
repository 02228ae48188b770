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
import { offers as said } from "../../support/fake-cli.ts";

const answer = InitializeAnswer.read(said);
assert.ok(answer !== null && "models" in answer);
const editor = { hasFiles: false, hasTerminals: false };
const offers: CliFeatures = { answer, mayBypass: false, editor };
const settings: Settings = { mode: "default", autoResume: false, edits: false, commands: false };

describe("configOptions", () => {
  it("holds against its schema as it stands", () => {
    for (const option of configOptions(offers, settings)) assert.equal(SessionConfigOption.read(option), option);
  });

  it("lists a model nobody offered when it is the one that is set", () => {
    const [, model] = configOptions(offers, { ...settings, model: "custom-1" });
    assert.match(JSON.stringify(model), /"value":"custom-1"/);
  });

  it("has no effort for a model without one, and no models from a CLI that tells none", () => {
    const ids = (given: CliFeatures, set: Settings): readonly string[] => configOptions(given, set).map(({ id }) => id);
    assert.deepEqual(ids(offers, settings), ["mode", "model", "effort", "auto_resume"]);
    assert.deepEqual(ids(offers, { ...settings, model: "haiku" }), ["mode", "model", "auto_resume"]);
    assert.deepEqual(ids({ answer: {}, mayBypass: false, editor }, settings), ["mode", "auto_resume"]);
  });
});

describe("availableModes", () => {
  const ids = (given: CliFeatures, set: Settings): readonly string[] => availableModes(given, set).map(({ id }) => id);

  it("offers auto where the model has it, and to bypass where the CLI takes it", () => {
    assert.deepEqual(ids(offers, settings), ["default", "acceptEdits", "plan", "auto", "dontAsk"]);
    assert.ok(!ids(offers, { ...settings, model: "haiku" }).includes("auto"));
    assert.ok(ids({ answer: offers.answer, mayBypass: true, editor }, settings).includes("bypassPermissions"));
  });
});

describe("changeOption", () => {
  it("changes one option", () => {
    assert.deepEqual(changeOption(offers, settings, "mode", "plan"), {
      kind: "changed",
      settings: { ...settings, mode: "plan" },
    });
    assert.deepEqual(changeOption(offers, settings, "auto_resume", true), {
      kind: "changed",
      settings: { ...settings, autoResume: true },
    });
  });

  it("forgets an effort the new model does not have", () => {
    const changed = changeOption(offers, { ...settings, effort: "high" }, "model", "haiku");
    assert.ok(changed.kind === "changed");
    assert.equal(changed.settings.effort, undefined);
    const kept = changeOption(offers, { ...settings, effort: "high" }, "model", "opus");
    assert.ok(kept.kind === "changed");
    assert.equal(kept.settings.effort, "high");
  });

  it("refuses what is not offered and says what is", () => {
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
  it("says nothing when the model is the one that is set, under either of its names", () => {
    assert.equal(modelNamed(offers.answer, undefined, "opus-5"), undefined);
    assert.equal(modelNamed(offers.answer, "opus", "opus-5"), undefined);
    assert.equal(modelNamed(offers.answer, "custom-1", "custom-1"), undefined);
  });

  it("names another model as it is offered, or by itself", () => {
    assert.equal(modelNamed(offers.answer, "opus", "haiku-5"), "haiku");
    assert.equal(modelNamed(offers.answer, undefined, "new-6"), "new-6");
  });

  it("says nothing of a CLI that does not tell what its models are", () => {
    assert.equal(modelNamed({}, undefined, "opus-5"), undefined);
  });
});

describe("launchSettings", () => {
  it("leaves to the user's own settings what nobody has chosen", () => {
    assert.deepEqual(launchSettings(settings, false), {});
    assert.deepEqual(launchSettings({ ...settings, model: "default" }, true), { permissionMode: "default" });
    assert.deepEqual(launchSettings({ ...settings, model: "haiku", effort: "low" }, false), {
      model: "haiku",
      effort: "low",
    });
  });
});
