/**
 * Specs of sessions between the two libraries: authentication, opening, listing,
 * loading, options and closing.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { SessionInfo } from "../../lib/index.ts";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import { pairs } from "../support/interop/pairs.ts";
import { codeOf, plain } from "../support/interop/portable.ts";
import {
  agentInfo,
  authMethods,
  blocks,
  clientCapabilities,
  clientInfo,
  configOptions,
  modes,
  setup,
  setupKey,
} from "../support/interop/samples.ts";

describePairs("a session", pairs, ({ scripted, caller }) => {
  it("a session begins with the client learning the agent's name and capabilities", () => {
    const { agentCapabilities } = caller.agent;
    assert.deepEqual(plain(caller.agent.agentInfo), agentInfo);
    assert.deepEqual(plain(caller.agent.authMethods), authMethods);
    assert.equal(agentCapabilities?.loadSession, true);
    assert.deepEqual(agentCapabilities.promptCapabilities, { image: true, audio: true, embeddedContext: true });
    assert.deepEqual(plain(agentCapabilities.auth), { logout: {} });
    const { list, delete: remove, resume, close } = agentCapabilities.sessionCapabilities ?? {};
    assert.deepEqual([list, remove, resume, close], [{}, {}, {}, {}]);
  });

  it("a session begins with the agent learning the client's name and capabilities", async () => {
    assert.deepEqual(await caller.ask("_x/client", {}), { clientInfo, clientCapabilities });
  });

  it("a session is refused with -32000 before authentication and after logout", async () => {
    const open = (): Promise<unknown> => caller.call("session/new", { cwd: "/work", mcpServers: [] });
    await assert.rejects(open(), (error) => codeOf(error) === -32000);
    assert.deepEqual(await caller.call("authenticate", { methodId: "token" }), {});
    await open();
    assert.deepEqual(await caller.call("logout", {}), {});
    await assert.rejects(open(), (error) => codeOf(error) === -32000);
  });

  it("a session opens with its modes and options", async () => {
    await caller.call("authenticate", { methodId: "token" });
    const opened = await caller.call("session/new", { cwd: "/work", mcpServers: [] });
    assert.deepEqual(plain(opened.modes), modes);
    assert.deepEqual(plain(opened.configOptions), plain(configOptions("oak", false)));
  });

  it("a session opens with the given servers and directories, and keeps what is in _meta", async () => {
    await caller.call("authenticate", { methodId: "token" });
    const { _meta } = await caller.call("session/new", setup);
    assert.deepEqual(_meta, { [setupKey]: setup });
  });

  it("a session changes its mode and reports it", async () => {
    const sessionId = await openSession(caller);
    assert.deepEqual(await caller.call("session/set_mode", { sessionId, modeId: "code" }), {});
    assert.deepEqual(plain(await scripted.updates(sessionId).next()), {
      sessionUpdate: "current_mode_update",
      currentModeId: "code",
    });
    const unknown = caller.call("session/set_mode", { sessionId, modeId: "sing" });
    await assert.rejects(unknown, (error) => codeOf(error) === -32602);
  });

  it("a session changes a select and a boolean option, each answered with all options", async () => {
    const sessionId = await openSession(caller);
    const chosen = await caller.call("session/set_config_option", { sessionId, configId: "model", value: "ivy" });
    assert.deepEqual(plain(chosen.configOptions), plain(configOptions("ivy", false)));
    const fast = { sessionId, configId: "fast", type: "boolean", value: true } as const;
    const switched = await caller.call("session/set_config_option", fast);
    assert.deepEqual(plain(switched.configOptions), plain(configOptions("ivy", true)));
  });

  it("a session is listed page by page, and by its directory", async () => {
    const opened: string[] = [];
    for (let i = 0; i < 5; i++) opened.push(await openSession(caller, "/listed"));
    const found: SessionInfo[] = [];
    const cursors: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await caller.call("session/list", { cwd: "/listed", ...(cursor != null && { cursor }) });
      found.push(...page.sessions);
      cursor = page.nextCursor;
      cursors.push(cursor);
    } while (cursor != null);
    assert.deepEqual(
      found.map(({ sessionId }) => sessionId),
      opened,
    );
    assert.deepEqual(cursors, ["2", "4", undefined]);
    assert.deepEqual((await caller.call("session/list", { cwd: "/empty" })).sessions, []);
    const lost = caller.call("session/list", { cursor: "somewhere" });
    await assert.rejects(lost, (error) => codeOf(error) === -32602);
  });

  it("a session is loaded with its whole history before the response", async () => {
    const sessionId = await openSession(caller);
    const prompt = [{ type: "text", text: "echo" } as const, ...blocks];
    await caller.call("session/prompt", { sessionId, prompt });
    await scripted.updates(sessionId).take(blocks.length);
    await caller.call("session/set_mode", { sessionId, modeId: "code" });
    await scripted.updates(sessionId).next();

    const heardBefore = scripted.wire.length;
    const loaded = await caller.call("session/load", { sessionId, cwd: "/work", mcpServers: [] });
    const replayed = await scripted.updates(sessionId).take(prompt.length + blocks.length);
    assert.deepEqual(
      replayed.map(({ sessionUpdate, ...fields }) => [sessionUpdate, "content" in fields && plain(fields.content)]),
      [
        ...prompt.map((block) => ["user_message_chunk", plain(block)]),
        ...blocks.map((block) => ["agent_message_chunk", plain(block)]),
      ],
    );
    assert.equal(loaded.modes?.currentModeId, "code");
    const received = scripted.wire.slice(heardBefore).map((line): object => JSON.parse(line));
    assert.equal(
      received.findIndex((message) => "result" in message),
      replayed.length,
    );
  });

  it("a session is resumed without a replay", async () => {
    const sessionId = await openSession(caller);
    await runTurn(caller, sessionId, "flood 3");
    await scripted.updates(sessionId).take(3);
    const resumed = await caller.call("session/resume", { sessionId, cwd: "/work" });
    assert.deepEqual(plain(resumed.modes), modes);
    await runTurn(caller, sessionId, "flood 1");
    const [first] = await scripted.updates(sessionId).take(1);
    assert.deepEqual(plain(first), { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "0" } });
    assert.deepEqual(scripted.updates(sessionId).rest, []);
  });

  it("a session ends its running turn when it is closed, and is then unknown until it is resumed", async () => {
    const sessionId = await openSession(caller);
    const turn = runTurn(caller, sessionId, "wait");
    await scripted.updates(sessionId).next();
    assert.deepEqual(await caller.call("session/close", { sessionId }), {});
    assert.equal(await turn, "cancelled");
    await assert.rejects(runTurn(caller, sessionId, "flood 1"), (error) => codeOf(error) === -32002);
    await caller.call("session/resume", { sessionId, cwd: "/work" });
    assert.equal(await runTurn(caller, sessionId, "flood 1"), "end_turn");
  });

  it("a session is no longer listed once it is deleted", async () => {
    const kept = await openSession(caller, "/deleted");
    const gone = await openSession(caller, "/deleted");
    assert.deepEqual(await caller.call("session/delete", { sessionId: gone }), {});
    const { sessions } = await caller.call("session/list", { cwd: "/deleted" });
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      [kept],
    );
    // A second deletion is not an error.
    assert.deepEqual(await caller.call("session/delete", { sessionId: gone }), {});
  });
});
