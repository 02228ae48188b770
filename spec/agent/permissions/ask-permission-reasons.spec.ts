/**
 * Specs of rejections with a reason: in the client's answer, by a form, and as canned options.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption } from "../../../lib/acp/index.ts";
import { maxReasonChars } from "../../../lib/agent/permissions/ask-permission.ts";
import type { PermissionQuestion } from "../../../lib/engine/index.ts";
import { scriptedHarness, type ScriptedHarnessOptions } from "../../support/agent/scripted-harness.ts";

const question: PermissionQuestion<string> = {
  toolCall: { toolCallId: "call-1", title: "curl x" },
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
};
const forms = { elicitation: { form: {} } };
const selected = (optionId: string, _meta?: Record<string, unknown>) =>
  ({ outcome: { outcome: "selected", optionId, ...(_meta && { _meta }) } }) as const;

async function asks(options: ScriptedHarnessOptions, asked: PermissionQuestion<string> = question) {
  const harness = await scriptedHarness(options);
  const { conversation } = await harness.open();
  const decision = await conversation.host.ask(asked, new AbortController().signal);
  return { decision, offered: harness.asked[0]?.options.map(({ optionId }) => optionId) };
}

describe("a rejection with a reason", () => {
  it("a client sends the reason with its answer, and is offered nothing else", async () => {
    const { decision, offered } = await asks({ permit: () => selected("reject", { reason: " Use git mv. " }) });
    assert.equal(decision, "denied: Use git mv.");
    assert.deepEqual(offered, ["allow", "reject"]);
    const long = await asks({ permit: () => selected("reject", { reason: "x".repeat(maxReasonChars + 1) }) });
    assert.equal(long.decision.length, "denied: ".length + maxReasonChars);
    for (const reason of ["", 5, null])
      assert.equal((await asks({ permit: () => selected("reject", { reason }) })).decision, "denied");
  });

  it("a reason with an answer that allows the call changes nothing", async () => {
    assert.equal((await asks({ permit: () => selected("allow", { reason: "no" }) })).decision, "allowed");
  });

  it("a client with forms is offered one, and a form without a reason rejects the call anyway", async () => {
    const permit = () => selected("reject_reason");
    const written = await asks({
      ...forms,
      permit,
      elicit: () => ({ action: "accept", content: { reason: "Use git mv." } }),
    });
    assert.equal(written.decision, "denied: Use git mv.");
    assert.deepEqual(written.offered, ["allow", "reject", "reject_reason"]);
    for (const answer of [{ action: "accept", content: {} }, { action: "decline" }, { action: "cancel" }] as const)
      assert.equal((await asks({ ...forms, permit, elicit: () => answer })).decision, "denied");
  });

  it("canned reasons are options when they are turned on", async () => {
    const settings = { rejectReasons: ["not now", "another way"] };
    const { decision, offered } = await asks({ settings, permit: () => selected("reject_reason_1") });
    assert.equal(decision, "denied: another way");
    assert.deepEqual(offered, ["allow", "reject", "reject_reason_0", "reject_reason_1"]);
  });

  it("an option for a reason that was not offered rejects the call", async () => {
    assert.equal((await asks({ permit: () => selected("reject_reason") })).decision, "rejected");
    const {
      choices: [allow],
      ...rest
    } = question;
    const noReason = { ...rest, choices: allow === undefined ? [] : [allow] };
    const asked = await asks({ ...forms, permit: () => selected("reject_reason") }, noReason);
    assert.deepEqual([asked.decision, asked.offered], ["rejected", ["allow"]]);
  });
});
