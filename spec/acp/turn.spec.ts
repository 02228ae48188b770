/**
 * Specs of turns: a prompt from its first update to its response, and every way to
 * cancel it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AgentHandlers, block, type PromptResponse, update } from "../../lib/acp/index.ts";
import { type Call, ConnectionClosed, errorCodes, RpcError } from "../../lib/rpc/index.ts";
import { gate } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { aborted, agentOverRaw, clientOverRaw, rolePair } from "../support/acp/roles.ts";

const prompt = [block.text("go")];
const end: PromptResponse = { stopReason: "end_turn" };

type Turn = AgentHandlers["session/prompt"];

/** Handlers whose turn is cancelled, and the expected response of the turn. */
const endings: Readonly<Record<string, readonly [turn: Turn, answer: object]>> = {
  "throws the signal's reason": [
    async (_, { signal }) => {
      await aborted(signal);
      throw signal.reason;
    },
    { result: { stopReason: "cancelled" } },
  ],
  "throws something of its own": [
    async (_, { signal }) => {
      await aborted(signal);
      throw new TypeError("socket closed");
    },
    { result: { stopReason: "cancelled" } },
  ],
  "throws an error of another cancelled call": [
    async (_, { signal }) => {
      await aborted(signal);
      throw new RpcError(errorCodes.requestCancelled, "the question was cancelled");
    },
    { result: { stopReason: "cancelled" } },
  ],
  "answers by itself": [
    async (_, { signal }) => {
      await aborted(signal);
      return { stopReason: "cancelled", _meta: { "example.org/left": 1 } };
    },
    { result: { stopReason: "cancelled", _meta: { "example.org/left": 1 } } },
  ],
  "had finished anyway": [
    async (_, { signal }) => {
      await aborted(signal);
      return end;
    },
    { result: end },
  ],
  "throws an error meant for the client": [
    async (_, { signal }) => {
      await aborted(signal);
      throw new RpcError(errorCodes.authRequired, "sign in first", { why: "expired" });
    },
    { error: { code: -32000, message: "sign in first", data: { why: "expired" } } },
  ],
};

describe("session/cancel", () => {
  for (const [what, [turn, answer]] of Object.entries(endings)) {
    it(`session/cancel aborts the signal, and a handler that then ${what} is answered accordingly`, async () => {
      const { far } = await agentOverRaw({ handlers: () => ({ "session/prompt": turn }) });
      far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
      far.tell({ method: "session/cancel", params: { sessionId: "a" } });
      assert.deepEqual(await far.hear(), { id: 1, ...answer });
    });
  }

  it("session/cancel aborts every turn of its session and none of another", async () => {
    const other = gate<PromptResponse>();
    const { far } = await agentOverRaw({
      handlers: () => ({
        "session/prompt": async ({ sessionId }, { signal }) => {
          if (sessionId === "b") return Promise.race([other.opened, aborted(signal).then(() => end)]);
          await aborted(signal);
          throw signal.reason;
        },
      }),
    });
    far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
    far.tell({ id: 2, method: "session/prompt", params: { sessionId: "b", prompt } });
    far.tell({ id: 3, method: "session/prompt", params: { sessionId: "a", prompt } });
    far.tell({ method: "session/cancel", params: { sessionId: "a" } });
    assert.deepEqual(await far.hear(), { id: 1, result: { stopReason: "cancelled" } });
    assert.deepEqual(await far.hear(), { id: 3, result: { stopReason: "cancelled" } });
    await quiet();
    assert.deepEqual(far.waiting, []);
    other.open({ stopReason: "refusal" });
    assert.deepEqual(await far.hear(), { id: 2, result: { stopReason: "refusal" } });
  });

  it("session/cancel calls the agent's own handler too, with or without a turn", async () => {
    const reported: string[] = [];
    const { far } = await agentOverRaw({
      handlers: () => ({ "session/cancel": ({ sessionId }) => void reported.push(sessionId) }),
    });
    far.tell({ method: "session/cancel", params: { sessionId: "idle" } });
    await far.ask("session/prompt", { sessionId: "a", prompt });
    assert.deepEqual(reported, ["idle"]);
  });

  it("session/cancel affects neither a turn that has ended nor the next one", async () => {
    const calls: Call[] = [];
    const { far } = await agentOverRaw({
      handlers: () => ({
        "session/prompt": (_, call) => {
          calls.push(call);
          return end;
        },
      }),
    });
    const cancel = { method: "session/cancel", params: { sessionId: "a" } };
    far.tell(cancel);
    assert.deepEqual(await far.ask("session/prompt", { sessionId: "a", prompt }), { result: end });
    far.tell(cancel);
    assert.deepEqual(await far.ask("session/prompt", { sessionId: "a", prompt }), { result: end });
    assert.deepEqual(
      calls.map(({ isAborted }) => isAborted),
      [false, false],
    );
  });

  it("session/cancel lets updates through that are sent after it, before the response", async () => {
    const { far } = await agentOverRaw({
      handlers: (client) => ({
        "session/prompt": async ({ sessionId }, { signal }) => {
          await aborted(signal);
          await client.update(sessionId, update.toolCallUpdate({ toolCallId: "1", status: "failed" }));
          throw signal.reason;
        },
      }),
    });
    far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
    far.tell({ method: "session/cancel", params: { sessionId: "a" } });
    assert.equal((await far.hear()).method, "session/update");
    assert.deepEqual(await far.hear(), { id: 1, result: { stopReason: "cancelled" } });
  });
});

describe("a turn", () => {
  const waits: Turn = async (_, { signal }) => {
    await aborted(signal);
    throw signal.reason;
  };

  it("a turn is cancelled by session/close, before the close handler runs", async () => {
    const order: string[] = [];
    const { far } = await agentOverRaw({
      handlers: () => ({
        "session/prompt": async (_, { signal }) => {
          signal.addEventListener("abort", () => order.push("aborted"));
          await aborted(signal);
          throw signal.reason;
        },
        "session/close": ({ sessionId }) => void order.push(`closed ${sessionId}`),
      }),
    });
    far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
    far.tell({ id: 2, method: "session/close", params: { sessionId: "a" } });
    const answers = new Map([await far.hear(), await far.hear()].map(({ id, result }) => [id, result]));
    assert.deepEqual(order, ["aborted", "closed a"]);
    assert.deepEqual(answers.get(1), { stopReason: "cancelled" });
    assert.deepEqual(answers.get(2), {});
  });

  it("a turn is cancelled by $/cancel_request and still answered with a stop reason", async () => {
    const { far } = await agentOverRaw({ handlers: () => ({ "session/prompt": waits }) });
    far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
    far.tell({ method: "$/cancel_request", params: { requestId: 1 } });
    assert.deepEqual(await far.hear(), { id: 1, result: { stopReason: "cancelled" } });
  });

  it("a turn is aborted when the client leaves", async () => {
    const seen = gate();
    const { far, toClient } = await agentOverRaw({
      handlers: () => ({
        "session/prompt": async (_, { signal }) => {
          await aborted(signal);
          seen.open();
          throw signal.reason;
        },
      }),
    });
    far.tell({ id: 1, method: "session/prompt", params: { sessionId: "a", prompt } });
    await quiet();
    far.close();
    await seen.opened;
    await toClient.settled;
  });

  it("a turn that fails by a bug hides the reason from the client and reports it to onBug", async () => {
    const bugs: unknown[] = [];
    const cause = new TypeError("secret");
    const { far } = await agentOverRaw(
      { handlers: () => ({ "session/prompt": () => Promise.reject(cause) }) },
      {},
      { onBug: (method, why) => bugs.push([method, why]) },
    );
    assert.deepEqual(await far.ask("session/prompt", { sessionId: "a", prompt }), {
      error: { code: -32603, message: "internal error" },
    });
    assert.deepEqual(bugs, [["session/prompt", cause]]);
  });

  it("a turn gives the client every update, in order, before its response", async () => {
    const seen: string[] = [];
    const { toAgent } = await rolePair(
      {
        handlers: (client) => ({
          "session/prompt": async ({ sessionId }) => {
            for (let i = 0; i < 100; i++) await client.update(sessionId, update.currentMode(String(i)));
            return end;
          },
        }),
      },
      {
        handlers: () => ({
          "session/update": ({ update }) => {
            if (update.sessionUpdate === "current_mode_update") seen.push(update.currentModeId);
          },
        }),
      },
    );
    assert.deepEqual(await toAgent.prompt({ sessionId: "a", prompt }), end);
    assert.deepEqual(
      seen,
      Array.from({ length: 100 }, (_, i) => String(i)),
    );
  });

  it("a turn of one session does not wait for a turn of another", async () => {
    const slow = gate<PromptResponse>();
    const { toAgent } = await rolePair({
      handlers: () => ({ "session/prompt": ({ sessionId }) => (sessionId === "slow" ? slow.opened : end) }),
    });
    const first = toAgent.prompt({ sessionId: "slow", prompt });
    assert.deepEqual(await toAgent.prompt({ sessionId: "fast", prompt }), end);
    slow.open({ stopReason: "max_tokens" });
    assert.deepEqual(await first, { stopReason: "max_tokens" });
  });
});

describe("prompt with a signal", () => {
  it("prompt with a signal sends nothing when the signal is already aborted", async () => {
    const { far, toAgent } = await clientOverRaw();
    const answer = await toAgent.prompt({ sessionId: "a", prompt }, { signal: AbortSignal.abort() });
    assert.deepEqual(answer, { stopReason: "cancelled" });
    await quiet();
    assert.deepEqual(far.waiting, []);
  });

  it("prompt with a signal sends session/cancel when the signal aborts, and resolves with the agent's response", async () => {
    const { far, toAgent } = await clientOverRaw();
    const controller = new AbortController();
    const turn = toAgent.prompt({ sessionId: "a", prompt }, { signal: controller.signal });
    const { id } = await far.hear();
    controller.abort();
    assert.deepEqual(await far.hear(), { method: "session/cancel", params: { sessionId: "a" } });
    far.tell({ id, result: { stopReason: "cancelled" } });
    assert.deepEqual(await turn, { stopReason: "cancelled" });
  });

  it("prompt with a signal sends nothing more once the turn has ended", async () => {
    const { far, toAgent } = await clientOverRaw();
    const controller = new AbortController();
    const turn = toAgent.prompt({ sessionId: "a", prompt }, { signal: controller.signal });
    far.tell({ id: (await far.hear()).id, result: end });
    await turn;
    controller.abort();
    await quiet();
    assert.deepEqual(far.waiting, []);
  });

  it("prompt with a signal fails with ConnectionClosed, and only that, when the signal aborts after the agent has left", async () => {
    const { toAgent } = await clientOverRaw();
    const controller = new AbortController();
    const turn = toAgent.prompt({ sessionId: "a", prompt }, { signal: controller.signal });
    toAgent.close();
    controller.abort();
    await assert.rejects(turn, ConnectionClosed);
    // An error thrown by a listener is raised on the next tick.
    await quiet();
  });
});
