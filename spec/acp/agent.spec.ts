/**
 * Specs of an agent's `initialize` and of the capabilities it advertises.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { officialFaults } from "../support/acp/official-schema.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { type AgentParts, freshAgent } from "../support/acp/roles.ts";

const session = { cwd: "/project", mcpServers: [] };

describe("initialize", () => {
  for (const version of ["0", "1", "2", "1.0", "65535", "65536", "-1", "9007199254740993", "1e300"]) {
    it(`initialize answers version ${version} with version 1`, async () => {
      const { far } = freshAgent();
      far.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${version}}}`);
      const { result } = await far.hear();
      assert.deepEqual(officialFaults("InitializeResponse", result), []);
      assert.equal(Object(result).protocolVersion, 1);
    });
  }

  for (const version of ["1.5", '"1"', "null", "true", "[]", "{}", "1e400"]) {
    it(`initialize refuses version ${version} with -32602 and is still required`, async () => {
      const { far } = freshAgent();
      far.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${version}}}`);
      assert.equal((await far.hear()).error?.code, -32602);
      assert.equal((await far.ask("session/new", session)).error?.code, -32600);
    });
  }

  it("initialize refuses params without a version, and missing params", async () => {
    const { far } = freshAgent();
    assert.deepEqual(await far.ask("initialize", {}), {
      error: { code: -32602, message: "initialize: protocolVersion must be given" },
    });
    assert.equal((await far.ask("initialize")).error?.code, -32602);
  });

  it("initialize comes first: other requests are refused with -32600 until then, known or not", async () => {
    const { far } = freshAgent({ extensions: () => ({ "_test/echo": (params) => params }) });
    for (const method of ["session/new", "session/prompt", "authenticate", "_test/echo", "nope", "__proto__"]) {
      assert.deepEqual(await far.ask(method, session), {
        error: { code: -32600, message: "initialize must come first" },
      });
    }
    await far.ask("initialize", { protocolVersion: 1 });
    assert.deepEqual(await far.ask("session/new", session), { result: { sessionId: "new" } });
  });

  it("initialize comes first: notifications are ignored until then", async () => {
    const received: string[] = [];
    const { far } = freshAgent({
      handlers: () => ({ "session/cancel": () => void received.push("cancel") }),
      extensions: () => ({ "_test/note": () => received.push("note") }),
    });
    far.tell({ method: "session/cancel", params: { sessionId: "a" } });
    far.tell({ method: "_test/note" });
    await far.ask("initialize", { protocolVersion: 1 });
    assert.deepEqual(received, []);
    far.tell({ method: "_test/note" });
    await far.ask("session/new", session);
    assert.deepEqual(received, ["note"]);
  });

  it("initialize writes exactly one line", async () => {
    const { far } = freshAgent();
    await far.ask("initialize", { protocolVersion: 1 });
    await quiet();
    assert.deepEqual(far.waiting, []);
  });

  it("initialize may be sent again, and the client's new capabilities count", async () => {
    const { far, toClient } = freshAgent();
    await far.ask("initialize", { protocolVersion: 1, clientCapabilities: { terminal: true } });
    assert.equal(toClient.clientCapabilities.terminal, true);
    assert.ok(
      "result" in (await far.ask("initialize", { protocolVersion: 1, clientInfo: { name: "b", version: "2" } })),
    );
    assert.equal(toClient.clientCapabilities.terminal, undefined);
    assert.equal(toClient.clientInfo?.name, "b");
    assert.ok("result" in (await far.ask("session/new", session)));
  });

  it("initialize finds no capabilities in a request shaped for version 2", async () => {
    const { far, toClient } = freshAgent();
    await far.ask("initialize", {
      protocolVersion: 2,
      info: { name: "two", version: "2" },
      capabilities: { terminal: {} },
    });
    assert.deepEqual(toClient.clientCapabilities, {});
    assert.equal(toClient.clientInfo, undefined);
  });

  it("initialize offers the authentication methods that suit this client", async () => {
    const { far } = freshAgent({
      authMethods: ({ clientCapabilities }) =>
        clientCapabilities?.auth?.terminal === true
          ? [{ type: "terminal", id: "t", name: "T", args: ["--login"] }]
          : [{ id: "a", name: "A" }],
    });
    const offered = async (params: object): Promise<unknown> =>
      Object((await far.ask("initialize", { protocolVersion: 1, ...params })).result).authMethods;
    assert.deepEqual(await offered({}), [{ id: "a", name: "A" }]);
    assert.deepEqual(await offered({ clientCapabilities: { auth: { terminal: true } } }), [
      { type: "terminal", id: "t", name: "T", args: ["--login"] },
    ]);
  });

  it("initialize does not count as done when listing the authentication methods fails", async () => {
    const bugs: string[] = [];
    const fails = (): never => {
      throw new Error("no keychain");
    };
    const { far, toClient } = freshAgent({ authMethods: fails }, { onBug: (method) => bugs.push(method) });
    assert.deepEqual(await far.ask("initialize", { protocolVersion: 1 }), {
      error: { code: -32603, message: "internal error" },
    });
    assert.equal(toClient.isInitialized, false);
    assert.equal((await far.ask("session/new", session)).error?.code, -32600);
    assert.deepEqual(bugs, ["initialize"]);
  });
});

/** The capabilities of an agent with the required handlers only. */
const nothing = {
  loadSession: false,
  promptCapabilities: { image: false, audio: false, embeddedContext: false },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: {},
  auth: {},
};

const done = (): void => {};
const state = (): object => ({});
const claims: readonly (readonly [what: string, parts: AgentParts, claimed: object])[] = [
  ["nothing", {}, {}],
  ["loadSession", { handlers: () => ({ "session/load": state }) }, { loadSession: true }],
  ["list", { handlers: () => ({ "session/list": () => ({ sessions: [] }) }) }, marked("list")],
  ["delete", { handlers: () => ({ "session/delete": done }) }, marked("delete")],
  ["resume", { handlers: () => ({ "session/resume": state }) }, marked("resume")],
  ["close", { handlers: () => ({ "session/close": done }) }, marked("close")],
  ["fork", { handlers: () => ({ "session/fork": () => ({ sessionId: "b" }) }) }, marked("fork")],
  ["status", { handlers: () => ({ "session/status": () => ({ status: "open" }) }) }, marked("status")],
  ["title", { handlers: () => ({ "session/set_title": ({ title }) => ({ title }) }) }, marked("title")],
  ["logout", { handlers: () => ({ logout: done }) }, { auth: { logout: {} } }],
  ["additionalDirectories", { additionalDirectories: true }, marked("additionalDirectories")],
  ["images", { prompt: { image: true } }, { promptCapabilities: { ...nothing.promptCapabilities, image: true } }],
  ["http servers", { mcp: { http: true } }, { mcpCapabilities: { http: true, sse: false } }],
  ["custom capabilities", { _meta: { "example.org/x": 1 } }, { _meta: { "example.org/x": 1 } }],
  ["nothing for set_mode", { handlers: () => ({ "session/set_mode": done, "session/set_model": done }) }, {}],
];

describe("an agent's capabilities", () => {
  for (const [what, parts, claimed] of claims) {
    it(`an agent's capabilities are derived from its definition: ${what}`, async () => {
      const { result } = await freshAgent(parts).far.ask("initialize", { protocolVersion: 1 });
      assert.deepEqual(result, {
        protocolVersion: 1,
        agentCapabilities: { ...nothing, ...claimed },
        authMethods: [],
        agentInfo: { name: "test-agent", version: "1" },
      });
      assert.deepEqual(officialFaults("InitializeResponse", result), []);
    });
  }
});

function marked(name: string): object {
  return { sessionCapabilities: { [name]: {} } };
}
