/**
 * Specs of capability checks: neither role sends what the other did not advertise, and
 * neither accepts what it did not advertise itself.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AgentConnection, ClientConnection, SessionNotification } from "../../lib/acp/index.ts";
import type { RpcError } from "../../lib/rpc/index.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { type AgentParts, agentOverRaw, type ClientParts, clientOverRaw, type RawRole } from "../support/acp/roles.ts";

/** A message, the capabilities that allow it, and the capability that an unable peer lacks. */
type Row = readonly [says: string, params: object, able: object, lacks: string];

const sessionId = "a";
const terminal = { sessionId, terminalId: "1" };
const form = { sessionId, message: "Who?", mode: "form", requestedSchema: {} };
const url = { sessionId, message: "Go", mode: "url", elicitationId: "1", url: "https://example.org" };
const text = { type: "text", text: "" };

const toClientRows: readonly Row[] = [
  ["fs/read_text_file", { sessionId, path: "/a" }, { fs: { readTextFile: true } }, "fs.readTextFile"],
  ["fs/write_text_file", { sessionId, path: "/a", content: "" }, { fs: { writeTextFile: true } }, "fs.writeTextFile"],
  ["terminal/create", { sessionId, command: "ls" }, { terminal: true }, "terminal"],
  ["terminal/output", terminal, { terminal: true }, "terminal"],
  ["terminal/wait_for_exit", terminal, { terminal: true }, "terminal"],
  ["terminal/kill", terminal, { terminal: true }, "terminal"],
  ["terminal/release", terminal, { terminal: true }, "terminal"],
  ["elicitation/create", form, { elicitation: { form: {} } }, "elicitation.form"],
  ["elicitation/create", url, { elicitation: { url: {} } }, "elicitation.url"],
  ["elicitation/create", { ...form, requestId: 1 }, { elicitation: { form: {}, url: null } }, "elicitation.form"],
  ["session/update", sent({ sessionUpdate: "notice", severity: "info", title: "a" }), session("notices"), ""],
  ["session/update", sent({ sessionUpdate: "compaction_update", compactionId: "1", status: "x" }), compaction(), ""],
  [
    "session/update",
    sent({ sessionUpdate: "compaction_summary_chunk", compactionId: "1", content: text }),
    compaction(),
    "",
  ],
  ["session/update", sent({ sessionUpdate: "config_option_update", configOptions: [flag()] }), booleans(), ""],
  ["elicitation/complete", { elicitationId: "1" }, { elicitation: { url: {} } }, "elicitation.url"],
];

const setup = { sessionId, cwd: "/a", mcpServers: [] };
const image = { type: "image", data: "", mimeType: "image/png" };
const audio = { type: "audio", data: "", mimeType: "audio/wav" };
const resource = { type: "resource", resource: { uri: "file:///a", text: "" } };
const http = { type: "http", name: "a", url: "https://example.org", headers: [] };

const toAgentRows: readonly Row[] = [
  ["logout", {}, { agentCapabilities: { auth: { logout: {} } } }, "auth.logout"],
  ["session/load", setup, { agentCapabilities: { loadSession: true } }, "loadSession"],
  ["session/list", {}, has("list"), "sessionCapabilities.list"],
  ["session/resume", setup, has("resume"), "sessionCapabilities.resume"],
  ["session/close", { sessionId }, has("close"), "sessionCapabilities.close"],
  ["session/delete", { sessionId }, has("delete"), "sessionCapabilities.delete"],
  ["session/fork", setup, has("fork"), "sessionCapabilities.fork"],
  ["session/status", { sessionId }, has("status"), "sessionCapabilities.status"],
  ["session/set_title", { sessionId, title: "b" }, has("title"), "sessionCapabilities.title"],
  ["session/prompt", prompting(image), prompts("image"), "promptCapabilities.image"],
  ["session/prompt", prompting(audio), prompts("audio"), "promptCapabilities.audio"],
  ["session/prompt", prompting(resource), prompts("embeddedContext"), "promptCapabilities.embeddedContext"],
  ["session/new", { ...setup, mcpServers: [http] }, mcp("http"), "mcpCapabilities.http"],
  ["session/new", { ...setup, mcpServers: [{ ...http, type: "sse" }] }, mcp("sse"), "mcpCapabilities.sse"],
  ["session/new", { ...setup, additionalDirectories: ["/b"] }, has("additionalDirectories"), "sessionCapabilities.ad"],
  ["authenticate", { methodId: "a" }, { authMethods: [{ id: "a", name: "A" }] }, "authMethods with this id"],
];

describe("an agent", () => {
  for (const [says, params, able, lacks] of toClientRows) {
    const what = JSON.stringify(params).slice(0, 60);
    it(`an agent sends ${says} ${what} to a client that advertised it and to no other`, async () => {
      // False, null and malformed capabilities count as missing.
      for (const unable of [{}, blanked(able, null), blanked(able, false), blanked(able, "yes")]) {
        const { far, toClient } = await agentOverRaw({}, unable);
        await assertRefused(() => sayToClient(toClient, says, params), says, lacks);
        await assertNothingSent(far);
      }
      const { far, toClient } = await agentOverRaw({}, able);
      sayToClient(toClient, says, params).catch(() => {});
      const received = await far.hear();
      assert.deepEqual([received.method, received.params], [says, params]);
    });
  }

  it("an agent refuses the same updates when it sends them by update", async () => {
    const { far, toClient } = await agentOverRaw();
    for (const [says, params, , lacks] of toClientRows) {
      if (says !== "session/update") continue;
      const { update } = params as SessionNotification;
      await assertRefused(() => toClient.update(sessionId, update), says, lacks);
    }
    await assertNothingSent(far);
  });

  it("an agent treats a client that advertises elicitation without a mode as supporting no mode", async () => {
    const { toClient } = await agentOverRaw({}, { elicitation: {} });
    await assertRefused(() => sayToClient(toClient, "elicitation/create", form), "elicitation/create", "elicitation");
  });

  it("an agent sends what every client accepts to a client that advertised nothing", async () => {
    const { far, toClient } = await agentOverRaw();
    void toClient.notify("session/update", { sessionId, update: { sessionUpdate: "plan", entries: [] } });
    assert.equal((await far.hear()).method, "session/update");
    toClient
      .call("session/request_permission", { sessionId, toolCall: { toolCallId: "1" }, options: [] })
      .catch(ignore);
    assert.equal((await far.hear()).method, "session/request_permission");
  });

  const optional = "logout session/load session/list session/resume session/close session/delete session/fork";
  for (const method of `${optional} session/status session/set_title session/set_mode authenticate`.split(" ")) {
    it(`an agent answers ${method} with -32601 when it has no handler for it`, async () => {
      const { far } = await agentOverRaw();
      assert.deepEqual(await far.ask(method, setup), {
        error: { code: -32601, message: `method not found: ${method}` },
      });
    });
  }

  const taken: readonly (readonly [method: string, params: object, parts: AgentParts])[] = [
    ["session/prompt", prompting(image), { prompt: { image: true } }],
    ["session/prompt", prompting(audio), { prompt: { audio: true } }],
    ["session/prompt", prompting(resource), { prompt: { embeddedContext: true } }],
    ["session/new", { ...setup, mcpServers: [http] }, { mcp: { http: true } }],
    ["session/new", { ...setup, mcpServers: [{ ...http, type: "sse" }] }, { mcp: { sse: true } }],
    ["session/new", { ...setup, additionalDirectories: ["/b"] }, { additionalDirectories: true }],
    ["session/load", { ...setup, additionalDirectories: ["/b"] }, { additionalDirectories: true }],
    ["session/resume", { ...setup, mcpServers: [http] }, { mcp: { http: true } }],
    ["session/fork", { ...setup, mcpServers: [http] }, { mcp: { http: true } }],
    ["authenticate", { methodId: "a" }, { authMethods: () => [{ id: "a", name: "A" }] }],
  ];
  const handlers = () => ({
    authenticate: ignore,
    "session/load": ignore,
    "session/resume": ignore,
    "session/fork": () => ({ sessionId: "fork" }),
  });
  for (const [method, params, parts] of taken) {
    it(`an agent accepts ${method} ${JSON.stringify(params).slice(0, 80)} only if it advertised it`, async () => {
      const bare = await agentOverRaw({ handlers });
      const { error } = await bare.far.ask(method, params);
      assert.equal(error?.code, -32602);
      assert.match(error.message, /^this agent did not advertise /);
      const able = await agentOverRaw({ handlers, ...parts });
      assert.ok("result" in (await able.far.ask(method, params)));
    });
  }

  it("an agent does not accept a terminal authentication method in authenticate", async () => {
    const authMethods = () => [{ type: "terminal", id: "a", name: "A" }] as const;
    const { far } = await agentOverRaw({ handlers, authMethods });
    assert.equal((await far.ask("authenticate", { methodId: "a" })).error?.code, -32602);
  });
});

describe("a client", () => {
  for (const [says, params, able, lacks] of toAgentRows) {
    it(`a client sends ${says} ${JSON.stringify(params).slice(0, 60)} to an agent that advertised it and to no other`, async () => {
      const isNamed = says === "authenticate";
      for (const unable of isNamed ? [{}] : [{}, blanked(able, null), blanked(able, false), blanked(able, "yes")]) {
        const { far, toAgent } = await clientOverRaw({}, unable);
        await assertRefused(() => sayToAgent(toAgent, says, params), says, lacks);
        await assertNothingSent(far);
      }
      const { far, toAgent } = await clientOverRaw({}, able);
      sayToAgent(toAgent, says, params).catch(ignore);
      const received = await far.hear();
      assert.deepEqual([received.method, received.params], [says, params]);
    });
  }

  it("a client does not pass a terminal authentication method to authenticate", async () => {
    const { far, toAgent } = await clientOverRaw({}, { authMethods: [{ type: "terminal", id: "a", name: "A" }] });
    await assertRefused(() => sayToAgent(toAgent, "authenticate", { methodId: "a" }), "authenticate", "authMethods");
    await assertNothingSent(far);
  });

  const unserved = toClientRows.filter(([says]) => says !== "session/update" && says !== "elicitation/complete");
  for (const [method, params] of unserved) {
    it(`a client answers ${method} ${JSON.stringify(params).slice(0, 60)} with -32601 when it has no handler for it`, async () => {
      const { far } = await clientOverRaw();
      assert.equal((await far.ask(method, params)).error?.code, -32601);
    });
  }

  const elicits: ClientParts = { handlers: () => ({ "elicitation/create": () => ({ action: "accept" }) }) };
  it("a client answers an elicitation of a mode it did not advertise with -32602", async () => {
    const { far } = await clientOverRaw({ ...elicits, elicitation: { form: {} } });
    assert.deepEqual(await far.ask("elicitation/create", form), { result: { action: "accept" } });
    for (const params of [url, { ...form, mode: "voice" }]) {
      assert.equal((await far.ask("elicitation/create", params)).error?.code, -32602);
    }
  });
});

/** Replaces each innermost capability by a value. */
function blanked(able: object, instead: unknown): object {
  const entries = Object.entries(able).map(([key, part]) => {
    const isMark = typeof part !== "object" || part === null || Object.keys(part).length === 0;
    return [key, isMark ? instead : blanked(part, instead)];
  });
  return Object.fromEntries(entries);
}

async function assertRefused(say: () => Promise<unknown>, method: string, lacks: string): Promise<void> {
  await assert.rejects(say(), ({ code, message }: RpcError) => {
    assert.equal(code, -32601);
    assert.ok(message.startsWith(`${method}: the other side did not advertise ${lacks}`), message);
    return true;
  });
}

async function assertNothingSent(far: RawRole): Promise<void> {
  await quiet();
  assert.deepEqual(far.waiting, []);
}

// The tables hold the params of each method; the cast uses the name of one method for all.
async function sayToClient(toClient: AgentConnection, method: string, params: object): Promise<unknown> {
  const isNotification = method === "session/update" || method === "elicitation/complete";
  if (isNotification) return toClient.notify(...([method, params] as unknown as ["elicitation/complete", never]));
  return toClient.call(...([method, params] as unknown as ["terminal/kill", never]));
}

async function sayToAgent(toAgent: ClientConnection, method: string, params: object): Promise<unknown> {
  return toAgent.call(...([method, params] as unknown as ["session/close", never]));
}

function sent(update: object): object {
  return { sessionId, update };
}

function session(name: string): object {
  return { session: { [name]: {} } };
}

function compaction(): object {
  return session("compaction");
}

function booleans(): object {
  return { session: { configOptions: { boolean: {} } } };
}

function flag(): object {
  return { type: "boolean", id: "web", name: "Web", currentValue: true };
}

function has(name: string): object {
  return { agentCapabilities: { sessionCapabilities: { [name]: {} } } };
}

function prompts(name: string): object {
  return { agentCapabilities: { promptCapabilities: { [name]: true } } };
}

function mcp(name: string): object {
  return { agentCapabilities: { mcpCapabilities: { [name]: true } } };
}

function prompting(...blocks: readonly object[]): object {
  return { sessionId, prompt: [{ type: "text", text: "look" }, ...blocks] };
}

function ignore(): void {}
