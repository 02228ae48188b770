/**
 * What a Claude CLI is started with when a session is opened, loaded, forked or resumed,
 * and how it is renamed, with an in-memory store in the place of the disk.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ConversationEvent } from "../../../lib/claude/index.ts";
import { agentHarness, ends, says, takes } from "../../support/claude/agent-harness.ts";
import { memoryStore } from "../../support/claude/memory-store.ts";

const tick = (): Promise<void> => new Promise(setImmediate);
const here = { cwd: "/", mcpServers: [] };
const past = (...texts: readonly string[]): readonly ConversationEvent[] =>
  texts.map((text, nth) => says(text, `msg_${nth}`) as unknown as ConversationEvent); // a frame is an event, unread

describe("session/new", () => {
  it("session/new starts the CLI before it waits for anything", async () => {
    const { editor, cli } = await agentHarness();
    cli.answer = undefined;
    const opening = editor.call("session/new", here);
    // Within one turn of the event loop, so without waiting for a file, a timer or another process.
    await tick();
    assert.equal(cli.runs.length, 1);
    const [fakeCli] = cli.runs;
    assert.ok(fakeCli);
    fakeCli.answer(await fakeCli.hear("initialize"), cli.usual ?? {});
    assert.ok((await opening).sessionId);
  });
});

describe("session/load", () => {
  it("session/load sends the saved conversation before its response, and reports unreadable lines", async () => {
    const store = memoryStore();
    store.kept.set("a", past("One.", "Two."));
    store.faults = { unreadableCount: 3, leftOutBytes: 9 };
    const { editor, cli, updates } = await agentHarness({ store });
    await editor.call("session/load", { sessionId: "a", ...here });
    const content = updates.map((one) => ("content" in one ? JSON.stringify(one.content) : one.sessionUpdate)).join();
    assert.match(content, /One\..*Two\..*3 lines of this conversation could not be read.*9 bytes of long tool results/);
    assert.deepEqual(cli.runs[0]?.request.launch.session, { kind: "resume", id: "a" });
  });

  it("a failed session/load leaves no session open", async () => {
    const store = memoryStore("a");
    const { editor, cli, prompt } = await agentHarness({ store });
    cli.answer = undefined;
    const loading = editor.call("session/load", { sessionId: "a", ...here });
    (await cli.run(0)).die("the Claude CLI exited with code 1", 1, ["No conversation found with session ID: a"]);
    await assert.rejects(loading, { code: -32002, data: { sessionId: "a" } });
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    const again = editor.call("session/resume", { sessionId: "a", ...here });
    (await cli.run(1)).die("the Claude CLI exited with code 7", 7, ["oh no"]);
    await assert.rejects(again, { code: -32603, message: /code 7: oh no/ });
  });

  it("session/load closes the open session first, and two loads run one after the other", async () => {
    const { editor, cli, open, prompt } = await agentHarness({ store: memoryStore("a") });
    await editor.call("session/resume", { sessionId: "a", ...here });
    const first = await cli.run(0);
    const running = prompt("a", "hi");
    first.say(...takes(await first.hear("user")));
    const load = { sessionId: "a", ...here };
    await Promise.all([editor.call("session/load", load), editor.call("session/load", load)]);
    assert.deepEqual(await running, { stopReason: "cancelled" });
    assert.deepEqual(
      cli.runs.map(({ isOpen }) => isOpen),
      [false, false, true],
    );
    await open();
  });

  it("a cancelled session/load closes the session and its CLI", async () => {
    const { editor, cli, prompt } = await agentHarness({ store: memoryStore("a") });
    cli.answer = undefined;
    const giveUp = new AbortController();
    const loading = editor.call("session/load", { sessionId: "a", ...here }, { signal: giveUp.signal });
    const fakeCli = await cli.run(0);
    const asked = await fakeCli.hear("initialize");
    giveUp.abort();
    await assert.rejects(loading);
    fakeCli.answer(asked, cli.usual ?? {});
    await tick();
    await tick();
    await assert.rejects(prompt("a", "hi"), { code: -32002 });
    assert.equal(fakeCli.isOpen, false);
  });

  it("session/load of an open session without a prompt starts a new conversation under the same id", async () => {
    const { editor, cli, open } = await agentHarness({ store: memoryStore() });
    const { sessionId } = await open();
    await editor.call("session/load", { sessionId, ...here });
    assert.deepEqual(cli.runs[1]?.request.launch.session, { kind: "new", id: sessionId });
  });
});

describe("session/fork", () => {
  it("session/fork copies the CLI's current conversation under a new id", async () => {
    const store = memoryStore("cleared");
    const { editor, cli, open, prompt } = await agentHarness({ store });
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "/clear");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame, "cleared"), ...ends(frame));
    await answered;
    const { sessionId: copy } = await editor.call("session/fork", { sessionId, ...here });
    assert.deepEqual(cli.runs[1]?.request.launch.session, { kind: "resume", id: "cleared", forkTo: copy });
    assert.notEqual(copy, sessionId);
  });
});

describe("session/delete", () => {
  it("session/delete closes the session and deletes its conversations before and after /clear", async () => {
    const store = memoryStore("other", "cleared");
    const { editor, open, prompt } = await agentHarness({ store });
    const { sessionId, fakeCli } = await open();
    store.kept.set(sessionId, []);
    const answered = prompt(sessionId, "/clear");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame, "cleared"), ...ends(frame));
    await answered;
    await editor.call("session/delete", { sessionId });
    assert.equal(fakeCli.isOpen, false);
    assert.deepEqual([...store.kept.keys()], ["other"]);
    await editor.call("session/delete", { sessionId: "nobody" });
    await assert.rejects(prompt(sessionId, "hi"), { code: -32002 });
  });
});

describe("session/set_title and session/status", () => {
  it("session/set_title lets a running CLI save the title, and writes it to the store otherwise", async () => {
    const store = memoryStore("a");
    const { editor, open } = await agentHarness({ store });
    const { sessionId, fakeCli } = await open();
    const naming = editor.call("session/set_title", { sessionId, title: " One\n two " });
    const asked = await fakeCli.hear("rename_session");
    assert.equal(asked["request"].title, "One two");
    fakeCli.answer(asked, {});
    assert.deepEqual(await naming, { title: "One two" });
    assert.deepEqual(store.renamed, []);
    await editor.call("session/set_title", { sessionId: "a", title: "Saved" });
    assert.deepEqual(store.renamed, [["a", "Saved"]]);
    await assert.rejects(editor.call("session/set_title", { sessionId: "x", title: "No" }), { code: -32002 });
    await assert.rejects(editor.call("session/set_title", { sessionId, title: " " }), { code: -32602 });
    assert.deepEqual(await editor.call("session/status", { sessionId }), { status: "open" });
    assert.deepEqual(await editor.call("session/status", { sessionId: "a" }), { status: "saved" });
    await assert.rejects(editor.call("session/status", { sessionId: "x" }), { code: -32002 });
  });

  it("session/set_title writes to the store when the CLI exits meanwhile, and reports a refusal", async () => {
    const store = memoryStore();
    const { editor, open, bugs } = await agentHarness({ store });
    const { sessionId, fakeCli } = await open();
    const refused = editor.call("session/set_title", { sessionId, title: "One" });
    const { request_id } = await fakeCli.hear("rename_session");
    fakeCli.say({ type: "control_response", response: { subtype: "error", request_id, error: "not now" } });
    await assert.rejects(refused, { code: -32603, message: "the Claude CLI refused rename_session: not now" });
    const naming = editor.call("session/set_title", { sessionId, title: "Two" });
    await fakeCli.hear("rename_session");
    fakeCli.die();
    assert.deepEqual(await naming, { title: "Two" });
    assert.deepEqual(store.renamed, [[sessionId, "Two"]]);
    assert.deepEqual(bugs, []);
  });

  it("session/set_title sends an update to the client when no CLI runs", async () => {
    const store = memoryStore();
    const { editor, open, updates, time, prompt } = await agentHarness({ store, idleTimeoutMs: 1000 });
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame, "own"), ...ends(frame));
    await answered;
    time.advance(1000);
    await tick();
    await editor.call("session/set_title", { sessionId, title: "At rest" });
    assert.deepEqual(store.renamed, [["own", "At rest"]]);
    assert.ok(updates.some((one) => one.sessionUpdate === "session_info_update" && one.title === "At rest"));
  });
});

describe("auto-resume", () => {
  const settings = { autoResume: true };

  it("auto-resume starts a new conversation when the CLI does not know the last one", async () => {
    const { editor, cli } = await agentHarness({ store: memoryStore("a"), settings });
    cli.answer = undefined;
    const opening = editor.call("session/new", here);
    const fakeCli = await cli.run(0);
    cli.answer = cli.usual;
    fakeCli.die("the Claude CLI exited with code 1", 1, ["No conversation found with session ID: a"]);
    assert.notEqual((await opening).sessionId, "a");
    assert.equal(cli.runs[1]?.request.launch.session?.kind, "new");
  });
});
