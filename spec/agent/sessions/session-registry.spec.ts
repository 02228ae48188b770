/**
 * How sessions are opened, loaded, forked, renamed, deleted and resumed, on the scripted
 * engine. spec/claude/engine/saved-conversations.spec.ts has what a Claude CLI is started with.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../../lib/acp/index.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import type { ScriptedConversation, ScriptedEngine } from "../../support/agent/scripted-engine.ts";
import { engineWith, scriptedHarness } from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise(setImmediate);
const here = { cwd: "/", mcpServers: [] };

/** Makes the next calls of `start` wait. Returns the function that lets them go on. */
function holdStart(engine: ScriptedEngine): () => void {
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  engine.onCall = (_, call) => (call === "start" ? held : undefined);
  return go;
}

function failStart(engine: ScriptedEngine, failure: EngineFailure, isFailing = () => true): void {
  engine.onCall = (_, call) => {
    if (call === "start" && isFailing()) throw failure;
  };
}

const unknown = new EngineFailure("unknown_conversation", "no such conversation");

describe("session/new", () => {
  it("session/new starts the conversation before it waits for anything", async () => {
    const { editor, engine } = await scriptedHarness();
    const go = holdStart(engine);
    const opening = editor.call("session/new", here);
    // Within one turn of the event loop, so without waiting for a file, a timer or another process.
    await tick();
    assert.deepEqual(engine.opened[0]?.calls, ["start"]);
    go();
    assert.equal((await opening).sessionId, engine.opened[0]?.id);
  });

  it("session/new passes on the directories and MCP servers, and refuses a directory that is missing", async () => {
    const { editor, engine } = await scriptedHarness();
    const mcpServers = [{ name: "x", command: "/bin/x", args: [], env: [] }];
    await editor.call("session/new", { cwd: "/", mcpServers, additionalDirectories: ["/tmp"] });
    const { request } = engine.opened[0] ?? assert.fail("no conversation");
    assert.deepEqual(request.start, { kind: "new" });
    assert.deepEqual([request.cwd, request.additionalDirectories], ["/", ["/tmp"]]);
    assert.deepEqual(request.mcpServers, mcpServers);
    const missing = editor.call("session/new", { cwd: "/nowhere/at/all", mcpServers: [] });
    await assert.rejects(missing, { code: -32602, message: "cwd must be a directory that exists" });
    assert.equal(engine.opened.length, 1);
  });

  it("session/new fails with the reason when the engine refuses the MCP servers", async () => {
    const { open, engine } = await scriptedHarness();
    engine.open = () => {
      throw new EngineFailure("invalid", "mcpServers.0 cannot be used");
    };
    await assert.rejects(open(), { code: -32602, message: "mcpServers.0 cannot be used" });
  });
});

describe("session/load", () => {
  it("session/load sends the saved conversation before its response", async () => {
    const engine = engineWith();
    engine.saved.set("a", [update.agentMessage("One. ", "m"), update.agentMessage("Two.", "m")]);
    const { editor, updates } = await scriptedHarness({ engine });
    await editor.call("session/load", { sessionId: "a", ...here });
    assert.equal(messageText(updates), "One. Two.");
    assert.deepEqual(engine.opened[0]?.request.start, { kind: "resume", id: "a" });
  });

  it("session/resume continues a conversation without sending it", async () => {
    const engine = engineWith();
    engine.saved.set("a", [update.agentMessage("One.", "m")]);
    const { editor, updates } = await scriptedHarness({ engine });
    await editor.call("session/resume", { sessionId: "a", ...here });
    assert.deepEqual(engine.opened[0]?.calls, ["start"]);
    assert.deepEqual(updates, []);
  });

  it("session/load closes the open session first, and two loads run one after the other", async () => {
    const { editor, engine, open, prompt } = await scriptedHarness({ engine: engineWith("a") });
    await editor.call("session/resume", { sessionId: "a", ...here });
    const running = prompt("a", "hi");
    await engine.opened[0]?.hear("submit");
    engine.opened[0]?.take();
    const runningAtStart: number[] = [];
    engine.onCall = (_, call) => {
      if (call === "start") runningAtStart.push(engine.opened.filter(({ isRunning }) => isRunning).length);
    };
    const load = { sessionId: "a", ...here };
    await Promise.all([editor.call("session/load", load), editor.call("session/load", load)]);
    assert.deepEqual(await running, { stopReason: "cancelled" });
    assert.deepEqual(
      engine.opened.map(({ isRunning }) => isRunning),
      [false, false, true],
    );
    assert.deepEqual(runningAtStart, [1, 1], "two processes would write to one conversation");
    await open();
  });

  it("a failed session/load leaves no session open", async () => {
    const { editor, engine, prompt } = await scriptedHarness({ engine: engineWith("a") });
    failStart(engine, unknown);
    const loading = editor.call("session/load", { sessionId: "a", ...here });
    await assert.rejects(loading, { code: -32002, data: { sessionId: "a" } });
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    failStart(engine, new EngineFailure("exited", "the engine exited with code 7: oh no"));
    const again = editor.call("session/resume", { sessionId: "a", ...here });
    await assert.rejects(again, { code: -32603, message: /code 7: oh no/ });
    for (const { calls } of engine.opened) assert.equal(calls.at(-1), "close");
  });

  it("a session/load whose replay fails leaves no session open", async () => {
    const { editor, engine, prompt } = await scriptedHarness({ engine: engineWith("a") });
    engine.onCall = (_, call) => {
      if (call === "replay") throw new EngineFailure("disk", "the file cannot be read");
    };
    const loading = editor.call("session/load", { sessionId: "a", ...here });
    await assert.rejects(loading, { code: -32603, message: "the file cannot be read", data: { errorKind: "disk" } });
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    assert.equal(engine.opened[0]?.isRunning, false);
  });

  it("a cancelled session/load closes the session and its conversation", async () => {
    const { editor, engine, prompt } = await scriptedHarness({ engine: engineWith("a") });
    const go = holdStart(engine);
    const giveUp = new AbortController();
    const loading = editor.call("session/load", { sessionId: "a", ...here }, { signal: giveUp.signal });
    await tick();
    giveUp.abort();
    await assert.rejects(loading);
    go();
    await tick();
    await tick();
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    assert.equal(engine.opened[0]?.calls.at(-1), "close");
  });

  it("session/load of an open session without a prompt starts a new conversation under the same id", async () => {
    const { editor, engine, open } = await scriptedHarness();
    const { sessionId } = await open();
    await editor.call("session/load", { sessionId, ...here });
    const { start, proposedId } = engine.opened[1]?.request ?? assert.fail("no conversation");
    assert.deepEqual([start, proposedId], [{ kind: "new" }, sessionId]);
  });

  it("session/load and session/resume of an unknown id fail with -32002", async () => {
    const { editor, engine } = await scriptedHarness();
    for (const method of ["session/load", "session/resume"] as const)
      await assert.rejects(editor.call(method, { sessionId: "x", ...here }), { code: -32002 });
    assert.equal(engine.opened.length, 0);
  });
});

describe("session/fork", () => {
  it("session/fork copies the conversation under which the engine saves now, under a new id", async () => {
    const { editor, engine, open } = await scriptedHarness({ engine: engineWith("cleared") });
    const { sessionId, conversation } = await open();
    conversation.savedId = "cleared";
    const { sessionId: copy } = await editor.call("session/fork", { sessionId, ...here });
    assert.deepEqual(engine.opened[1]?.request.start, { kind: "fork", id: "cleared" });
    assert.notEqual(copy, sessionId);
  });

  it("session/fork of an open session without a prompt starts a new conversation", async () => {
    const { editor, engine, open } = await scriptedHarness();
    const { sessionId } = await open();
    await editor.call("session/fork", { sessionId, ...here });
    assert.deepEqual(engine.opened[1]?.request.start, { kind: "new" });
  });

  it("session/fork of an unknown id fails with -32002", async () => {
    const { editor, engine } = await scriptedHarness();
    await assert.rejects(editor.call("session/fork", { sessionId: "x", ...here }), { code: -32002 });
    assert.equal(engine.opened.length, 0);
  });
});

describe("session/close and session/delete", () => {
  it("session/close answers the running prompt and the waiting one, and closes the conversation", async () => {
    const { editor, open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answers = [prompt(sessionId, "1"), prompt(sessionId, "2")];
    await conversation.hear("submit");
    await editor.call("session/close", { sessionId });
    for (const answer of answers) assert.deepEqual(await answer, { stopReason: "cancelled" });
    assert.deepEqual(conversation.calls, ["start", "ready", "submit", "interrupt", "close"]);
    await assert.rejects(editor.call("session/close", { sessionId }), { code: -32002 });
  });

  it("session/delete closes the session and deletes its conversations before and after /clear", async () => {
    const engine = engineWith("other", "cleared");
    const { editor, open, prompt } = await scriptedHarness({ engine });
    const { sessionId, conversation } = await open();
    engine.saved.set(sessionId, []);
    conversation.savedId = "cleared";
    await editor.call("session/delete", { sessionId });
    assert.equal(conversation.isRunning, false);
    assert.deepEqual([...engine.saved.keys()], ["other"]);
    await editor.call("session/delete", { sessionId: "nobody" });
    await assert.rejects(prompt(sessionId, "hi"), { code: -32002 });
  });
});

describe("session/set_title and session/status", () => {
  it("session/set_title lets a running engine save the title, and writes it to the store otherwise", async () => {
    const { editor, open, engine } = await scriptedHarness({ engine: engineWith("a") });
    const { sessionId, conversation } = await open();
    const naming = await editor.call("session/set_title", { sessionId, title: " One\n two " });
    assert.deepEqual(naming, { title: "One two" });
    assert.deepEqual(conversation.calls, ["start", "rename One two"]);
    assert.deepEqual(engine.renamed, []);
    await editor.call("session/set_title", { sessionId: "a", title: "Saved" });
    assert.deepEqual(engine.renamed, [["a", "Saved"]]);
    await assert.rejects(editor.call("session/set_title", { sessionId: "x", title: "No" }), { code: -32002 });
    await assert.rejects(editor.call("session/set_title", { sessionId, title: " " }), { code: -32602 });
    assert.deepEqual(await editor.call("session/status", { sessionId }), { status: "open" });
    assert.deepEqual(await editor.call("session/status", { sessionId: "a" }), { status: "saved" });
    await assert.rejects(editor.call("session/status", { sessionId: "x" }), { code: -32002 });
  });

  it("session/set_title reports a refusal of the engine, and writes nothing", async () => {
    const { editor, open, engine, bugs } = await scriptedHarness();
    const { sessionId } = await open();
    engine.onCall = () => {
      throw new EngineFailure("refused", "the engine refused: not now");
    };
    const refused = editor.call("session/set_title", { sessionId, title: "One" });
    await assert.rejects(refused, { code: -32603, message: "the engine refused: not now" });
    assert.deepEqual([engine.renamed, bugs], [[], []]);
  });

  it("session/set_title sends an update to the client when the engine does not run", async () => {
    const { editor, open, updates, engine } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    conversation.isRunning = false;
    conversation.savedId = "own";
    await editor.call("session/set_title", { sessionId, title: "At rest" });
    assert.deepEqual(engine.renamed, [["own", "At rest"]]);
    assert.ok(updates.some((one) => one.sessionUpdate === "session_info_update" && one.title === "At rest"));
  });
});

describe("session/list", () => {
  it("session/list returns the saved sessions and refuses an unknown cursor", async () => {
    const { editor } = await scriptedHarness({ engine: engineWith("a", "b") });
    const { sessions } = await editor.call("session/list", {});
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ["b", "a"],
    );
    await assert.rejects(editor.call("session/list", { cursor: "x" }), { code: -32602 });
  });
});

describe("auto-resume", () => {
  const settings = { autoResume: true };

  it("auto-resume continues the last conversation once for each directory", async () => {
    const { editor } = await scriptedHarness({ engine: engineWith("a"), settings });
    assert.equal((await editor.call("session/new", here)).sessionId, "a");
    assert.notEqual((await editor.call("session/new", here)).sessionId, "a");
    assert.notEqual((await editor.call("session/new", { ...here, cwd: "/tmp" })).sessionId, "a", "it is open");
  });

  it("auto-resume starts a new conversation when the engine does not know the last one", async () => {
    const { editor, engine } = await scriptedHarness({ engine: engineWith("a"), settings });
    failStart(engine, unknown, () => engine.opened.length === 1);
    assert.notEqual((await editor.call("session/new", here)).sessionId, "a");
    assert.deepEqual(
      engine.opened.map(({ request }) => request.start.kind),
      ["resume", "new"],
    );
  });

  it("auto-resume reports any other failure of the engine", async () => {
    const { editor, engine } = await scriptedHarness({ engine: engineWith("a"), settings });
    failStart(engine, new EngineFailure("not_signed_in", "sign in"));
    await assert.rejects(editor.call("session/new", here), { code: -32000 });
    assert.equal(engine.opened.length, 1);
  });
});

describe("idle timeout of a session", () => {
  const releases = ({ calls }: ScriptedConversation): number => calls.filter((call) => call === "release").length;

  it("an idle session releases its engine, and the next prompt gets it ready again", async () => {
    const { open, prompt, time } = await scriptedHarness({ idleTimeoutMs: 1000 });
    const { sessionId, conversation } = await open();
    const first = prompt(sessionId, "1");
    await conversation.hear("submit");
    time.advance(1000);
    assert.equal(releases(conversation), 0, "a turn runs");
    conversation.end();
    await first;
    time.advance(999);
    assert.equal(releases(conversation), 0);
    time.advance(1);
    assert.deepEqual([releases(conversation), conversation.isRunning], [1, false]);
    const second = prompt(sessionId, "2");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await second, { stopReason: "end_turn" });
  });

  it("an idle session keeps an engine that is busy, and asks again after the same time", async () => {
    const { open, time } = await scriptedHarness({ idleTimeoutMs: 1000 });
    const { conversation } = await open();
    await tick();
    conversation.isBusy = true;
    time.advance(2000);
    assert.deepEqual([releases(conversation), conversation.isRunning], [2, true]);
    conversation.isBusy = false;
    time.advance(1000);
    assert.deepEqual([releases(conversation), conversation.isRunning], [3, false]);
    time.advance(9000);
    assert.equal(releases(conversation), 3);
  });
});

describe("agent.stop", () => {
  it("a stopped agent opens no session, not even one that was being opened", async () => {
    const engine = engineWith("a");
    engine.conversations.has = () => new Promise((go) => setImmediate(go, true));
    const { agent, editor } = await scriptedHarness({ engine });
    const loading = editor.call("session/load", { sessionId: "a", ...here });
    await agent.stop("over");
    await assert.rejects(loading, { code: -32603 });
    assert.ok(engine.opened.every(({ calls }) => !calls.includes("start")));
  });

  it("a stopped agent closes the sessions that are open and those that start", async () => {
    const { agent, editor, engine, open } = await scriptedHarness();
    await open();
    holdStart(engine);
    void editor.call("session/new", here).catch(() => {});
    await tick();
    await agent.stop("over");
    assert.deepEqual(
      engine.opened.map(({ calls }) => calls),
      [
        ["start", "close"],
        ["start", "close"],
      ],
    );
  });
});
