/**
 * Specs of rejections for the session: asked once, held to the end of the session.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption } from "../../../lib/acp/index.ts";
import { LastingRejections, maxRejectedKeys } from "../../../lib/agent/permissions/lasting-rejections.ts";
import type { PermissionQuestion } from "../../../lib/engine/index.ts";
import { scriptedHarness } from "../../support/agent/scripted-harness.ts";

const question = (...keys: readonly string[]): PermissionQuestion<string> => ({
  toolCall: { toolCallId: "call-1", title: "rm x" },
  choices: [
    { option: permissionOption("allow_once", "allow", "Allow"), decision: "allowed" },
    {
      option: permissionOption("reject_once", "reject", "Reject"),
      decision: "denied",
      withReason: (reason) => `denied: ${reason}`,
    },
  ],
  rejected: "rejected",
  unanswered: "unanswered",
  never: { keys, what: "this command", decision: "never" },
});

async function session(optionId: string, _meta?: Record<string, unknown>) {
  const harness = await scriptedHarness({
    permit: () => ({ outcome: { outcome: "selected", optionId, ...(_meta && { _meta }) } }),
  });
  const { conversation } = await harness.open();
  const ask = (...keys: readonly string[]): Promise<string> =>
    conversation.host.ask(question(...keys), new AbortController().signal);
  return { ask, asked: harness.asked, open: harness.open };
}

describe("a rejection for the session", () => {
  it("a call that was rejected for the session is not asked about again, every other call is", async () => {
    const { ask, asked } = await session("reject_always");
    assert.equal(await ask("run a"), "never");
    assert.deepEqual(
      asked[0]?.options.map(({ kind, name }) => [kind, name]),
      [
        ["allow_once", "Allow"],
        ["reject_once", "Reject"],
        ["reject_always", "Never allow this command in this session"],
      ],
    );
    assert.equal(await ask("run a"), "never");
    assert.equal(await ask("run b", "run a"), "never", "one of several keys is enough");
    assert.equal(asked.length, 1);
    await ask("run b");
    assert.equal(asked.length, 2);
  });

  it("a call that was rejected once is asked about again", async () => {
    const { ask, asked } = await session("reject");
    assert.equal(await ask("run a"), "denied");
    assert.equal(await ask("run a"), "denied");
    assert.equal(asked.length, 2);
  });

  it("a rejection for the session may have a reason, which the model reads once", async () => {
    const { ask } = await session("reject_always", { reason: "It is slow." });
    assert.equal(await ask("run a"), "denied: It is slow.");
    assert.equal(await ask("run a"), "never");
  });

  it("a question without a scope does not have the option", async () => {
    const { ask, asked } = await session("reject_always");
    assert.equal(await ask(), "rejected");
    assert.deepEqual(
      asked[0]?.options.map(({ optionId }) => optionId),
      ["allow", "reject"],
    );
  });

  it("no rejection is ever forgotten: at the limit nothing more can be added", () => {
    const rejections = new LastingRejections();
    for (let i = 0; i < maxRejectedKeys; i++) {
      assert.ok(rejections.mayAdd([`run ${i}`]));
      rejections.add([`run ${i}`]);
    }
    assert.equal(rejections.mayAdd(["run more"]), false);
    assert.ok(rejections.has(["run 0"]) && rejections.has([`run ${maxRejectedKeys - 1}`]));
  });
});
