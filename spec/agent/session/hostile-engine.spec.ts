/**
 * Engines that break the contract of lib/engine/engine.ts: they throw, never answer, and
 * report events too often, too early or too late. Each prompt is still answered exactly
 * once, and every exception is caught.
 */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { permissionOption, update } from "../../../lib/acp/index.ts";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { ScriptedEngine } from "../../support/agent/scripted-engine.ts";
import { promptTexts, scriptedHarness } from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise(setImmediate);
const here = { cwd: "/", mcpServers: [] };
const endTurn = { stopReason: "end_turn" };
const cancelled = { stopReason: "cancelled" };

function bug(): never {
  throw new Error("a bug of the engine");
}

/** Uncaught exceptions and rejections of a test. */
const uncaught: unknown[] = [];
const note = (cause: unknown): void => void uncaught.push(cause);
beforeEach(() => {
  uncaught.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await tick();
  process.off("unhandledRejection", note);
  assert.deepEqual(uncaught, []);
});

describe("an engine that reports within the call", () => {
  it("a turn that ends within the call of submit is answered, after its updates", async () => {
    const { open, prompt, updates, engine } = await scriptedHarness();
    engine.onCall = (conversation, call) => {
      if (call !== "submit") return;
      conversation.say("Hel", "lo. ");
      conversation.end();
    };
    const { sessionId, conversation } = await open();
    const answers = ["1", "2", "3"].map((text) => prompt(sessionId, text));
    for (const answer of answers) assert.deepEqual(await answer, endTurn);
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2", "3"]);
    assert.equal(messageText(updates), "Hello. ".repeat(3));
  });

  it("a prompt that is lost within the call of submit is submitted again, once", async () => {
    const { open, prompt, engine } = await scriptedHarness();
    engine.onCall = (conversation, call) => {
      if (call === "submit") conversation.lose();
    };
    const { sessionId, conversation } = await open();
    await assert.rejects(prompt(sessionId, "hi"), { code: -32603, message: "the engine exited" });
    assert.deepEqual(promptTexts(conversation.prompts), ["hi", "hi"]);
  });

  it("a turn that ends within the call of interrupt is answered, and leaves no timer", async () => {
    const { open, prompt, editor, engine, time } = await scriptedHarness({ idleTimeoutMs: 0 });
    engine.onCall = (conversation, call) => {
      if (call === "interrupt") conversation.end();
    };
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    editor.cancel(sessionId);
    assert.deepEqual(await answered, cancelled);
    assert.equal(time.pending(), 0);
  });

  it("a turn that ends within the call of steer is answered once", async () => {
    const { open, prompt, editor, engine } = await scriptedHarness();
    engine.onCall = (conversation, call) => {
      if (call === "steer") conversation.end();
    };
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    await editor.callExtension("_session/steer", { sessionId, prompt: [{ type: "text", text: "2" }] });
    assert.deepEqual(await answered, endTurn);
  });
});

describe("an engine that reports too often or too late", () => {
  it("a second end of a turn changes nothing, and does not end a turn that is not submitted yet", async () => {
    const { open, prompt, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const first = prompt(sessionId, "1");
    await conversation.hear("submit");
    let isReady = (): void => {};
    engine.onCall = (_, call) => (call === "ready" ? new Promise((resolve) => (isReady = resolve)) : undefined);
    const second = prompt(sessionId, "2");
    conversation.end();
    conversation.end({ kind: "stopped", stopReason: "refusal" });
    conversation.lose();
    assert.deepEqual(await first, endTurn);
    await conversation.hear("ready");
    conversation.end({ kind: "stopped", stopReason: "refusal" });
    conversation.lose();
    isReady();
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await second, endTurn);
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2"]);
  });

  it("the end of a turn without a prompt is ignored", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.end();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, endTurn);
  });

  it("events and questions of a closed conversation do not reach the client, and leave no timer", async () => {
    const { open, editor, updates, asked, time } = await scriptedHarness({ isLegacy: true, elicitation: { form: {} } });
    const { sessionId, conversation } = await open();
    await tick();
    await editor.call("session/close", { sessionId });
    conversation.say("late", "later");
    conversation.settingsState = { ...conversation.settingsState, mode: "plan", model: "large" };
    conversation.emit({ type: "settings_changed" });
    conversation.emit({ type: "commands_changed", commands: [{ name: "x", description: "" }] });
    conversation.end();
    const { host } = conversation;
    const never = new AbortController().signal;
    const toolCall = { toolCallId: "1" };
    const allow = { option: permissionOption("allow_once", "allow", "Allow"), decision: "allowed" };
    const question = { toolCall, choices: [allow], rejected: "rejected", unanswered: "unanswered" };
    assert.equal(await host.ask(question, never), "unanswered");
    assert.deepEqual(await host.askUser({ toolCall, questions: [] }, never), { kind: "cancelled" });
    assert.deepEqual(await host.elicit({ kind: "form", message: "", schema: {} }, never), { action: "cancel" });
    await tick();
    assert.deepEqual([updates, asked, time.pending()], [[], [], 0]);
  });

  it("an update that cannot be encoded is dropped and reported as a bug, and the turn continues", async () => {
    const { open, prompt, updates, bugs } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.update(update.toolCall({ toolCallId: "1", title: "Read", rawInput: 1n }));
    conversation.say("Hello.");
    conversation.end();
    assert.deepEqual(await answered, endTurn);
    assert.equal(messageText(updates), "Hello.");
    assert.deepEqual(bugs, ["session/update"]);
  });
});

describe("an engine that throws", () => {
  it("a prompt whose submit throws fails, is not submitted again, and the next prompt runs", async () => {
    const { open, prompt, engine, bugs } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    engine.onCall = (_, call) => (call === "submit" ? bug() : undefined);
    const failed = prompt(sessionId, "1");
    await assert.rejects(failed, { code: -32603, message: "Scripted could not take the prompt." });
    engine.onCall = (_, call) => {
      if (call === "submit") throw new EngineFailure("limit", "Usage limit reached");
    };
    await assert.rejects(prompt(sessionId, "2"), { code: -32603, message: "Usage limit reached." });
    engine.onCall = () => {};
    const answered = prompt(sessionId, "3");
    for (let i = 0; i < 3; i++) await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await answered, endTurn);
    assert.deepEqual(promptTexts(conversation.prompts), ["1", "2", "3"]);
    assert.deepEqual(bugs, ["submit"]);
  });

  it("a turn that ends within a submit that throws keeps its end", async () => {
    const { open, prompt, engine } = await scriptedHarness();
    const { sessionId } = await open();
    engine.onCall = (conversation, call) => {
      if (call !== "submit") return;
      conversation.end();
      bug();
    };
    assert.deepEqual(await prompt(sessionId, "hi"), endTurn);
  });

  it("a turn whose interrupt and abandon throw is cancelled after cancelGraceMs", async () => {
    const { open, prompt, editor, engine, time, bugs } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answers = ["1", "2"].map((text) => prompt(sessionId, text));
    await conversation.hear("submit");
    engine.onCall = (_, call) => (call === "interrupt" || call === "abandon" ? bug() : undefined);
    editor.cancel(sessionId);
    await conversation.hear("interrupt");
    await tick();
    time.advance(cancelGraceMs);
    for (const answer of answers) assert.deepEqual(await answer, cancelled);
    assert.deepEqual(bugs, ["interrupt", "abandon"]);
  });

  it("a session whose interrupt throws is closed anyway", async () => {
    const { open, prompt, editor, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    engine.onCall = (_, call) => (call === "interrupt" ? bug() : undefined);
    await editor.call("session/close", { sessionId });
    assert.deepEqual(await answered, cancelled);
    assert.equal(conversation.calls.at(-1), "close");
  });

  it("a steer that throws fails with the reason, and the running turn is not affected", async () => {
    const { open, prompt, editor, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "1");
    await conversation.hear("submit");
    const steer = { sessionId, prompt: [{ type: "text", text: "2" }] };
    engine.onCall = () => bug();
    await assert.rejects(editor.callExtension("_session/steer", steer), { code: -32603 });
    engine.onCall = () => {
      throw new EngineFailure("refused", "not now");
    };
    await assert.rejects(editor.callExtension("_session/steer", steer), { code: -32603, message: "not now" });
    engine.onCall = () => {};
    conversation.end();
    assert.deepEqual(await answered, endTurn);
  });

  it("a start that throws within the call fails session/new, and closes the conversation", async () => {
    const { open, engine } = await scriptedHarness();
    const create = engine.open;
    engine.open = (request, host) => Object.assign(create(request, host), { start: bug });
    await assert.rejects(open(), { code: -32603 });
    assert.deepEqual(engine.opened[0]?.calls, ["close"]);
  });

  it("a ready that throws within the call fails the prompt", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.ready = bug;
    await assert.rejects(prompt(sessionId, "hi"), { code: -32603 });
    assert.deepEqual(conversation.prompts, []);
  });

  it("a release, pause or resume that throws is reported as a bug, and the session continues", async () => {
    const [near, far] = memoryPair({ lagChars: 1 });
    const { open, prompt, time, bugs } = await scriptedHarness({ pair: [near, far], idleTimeoutMs: 1000 });
    const { sessionId, conversation } = await open();
    await tick();
    Object.assign(conversation, { release: bug, pause: bug, resume: bug });
    time.advance(1000);
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    far.pause();
    conversation.say("Hello, and more than fits.");
    conversation.update(update.toolCall({ toolCallId: "1", title: "Read" }));
    far.resume();
    conversation.end();
    assert.deepEqual(await answered, endTurn);
    await tick();
    assert.deepEqual(new Set(bugs), new Set(["release", "pause", "resume"]));
  });

  it("a prewarmed session that cannot be opened is reported as a bug, and the next session/new works", async () => {
    const { open, engine, time, bugs } = await scriptedHarness({ prewarms: true });
    await open();
    const create = engine.open;
    engine.open = bug;
    time.advance(2000);
    assert.deepEqual(bugs, ["prewarm a session"]);
    engine.open = create;
    engine.configFingerprint = bug;
    await open();
    time.advance(2000);
    await open();
    assert.equal(engine.opened.length, 3, "nothing is prewarmed without a fingerprint");
  });
});

describe("an engine that never answers", () => {
  it("a prompt whose engine never gets ready is answered by a cancel, and by a close", async () => {
    const { open, prompt, editor, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    engine.onCall = (_, call) => (call === "ready" ? new Promise(() => {}) : undefined);
    const first = prompt(sessionId, "1");
    await conversation.hear("ready");
    editor.cancel(sessionId);
    assert.deepEqual(await first, cancelled);
    const second = prompt(sessionId, "2");
    await conversation.hear("ready");
    await editor.call("session/close", { sessionId });
    assert.deepEqual(await second, cancelled);
    assert.deepEqual(conversation.prompts, []);
    assert.ok(!conversation.calls.includes("interrupt"), "nothing was submitted");
  });

  it("a session that is closed while its engine starts is not reported as open", async () => {
    const engine = new ScriptedEngine();
    engine.saved.set("a", []);
    const { editor, agent, prompt } = await scriptedHarness({ engine });
    let go = (): void => {};
    engine.onCall = (_, call) => (call === "start" ? new Promise((resolve) => (go = resolve)) : undefined);
    const closed = { code: -32603, message: "the session was closed while it started" };
    const loading = assert.rejects(editor.call("session/load", { sessionId: "a", ...here }), closed);
    await tick();
    await editor.call("session/close", { sessionId: "a" });
    go();
    await loading;
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    const opening = assert.rejects(editor.call("session/new", here), closed);
    await tick();
    await agent.stop("over");
    go();
    await opening;
  });

  it("an agent stops while an engine does not start", async () => {
    const { editor, agent, engine } = await scriptedHarness();
    engine.onCall = (_, call) => (call === "start" ? new Promise(() => {}) : undefined);
    void editor.call("session/new", here).catch(() => {});
    await tick();
    await agent.stop("over");
    assert.deepEqual(engine.opened[0]?.calls, ["start", "close"]);
  });
});

describe("an engine that cannot be closed", () => {
  for (const [how, close] of [
    ["rejects", async () => bug()],
    ["throws within the call", bug],
  ] as const) {
    it(`a conversation whose close ${how} is reported as a bug, and its session is closed`, async () => {
      const engine = new ScriptedEngine();
      engine.saved.set("a", []);
      const { prompt, editor, agent, bugs } = await scriptedHarness({ engine });
      const create = engine.open;
      engine.open = (request, host) => Object.assign(create(request, host), { close });
      const load = { sessionId: "a", ...here };
      await editor.call("session/resume", load);
      const answered = prompt("a", "hi");
      await engine.opened[0]?.hear("submit");
      await editor.call("session/resume", load);
      assert.deepEqual(await answered, cancelled);
      await editor.call("session/close", { sessionId: "a" });
      await editor.call("session/resume", load);
      await editor.call("session/delete", { sessionId: "a" });
      assert.equal(engine.saved.size, 0);
      await editor.call("session/new", here);
      engine.close = close;
      await agent.stop("over");
      assert.deepEqual(new Set(bugs), new Set(["close"]));
      assert.equal(bugs.length, 5, "four conversations and the engine");
    });

    it(`the first failure is reported when a conversation does not start and its close ${how}`, async () => {
      const { open, engine } = await scriptedHarness();
      const create = engine.open;
      const start = (): Promise<void> => Promise.reject(new EngineFailure("not_signed_in", "sign in"));
      engine.open = (request, host) => Object.assign(create(request, host), { start, close });
      await assert.rejects(open(), { code: -32000, message: "sign in" });
    });
  }

  it("an engine whose close rejects does not keep a closed connection from stopping the agent", async () => {
    const { open, editor, agent, engine, bugs } = await scriptedHarness();
    await open();
    engine.close = async () => bug();
    editor.close("bye");
    await agent.stop("bye");
    assert.deepEqual(bugs, ["close"]);
  });
});
