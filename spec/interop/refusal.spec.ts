/**
 * Specs of errors between the two libraries: error codes as the other side gets them,
 * cancelled requests, and extension methods.
 */
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import { pairs } from "../support/interop/pairs.ts";
import { codeOf } from "../support/interop/portable.ts";

/** What a client requests, and the error code it gets. Not checked on the client's side, so that the agent answers. */
const refused: readonly (readonly [string, string, unknown, number])[] = [
  ["an unknown method", "session/unheard_of", {}, -32601],
  ["an unknown extension", "_x/unknown", {}, -32601],
  ["a method's prototype", "constructor", {}, -32601],
  ["a path that is a number", "session/new", { cwd: 5, mcpServers: [] }, -32602],
  ["a malformed server", "session/new", { cwd: "/work", mcpServers: [{ name: "a" }] }, -32602],
  ["a prompt of an unknown kind", "session/prompt", { sessionId: "session-1", prompt: [{ type: "smell" }] }, -32602],
  ["a prompt without params", "session/prompt", undefined, -32602],
  ["a prompt in an unknown session", "session/prompt", { sessionId: "nowhere", prompt: [] }, -32002],
  ["an unknown way to sign in", "authenticate", { methodId: "magic" }, -32602],
];

describePairs("refusals", pairs, ({ scripted, caller }) => {
  let sessionId: string;
  before(async () => {
    sessionId = await openSession(caller);
  });

  for (const [what, method, params, code] of refused) {
    it(`both libraries answer ${what} with ${code}`, async () => {
      await assert.rejects(caller.ask(method, params), (error) => codeOf(error) === code);
    });
  }

  it("both libraries name an unknown session in the error", async () => {
    const turn = runTurn(caller, "nowhere", "stop end_turn");
    await assert.rejects(turn, { code: -32002, data: { sessionId: "nowhere" } });
  });

  it("both libraries answer a handler's bug with -32603", async () => {
    await assert.rejects(runTurn(caller, sessionId, "bug"), (error) => codeOf(error) === -32603);
  });

  it("both libraries send errors to the agent too, from a client that gets a wrong request", async () => {
    assert.equal(await runTurn(caller, sessionId, "probe"), "end_turn");
    assert.deepEqual(await scripted.report(sessionId), {
      unknownExtension: -32601,
      unknownMethod: -32601,
      wrongParams: -32602,
      noOptions: -32602,
      missingFile: -32002,
      echo: { from: "agent", list: [1, null] },
    });
  });

  it("both libraries end a request that the client cancels with -32800", async () => {
    const taken = new AbortController();
    const answer = caller.ask("_x/hold", { hold: "agent" }, taken.signal);
    const refusal = assert.rejects(answer, (error) => codeOf(error) === -32800);
    assert.deepEqual(await scripted.notifications.next(), { method: "_x/held", params: { hold: "agent" } });
    taken.abort();
    await refusal;
    assert.deepEqual(await scripted.notifications.next(), { method: "_x/released", params: { hold: "agent" } });
  });

  it("both libraries end a request that the agent cancels with -32800", async () => {
    await runTurn(caller, sessionId, "take-back");
    assert.deepEqual(await scripted.report(sessionId), { code: -32800 });
    assert.deepEqual(await scripted.notifications.next(), {
      method: "released at the client",
      params: { hold: "client" },
    });
  });

  it("both libraries serve an extension that both sides know", async () => {
    const odd = { "": [null, true, -0.5e-7, { __proto__: null, ключ: "🪢" }], constructor: "c" };
    assert.deepEqual(await caller.ask("_x/echo", odd), JSON.parse(JSON.stringify(odd)));
    await caller.tell("_x/note", { note: 1 });
    assert.deepEqual(await scripted.notifications.next(), { method: "_x/noted", params: { note: 1 } });
  });

  it("both libraries ignore an unknown notification, and one that cannot be read", async () => {
    await caller.tell("_x/unheard_of", { note: 2 });
    await caller.tell("$/whatever", {});
    await caller.tell("session/cancel", { sessionId: 5 });
    await caller.tell("$/cancel_request", { requestId: "never sent" });
    assert.deepEqual(await caller.ask("_x/echo", ["alive"]), ["alive"]);
  });
});
