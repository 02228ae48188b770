/**
 * Specs of extension methods in both directions, and of old names of protocol methods.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ExtensionName, update } from "../../lib/acp/index.ts";
import { RpcError } from "../../lib/rpc/index.ts";
import { gate } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { aborted, agentOverRaw, clientOverRaw, rolePair } from "../support/acp/roles.ts";

describe("an extension request", () => {
  it("an extension request works in both directions, with any params and any result", async () => {
    const echo = { extensions: () => ({ "_test/echo": (params: unknown) => params }) };
    const { toAgent, toClient } = await rolePair(echo, echo);
    for (const value of [{ a: 1 }, [1, null], { _meta: 5 }]) {
      assert.deepEqual(await toAgent.callExtension("_test/echo", value), value);
      assert.deepEqual(await toClient.callExtension("_test/echo", value), value);
    }
    assert.deepEqual(await toAgent.callExtension("_test/echo", undefined), {});
  });

  it("an unknown extension request is answered with -32601 on both sides", async () => {
    const { toAgent, toClient } = await rolePair();
    await assert.rejects(toAgent.callExtension("_nope", {}), { name: "RpcError", code: -32601 });
    await assert.rejects(toClient.callExtension("_nope", {}), { name: "RpcError", code: -32601 });
    for (const name of ["_", "___proto__", "_constructor"] satisfies ExtensionName[]) {
      await assert.rejects(toAgent.callExtension(name, {}), { code: -32601 });
    }
  });

  it("an extension request passes its handler's error on, and hides a bug", async () => {
    const { toAgent } = await rolePair({
      extensions: () => ({
        "_test/refuse": () => {
          throw new RpcError(-1, "not today", { until: "tomorrow" });
        },
        "_test/bug": () => Promise.reject(new TypeError("secret")),
      }),
    });
    await assert.rejects(
      toAgent.callExtension("_test/refuse", {}),
      new RpcError(-1, "not today", { until: "tomorrow" }),
    );
    await assert.rejects(toAgent.callExtension("_test/bug", {}), { code: -32603, message: "internal error" });
  });

  it("an extension request can be cancelled like any other", async () => {
    const seen = gate();
    const { toAgent } = await rolePair({
      extensions: () => ({
        "_test/wait": async (_, { signal }) => {
          await aborted(signal);
          seen.open();
        },
      }),
    });
    const controller = new AbortController();
    const call = toAgent.callExtension("_test/wait", {}, { signal: controller.signal });
    await quiet();
    controller.abort();
    await assert.rejects(call, { code: -32800 });
    await seen.opened;
  });

  it("an extension cannot replace a method of the protocol", async () => {
    const intruder: Record<string, () => unknown> = { "session/new": () => ({ sessionId: "intruder" }) };
    const { far } = await agentOverRaw({ extensions: () => intruder });
    assert.deepEqual(await far.ask("session/new", { cwd: "/a", mcpServers: [] }), { result: { sessionId: "new" } });
  });
});

describe("an extension notification", () => {
  it("an extension notification is handled in order with its session's updates, and does not wait for another session's", async () => {
    const slow = gate();
    const seen: string[] = [];
    const { far } = await clientOverRaw({
      handlers: () => ({
        "session/update": async ({ sessionId }) => {
          if (sessionId === "a") await slow.opened;
          seen.push(`update ${sessionId}`);
        },
      }),
      extensions: () => ({ "_test/note": (params) => seen.push(`note ${Object(params).sessionId}`) }),
    });
    for (const sessionId of ["a", "b"]) {
      const params = { sessionId, update: update.currentMode("plan") };
      far.tell({ method: "session/update", params });
      far.tell({ method: "_test/note", params });
    }
    await quiet();
    assert.deepEqual(seen, ["update b", "note b"]);
    slow.open();
    await quiet();
    assert.deepEqual(seen, ["update b", "note b", "update a", "note a"]);
  });

  it("an extension notification reaches the agent", async () => {
    const received = gate<unknown>();
    const { toAgent } = await rolePair({ extensions: () => ({ "_test/note": received.open }) });
    assert.equal(toAgent.notifyExtension("_test/note", { a: 1 }), true);
    assert.deepEqual(await received.opened, { a: 1 });
  });

  it("an unknown extension notification is ignored", async () => {
    const bugs: string[] = [];
    const { far } = await agentOverRaw({}, {}, { onBug: (method) => bugs.push(method) });
    far.tell({ method: "_nope", params: {} });
    far.tell({ method: "$/nope", params: {} });
    far.tell({ method: "nope" });
    assert.equal((await far.ask("_nope")).error?.code, -32601);
    assert.deepEqual([far.waiting, bugs], [[], []]);
  });
});

describe("old method names", () => {
  it("the old method unstable_resumeSession is read as session/resume", async () => {
    const resumed: string[] = [];
    const { far } = await agentOverRaw({
      handlers: () => ({ "session/resume": ({ sessionId }) => void resumed.push(sessionId) }),
    });
    assert.deepEqual(await far.ask("unstable_resumeSession", { sessionId: "a", cwd: "/a" }), { result: {} });
    assert.deepEqual(resumed, ["a"]);
    assert.equal((await far.ask("unstable_resumeSession", { sessionId: "a" })).error?.code, -32602);
  });

  it("an old method name is unknown to an agent without the method", async () => {
    const { far } = await agentOverRaw();
    assert.equal((await far.ask("unstable_resumeSession", { sessionId: "a", cwd: "/a" })).error?.code, -32601);
    assert.equal((await far.ask("session/set_model", { sessionId: "a", modelId: "b" })).error?.code, -32601);
  });

  it("the old method session/set_model, and set_mode's old key mode, still work", async () => {
    const set: string[] = [];
    const { far } = await agentOverRaw({
      handlers: () => ({
        "session/set_model": ({ modelId }) => void set.push(modelId),
        "session/set_mode": ({ modeId }) => void set.push(modeId),
      }),
    });
    assert.deepEqual(await far.ask("session/set_model", { sessionId: "a", modelId: "opus" }), { result: {} });
    assert.deepEqual(await far.ask("session/set_mode", { sessionId: "a", mode: "plan" }), { result: {} });
    assert.deepEqual(await far.ask("session/set_mode", { sessionId: "a", modeId: "code", mode: "old" }), {
      result: {},
    });
    assert.deepEqual(set, ["opus", "plan", "code"]);
  });
});
