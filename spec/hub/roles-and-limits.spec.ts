/**
 * Observers, clients that do not read, sessions without clients, and bad input at the hub.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionConfigSelect, update } from "../../lib/acp/index.ts";
import type { UpstreamSource } from "../../lib/hub/index.ts";
import { RpcError } from "../../lib/rpc/index.ts";
import { type Link, memoryPair } from "../../lib/wire/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { hubOf, load, open, sourceOf, testClient } from "../support/hub/hub-harness.ts";
import { savedId, scriptedAgent } from "../support/serve/scripted-agent.ts";
import { cwd } from "../support/serve/test-server.ts";

const says = (text: string) => update.agentMessage(text);
const isObserverError = (cause: RpcError): boolean => Object(cause.data).bowline.reason === "observer";

const modeOption = (currentValue: string): SessionConfigSelect => ({
  id: "mode",
  type: "select",
  name: "Mode",
  category: "mode",
  currentValue,
  options: ["default", "plan", "bypass"].map((value) => ({ value, name: value })),
});

describe("roles of the hub's clients", () => {
  it("an observer sees a session and can neither prompt nor answer nor change it", async () => {
    const player = scriptedAgent(async ({ ask, show }) => show(says(await ask({ toolCallId: "t1" }))));
    const harness = hubOf(player);
    const [owner, watcher] = [await harness.connect(), await harness.connect({ role: "observer" })];
    const id = await open(owner);
    await load(watcher, id);
    await assert.rejects(watcher.prompt(id, "x"), isObserverError);
    await assert.rejects(open(watcher), isObserverError);
    for (const method of ["session/delete", "session/fork"] as const)
      await assert.rejects(watcher.connection.callExtension(method as "_", { sessionId: id, cwd }), isObserverError);
    await assert.rejects(watcher.connection.callExtension("_session/steer", { sessionId: id }), isObserverError);
    const turn = owner.prompt(id, "go");
    await owner.until(() => owner.asked.length === 1);
    watcher.connection.cancel(id);
    owner.asked[0]?.choose("yes");
    await turn;
    await watcher.until(() => watcher.text() === "yes");
    assert.equal(watcher.asked.length, 0);
    await watcher.connection.call("session/close", { sessionId: id });
    assert.deepEqual(player.closed, [], "an observer that closes a session only leaves it");
    await harness.close();
  });

  it("an observer that loads a long session does not make the agent open it anew", async () => {
    const player = scriptedAgent(async ({ show }) => {
      for (let i = 0; i < 20; i++) await show(says("x".repeat(1000)));
    });
    const harness = hubOf(player, { maxLogChars: 10_000 });
    const [owner, watcher] = [await harness.connect(), await harness.connect({ role: "observer" })];
    const id = await open(owner);
    await owner.prompt(id, "go");
    player.past = [says("all of it")];
    const opened = player.opened.length;
    const { _meta } = await load(watcher, id);
    assert.equal(_meta.bowline.isPartial, true);
    assert.equal(player.opened.length, opened);
    await harness.close();
  });

  it("a client that attaches gets the options that another client has set", async () => {
    const player = scriptedAgent();
    player.options = [modeOption("default")];
    const harness = hubOf(player);
    const [a, b] = [await harness.connect(), await harness.connect()];
    const id = await open(a);
    await a.connection.call("session/set_config_option", { sessionId: id, configId: "mode", value: "bypass" });
    const { configOptions } = await load(b, id);
    assert.equal(configOptions[0].currentValue, "bypass");
    await harness.close();
  });

  it("an observer finds open sessions only", async () => {
    const player = scriptedAgent();
    player.past = [says("x")];
    const harness = hubOf(player);
    const watcher = await harness.connect({ role: "observer" });
    assert.deepEqual((await watcher.connection.call("session/list", {})).sessions, []);
    await assert.rejects(load(watcher, savedId), (cause: RpcError) => cause.code === -32002);
    await harness.close();
  });
});

describe("clients of the hub that do not read", () => {
  /** A client that initializes, attaches, and then reads nothing. */
  async function stuck(link: Link, id: string): Promise<{ readonly closed: Promise<string> }> {
    const silent = await testClient(link);
    await load(silent, id);
    link.pause();
    return { closed: silent.connection.closed };
  }

  it("a client that does not read is dropped with the reason, and the others get everything", async () => {
    const text = "x".repeat(10_000);
    const harness = hubOf(
      scriptedAgent(async ({ show }) => {
        for (let i = 0; i < 200; i++) await show(says(text));
      }),
      { maxLogChars: 400_000 },
    );
    const a = await harness.connect();
    const id = await open(a);
    const link = harness.link();
    const { closed } = await stuck(link, id);
    assert.equal(await a.prompt(id, "go"), "end_turn");
    assert.equal(a.text().length, 2_000_000);
    assert.equal(harness.hub.counts.clients, 1);
    link.resume();
    assert.match(await closed, /closed the connection/);
    assert.ok(harness.hub.counts.logChars <= 400_000);
    await harness.close();
  });

  it("a client that reads nothing for a minute is dropped", async () => {
    const clock = fakeClock();
    const harness = hubOf(
      scriptedAgent(async ({ show }) => show(says("x".repeat(300_000)))),
      { after: clock.after },
    );
    const a = await harness.connect();
    const id = await open(a);
    await stuck(harness.link(), id);
    await a.prompt(id, "go");
    assert.equal(harness.hub.counts.clients, 2);
    clock.advance(60_000);
    await new Promise(setImmediate);
    assert.equal(harness.hub.counts.clients, 1);
    await harness.close();
  });

  it("all sessions together keep no more than the limit", async () => {
    const harness = hubOf(
      scriptedAgent(async ({ show }) => {
        for (let i = 0; i < 50; i++) await show(says("x".repeat(1000)));
      }),
      { maxTotalLogChars: 100_000 },
    );
    const a = await harness.connect();
    for (let i = 0; i < 4; i++) await a.prompt(await open(a), "go");
    assert.ok(harness.hub.counts.logChars <= 100_000);
    await harness.close();
  });
});

describe("an unused session", () => {
  it("an unused session stays for the keep time after its last client has disconnected, and is then closed", async () => {
    const clock = fakeClock();
    const player = scriptedAgent();
    const harness = hubOf(player, { after: clock.after, keepMs: 60_000 });
    const a = await harness.connect();
    const id = await open(a);
    clock.advance(120_000);
    a.connection.close("gone");
    await new Promise(setImmediate);
    clock.advance(59_000);
    assert.equal(harness.hub.list().length, 1);
    clock.advance(1000);
    await new Promise(setImmediate);
    assert.deepEqual([player.closed, harness.hub.list().length], [[id], 0]);
    await harness.close();
  });

  it("a permission request stays open when every client has gone, and no time answers it", async () => {
    const clock = fakeClock();
    const player = scriptedAgent(async ({ ask, show }) => show(says(await ask({ toolCallId: "t1" }))));
    const harness = hubOf(player, { after: clock.after, keepMs: 60_000 });
    const a = await harness.connect();
    const id = await open(a);
    a.prompt(id, "go").catch(() => {});
    await a.until(() => a.asked.length === 1);
    a.connection.close("gone");
    await new Promise(setImmediate);
    clock.advance(24 * 60 * 60_000);
    await new Promise(setImmediate);
    assert.deepEqual(
      harness.hub.questions().map(({ sessionId }) => sessionId),
      [id],
    );
    const b = await harness.connect();
    await load(b, id);
    await b.until(() => b.asked.length === 1);
    assert.equal(b.text(), "", "nothing was answered meanwhile");
    b.asked[0]?.choose("no");
    await b.until(() => b.text() === "no");
    await harness.close();
  });

  it("updates that the log has dropped are loaded from the agent when the session is idle", async () => {
    const player = scriptedAgent(async ({ show }) => {
      for (let i = 0; i < 20; i++) await show(says("x".repeat(1000)));
    });
    const harness = hubOf(player, { maxLogChars: 10_000 });
    const a = await harness.connect();
    const id = await open(a);
    await a.prompt(id, "go");
    player.past = [update.userMessage("go", "m1"), says("all of it")];
    const b = await harness.connect();
    await load(b, id);
    assert.deepEqual([b.text("user_message_chunk"), b.text()], ["go", "all of it"]);
    assert.ok(!a.text().includes("all of it"), "the other clients do not get the replay");
    await b.prompt(id, "more");
    await a.until(() => a.text().length === 40_000);
    await harness.close();
  });

  it("a session that is loaded again keeps its MCP servers and its mode", async () => {
    const player = scriptedAgent(async ({ show }) => {
      for (let i = 0; i < 20; i++) await show(says("x".repeat(1000)));
    });
    player.options = [modeOption("default")];
    const harness = hubOf(player, { maxLogChars: 10_000 });
    const [a, b] = [await harness.connect(), await harness.connect()];
    const mcpServers = [{ name: "files", command: "/bin/files", args: [], env: [] }];
    const { sessionId: id } = await a.connection.call("session/new", { cwd, mcpServers });
    await a.connection.call("session/set_config_option", { sessionId: id, configId: "mode", value: "plan" });
    await a.prompt(id, "go");
    player.past = [says("all of it")];
    // The agent opens a conversation in its own mode.
    player.options = [modeOption("default")];
    const { configOptions } = await load(b, id);
    assert.deepEqual(player.opened.at(-1), { sessionId: id, cwd, mcpServers });
    assert.equal(player.options[0]?.currentValue, "plan");
    assert.equal(configOptions[0].currentValue, "plan");
    await harness.close();
  });
});

describe("bad input at the hub", () => {
  it("a request before initialize, and a second initialize, are refused", async () => {
    const harness = hubOf(scriptedAgent());
    const link = harness.link();
    const lines: any[] = [];
    let tell = (): void => {};
    link.open({
      onLine: (line) => (lines.push(JSON.parse(line)), tell()),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => {},
      onClose: () => {},
    });
    const initialize = { protocolVersion: 1, clientCapabilities: {} };
    link.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd, mcpServers: [] } }));
    link.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "initialize", params: initialize }));
    link.send(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "initialize", params: initialize }));
    while (lines.length < 3) await new Promise<void>((resolve) => (tell = resolve));
    const byId = Object.fromEntries(lines.map((line) => [line.id, line]));
    assert.equal(byId[1].error.code, -32600);
    assert.equal(byId[2].result.agentCapabilities.loadSession, true);
    assert.equal(byId[3].error.code, -32600);
    await harness.close();
  });

  it("wrong params get an error of the hub or of the agent, and end nothing", async () => {
    const harness = hubOf(scriptedAgent());
    const a = await harness.connect();
    const id = await open(a);
    for (const [method, params] of [
      ["session/load", {}],
      ["session/load", { sessionId: 7 }],
      ["session/prompt", { sessionId: id }],
      ["session/prompt", { sessionId: { toString: 1 }, prompt: [] }],
      ["session/new", { cwd: 1 }],
      ["session/new", { cwd, mcpServers: [], _meta: { bowline: { agent: "nobody" } } }],
      ["session/list", { cursor: "99:x" }],
      ["session/close", { sessionId: "__proto__" }],
      ["__proto__", {}],
      ["session/unheard_of", { sessionId: id }],
    ] as const)
      await assert.rejects(
        a.connection.callExtension(method as "_", params),
        (cause: RpcError) => cause.code < -32000 && cause.message !== "internal error",
        method,
      );
    assert.equal(await a.prompt(id, "still here"), "end_turn");
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });

  it("more sessions or clients than allowed are refused", async () => {
    const harness = hubOf(scriptedAgent(), { maxSessions: 1, maxClients: 1 });
    const a = await harness.connect();
    await open(a);
    await assert.rejects(open(a), /1 sessions are open already/);
    await assert.rejects(harness.connect(), /closed the connection/);
    await harness.close();
  });

  it("an agent that exits ends its sessions with the reason, and the next session starts it again", async () => {
    const first = scriptedAgent(() => links[0]?.close("crashed"));
    const links: Link[] = [];
    const source: UpstreamSource = {
      name: "fragile",
      title: "Fragile",
      start: () => {
        const [agentEnd, hubEnd] = memoryPair();
        links.push(agentEnd);
        return { link: hubEnd, stop: first.start(agentEnd).stop, explainExit: (reason) => `${reason}; out of luck` };
      },
    };
    const harness = hubOf([source]);
    const a = await harness.connect({ isBowline: true });
    const id = await open(a);
    await assert.rejects(a.prompt(id, "x"), /the agent is gone: Fragile: .*out of luck/);
    await a.until(() => a.extras.some(([method]) => method === "session_closed"));
    assert.equal(harness.hub.list().length, 0);
    await open(a);
    assert.deepEqual([links.length, harness.hub.counts.agentExits], [2, 1]);
    await harness.close();
  });
});

describe("several agents behind one hub", () => {
  it("a session is opened with the agent that the request names, and one list has them all", async () => {
    const [one, two] = [scriptedAgent(({ show }) => show(says("one"))), scriptedAgent(({ show }) => show(says("two")))];
    const harness = hubOf([sourceOf("one", one), sourceOf("two", two)]);
    const a = await harness.connect();
    const [first, second] = [await open(a), await open(a, { agent: "two" })];
    await a.prompt(first, "x");
    await a.prompt(second, "x");
    assert.equal(a.text(), "onetwo");
    const page = await a.connection.call("session/list", {});
    const agents = page.sessions.map(({ _meta: meta }) => Object(meta).bowline.agent);
    assert.deepEqual(agents, ["two", "one", "one"]);
    const rest = await a.connection.call("session/list", { cursor: page.nextCursor });
    assert.deepEqual(
      rest.sessions.map(({ _meta: meta }) => Object(meta).bowline.agent),
      ["two"],
    );
    await harness.close();
  });

  it("the questions of all sessions are in one inbox, and can be answered there", async () => {
    const player = scriptedAgent(async ({ ask, show }) => show(says(await ask({ toolCallId: "t1", title: "Edit" }))));
    const harness = hubOf(player);
    const a = await harness.connect();
    const ids = [await open(a), await open(a)];
    const turns = ids.map((id) => a.prompt(id, "go"));
    await a.until(() => a.asked.length === 2);
    const questions = harness.hub.questions();
    assert.deepEqual(
      questions.map(({ sessionId }) => sessionId),
      ids,
    );
    const no = { outcome: { outcome: "selected", optionId: "no" } };
    assert.throws(() =>
      harness.hub.answer(questions[0]?.id ?? "", { outcome: { outcome: "selected", optionId: "?" } }),
    );
    assert.equal(harness.hub.answer(questions[0]?.id ?? "", no), true);
    assert.equal(harness.hub.answer(questions[0]?.id ?? "", no), false);
    assert.equal(harness.hub.answer(questions[1]?.id ?? "", no), true);
    await Promise.all(turns);
    assert.equal(a.text(), "nono");
    await harness.close();
  });
});
