/**
 * Prompts, cancels, steering and settings of a session on the scripted engine.
 * spec/claude/engine/claude-conversation.spec.ts tests the same with fake Claude CLIs.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { textAt } from "../../support/json.ts";
import { RawClient } from "../../support/acp/raw-client.ts";
import { ScriptedEngine } from "../../support/agent/scripted-engine.ts";
import { promptTexts, scriptedHarness } from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise(setImmediate);

describe("prompts of a session", () => {
  it("a prompt is answered after all updates of its turn", async () => {
    const { open, prompt, updates } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["hi"]);
    // The second chunk waits in the coalescer, and the fake clock is not advanced.
    conversation.say("Hel", "lo.");
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(messageText(updates), "Hello.");
  });

  it("prompts run one at a time, in order, and each gets the answer of its own turn", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const [first, second] = [prompt(sessionId, "1"), prompt(sessionId, "2")];
    await conversation.hear("submit");
    await tick();
    assert.deepEqual(promptTexts(conversation.prompts), ["1"]);
    conversation.end({ kind: "stopped", stopReason: "max_tokens" });
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2"]);
    conversation.end();
    assert.deepEqual([await first, await second], [{ stopReason: "max_tokens" }, { stopReason: "end_turn" }]);
  });

  it("a lost prompt that the engine did not acknowledge is submitted again, once", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.lose();
    await conversation.hear("submit");
    const [first, second] = conversation.prompts;
    assert.deepEqual(first, second, "with its content and its id");
    conversation.lose();
    await assert.rejects(answered, { code: -32603, message: "the engine exited" });
    assert.deepEqual(conversation.calls, ["start", "ready", "submit", "ready", "submit"]);
  });

  it("a lost prompt that the engine has acknowledged fails, and is not submitted again", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.take();
    conversation.lose();
    await assert.rejects(answered, { code: -32603, message: "the engine exited" });
    assert.equal(conversation.prompts.length, 1);
  });

  it("a lost prompt that is cancelled meanwhile is not submitted again", async () => {
    const { open, prompt, editor, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    let isReady = (): void => {};
    engine.onCall = (_, call) => (call === "ready" ? new Promise((resolve) => (isReady = resolve)) : undefined);
    conversation.lose();
    await conversation.hear("ready");
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    isReady();
    await tick();
    assert.deepEqual(conversation.calls, ["start", "ready", "submit", "ready"]);
  });

  it("a prompt fails with the reason when the engine does not get ready, and the next prompt is submitted", async () => {
    const { open, prompt, engine, bugs } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    engine.onCall = (_, call) => {
      if (call === "ready") throw new EngineFailure("hung", "the engine does not answer; try again");
    };
    await assert.rejects(prompt(sessionId, "1"), { code: -32603, message: "the engine does not answer; try again" });
    engine.onCall = () => {};
    const answered = prompt(sessionId, "2");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.deepEqual(promptTexts(conversation.prompts), ["2"]);
    assert.deepEqual(bugs, []);
  });

  it("a failed turn is answered with the engine's failure: a limit with its reset, a refused sign-in with -32000", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const limited = prompt(sessionId, "1");
    await conversation.hear("submit");
    const limit = new EngineFailure("limit", "Usage limit reached", { resetsAt: 1_800_000_000 });
    conversation.end({ kind: "failed", failure: limit });
    await assert.rejects(limited, { code: -32603, data: { errorKind: "limit", resetsAt: 1_800_000_000 } });
    const refused = prompt(sessionId, "2");
    await conversation.hear("submit");
    conversation.end({ kind: "failed", failure: new EngineFailure("not_signed_in", "sign in") });
    await assert.rejects(refused, { code: -32000 });
  });

  it("a prompt that the engine cannot take is refused with the reason and not submitted", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    await assert.rejects(editor.call("session/prompt", { sessionId, prompt: [] }), {
      code: -32602,
      message: "session/prompt: it is empty",
    });
    assert.deepEqual(conversation.calls, ["start"]);
  });
});

describe("session/cancel", () => {
  it("a cancel interrupts the engine at once and abandons the turn after cancelGraceMs", async () => {
    const { open, prompt, editor, time } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    let isAnswered = false;
    const answered = prompt(sessionId, "hi").finally(() => (isAnswered = true));
    await conversation.hear("submit");
    conversation.take();
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
    time.advance(cancelGraceMs - 1);
    await tick();
    assert.equal(isAnswered, false);
    time.advance(1);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    assert.deepEqual(conversation.calls.slice(-2), ["interrupt", "abandon"]);
    const again = prompt(sessionId, "again");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await again, { stopReason: "end_turn" });
  });

  it("a cancelled turn that ends within cancelGraceMs is not abandoned, however it ends", async () => {
    const { open, prompt, editor, time } = await scriptedHarness({ idleTimeoutMs: 0 });
    const { sessionId, conversation } = await open();
    const ends = [() => conversation.end(), () => conversation.lose()];
    for (const end of ends) {
      const answered = prompt(sessionId, "hi");
      await conversation.hear("submit");
      editor.cancel(sessionId);
      await conversation.hear("interrupt");
      end();
      assert.deepEqual(await answered, { stopReason: "cancelled" });
    }
    assert.equal(time.pending(), 0);
    assert.ok(!conversation.calls.includes("abandon"));
  });

  it("a cancel answers every waiting prompt, and none of them is submitted", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answers = ["1", "2", "3"].map((text) => prompt(sessionId, text));
    await conversation.hear("submit");
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
    conversation.end();
    for (const answer of answers) assert.deepEqual(await answer, { stopReason: "cancelled" });
    await tick();
    assert.deepEqual(promptTexts(conversation.prompts), ["1"]);
  });

  it("a cancel without a prompt or for an unknown session has no effect on the next prompt", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    editor.cancel(sessionId);
    editor.cancel("unknown");
    await tick();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.ok(!conversation.calls.includes("interrupt"));
  });

  it("a cancel without a prompt interrupts an engine that works on something else", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.isBusy = true;
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
  });

  it("two cancels of one turn interrupt the engine once", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    editor.cancel(sessionId);
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
    await tick();
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    assert.equal(conversation.calls.filter((call) => call === "interrupt").length, 1);
  });

  it("a cancel right after its prompt sends neither prompt nor interrupt to the engine", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    await tick();
    assert.deepEqual(conversation.calls, ["start", "ready"]);
  });
});

describe("_session/steer", () => {
  const steered = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text", text }] });

  it("a steered prompt is added to the running turn, and submitted again with a lost prompt", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    await editor.callExtension("_session/steer", steered(sessionId, "2"));
    conversation.lose();
    await conversation.hear("submit");
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2", "1", "2"]);
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it("a steered prompt is refused when no turn runs, when the turn is being cancelled, and when the engine cannot", async () => {
    const { open, prompt, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const refused = { code: -32600, message: /no turn runs in this session/ };
    await assert.rejects(editor.callExtension("_session/steer", steered(sessionId, "x")), refused);
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    conversation.steer = () => false;
    await assert.rejects(editor.callExtension("_session/steer", steered(sessionId, "x")), refused);
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
    conversation.steer = () => true;
    await assert.rejects(editor.callExtension("_session/steer", steered(sessionId, "x")), refused);
    conversation.end();
    await answered;
    await assert.rejects(editor.callExtension("_session/steer", { sessionId, prompt: [] }), { code: -32602 });
  });
});

describe("settings of a session", () => {
  it("a setting that the engine refuses stays unchanged", async () => {
    const { open, editor, updates, engine } = await scriptedHarness();
    const { sessionId } = await open();
    engine.onCall = (_, call) => {
      if (call === "change mode") throw new EngineFailure("invalid", "not now");
    };
    const changed = editor.call("session/set_mode", { sessionId, modeId: "plan" });
    await assert.rejects(changed, { code: -32602, message: "not now" });
    const resumes = { sessionId, configId: "auto_resume", value: "true" };
    const { configOptions } = await editor.call("session/set_config_option", resumes);
    assert.equal(configOptions.find(({ id }) => id === "mode")?.currentValue, "default");
    assert.equal(configOptions.find(({ id }) => id === "auto_resume")?.currentValue, "true");
    assert.ok(!updates.some((one) => one.sessionUpdate === "current_mode_update"));
  });

  it("a setting that is not offered is refused before the engine is asked", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    await assert.rejects(editor.call("session/set_mode", { sessionId, modeId: "yolo" }), { code: -32602 });
    const unknown = { sessionId, configId: "colour", value: "red" };
    await assert.rejects(editor.call("session/set_config_option", unknown), { code: -32602 });
    assert.deepEqual(conversation.calls, ["start"]);
  });

  it("a setting changed by the client is passed to the engine, and the mode is sent as an update once", async () => {
    const { open, editor, updates } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const { configOptions } = await editor.call("session/set_config_option", {
      sessionId,
      configId: "model",
      value: "large",
    });
    assert.equal(configOptions.find(({ id }) => id === "model")?.currentValue, "large");
    await editor.call("session/set_mode", { sessionId, modeId: "plan" });
    await tick();
    assert.deepEqual(conversation.calls, ["start", "change model", "change mode"]);
    const kinds = updates.map((one) => one.sessionUpdate);
    assert.deepEqual(kinds, ["current_mode_update", "config_option_update"]);
  });

  it("a setting changed by the engine is sent to the client, as the mode and as an option", async () => {
    const { open, updates } = await scriptedHarness();
    const { conversation } = await open();
    conversation.settingsState = { ...conversation.settingsState, mode: "plan" };
    conversation.emit({ type: "settings_changed" });
    await tick();
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate),
      ["current_mode_update", "config_option_update"],
    );
  });

  it("the settings chosen for new sessions are part of the request for a conversation", async () => {
    const { open, engine } = await scriptedHarness({ settings: { mode: "plan", model: "large", edits: true } });
    await open();
    assert.deepEqual(engine.opened[0]?.request.settings, { mode: "plan", model: "large", edits: "true" });
  });

  it("the commands that the engine offers are sent after the response that opens the session, and when they change", async () => {
    const { open, updates, engine } = await scriptedHarness();
    const commands = (name: string) => ({ type: "commands_changed", commands: [{ name, description: "" }] }) as const;
    engine.onCall = (conversation, call) => {
      if (call === "start") conversation.emit(commands("one"));
    };
    const { conversation } = await open();
    await tick();
    await tick();
    conversation.emit(commands("two"));
    await tick();
    const names = updates.map((one) =>
      one.sessionUpdate === "available_commands_update" ? one.availableCommands.map(({ name }) => name) : one,
    );
    const own = ["nudge", "version"];
    assert.deepEqual(names, [
      ["one", ...own],
      ["two", ...own],
    ]);
  });
});

describe("the engine of a session", () => {
  it("an engine that is not signed in fails session/new with -32000, and the conversation is closed", async () => {
    const { open, engine } = await scriptedHarness();
    engine.onCall = (_, call) => {
      if (call === "start") throw new EngineFailure("not_signed_in", "sign in");
    };
    await assert.rejects(open(), { code: -32000, message: "sign in" });
    assert.deepEqual(engine.opened[0]?.calls, ["start", "close"]);
  });

  it("every conversation is closed when the client closes the connection", async () => {
    const { open, editor, agent, engine } = await scriptedHarness();
    await open();
    await open();
    let isEngineClosed = false;
    engine.close = async () => {
      isEngineClosed = engine.opened.every(({ isRunning }) => !isRunning);
    };
    editor.close("bye");
    await agent.stop("bye");
    for (const { calls } of engine.opened) assert.deepEqual(calls, ["start", "close"]);
    assert.ok(isEngineClosed, "the engine is closed after its conversations");
  });
});

describe("a second initialize", () => {
  it("a client that declares fewer capabilities gets no updates it no longer supports, and the session continues", async () => {
    const [near, far] = memoryPair();
    const engine = new ScriptedEngine();
    const program = { command: "bowline", args: [] };
    createAgent(near, { engine, after: fakeClock().after, env: {}, program, prewarms: false });
    const raw = new RawClient(far, () => {});
    const capabilities = { session: { notices: {} } };
    await raw.call("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    const opened = await raw.call("session/new", { cwd: "/", mcpServers: [] });
    const sessionId = "result" in opened ? textAt(opened.result, "sessionId") : "";
    const [conversation] = engine.opened;
    assert.ok(conversation);
    await tick();
    conversation.update(update.notice("warning", "Before."));
    await raw.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    conversation.update(update.notice("warning", "Something."));
    const prompted = raw.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await prompted, { result: { stopReason: "end_turn" } });
    assert.ok(raw.wire.some(({ text }) => text.includes("Before.")));
    assert.ok(raw.wire.every(({ text }) => !text.includes("Something.")));
  });
});
