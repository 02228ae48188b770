/**
 * Specs of `runContinued`: what a cancel between two turns of one prompt ends.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AutoContinue } from "../../../lib/agent/session/auto-continue.ts";
import { runContinued } from "../../../lib/agent/session/continued-prompt.ts";
import { ContinueAtReset } from "../../../lib/agent/usage/continue-at-reset.ts";

describe("runContinued", () => {
  for (const moment of ["the conversation is cleared", "the mode is set"] as const) {
    it(`a cancel while ${moment} keeps an approved plan from being carried out`, async () => {
      let isCancelled = false;
      const ran: unknown[] = [];
      const next = { prompt: "the plan", mode: "acceptEdits" };
      await runContinued([{ type: "text", text: "go" }], undefined, {
        autoContinue: new AutoContinue({ isOn: false }),
        atReset: new ContinueAtReset({ isOn: false, after: () => () => {}, now: () => 0, push: () => {} }),
        runTurn: async ([block]) => {
          const text = block?.type === "text" ? block.text : "";
          ran.push(text);
          if (text === "/clear" && moment === "the conversation is cleared") isCancelled = true;
          return { kind: "stopped", stopReason: "end_turn", ...(text === "go" && { next }) };
        },
        push: () => {},
        setMode: async () => void (isCancelled = true),
        isCancelled: () => isCancelled,
        isStopped: () => isCancelled,
      });
      assert.deepEqual(ran, ["go", "/clear"]);
    });
  }
});
