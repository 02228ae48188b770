/**
 * Specs of elicitation: an agent asks the user for data by a form or a URL, and gets the
 * answer.
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
import { officialFaults } from "../support/acp/official-schema.ts";
import { gate } from "../support/rpc/peer-pair.ts";
import { rolePair } from "../support/acp/roles.ts";

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

  it("an elicitation reaches the client as the agent sent it, and its response reaches the agent as the client sent it", async () => {
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

  it("an elicitation by a URL notifies the client when it is complete", async () => {
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

  it("an elicitation that lacks what its mode needs is refused without being sent", async () => {
    const { toClient } = await rolePair(
      {},
      { handlers: () => ({ "elicitation/create": () => ({ action: "cancel" }) }) },
    );
    await assert.rejects(toClient.call("elicitation/create", { sessionId: "a", message: "?", mode: "form" }), {
      code: -32602,
      message: "elicitation/create: requestedSchema must be given",
    });
  });

  it("an elicitation answered with content of the wrong type fails as the client's error", async () => {
    const wrong: CreateElicitationResponse = { action: "accept", ...JSON.parse('{"content":{"name":{"first":"a"}}}') };
    const { toClient } = await rolePair({}, { handlers: () => ({ "elicitation/create": () => wrong }) });
    await assert.rejects(toClient.call("elicitation/create", form), { code: -32603, message: /content\.name must be/ });
  });

  it("an elicitation is recognised by its mode, and its response by its action", () => {
    const voice: CreateElicitationRequest = { sessionId: "a", message: "Say it", mode: "voice" };
    assert.deepEqual([form, url, voice].map(isFormElicitation), [true, false, false]);
    assert.deepEqual([form, url, voice].map(isUrlElicitation), [false, true, false]);
    assert.deepEqual(answers.map(isElicitationAccepted), [true, true, false, false]);
  });
});
