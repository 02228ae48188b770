/**
 * Elicitation: an agent asks for data by a form or a link, and is told what
 * became of it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  isElicitationAccepted,
  isFormElicitation,
  isUrlElicitation,
} from "../../lib/acp/index.ts";
import { officialFaults } from "../support/official-schema.ts";
import { gate } from "../support/peer-pair.ts";
import { rolePair } from "../support/roles.ts";

const form: CreateElicitationRequest = {
  sessionId: "a",
  toolCallId: "1",
  message: "Who are you?",
  mode: "form",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 80, format: "email" },
      age: { type: "integer", minimum: 0, maximum: 150 },
      size: { type: "number", default: 1.5 },
      isKeen: { type: "boolean" },
      colour: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
      likes: { type: "array", minItems: 1, items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
      wants: { type: "array", items: { anyOf: [{ const: "a", title: "A", description: "the first" }] } },
    },
    required: ["name"],
  },
};
const url: CreateElicitationRequest = {
  requestId: 7,
  message: "Sign in there",
  mode: "url",
  elicitationId: "e",
  url: "https://example.org/login?state=1",
};

describe("an elicitation", () => {
  const answers: readonly CreateElicitationResponse[] = [
    { action: "accept", content: { name: "a@b.c", age: 5, size: 0.5, isKeen: true, likes: ["a", "b"] } },
    { action: "accept", content: null },
    { action: "decline" },
    { action: "cancel", _meta: { "example.org/why": "closed" } },
  ];

  it("reaches the client as it was asked, and the agent as it was answered", async () => {
    for (const request of [form, url]) {
      assert.deepEqual(officialFaults("CreateElicitationRequest", request), []);
      for (const answer of answers) {
        assert.deepEqual(officialFaults("CreateElicitationResponse", answer), []);
        const asked = gate<CreateElicitationRequest>();
        const { toClient } = await rolePair(
          {},
          {
            handlers: () => ({
              "elicitation/create": (params) => {
                asked.open(params);
                return answer;
              },
            }),
          },
        );
        assert.deepEqual(await toClient.call("elicitation/create", request), answer);
        assert.deepEqual(await asked.opened, request);
      }
    }
  });

  it("by a link tells the client when it is over", async () => {
    const over = gate<string>();
    const { toClient } = await rolePair(
      {},
      {
        handlers: () => ({
          "elicitation/create": () => ({ action: "accept" }),
          "elicitation/complete": ({ elicitationId }) => over.open(elicitationId),
        }),
      },
    );
    assert.equal(toClient.notify("elicitation/complete", { elicitationId: "e" }), true);
    assert.equal(await over.opened, "e");
  });

  it("is refused here when it lacks what its mode needs", async () => {
    const { toClient } = await rolePair(
      {},
      { handlers: () => ({ "elicitation/create": () => ({ action: "cancel" }) }) },
    );
    await assert.rejects(toClient.call("elicitation/create", { sessionId: "a", message: "?", mode: "form" }), {
      code: -32602,
      message: "elicitation/create: requestedSchema must be given",
    });
  });

  it("answered with content of the wrong kind is the client's error", async () => {
    const wrong: CreateElicitationResponse = { action: "accept", ...JSON.parse('{"content":{"name":{"first":"a"}}}') };
    const { toClient } = await rolePair({}, { handlers: () => ({ "elicitation/create": () => wrong }) });
    await assert.rejects(toClient.call("elicitation/create", form), { code: -32603, message: /content\.name must be/ });
  });

  it("is told apart by its mode, and its answer by its action", () => {
    const voice: CreateElicitationRequest = { sessionId: "a", message: "Say it", mode: "voice" };
    assert.deepEqual([form, url, voice].map(isFormElicitation), [true, false, false]);
    assert.deepEqual([form, url, voice].map(isUrlElicitation), [false, true, false]);
    assert.deepEqual(answers.map(isElicitationAccepted), [true, true, false, false]);
  });
});
