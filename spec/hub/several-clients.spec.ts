/**
 * Several clients in one session of the hub.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AgentConnection, toolContent, update } from "../../lib/acp/index.ts";
import { RpcError } from "../../lib/rpc/index.ts";
import { eventId, hubOf, load, open } from "../support/hub/hub-harness.ts";
import { savedId, scriptedAgent } from "../support/serve/scripted-agent.ts";
import { cwd } from "../support/serve/test-server.ts";

const says = (text: string) => update.agentMessage(text);

describe("a session of the hub with several clients", () => {
  it("every attached client gets every update, and the prompts of the others", async () => {
    const harness = hubOf(scriptedAgent(({ show }) => show(says("hello"))));
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    assert.equal(await a.prompt(id, "one"), "end_turn");
    await b.until(() => b.text() === "hello");
    assert.deepEqual([a.text(), a.text("user_message_chunk")], ["hello", ""]);
    assert.equal(b.text("user_message_chunk"), "one");
    assert.equal(await b.prompt(id, "two"), "end_turn");
    await a.until(() => a.text() === "hellohello");
    assert.equal(a.text("user_message_chunk"), "two");
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });

  it("loading an open session replays it from its beginning and opens no second conversation", async () => {
    const player = scriptedAgent(({ show, prompt: [first] }) => show(says(`re:${Object(first).text};`)));
    const harness = hubOf(player);
    const a = await harness.connect();
    const id = await open(a);
    await a.prompt(id, "one");
    await a.prompt(id, "two");
    const b = await harness.connect();
    await load(b, id);
    assert.equal(b.text(), "re:one;re:two;");
    assert.equal(b.text("user_message_chunk"), "onetwo");
    assert.equal(player.opened.length, 1);
    await load(a, id);
    assert.equal(a.text("user_message_chunk"), "onetwo", "a client that loads again gets its own prompts too");
    await harness.close();
  });

  it("after prompts were taken back, a client that loads the session gets what is left of the conversation", async () => {
    const player = scriptedAgent(({ show, prompt: [first] }) => show(says(`re:${Object(first).text};`)));
    player.canRewind = true;
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    for (const words of ["one", "two"]) await a.prompt(id, words);
    const rewind = { sessionId: id, messageId: "own-1", conversation: true };
    await a.connection.callExtension("_session/rewind", { ...rewind, dryRun: true });
    await a.connection.callExtension("_session/rewind", rewind);
    assert.equal(a.text(), "re:one;re:two;", "nothing is sent to a client that did not ask for it");
    await a.prompt(id, "three");
    assert.equal(a.text(), "re:one;re:two;re:three;");
    await load(b, id);
    assert.equal(b.text("user_message_chunk"), "onethree");
    assert.equal(b.text(), "re:one;re:three;");
    await b.connection.callExtension("_session/rewind", { ...rewind, messageId: "own-2", replay: true });
    assert.equal(b.text(), "re:one;re:three;re:one;", "the client asked for a replay");
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });

  it("the other clients are notified when one client has taken a prompt back", async () => {
    const player = scriptedAgent(({ show, prompt: [first] }) => show(says(`re:${Object(first).text};`)));
    player.canRewind = true;
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await a.prompt(id, "one");
    await load(b, id);
    const rewind = { sessionId: id, messageId: "own-0", conversation: true };
    await a.connection.callExtension("_session/rewind", { ...rewind, dryRun: true });
    assert.equal(b.text(), "re:one;");
    await a.connection.callExtension("_session/rewind", rewind);
    await b.until(() => b.text().includes("Another client has taken back"));
    assert.doesNotMatch(a.text(), /Another client/);
    await harness.close();
  });

  it("two clients that load one saved conversation at once share one session", async () => {
    const player = scriptedAgent();
    player.past = [update.userMessage("Hello", "m1"), says("Hello yourself.")];
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(), await harness.connect()];
    await Promise.all([load(a, savedId), load(b, savedId)]);
    assert.deepEqual([a.text(), b.text()], ["Hello yourself.", "Hello yourself."]);
    assert.equal(player.opened.length, 1);
    await harness.close();
  });

  it("session/resume of an open session attaches without a replay, as the protocol says", async () => {
    const harness = hubOf(scriptedAgent(({ show }) => show(says("x"))));
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await a.prompt(id, "one");
    await b.connection.call("session/resume", { sessionId: id, cwd });
    assert.equal(b.notifications.length, 0);
    await a.prompt(id, "two");
    await b.until(() => b.text() === "x");
    await harness.close();
  });

  it("the first answer to a permission request wins, and the others are notified", async () => {
    let chosen = "";
    const call = { toolCallId: "t1", title: "Edit", content: [toolContent.block("x")] };
    const harness = hubOf(scriptedAgent(async ({ ask }) => void (chosen = await ask(call))));
    const [a, b, c] = [await harness.connect(), await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    const turn = a.prompt(id, "edit it");
    await b.until(() => b.asked.length === 1);
    await load(c, id);
    await c.until(() => c.asked.length === 1);
    assert.equal(harness.hub.list()[0]?.status, "asking");
    b.asked[0]?.choose("yes");
    assert.equal(await turn, "end_turn");
    assert.equal(chosen, "yes");
    assert.equal(a.asked[0]?.signal.aborted, true);
    await c.until(() => c.asked[0]?.signal.aborted === true);
    const told = a.notifications.find(({ update: one }) => one.sessionUpdate === "tool_call_update");
    assert.deepEqual(Object(told?.update)._meta.bowline.answered, {
      outcome: { outcome: "selected", optionId: "yes" },
    });
    assert.equal(
      b.notifications.some(({ update: one }) => one.sessionUpdate === "tool_call_update"),
      false,
    );
    await harness.close();
  });

  it("an option that was not offered is no answer while another client can answer", async () => {
    let chosen = "";
    const harness = hubOf(scriptedAgent(async ({ ask }) => void (chosen = await ask({ toolCallId: "t1" }))));
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    const turn = a.prompt(id, "go");
    await b.until(() => b.asked.length === 1);
    b.asked[0]?.choose("anything");
    await a.until(() => a.asked.length === 1);
    a.asked[0]?.choose("no");
    await turn;
    assert.equal(chosen, "no");
    await harness.close();
  });

  it("a client that goes away during its turn takes nothing with it: another answers and sees the end", async () => {
    let chosen = "";
    const player = scriptedAgent(async ({ ask, show }) => {
      chosen = await ask({ toolCallId: "t1" });
      await show(says("done"));
    });
    const harness = hubOf(player);
    const a = await harness.connect();
    const id = await open(a);
    a.prompt(id, "go").catch(() => {});
    await a.until(() => a.asked.length === 1);
    a.connection.close("gone");
    const b = await harness.connect({ isBowline: true });
    await load(b, id);
    await b.until(() => b.asked.length === 1);
    b.asked[0]?.choose("yes");
    await b.until(() => b.extras.length === 1);
    assert.deepEqual([chosen, b.text()], ["yes", "done"]);
    assert.equal(b.extras[0]?.[1].result.stopReason, "end_turn");
    assert.deepEqual(player.closed, []);
    await harness.close();
  });

  it("a cancel of one client ends the turn of another, and its question", async () => {
    const harness = hubOf(scriptedAgent(async ({ ask }) => void (await ask({ toolCallId: "t1" }))));
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    const turn = a.prompt(id, "go");
    await a.until(() => a.asked.length === 1);
    b.connection.cancel(id);
    assert.equal(await turn, "cancelled");
    await harness.close();
  });

  it("prompts of several clients run one after the other", async () => {
    const order: string[] = [];
    const harness = hubOf(
      scriptedAgent(async ({ prompt: [first] }) => {
        order.push(`begin ${Object(first).text}`);
        await new Promise(setImmediate);
        order.push(`end ${Object(first).text}`);
      }),
    );
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    await Promise.all([a.prompt(id, "1"), b.prompt(id, "2"), a.prompt(id, "3")]);
    assert.deepEqual(
      order.map((one) => one.split(" ")[0]),
      ["begin", "end", "begin", "end", "begin", "end"],
    );
    assert.deepEqual(
      order.filter((one) => /begin [13]/.test(one)),
      ["begin 1", "begin 3"],
    );
    await harness.close();
  });

  it("a client must attach to a session before it prompts there", async () => {
    const harness = hubOf(scriptedAgent());
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await assert.rejects(b.prompt(id, "x"), /load or resume it first/);
    await assert.rejects(b.prompt("nonsense", "x"), (cause: RpcError) => cause.code === -32002);
    await harness.close();
  });

  it("files and terminals are served by the client whose prompt runs, and only if it can", async () => {
    const read: string[] = [];
    const serving = (name: string) => ({
      handlers: { "fs/read_text_file": () => (read.push(name), { content: name }) },
    });
    let agent: AgentConnection | undefined;
    const player = scriptedAgent(async ({ sessionId, show }) => {
      const file = await agent?.call("fs/read_text_file", { sessionId, path: "/x" });
      await show(says(file?.content ?? ""));
    });
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(serving("a")), await harness.connect(serving("b"))];
    // The client without files has another profile, for which a second agent is started.
    agent = player.connection;
    const c = await harness.connect();
    const id = await open(a);
    await load(b, id);
    await load(c, id);
    await a.prompt(id, "x");
    await b.prompt(id, "x");
    await c.prompt(id, "x");
    assert.deepEqual(read, ["a", "b", "a"], "c has no files, so the client that opened the session serves them");
    a.connection.close("gone");
    await assert.rejects(c.prompt(id, "x"));
    await harness.close();
  });

  it("session/list has the open sessions first, each once", async () => {
    const player = scriptedAgent();
    player.past = [says("x")];
    const harness = hubOf(player);
    const a = await harness.connect();
    const id = await open(a);
    const list = async () => (await a.connection.call("session/list", { cwd })).sessions;
    assert.deepEqual(
      (await list()).map(({ sessionId }) => sessionId),
      [id, savedId],
    );
    await load(a, savedId);
    const both = await list();
    assert.deepEqual(
      both.map(({ sessionId }) => sessionId),
      [savedId, id],
    );
    assert.deepEqual(Object(both[1]?._meta).bowline, { isOpen: true, status: "idle", agent: "scripted", clients: 1 });
    await harness.close();
  });

  it("closing a session that another client uses only detaches; the last client closes it", async () => {
    const player = scriptedAgent();
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(), await harness.connect({ isBowline: true })];
    const id = await open(a);
    await load(b, id);
    await a.connection.call("session/close", { sessionId: id });
    assert.deepEqual(player.closed, []);
    await b.connection.call("session/close", { sessionId: id });
    assert.deepEqual([player.closed, harness.hub.list()], [[id], []]);
    await harness.close();
  });

  it("every update has an event id, and a client that resumes gets exactly what it missed", async () => {
    let count = 0;
    const harness = hubOf(
      scriptedAgent(async ({ show }) => {
        for (let i = 0; i < 3; i++) await show(says(`${++count};`));
      }),
    );
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await load(b, id);
    await a.prompt(id, "one");
    await b.until(() => b.text() === "1;2;3;");
    const last = eventId(b.notifications.at(-2));
    b.connection.close("gone");
    await a.prompt(id, "two");
    const again = await harness.connect();
    await load(again, id, { afterEventId: last });
    assert.equal(again.text(), "3;4;5;6;");
    assert.equal(new Set(again.notifications.map(eventId)).size, again.notifications.length);
    const wrong = load(again, id, { afterEventId: "deadbeef-3" });
    await assert.rejects(wrong, (cause: RpcError) => Object(cause.data).bowline.reason === "events_gone");
    await harness.close();
  });

  it("a prompt that is sent again after a reconnect runs once and is answered twice", async () => {
    let runs = 0;
    const harness = hubOf(
      scriptedAgent(async (turn) => {
        runs++;
        await turn.ask({ toolCallId: "t1" });
      }),
    );
    const a = await harness.connect();
    const id = await open(a);
    a.prompt(id, "x", { promptId: "p1" }).catch(() => {});
    await a.until(() => a.asked.length === 1);
    a.connection.close("gone");
    const b = await harness.connect();
    await load(b, id);
    const answer = b.prompt(id, "x", { promptId: "p1" });
    await b.until(() => b.asked.length === 1);
    b.asked[0]?.choose("yes");
    assert.equal(await answer, "end_turn");
    assert.equal(await b.prompt(id, "x", { promptId: "p1" }), "end_turn");
    assert.equal(runs, 1);
    await harness.close();
  });

  it("a session of a server that was killed is loaded by another server with the same conversations", async () => {
    const player = scriptedAgent(({ show }) => show(says("hello")));
    const first = hubOf(player);
    const a = await first.connect();
    const id = await open(a);
    await a.prompt(id, "one");
    const last = eventId(a.notifications.at(-1));
    player.past = [update.userMessage("one", "m1"), says("hello")];
    await first.close();
    const second = hubOf(player);
    const b = await second.connect();
    const isGone = (cause: RpcError): boolean => Object(cause.data).bowline.reason === "events_gone";
    await assert.rejects(load(b, id, { afterEventId: last }), isGone, "a session that is not open here");
    assert.equal(b.text(), "", "a client that continues gets no replay");
    await load(b, id);
    assert.deepEqual([b.text("user_message_chunk"), b.text()], ["one", "hello"]);
    await assert.rejects(load(b, id, { afterEventId: last }), isGone, "an event of another server");
    assert.equal(await b.prompt(id, "two"), "end_turn");
    await second.close();
  });
});
