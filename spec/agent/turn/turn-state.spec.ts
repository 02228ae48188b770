/**
 * Walks every state of a turn with every input.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transition, type TurnInput, type TurnState } from "../../../lib/agent/turn/turn-state.ts";
import { EngineFailure, type TurnEnd } from "../../../lib/engine/index.ts";

const endTurn: TurnEnd = { kind: "stopped", stopReason: "end_turn" };
const cancelled: TurnEnd = { kind: "stopped", stopReason: "cancelled" };
const lost: TurnEnd = { kind: "lost", failure: "gone" };
const failed: TurnEnd = { kind: "failed", failure: new EngineFailure("other", "it broke") };
const usage = { cost: { amount: 1, currency: "USD" } };
const costly: TurnEnd = { ...endTurn, usage };

const states = {
  idle: { kind: "idle" },
  preparing: { kind: "preparing", isRetry: false },
  "preparing again": { kind: "preparing", isRetry: true },
  sent: { kind: "sent", isRetry: false },
  "sent again": { kind: "sent", isRetry: true },
  acknowledged: { kind: "acknowledged" },
  cancelling: { kind: "cancelling" },
  settled: { kind: "settled", end: endTurn },
} as const satisfies Record<string, TurnState>;

const inputs = {
  start: { kind: "start" },
  ready: { kind: "ready" },
  "not ready": { kind: "not_ready", failure: "gone" },
  acknowledged: { kind: "acknowledged" },
  ended: { kind: "ended", end: endTurn },
  "ended with a cost": { kind: "ended", end: costly },
  failed: { kind: "ended", end: failed },
  lost: { kind: "ended", end: lost },
  cancel: { kind: "cancel" },
  "give up": { kind: "give_up" },
} as const satisfies Record<string, TurnInput>;

type StateName = keyof typeof states;
type InputName = keyof typeof inputs;
/** Does not compile when a kind of state, or of input, is not walked. */
type Walked<Name extends string, Kind extends Name> = [Name] extends [Kind] ? true : never;
const walksAll: [
  Walked<TurnState["kind"], (typeof states)[StateName]["kind"]>,
  Walked<TurnInput["kind"], (typeof inputs)[InputName]["kind"]>,
  Walked<TurnEnd["kind"], Extract<(typeof inputs)[InputName], { readonly end: TurnEnd }>["end"]["kind"]>,
] = [true, true, true];
/** The name of the next state, or how the turn ends, and the action. */
type Expected = readonly [StateName | TurnEnd, string];

const settledLost: Expected = [lost, "settle"];
const settledCancelled: Expected = [cancelled, "settle"];

/** Every transition. A pair that is not listed changes nothing. */
const expected: { readonly [S in StateName]: { readonly [I in InputName]?: Expected } } = {
  idle: { start: ["preparing", "prepare"], cancel: settledCancelled, "give up": settledCancelled },
  preparing: {
    ready: ["sent", "submit"],
    "not ready": settledLost,
    cancel: settledCancelled,
    "give up": settledCancelled,
  },
  "preparing again": {
    ready: ["sent again", "submit"],
    "not ready": settledLost,
    cancel: settledCancelled,
    "give up": settledCancelled,
  },
  sent: {
    acknowledged: ["acknowledged", ""],
    ended: [endTurn, "settle"],
    "ended with a cost": [costly, "settle"],
    failed: [failed, "settle"],
    lost: ["preparing again", "prepare"],
    cancel: ["cancelling", "interrupt"],
    "give up": settledCancelled,
  },
  "sent again": {
    acknowledged: ["acknowledged", ""],
    ended: [endTurn, "settle"],
    "ended with a cost": [costly, "settle"],
    failed: [failed, "settle"],
    lost: settledLost,
    cancel: ["cancelling", "interrupt"],
    "give up": settledCancelled,
  },
  acknowledged: {
    ended: [endTurn, "settle"],
    "ended with a cost": [costly, "settle"],
    failed: [failed, "settle"],
    lost: settledLost,
    cancel: ["cancelling", "interrupt"],
    "give up": settledCancelled,
  },
  cancelling: {
    ended: settledCancelled,
    "ended with a cost": [{ ...cancelled, usage }, "settle"],
    failed: settledCancelled,
    lost: settledCancelled,
    "give up": [cancelled, "abandon"],
  },
  settled: {},
};

describe("the state machine of a turn", () => {
  it("the walk has every kind of state, input and end", () => assert.deepEqual(walksAll, [true, true, true]));

  for (const [stateName, state] of Object.entries(states) as [StateName, TurnState][]) {
    for (const [inputName, input] of Object.entries(inputs) as [InputName, TurnInput][]) {
      const next = expected[stateName][inputName];
      it(`a turn that is ${stateName} ${next === undefined ? "ignores" : "reacts to"} the input "${inputName}"`, () => {
        const result = transition(state, input);
        if (next === undefined) return assert.deepEqual(result, { state });
        const [to, action] = next;
        const after = typeof to === "string" ? states[to] : { kind: "settled", end: to };
        assert.deepEqual(result, { state: after, ...(action !== "" && { action }) });
      });
    }
  }

  it("a prompt is submitted at most twice, whatever happens", () => {
    let state: TurnState = { kind: "idle" };
    let submits = 0;
    for (const input of [inputs.start, ...Array(5).fill([inputs.ready, inputs.lost]).flat()] as TurnInput[]) {
      const result = transition(state, input);
      state = result.state;
      if (result.action === "submit") submits++;
    }
    assert.equal(submits, 2);
    assert.deepEqual(state, { kind: "settled", end: lost });
  });
});
