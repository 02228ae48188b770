/**
 * Permission: a question is answered once, by the person, or with `cancelled`
 * the moment it is taken back.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ClientHandlers,
  permissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "../../lib/acp/index.ts";
import { RpcError } from "../../lib/rpc/index.ts";
import { gate } from "../support/peer-pair.ts";
import { quiet } from "../support/raw-peer.ts";
import { aborted, clientOverRaw, rolePair } from "../support/roles.ts";

const selected: RequestPermissionResponse = { outcome: { outcome: "selected", optionId: "yes" } };
const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

function question(sessionId: string): RequestPermissionRequest {
  const options = [permissionOption("allow_once", "yes", "Yes"), permissionOption("reject_once", "no", "No")];
  return { sessionId, toolCall: { toolCallId: "1", title: "Delete everything" }, options };
}

type Ask = ClientHandlers["session/request_permission"];
const asking = (ask: Ask) => ({ handlers: () => ({ "session/request_permission": ask }) });
const never: Ask = () => new Promise(() => {});

describe("a permission question", () => {
  it("is answered with what the person chose", async () => {
    const { toClient } = await rolePair(
      {},
      asking(() => selected),
    );
    assert.deepEqual(await toClient.call("session/request_permission", question("a")), selected);
  });

  it("is answered cancelled when the client cancels its session, though nobody answers it", async () => {
    const { far, toAgent } = await clientOverRaw(asking(never));
    far.tell({ id: 1, method: "session/request_permission", params: question("a") });
    far.tell({ id: 2, method: "session/request_permission", params: question("a") });
    await quiet();
    toAgent.cancel("a");
    assert.deepEqual(await far.hear(), { method: "session/cancel", params: { sessionId: "a" } });
    assert.deepEqual(await far.hear(), { id: 1, result: cancelled });
    assert.deepEqual(await far.hear(), { id: 2, result: cancelled });
  });

  it("of another session stays open", async () => {
    const choice = gate<RequestPermissionResponse>();
    const { far, toAgent } = await clientOverRaw(asking(() => choice.opened));
    far.tell({ id: 1, method: "session/request_permission", params: question("a") });
    await quiet();
    toAgent.cancel("b");
    assert.equal((await far.hear()).method, "session/cancel");
    await quiet();
    assert.deepEqual(far.waiting, []);
    choice.open(selected);
    assert.deepEqual(await far.hear(), { id: 1, result: selected });
  });

  it("is answered cancelled when the agent takes it back, and the agent's call fails with -32800", async () => {
    const seen = gate();
    const { toClient } = await rolePair(
      {},
      asking(async (_, { signal }) => {
        await aborted(signal);
        seen.open();
        return selected;
      }),
    );
    const controller = new AbortController();
    const call = toClient.call("session/request_permission", question("a"), { signal: controller.signal });
    await quiet();
    controller.abort();
    await assert.rejects(call, { name: "RpcError", code: -32800 });
    await seen.opened;
  });

  it("taken back on the wire is answered cancelled, not with an error", async () => {
    const { far } = await clientOverRaw(asking(never));
    far.tell({ id: "q", method: "session/request_permission", params: question("a") });
    far.tell({ method: "$/cancel_request", params: { requestId: "q" } });
    assert.deepEqual(await far.hear(), { id: "q", result: cancelled });
  });

  it("is answered once, whatever its handler says after it was taken back", async () => {
    for (const late of ["an answer", "a failure"]) {
      const choice = gate<RequestPermissionResponse>();
      const { far, toAgent } = await clientOverRaw(asking(() => choice.opened));
      far.tell({ id: 1, method: "session/request_permission", params: question("a") });
      await quiet();
      toAgent.cancel("a");
      await far.hear();
      assert.deepEqual(await far.hear(), { id: 1, result: cancelled });
      if (late === "an answer") choice.open(selected);
      else choice.fail(new Error("the dialog is gone"));
      await quiet();
      assert.deepEqual(far.waiting, [], late);
    }
  });

  it("is answered cancelled when its handler throws because it was taken back", async () => {
    const { far, toAgent } = await clientOverRaw(
      asking(async (_, { signal }) => {
        await aborted(signal);
        throw signal.reason;
      }),
    );
    far.tell({ id: 1, method: "session/request_permission", params: question("a") });
    await quiet();
    toAgent.cancel("a");
    await far.hear();
    assert.deepEqual(await far.hear(), { id: 1, result: cancelled });
  });

  it("is answered cancelled when its own handler cancels the session, whatever it then says", async () => {
    for (const says of [() => selected, () => assert.fail("the dialog is gone")]) {
      const { far } = await clientOverRaw({
        handlers: (agent) => ({
          "session/request_permission": ({ sessionId }) => {
            agent.cancel(sessionId);
            return says();
          },
        }),
      });
      far.tell({ id: 1, method: "session/request_permission", params: question("a") });
      assert.equal((await far.hear()).method, "session/cancel");
      assert.deepEqual(await far.hear(), { id: 1, result: cancelled });
    }
  });

  it("whose handler fails by itself is an error, and never a permission", async () => {
    const bugs: unknown[] = [];
    let cause: Error = new RpcError(-32002, "unknown session");
    const fails: Ask = () => {
      throw cause;
    };
    const { far } = await clientOverRaw(asking(fails), {}, { onBug: (method) => bugs.push(method) });
    assert.deepEqual(await far.ask("session/request_permission", question("a")), {
      error: { code: -32002, message: "unknown session" },
    });
    cause = new TypeError("secret");
    assert.deepEqual(await far.ask("session/request_permission", question("a")), {
      error: { code: -32603, message: "internal error" },
    });
    assert.deepEqual(bugs, ["session/request_permission"]);
  });

  it("without options that can be read is refused with -32602", async () => {
    const { far } = await clientOverRaw(asking(() => selected));
    const wrong = { optionId: "yes", name: "Yes", kind: "allow_forever" };
    assert.deepEqual(await far.ask("session/request_permission", { ...question("a"), options: [wrong] }), {
      error: {
        code: -32602,
        message:
          "session/request_permission: options.0.kind must be one of " +
          "allow_once, allow_always, reject_once, reject_always",
      },
    });
  });

  it("ends its turn as cancelled when the turn's signal is passed on", async () => {
    const { toAgent } = await rolePair(
      {
        handlers: (client) => ({
          "session/prompt": async ({ sessionId }, { signal }) => {
            await client.call("session/request_permission", question(sessionId), { signal });
            return { stopReason: "end_turn" };
          },
        }),
      },
      asking((_, call) => {
        setImmediate(() => toAgent.cancel("a"));
        return aborted(call.signal).then(() => selected);
      }),
    );
    assert.deepEqual(await toAgent.prompt({ sessionId: "a", prompt: [] }), { stopReason: "cancelled" });
  });

  it("may be answered by the agent's own reading only with an outcome it knows", async () => {
    const { toClient } = await rolePair(
      {},
      asking(() => JSON.parse('{"outcome":{"outcome":"selected"}}')),
    );
    await assert.rejects(toClient.call("session/request_permission", question("a")), {
      code: -32603,
      message: /outcome\.optionId must be given$/,
    });
  });
});
