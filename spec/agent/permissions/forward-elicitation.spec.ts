/**
 * Forms and links of MCP servers: what the client can show is shown, everything else is
 * declined.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreateElicitationRequest } from "../../../lib/acp/index.ts";
import type { ElicitationAnswer, ElicitationQuestion } from "../../../lib/engine/index.ts";
import { scriptedHarness, type ScriptedHarnessOptions } from "../../support/agent/scripted-harness.ts";

const never = new AbortController().signal;
const schema = { type: "object", properties: { name: { type: "string" } } };
const form: ElicitationQuestion = { kind: "form", message: "Who?", schema };
const link: ElicitationQuestion = { kind: "url", message: "Sign in", url: "https://example.com/", id: "1" };

async function elicits(question: ElicitationQuestion, options: ScriptedHarnessOptions) {
  const requests: CreateElicitationRequest[] = [];
  const { elicit, ...others } = options;
  const harness = await scriptedHarness({
    ...others,
    ...(elicit && { elicit: (request) => (requests.push(request), elicit(request)) }),
  });
  const { sessionId, conversation } = await harness.open();
  const answer: ElicitationAnswer = await conversation.host.elicit(question, never);
  return { answer, requests, sessionId, bugs: harness.bugs };
}

describe("forwardElicitation", () => {
  it("a form is shown with its schema, and its content is the answer", async () => {
    const { answer, requests, sessionId } = await elicits(form, {
      elicitation: { form: {} },
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    assert.deepEqual(answer, { action: "accept", content: { name: "Ada" } });
    assert.deepEqual(requests, [{ mode: "form", message: "Who?", sessionId, requestedSchema: schema }]);
  });

  it("a link is shown with its id, and accepting it has no content", async () => {
    const { answer, requests, sessionId } = await elicits(link, {
      elicitation: { url: {} },
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    assert.deepEqual(answer, { action: "accept" });
    const { message } = link;
    const shown = { mode: "url", message, sessionId, elicitationId: "1", url: "https://example.com/" };
    assert.deepEqual(requests, [shown]);
  });

  it("an elicitation that the client cannot show is declined without asking: a form, a link, or a schema that ACP does not know", async () => {
    const elicit = (): never => assert.fail("the client is asked");
    const invalid = { ...form, schema: { ...schema, properties: { name: 7 } } };
    for (const [question, options] of [
      [form, {}],
      [form, { elicitation: { url: {} }, elicit }],
      [link, {}],
      [link, { elicitation: { form: {} }, elicit }],
      [invalid, { elicitation: { form: {} }, elicit }],
    ] as const) {
      const { answer } = await elicits(question, options);
      assert.deepEqual(answer, { action: "decline" });
    }
  });

  it("a form that is declined, cancelled or answered with an error has no content", async () => {
    const elicitation = { form: {} };
    const declined = await elicits(form, { elicitation, elicit: () => ({ action: "decline" }) });
    assert.deepEqual(declined.answer, { action: "decline" });
    const cancelled = await elicits(form, { elicitation, elicit: () => ({ action: "cancel" }) });
    assert.deepEqual(cancelled.answer, { action: "cancel" });
    const failed = await elicits(form, { elicitation, elicit: () => Promise.reject(new Error("a bug")) });
    assert.deepEqual([failed.answer, failed.bugs], [{ action: "cancel" }, ["elicitation/create"]]);
  });
});
