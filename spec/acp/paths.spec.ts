/**
 * Specs of paths and lines: paths are absolute and lines count from 1, in what a role
 * sends and in what it accepts. The official schema enforces neither.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAbsolutePath } from "../../lib/acp/index.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { type AgentParts, agentOverRaw, type ClientParts, clientOverRaw } from "../support/acp/roles.ts";

const absolute = ["/", "/a b/c", "C:\\", "c:/a", "\\\\host\\share", "//a"];
const relative = ["", "a", "./a", "../a", "~", "~/a", "C:", "C:a", "\\a", " /a", "file:///a", "https://a/b"];

/** Requests with a path, and the place at which a wrong path is reported. */
type Row = readonly [method: string, params: (path: string) => object, place: string];

const sessionId = "a";
const mcpServers: readonly object[] = [];
const forAgent: readonly Row[] = [
  ["session/new", (cwd) => ({ cwd, mcpServers }), "cwd"],
  [
    "session/new",
    (path) => ({ cwd: "/a", mcpServers, additionalDirectories: ["/b", path] }),
    "additionalDirectories.1",
  ],
  ["session/load", (cwd) => ({ sessionId, cwd, mcpServers }), "cwd"],
  ["session/resume", (cwd) => ({ sessionId, cwd }), "cwd"],
  ["session/fork", (cwd) => ({ sessionId, cwd }), "cwd"],
  ["session/list", (cwd) => ({ cwd }), "cwd"],
];
const forClient: readonly Row[] = [
  ["fs/read_text_file", (path) => ({ sessionId, path }), "path"],
  ["fs/write_text_file", (path) => ({ sessionId, path, content: "" }), "path"],
  ["terminal/create", (cwd) => ({ sessionId, command: "ls", cwd }), "cwd"],
];

const agentParts: AgentParts = {
  additionalDirectories: true,
  handlers: () => ({
    "session/load": () => {},
    "session/resume": () => {},
    "session/fork": () => ({ sessionId: "b" }),
    "session/list": () => ({ sessions: [] }),
  }),
};
const clientParts: ClientParts = {
  handlers: () => ({
    "fs/read_text_file": ({ line, limit }) => ({ content: `${line} ${limit}` }),
    "fs/write_text_file": () => {},
    "terminal/create": () => ({ terminalId: "1" }),
    "terminal/output": () => ({ output: "", truncated: false }),
    "terminal/wait_for_exit": () => ({}),
    "terminal/kill": () => {},
    "terminal/release": () => {},
  }),
};
const ableAgent = {
  agentCapabilities: {
    loadSession: true,
    sessionCapabilities: { resume: {}, fork: {}, list: {}, additionalDirectories: {} },
  },
};
const ableClient = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

describe("isAbsolutePath", () => {
  it("isAbsolutePath accepts absolute paths of POSIX and of Windows", () => {
    for (const path of absolute) assert.equal(isAbsolutePath(path), true, path);
    for (const path of relative) assert.equal(isAbsolutePath(path), false, path);
  });
});

describe("an agent", () => {
  for (const [method, params, place] of forAgent) {
    it(`an agent accepts ${method} with an absolute ${place} only`, async () => {
      const { far } = await agentOverRaw(agentParts);
      for (const path of absolute) assert.ok("result" in (await far.ask(method, params(path))), path);
      for (const path of relative) {
        assert.deepEqual(await far.ask(method, params(path)), { error: refusal(method, place) }, path);
      }
    });
  }

  for (const [method, params, place] of forClient) {
    it(`an agent sends ${method} with an absolute ${place} only`, async () => {
      const { far, toClient } = await agentOverRaw({}, ableClient);
      for (const path of relative) {
        const call = toClient.call(...([method, params(path)] as unknown as ["terminal/kill", never]));
        await assert.rejects(call, { name: "RpcError", ...refusal(method, place) });
      }
      await quiet();
      assert.deepEqual(far.waiting, []);
    });
  }

  it("an agent requests lines from 1 on, and any number of them", async () => {
    const { far, toClient } = await agentOverRaw({}, ableClient);
    for (const line of [0, -1, 1.5, NaN, 2 ** 32]) {
      await assert.rejects(toClient.call("fs/read_text_file", { sessionId, path: "/a", line }), {
        code: -32602,
        message: "fs/read_text_file: line must be an integer from 1 to 4294967295",
      });
    }
    await quiet();
    assert.deepEqual(far.waiting, []);
    const call = toClient.call("fs/read_text_file", { sessionId, path: "/a", line: 1, limit: 0 });
    const { id, params } = await far.hear();
    assert.deepEqual(params, { sessionId, path: "/a", line: 1, limit: 0 });
    far.tell({ id, result: { content: "text" } });
    assert.deepEqual(await call, { content: "text" });
  });
});

describe("a client", () => {
  for (const [method, params, place] of forClient) {
    it(`a client accepts ${method} with an absolute ${place} only`, async () => {
      const { far } = await clientOverRaw(clientParts);
      for (const path of absolute) assert.ok("result" in (await far.ask(method, params(path))), path);
      for (const path of relative) {
        assert.deepEqual(await far.ask(method, params(path)), { error: refusal(method, place) }, path);
      }
    });
  }

  for (const [method, params, place] of forAgent) {
    it(`a client sends ${method} with an absolute ${place} only`, async () => {
      const { far, toAgent } = await clientOverRaw({}, ableAgent);
      for (const path of relative) {
        const call = toAgent.call(...([method, params(path)] as unknown as ["session/close", never]));
        await assert.rejects(call, { name: "RpcError", ...refusal(method, place) });
      }
      await quiet();
      assert.deepEqual(far.waiting, []);
    });
  }

  it("a client accepts a line from 1 on, null or none", async () => {
    const { far } = await clientOverRaw(clientParts);
    const read = (part: object) => far.ask("fs/read_text_file", { sessionId, path: "/a", ...part });
    for (const line of [0, -1, 1.5, "1", true, 2 ** 32]) assert.equal((await read({ line })).error?.code, -32602);
    for (const limit of [-1, 0.5, "1"]) assert.equal((await read({ limit })).error?.code, -32602);
    assert.deepEqual(await read({ line: 1, limit: null }), { result: { content: "1 null" } });
    assert.deepEqual(await read({ line: null, limit: 0 }), { result: { content: "null 0" } });
  });

  it("a client accepts a terminal without a directory", async () => {
    const { far } = await clientOverRaw(clientParts);
    assert.ok("result" in (await far.ask("terminal/create", { sessionId, command: "ls", cwd: null })));
    assert.ok("result" in (await far.ask("terminal/create", { sessionId, command: "ls" })));
  });
});

function refusal(method: string, place: string): { readonly code: number; readonly message: string } {
  return { code: -32602, message: `${method}: ${place} must be an absolute path` };
}
