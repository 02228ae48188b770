/**
 * Specs of mode, model, effort and the other options of a conversation with Claude.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InitializeAnswer, OutgoingControlRequests } from "../../../../lib/claude/index.ts";
import { ClaudeSettings } from "../../../../lib/claude/engine/settings/claude-settings.ts";
import { at } from "../../../support/json.ts";
import { offers as initializeAnswer } from "../../../support/claude/fake-cli.ts";

const answer = InitializeAnswer.read(initializeAnswer);
assert.ok(answer !== null && "models" in answer);
const offered: InitializeAnswer = answer;

interface Given {
  readonly chosen?: Readonly<Record<string, string>>;
  readonly answer?: InitializeAnswer;
  readonly mayBypass?: boolean;
}

function settingsOf({ chosen = {}, answer: given = offered, mayBypass = false }: Given = {}): {
  readonly settings: ClaudeSettings;
  readonly changes: () => number;
} {
  let changes = 0;
  const settings = new ClaudeSettings(chosen, {
    mayBypass,
    editor: () => ({ hasFiles: false, hasTerminals: false }),
    onChanged: () => changes++,
  });
  settings.setAnswer(given);
  return { settings, changes: () => changes };
}

describe("ClaudeSettings", () => {
  const modes = (given: Given): readonly string[] => settingsOf(given).settings.state.modes.map(({ id }) => id);

  it("efforts are offered only for a model that has them, and models only by a CLI that lists them", () => {
    assert.ok(settingsOf().settings.state.efforts.length > 0);
    assert.deepEqual(settingsOf({ chosen: { model: "haiku" } }).settings.state.efforts, []);
    assert.deepEqual(settingsOf({ answer: {} }).settings.state.models, []);
  });

  it("auto mode is offered if the model supports it, and bypassPermissions if the CLI accepts it", () => {
    assert.deepEqual(modes({}), ["default", "acceptEdits", "plan", "auto", "dontAsk"]);
    assert.ok(!modes({ chosen: { model: "haiku" } }).includes("auto"));
    assert.ok(modes({ mayBypass: true }).includes("bypassPermissions"));
  });

  it("changing the model drops an effort that the new model does not have", async () => {
    const { settings } = settingsOf({ chosen: { effort: "high" } });
    await settings.change(undefined, "model", "opus");
    assert.equal(settings.current.effort, "high");
    await settings.change(undefined, "model", "haiku");
    assert.equal(settings.current.effort, undefined);
  });

  it("an option that the CLI does not have is refused", async () => {
    await assert.rejects(settingsOf().settings.change(undefined, "__proto__", "x"), { kind: "invalid" });
  });

  it("the model that the CLI reports changes nothing if it is the one that is set, under either of its names", () => {
    for (const [model, resolved] of [
      [undefined, "opus-5"],
      ["opus", "opus-5"],
      ["custom-1", "custom-1"],
    ] as const) {
      const { settings, changes } = settingsOf({ chosen: model === undefined ? {} : { model } });
      settings.syncModel(resolved);
      assert.equal(changes(), 0);
    }
    const { settings, changes } = settingsOf({ answer: {} });
    settings.syncModel("opus-5");
    assert.equal(changes(), 0, "this CLI does not report what its models resolve to");
  });

  it("another model that the CLI reports is taken over by its option value, or by the reported name", () => {
    const known = settingsOf({ chosen: { model: "opus" } });
    known.settings.syncModel("haiku-5");
    assert.equal(known.settings.state.model, "haiku");
    assert.equal(known.changes(), 1);
    const unknown = settingsOf();
    unknown.settings.syncModel("new-6");
    assert.equal(unknown.settings.state.model, "new-6");
  });

  it("a CLI that is started again gets the mode of the session, whatever the settings say by then", () => {
    const started = settingsOf({ answer: { ...offered, current_permission_mode: "default" } }).settings;
    assert.deepEqual(started.launch, { permissionMode: "default" });
    assert.deepEqual(settingsOf({ answer: {} }).settings.launch, {}, "this CLI does not report its mode");
  });

  it("the mode that asks nothing is set back unless the user has chosen it, here or in the settings", async () => {
    const { settings, changes } = settingsOf({ mayBypass: true });
    assert.match((await settings.syncMode("bypassPermissions", undefined)) ?? "", /it was set back/);
    assert.deepEqual([settings.state.mode, changes()], ["default", 0]);
    assert.equal(await settings.syncMode("acceptEdits", undefined), undefined);
    assert.equal(settings.state.mode, "acceptEdits");
    await settings.change(undefined, "mode", "bypassPermissions");
    await settings.change(undefined, "mode", "plan");
    assert.equal(await settings.syncMode("bypassPermissions", undefined), undefined);
    assert.equal(settings.state.mode, "bypassPermissions");
    const own = settingsOf({ answer: { ...offered, current_permission_mode: "bypassPermissions" } }).settings;
    assert.equal(own.state.mode, "bypassPermissions");
    await own.change(undefined, "mode", "default");
    assert.equal(await own.syncMode("bypassPermissions", undefined), undefined);
  });

  it("a CLI is launched with the settings that were chosen and no others", () => {
    const launch = (chosen: Readonly<Record<string, string>>): unknown =>
      settingsOf({ chosen, answer: {} }).settings.launch;
    assert.deepEqual(launch({}), {});
    assert.deepEqual(launch({ mode: "default", model: "default" }), { permissionMode: "default" });
    assert.deepEqual(launch({ model: "haiku", effort: "low" }), { model: "haiku", effort: "low" });
  });
});

describe("options that the CLI offers", () => {
  const models = offered.models?.map((model) => ({ ...model, supportsFastMode: model.value !== "haiku" }));
  const rich: InitializeAnswer = {
    ...offered,
    ...(models && { models }),
    fast_mode_state: "off",
    fast_mode_disabled_reason: "sdk_opt_in_required",
    output_style: "default",
    available_output_styles: ["default", "Explanatory"],
    agents: [{ name: "Explore", description: "Reads only" }, { name: "statusline-setup" }],
  };
  const ids = (given: Given): readonly string[] => settingsOf(given).settings.state.options.map(({ id }) => id);

  it("fast mode, output style and agent are offered as far as the CLI and the model have them", () => {
    assert.deepEqual(ids({ answer: rich }), ["fast_mode", "output_style", "agent"]);
    assert.deepEqual(ids({ answer: rich, chosen: { model: "haiku" } }), ["output_style", "agent"]);
    assert.deepEqual(ids({ answer: { ...rich, fast_mode_disabled_reason: "free_plan" } }), ["output_style", "agent"]);
    assert.deepEqual(ids({}), []);
    const agent = settingsOf({ answer: rich }).settings.state.options.find(({ id }) => id === "agent");
    assert.doesNotMatch(JSON.stringify(agent), /statusline/);
  });

  it("the running CLI gets fast mode and style at once, and the next one is started with all three", async () => {
    const { settings } = settingsOf({ answer: rich });
    const sent: object[] = [];
    const send = (frame: object): void => void sent.push(frame);
    const control = new OutgoingControlRequests({ send, after: () => () => {} });
    for (const [id, value] of [
      ["fast_mode", "true"],
      ["output_style", "Explanatory"],
    ] as const) {
      const changing = settings.change(control, id, value);
      control.settle({ subtype: "success", request_id: `bowline-${sent.length}`, response: {} });
      await changing;
    }
    await settings.change(control, "agent", "Explore");
    assert.match(JSON.stringify(sent), /"fastMode":true.*"outputStyle":"Explanatory"/);
    assert.equal(sent.length, 2, "an agent cannot be given to a running CLI");
    assert.equal(settings.launch.agent, "Explore");
    assert.deepEqual(settings.launchSettings, { fastMode: true, outputStyle: "Explanatory" });
    await settings.change(undefined, "agent", "default");
    assert.equal(settings.launch.agent, undefined);
    assert.equal(settingsOf({ answer: rich }).settings.launchSettings, undefined);
  });

  it("a rule that denies for the session is set in the running CLI and in every later one", async () => {
    const { settings } = settingsOf({ answer: rich });
    const sent: object[] = [];
    const control = new OutgoingControlRequests({ send: (frame) => void sent.push(frame), after: () => () => {} });
    for (const rule of ["Bash(a)", "Bash(b)", "Bash(a)"]) {
      const denying = settings.deny(control, rule);
      control.settle({ subtype: "success", request_id: `bowline-${sent.length}`, response: {} });
      await denying;
    }
    const denied = { permissions: { deny: ["Bash(a)", "Bash(b)"] } };
    assert.deepEqual(
      sent.map((frame) => at(frame, "request.settings.permissions.deny")),
      [["Bash(a)"], ["Bash(a)", "Bash(b)"]],
    );
    await settings.change(undefined, "output_style", "Explanatory");
    assert.deepEqual(settings.launchSettings, { outputStyle: "Explanatory", ...denied });
  });
});
