/**
 * Specs of a client: how it connects, what it advertises, and how it reads an agent's
 * responses.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AgentMethods, client, type SessionNotification, update } from "../../lib/acp/index.ts";
import { ConnectionClosed, RpcError } from "../../lib/rpc/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { officialFaults } from "../support/acp/official-schema.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { type ClientParts, clientOverRaw, clientWith, RawRole, rolePair } from "../support/acp/roles.ts";

/** A client that is connecting, and the agent's end of the link. */
function connecting(parts?: ClientParts) {
  const [near, far] = memoryPair();
  return { far: new RawRole(far), connected: client(near, clientWith(parts)) };
}

const bare = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
const content = (): { content: string } => ({ content: "" });
const done = (): void => {};
const terminals = {
  "terminal/create": () => ({ terminalId: "1" }),
  "terminal/output": () => ({ output: "", truncated: false }),
  "terminal/wait_for_exit": () => ({ exitCode: 0 }),
  "terminal/kill": done,
  "terminal/release": done,
};
const elicits = () => ({ "elicitation/create": () => ({ action: "decline" }) });

const claims: readonly (readonly [what: string, parts: ClientParts, claimed: object])[] = [
  ["nothing", {}, bare],
  ["reading", { handlers: () => ({ "fs/read_text_file": content }) }, fs(true, false)],
  ["writing", { handlers: () => ({ "fs/write_text_file": done }) }, fs(false, true)],
  ["terminals", { handlers: () => terminals }, { ...bare, terminal: true }],
  ["both kinds of elicitation", { handlers: elicits }, { ...bare, elicitation: { form: {}, url: {} } }],
  ["one kind", { handlers: elicits, elicitation: { url: {} } }, { ...bare, elicitation: { url: {} } }],
  ["no elicitation without a handler", { elicitation: { form: {} } }, bare],
  ["optional updates", { session: { notices: {} } }, { ...bare, session: { notices: {} } }],
  ["signing in", { auth: { terminal: true } }, { ...bare, auth: { terminal: true } }],
  ["custom capabilities", { _meta: { "terminal-auth": true } }, { ...bare, _meta: { "terminal-auth": true } }],
];

describe("connecting a client", () => {
  for (const [what, parts, clientCapabilities] of claims) {
    it(`connecting a client advertises what its definition has: ${what}`, async () => {
      const { method, params } = await connecting(parts).far.hear();
      assert.equal(method, "initialize");
      const clientInfo = { name: "test-client", version: "1" };
      assert.deepEqual(params, { protocolVersion: 1, clientCapabilities, clientInfo });
      assert.deepEqual(officialFaults("InitializeRequest", params), []);
    });
  }

  it("connecting a client resolves with the agent's capabilities, name and authentication methods", async () => {
    const { toAgent } = await clientOverRaw(
      {},
      {
        agentCapabilities: { loadSession: true, promptCapabilities: { image: "yes" } },
        agentInfo: { name: "raw", version: "0" },
        authMethods: [{ id: "a", name: "A" }, { id: "no name" }, { type: "env_var", id: "b", name: "B" }],
      },
    );
    assert.equal(toAgent.agentInfo?.name, "raw");
    assert.deepEqual(toAgent.agentCapabilities, { loadSession: true, promptCapabilities: {} });
    assert.deepEqual(
      toAgent.authMethods.map(({ id }) => id),
      ["a", "b"],
    );
  });

  it("a connected client assumes no capabilities of an agent that sends none", async () => {
    const { toAgent } = await clientOverRaw({}, { agentInfo: null, agentCapabilities: 7 });
    assert.deepEqual([toAgent.agentInfo, toAgent.agentCapabilities, toAgent.authMethods], [undefined, {}, []]);
  });

  for (const version of [0, 2, 65535]) {
    it(`connecting a client refuses an agent of version ${version} with -32001 and closes`, async () => {
      const { far, connected } = connecting();
      far.tell({ id: (await far.hear()).id, result: { protocolVersion: version } });
      await assert.rejects(connected, {
        name: "RpcError",
        code: -32001,
        data: { requested: 1, answered: version },
      });
      await far.ended;
    });
  }

  for (const result of [null, {}, { protocolVersion: "1" }, { protocolVersion: 1.5 }, [], "1"]) {
    it(`connecting a client refuses the response ${JSON.stringify(result)} and closes`, async () => {
      const { far, connected } = connecting();
      far.tell({ id: (await far.hear()).id, result });
      await assert.rejects(connected, { name: "RpcError", code: -32603, message: /^initialize: the peer's answer/ });
      await far.ended;
    });
  }

  it("connecting a client fails with the agent's own error and closes", async () => {
    const { far, connected } = connecting();
    far.tell({ id: (await far.hear()).id, error: { code: -32603, message: "no config" } });
    await assert.rejects(connected, new RpcError(-32603, "no config"));
    await far.ended;
  });

  it("connecting a client fails when the agent leaves without a response", async () => {
    const { far, connected } = connecting();
    await far.hear();
    far.close();
    await assert.rejects(connected, ConnectionClosed);
  });

  it("a connecting client handles updates that arrive before the response", async () => {
    const seen: SessionNotification[] = [];
    const { far, connected } = connecting({ handlers: () => ({ "session/update": (each) => void seen.push(each) }) });
    const { id } = await far.hear();
    const early = { sessionId: "a", update: update.availableCommands([]) };
    far.tell({ method: "session/update", params: early });
    far.tell({ id, result: { protocolVersion: 1 } });
    await connected;
    assert.deepEqual(seen, [early]);
  });
});

const everything = {
  agentCapabilities: {
    loadSession: true,
    sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {}, status: {}, title: {} },
    auth: { logout: {} },
  },
  authMethods: [{ id: "a", name: "A" }],
};

type Requests = { readonly [M in keyof AgentMethods]?: object };

/** Requests whose result may be null, with params to send. */
const nullable: Requests = {
  authenticate: { methodId: "a" },
  logout: {},
  "session/load": { sessionId: "a", cwd: "/a", mcpServers: [] },
  "session/resume": { sessionId: "a", cwd: "/a" },
  "session/delete": { sessionId: "a" },
  "session/close": { sessionId: "a" },
  "session/set_mode": { sessionId: "a", modeId: "b" },
  "session/set_model": { sessionId: "a", modelId: "b" },
};

/** Wrong results, and what is wrong with them. */
const wrong: readonly (readonly [method: string, params: object, result: unknown, why: string])[] = [
  ["session/new", { cwd: "/a", mcpServers: [] }, null, "result must be an object"],
  ["session/new", { cwd: "/a", mcpServers: [] }, { sessionId: 1 }, "sessionId must be string"],
  ["session/prompt", { sessionId: "a", prompt: [] }, {}, "stopReason must be given"],
  ["session/prompt", { sessionId: "a", prompt: [] }, { stopReason: "auth_required" }, "stopReason must be one of"],
  ["session/list", {}, {}, "sessions must be given"],
  ["session/set_config_option", { sessionId: "a", configId: "b", value: "c" }, {}, "configOptions must be given"],
  ["session/close", { sessionId: "a" }, "done", "result must be an object"],
  ["session/set_title", { sessionId: "a", title: "b" }, { title: null }, "title must be string"],
  ["session/status", { sessionId: "a" }, { status: 1 }, "status must be string"],
];

describe("an agent's responses", () => {
  for (const [method, params] of Object.entries(nullable)) {
    it(`an agent's response may be null for ${method}, which is read as {}`, async () => {
      const { far, toAgent } = await clientOverRaw({}, everything);
      const answer = toAgent.call(...asCall(method, params));
      far.tell({ id: (await far.hear()).id, result: null });
      assert.deepEqual(await answer, {});
    });
  }

  for (const [method, params, result, why] of wrong) {
    it(`an agent's wrong response fails the call: ${JSON.stringify(result)} for ${method}`, async () => {
      const { far, toAgent } = await clientOverRaw({}, everything);
      const answer = toAgent.call(...asCall(method, params));
      far.tell({ id: (await far.hear()).id, result });
      await assert.rejects(answer, ({ code, message }: RpcError) => {
        assert.equal(code, -32603);
        assert.ok(message.startsWith(`${method}: the peer's answer is wrong: ${why}`), message);
        return true;
      });
      assert.equal(toAgent.isOpen, true);
    });
  }

  it("an agent's response loses malformed parts where the schema is lenient", async () => {
    const { far, toAgent } = await clientOverRaw({}, everything);
    const answer = toAgent.call("session/list", {});
    const good = { sessionId: "a", cwd: "relative is the agent's affair" };
    far.tell({ id: (await far.hear()).id, result: { sessions: [good, { sessionId: 1 }, null], nextCursor: 5 } });
    assert.deepEqual(await answer, { sessions: [good] });
  });
});

describe("a client's connection", () => {
  it("a client's connection fails every later call once closed, and cancel too", async () => {
    const { far, toAgent } = await clientOverRaw();
    const waiting = toAgent.prompt({ sessionId: "a", prompt: [] });
    await far.hear();
    toAgent.close("enough");
    await assert.rejects(waiting, ConnectionClosed);
    await assert.rejects(toAgent.prompt({ sessionId: "a", prompt: [] }), ConnectionClosed);
    assert.throws(() => toAgent.cancel("a"), ConnectionClosed);
    assert.equal(await toAgent.closed, "enough");
    await toAgent.settled;
  });

  it("a client's connection reports an update it cannot read and goes on", async () => {
    const bugs: unknown[] = [];
    const { far, toAgent } = await clientOverRaw({}, {}, { onBug: (_, cause) => bugs.push(cause) });
    far.tell({ method: "session/update", params: { sessionId: "a", update: { sessionUpdate: "_custom" } } });
    await quiet();
    assert.ok(bugs[0] instanceof RpcError && bugs[0].message.startsWith("session/update: update.sessionUpdate must"));
    assert.equal(toAgent.isOpen, true);
    assert.deepEqual(far.waiting, []);
  });

  it("a client's connection opens two sessions that do not see each other's updates", async () => {
    const seen: string[] = [];
    let last = 0;
    const { toAgent } = await rolePair(
      {
        handlers: (client) => ({
          "session/new": () => ({ sessionId: `session-${++last}` }),
          "session/prompt": async ({ sessionId }) => {
            await client.update(sessionId, update.currentMode(sessionId));
            return { stopReason: "end_turn" };
          },
        }),
      },
      {
        handlers: () => ({
          "session/update": ({ sessionId, update }) => void seen.push(`${sessionId} ${JSON.stringify(update)}`),
        }),
      },
    );
    const open = () => toAgent.call("session/new", { cwd: "/a", mcpServers: [] });
    const ids = [(await open()).sessionId, (await open()).sessionId];
    await Promise.all(ids.map((sessionId) => toAgent.prompt({ sessionId, prompt: [] })));
    assert.deepEqual(
      seen,
      ids.map((id) => `${id} ${JSON.stringify(update.currentMode(id))}`),
    );
  });
});

function fs(readTextFile: boolean, writeTextFile: boolean): object {
  return { ...bare, fs: { readTextFile, writeTextFile } };
}

/** Calls a method with the params of its row; each row has the params of its method. */
function asCall(method: string, params: object): ["session/close", { readonly sessionId: string }] {
  return [method, params] as ["session/close", { readonly sessionId: string }];
}
