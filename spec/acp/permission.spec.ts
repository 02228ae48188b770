/**
 * Specs of permission requests: each is answered once, by the user or with `cancelled`
 * as soon as it is withdrawn.
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
import { gate } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { aborted, clientOverRaw, rolePair } from "../support/acp/roles.ts";

const selected: RequestPermissionResponse = { outcome: { outcome: "selected", optionId: "yes" } };
const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

function question(sessionId: string): RequestPermissionRequest {
  const options = [permissionOption("allow_once", "yes", "Yes"), permissionOption("reject_once", "no", "No")];
  return { sessionId, toolCall: { toolCallId: "1", title: "Delete everything" }, options };
}

type Ask = ClientHandlers["session/request_permission"];
const asking = (ask: Ask) => ({ handlers: () => ({ "session/request_permission": ask }) });
const never: Ask = () => new Promise(() => {});

describe("a permission request", () => {
  it("a permission request is answered with the user's choice", async () => {
    const { toClient } = await rolePair(
      {},
      asking(() => selected),
    );
    assert.deepEqual(await toClient.call("session/request_permission", question("a")), selected);
  });

  it("a permission request is answered with cancelled when the client cancels its session, though the user does not answer", async () => {
    const { far, toAgent } = await clientOverRaw(asking(never));
    far.tell({ id: 1, method: "session/request_permission", params: question("a") });
    far.tell({ id: 2, method: "session/request_permission", params: question("a") });
    await quiet();
    toAgent.cancel("a");
    assert.deepEqual(await far.hear(), { method: "session/cancel", params: { sessionId: "a" } });
    assert.deepEqual(await far.hear(), { id: 1, result: cancelled });
    assert.deepEqual(await far.hear(), { id: 2, result: cancelled });
  });

  it("a permission request of another session stays open", async () => {
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

  it("a permission request is answered with cancelled when the agent withdraws it, and the agent's call fails with -32800", async () => {
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

  it("a permission request withdrawn on the wire is answered with cancelled, not with an error", async () => {
    const { far } = await clientOverRaw(asking(never));
    far.tell({ id: "q", method: "session/request_permission", params: question("a") });
    far.tell({ method: "$/cancel_request", params: { requestId: "q" } });
    assert.deepEqual(await far.hear(), { id: "q", result: cancelled });
  });

  it("a permission request is answered once, whatever its handler returns after it was withdrawn", async () => {
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

  it("a permission request is answered with cancelled when its handler throws because it was withdrawn", async () => {
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

  it("a permission request is answered with cancelled when its own handler cancels the session, whatever it then returns", async () => {
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

  it("a permission request whose handler fails is answered with an error, and never with a permission", async () => {
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

  it("a permission request without readable options is refused with -32602", async () => {
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

  it("a permission request ends its turn as cancelled when the turn's signal is passed on", async () => {
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

  it("a permission request with an unknown outcome fails in the agent", async () => {
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
