/**
 * Specs of rewinding in the agent, with an engine whose prompts and files the spec names.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreateElicitationRequest, RequestPermissionRequest } from "../../../lib/acp/index.ts";
import { EngineFailure, type Rewinder, type SentPrompt } from "../../../lib/engine/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import {
  scriptedHarness,
  type ScriptedHarness,
  type ScriptedHarnessOptions,
} from "../../support/agent/scripted-harness.ts";

interface Rewinding extends ScriptedHarness {
  readonly sessionId: string;
  /** What the engine was asked to do, in order. */
  readonly done: string[];
}

/** A session in which the prompts `p1` to `p<count>` were sent. */
async function rewinding(
  options: ScriptedHarnessOptions & { readonly count?: number; readonly rewinder?: Partial<Rewinder> } = {},
): Promise<Rewinding> {
  const { count = 3, rewinder, ...given } = options;
  const harness = await scriptedHarness(given);
  const { sessionId, conversation } = await harness.open();
  const done: string[] = [];
  let prompts: readonly SentPrompt[] = Array.from({ length: count }, (_, i) => ({
    messageId: `p${i + 1}`,
    content: [{ type: "text", text: `prompt ${i + 1}` }],
  }));
  const changes = { paths: ["/src/a.ts", "/b.ts"], insertions: 1, deletions: 2 };
  conversation.rewinder = {
    restoresFiles: true,
    prompts: async () => prompts,
    previewFiles: async (id) => (done.push(`preview ${id}`), changes),
    restoreFiles: async (id) => (done.push(`restore ${id}`), changes),
    undo: async (id) => {
      done.push(`undo ${id}`);
      prompts = prompts.slice(
        0,
        prompts.findIndex(({ messageId }) => messageId === id),
      );
    },
    ...rewinder,
  };
  return { ...harness, sessionId, done };
}

function option(
  name: RegExp,
): (request: RequestPermissionRequest) => { outcome: { outcome: "selected"; optionId: string } } {
  return ({ options }) => {
    const optionId = options.find((one) => name.test(one.name))?.optionId ?? "missing";
    return { outcome: { outcome: "selected", optionId } };
  };
}

describe("/rewind", () => {
  it("/rewind restores the files before it takes the conversation back, and returns the prompt's text", async () => {
    const answers = [option(/prompt 2/), option(/Files and conversation/)];
    const { prompt, sessionId, done, updates, asked } = await rewinding({
      permit: (asking) => answers.shift()!(asking),
    });
    const rewound = { messageId: "p2", prompt: [{ type: "text", text: "prompt 2" }] };
    assert.deepEqual(await prompt(sessionId, "/rewind"), { stopReason: "end_turn", _meta: { bowline: { rewound } } });
    assert.deepEqual(done, ["preview p2", "restore p2", "undo p2"]);
    assert.match(
      JSON.stringify(asked[1]?.toolCall.content),
      /2 files, 1 line added, 2 lines removed: .*src\/a\.ts, .*b\.ts\./,
    );
    const text = messageText(updates);
    assert.match(text, /Taken back: 2 prompts/);
    assert.match(text, /```\nprompt 2\n```/);
    const calls = updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call").length;
    const ends = updates.filter((one) => one.sessionUpdate === "tool_call_update" && one.status === "completed").length;
    assert.deepEqual([calls, ends], [2, 2], "no question is left open");
  });

  it("/rewind changes nothing when the user cancels a question", async () => {
    const answers = [option(/prompt 1/), option(/Cancel/)];
    const { prompt, sessionId, done, updates } = await rewinding({ permit: (asking) => answers.shift()!(asking) });
    await prompt(sessionId, "/rewind");
    assert.deepEqual(done, ["preview p1"]);
    assert.match(messageText(updates), /Nothing was taken back/);
  });

  it("/rewind shows a long list of prompts page by page", async () => {
    const answers = [option(/Show more/), option(/^prompt 3$/), option(/The conversation, not/)];
    const { prompt, sessionId, done, asked } = await rewinding({
      count: 12,
      permit: (asking) => answers.shift()!(asking),
    });
    await prompt(sessionId, "/rewind");
    assert.equal(asked[0]?.options.length, 10, "eight prompts, more, cancel");
    assert.deepEqual(done, ["preview p3", "undo p3"]);
  });

  it("/rewind uses one form for each question where the client has forms", async () => {
    const forms: CreateElicitationRequest[] = [];
    const { prompt, sessionId, done, asked } = await rewinding({
      elicitation: { form: {} },
      elicit: (form) => {
        forms.push(form);
        return { action: "accept", content: { choice: forms.length === 1 ? "1" : "3" } };
      },
    });
    await prompt(sessionId, "/rewind");
    assert.deepEqual(done, ["preview p3", "restore p3"]);
    assert.deepEqual([forms.length, asked.length], [2, 0]);
  });

  it("/rewind with a number takes that many prompts back, and refuses other arguments", async () => {
    const { prompt, sessionId, done, updates } = await rewinding({ permit: option(/The conversation/) });
    for (const wrong of ["0", "4", "two", "-1"]) await prompt(sessionId, `/rewind ${wrong}`);
    assert.deepEqual(done, []);
    assert.match(messageText(updates), /a number from 1 to 3/);
    await prompt(sessionId, "/rewind 2");
    assert.deepEqual(done, ["preview p2", "undo p2"]);
  });

  it("/rewind offers only the conversation where the engine keeps no files", async () => {
    const { prompt, sessionId, asked, done } = await rewinding({
      rewinder: { restoresFiles: false },
      permit: option(/The conversation/),
    });
    await prompt(sessionId, "/rewind 1");
    assert.deepEqual(
      asked[0]?.options.map(({ kind }) => kind),
      ["allow_once", "reject_once"],
    );
    assert.deepEqual(done, ["undo p3"]);
  });

  it("a failed restore of files leaves the conversation as it is", async () => {
    const { prompt, sessionId, done } = await rewinding({
      rewinder: { restoreFiles: () => Promise.reject(new EngineFailure("refused", "no checkpoint")) },
      permit: option(/Files and conversation/),
    });
    await assert.rejects(prompt(sessionId, "/rewind 1"), /no checkpoint/);
    assert.deepEqual(done, ["preview p3"]);
  });
});

describe("_session/rewind", () => {
  it("_session/rewind refuses wrong parameters, unknown prompts and a running turn", async () => {
    const { editor, engine, prompt, sessionId, done } = await rewinding();
    const call = (more: object): Promise<unknown> => editor.callExtension("_session/rewind", { sessionId, ...more });
    await assert.rejects(call({}), { code: -32602 });
    await assert.rejects(call({ messageId: "p1" }), { code: -32602 });
    await assert.rejects(call({ messageId: "p9", conversation: true }), { code: -32602 });
    await assert.rejects(call({ messageId: 7, conversation: true }), { code: -32602 });
    const conversation = engine.opened[0]!;
    const running = prompt(sessionId, "hello");
    await conversation.hear("submit");
    await assert.rejects(call({ messageId: "p1", conversation: true }), { code: -32600 });
    conversation.end();
    await running;
    assert.deepEqual(done, []);
  });

  it("_session/rewind answers with the prompt and what was taken back with it", async () => {
    const { editor, sessionId, done } = await rewinding();
    const both = { sessionId, messageId: "p2", files: true, conversation: true };
    const expected = {
      messageId: "p2",
      prompt: [{ type: "text", text: "prompt 2" }],
      later: ["p3"],
      files: { paths: ["/src/a.ts", "/b.ts"], insertions: 1, deletions: 2 },
    };
    assert.deepEqual(await editor.callExtension("_session/rewind", { ...both, dryRun: true }), expected);
    assert.deepEqual(await editor.callExtension("_session/rewind", both), expected);
    assert.deepEqual(done, ["preview p2", "restore p2", "undo p2"]);
    const left = await editor.callExtension("_session/rewind", { sessionId, list: true });
    assert.deepEqual(left, {
      prompts: [{ messageId: "p1", prompt: [{ type: "text", text: "prompt 1" }] }],
      restoresFiles: true,
    });
  });
});
