/**
 * Forms of the agent in the chat, field by field.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreateElicitationRequest } from "../../../lib/acp/index.ts";
import { fillForm } from "../../../lib/program/chat/fill-form.ts";
import type { Picked, PickList } from "../../../lib/program/chat/frontend/open-list.ts";

type Form = Extract<CreateElicitationRequest, { readonly mode: "form" }>;

async function filled(properties: Form["requestedSchema"]["properties"], ...answers: readonly Picked[]) {
  const lists: PickList[] = [];
  const told: string[] = [];
  const requestedSchema = { type: "object", properties } as const;
  const response = await fillForm({ mode: "form", sessionId: "s", message: "Which prompt?", requestedSchema } as Form, {
    pick: (list) => {
      lists.push(list);
      return Promise.resolve(answers[lists.length - 1] ?? { kind: "cancelled" });
    },
    tell: (text) => void told.push(text),
  });
  return { lists, told, response };
}

describe("fillForm", () => {
  it("a single choice has the message as its title, and typing filters it", async () => {
    const choice = { type: "string", title: "Choice", enum: ["one", "two"] } as const;
    const { lists, told, response } = await filled({ choice }, { kind: "items", indexes: [1] });
    assert.deepEqual([lists[0]?.title, lists[0]?.typing], ["Which prompt?", "filter"]);
    assert.deepEqual(response, { action: "accept", content: { choice: "two" } });
    assert.deepEqual(told, ["Which prompt? two"]);
  });

  it("a choice with a field for own words takes a typed answer, and several fields have their titles", async () => {
    const colour = { type: "string", title: "Colour", enum: ["red"] } as const;
    const properties = {
      colour,
      colour_other: { type: "string", title: "Own" },
      why: { type: "string", title: "Why" },
    };
    const answers = ["blue", "because"].map((text) => ({ kind: "text", text }) as const);
    const { lists, response } = await filled(properties as Form["requestedSchema"]["properties"], ...answers);
    assert.deepEqual(
      lists.map(({ title, typing }) => [title, typing]),
      [
        ["Which prompt? (Colour)", "answer"],
        ["Which prompt? (Why)", "answer"],
      ],
    );
    assert.deepEqual(response, { action: "accept", content: { colour_other: "blue", why: "because" } });
  });

  it("a form that the user leaves is cancelled", async () => {
    const { response } = await filled({ choice: { type: "string", title: "Choice", enum: ["one"] } });
    assert.deepEqual(response, { action: "cancel" });
  });
});
