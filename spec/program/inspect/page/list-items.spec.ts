/**
 * The list of the inspector's page, as far as no browser is needed: its lines, what is
 * folded, and what is found again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Item, TapeModel, ViewState } from "../../../../lib/program/inspect/page/model.ts";
import {
  acp,
  answered,
  chunk,
  claude,
  list,
  prompt,
  tapeOf,
  updated,
  views,
} from "../../../support/program/inspector-modules.ts";

const { countRows, itemsOf, sameItem } = list;
const { fold, foldTurns, openingView, uncover } = views;

/** Two turns of one session, with a stream in the first. */
const conversation = tapeOf(
  acp("in", 0, { id: 0, method: "initialize" }),
  acp("out", 1, { id: 0, result: {} }),
  acp("in", 2, { id: 1, method: "session/load", params: { sessionId: "s-1" } }),
  prompt(3, 2, "Question one"),
  chunk(4, "a"),
  chunk(5, "B"),
  chunk(6, "c"),
  answered(7, 2),
  prompt(8, 3, "Question two"),
  chunk(9, "d"),
  chunk(10, "e"),
  updated(11, { sessionUpdate: "tool_call_update", toolCallId: "x", status: "failed" }),
  answered(12, 3),
);

/** Each line of the list in a word or two. */
function shown(tape: TapeModel, wanted: Partial<ViewState> = {}): string {
  return itemsOf(tape, { ...openingView(tape), ...wanted })
    .map(wordFor)
    .join(" | ");
}

function wordFor(item: Item): string {
  if (item.kind === "row") return `${item.isInner ? "+" : ""}${item.one.i}`;
  return item.kind === "run" ? `${item.one.i}×${item.rows.length}` : item.name;
}

function itemAt(tape: TapeModel, view: ViewState, word: string): Item {
  const item = itemsOf(tape, view).find((one) => wordFor(one) === word);
  assert.ok(item, word);
  return item;
}

describe("itemsOf", () => {
  it("puts rows under their session and their turn, and a stream in one line", () => {
    assert.equal(
      shown(conversation),
      "Connection | 0 | 1 | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2 | 8 | 9 | 10 | 11 | 12",
    );
  });

  it("puts all rows by time when it is told to", () => {
    assert.equal(shown(conversation, { isFlat: true }), "0 | 1 | 2 | 3 | 4×3 | 7 | 8 | 9 | 10 | 11 | 12");
  });

  it("shows what is searched for, and folds none of it away", () => {
    const shut = new Set(conversation.sessions.get("s-1")?.turns);
    assert.equal(shown(conversation, { search: "question", shut }), "Session 1 | Turn 1 | 3 | Turn 2 | 8");
    assert.equal(shown(conversation, { search: '"b"' }), "Session 1 | Turn 1 | 5", "no stream, and any case");
    assert.equal(shown(conversation, { search: "nowhere" }), "");
  });

  it("shows one side, also of a stream that both are in", () => {
    const delta = (t: number): object =>
      claude("out", t, { type: "stream_event", event: { delta: { type: "text_delta", text: "a" } } });
    const both = tapeOf(prompt(0, 1, "a"), delta(1), chunk(2, "a"), delta(3), chunk(4, "a"), answered(5, 1));
    assert.equal(shown(both), "Session 1 | Turn 1 | 0 | 1×4 | 5");
    assert.equal(shown(both, { side: "acp" }), "Session 1 | Turn 1 | 0 | 2×2 | 5");
    assert.equal(shown(both, { side: "claude" }), "Session 1 | Turn 1 | 1×2");
  });

  it("shows what failed or is wrong", () => {
    assert.equal(shown(conversation, { isBad: true }), "Session 1 | Turn 2 | 11");
    const wrong = tapeOf(acp("in", 1, { method: "a" }), { dir: "problem", about: "b" }, acp("in", 2, { method: "c" }));
    assert.equal(shown(wrong, { isBad: true }), "Connection | 0");
  });

  it("does not number the only session of a CLI", () => {
    assert.equal(shown(tapeOf(claude("out", 1, { type: "a" }))), "Session | 0");
  });

  it("has no lines for an empty recording", () => {
    assert.equal(shown(tapeOf()), "");
    assert.equal(shown(tapeOf(), { isFlat: true }), "");
  });

  it("changes neither the recording nor the view", () => {
    const view = openingView(conversation);
    const before = structuredClone(conversation);
    const first = itemsOf(conversation, view);
    assert.deepEqual(itemsOf(conversation, view), first);
    assert.deepEqual(view, openingView(conversation));
    assert.deepEqual(structuredClone(conversation), before);
  });
});

describe("countRows", () => {
  it("counts every row once, open or not", () => {
    const view = openingView(conversation);
    assert.equal(countRows(itemsOf(conversation, view)), 13);
    fold(view, itemAt(conversation, view, "4×3"));
    assert.equal(countRows(itemsOf(conversation, view)), 13);
    fold(view, itemAt(conversation, view, "Turn 2"));
    assert.equal(countRows(itemsOf(conversation, view)), 8);
  });
});

describe("openingView", () => {
  it("begins with the turns folded when there is more than one, of many rows", () => {
    const chunks = Array.from({ length: 300 }, (_, i) => chunk(i, "a"));
    assert.equal(shown(tapeOf(prompt(0, 1, "a"), ...chunks, answered(300, 1))), "Session 1 | Turn 1 | 0 | 1×300 | 301");
    const two = tapeOf(prompt(0, 1, "a"), ...chunks, answered(300, 1), prompt(301, 2, "b"));
    assert.equal(shown(two), "Session 1 | Turn 1 | Turn 2");
  });
});

describe("fold", () => {
  const state = (view: ViewState): string => itemsOf(conversation, view).map(wordFor).join(" | ");

  it("shuts and opens what has something inside", () => {
    const view = openingView(conversation);
    for (const [word, expected] of [
      ["Connection", "Connection | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2 | 8 | 9 | 10 | 11 | 12"],
      ["Turn 2", "Connection | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2"],
      ["4×3", "Connection | Session 1 | 2 | Turn 1 | 3 | 4×3 | +4 | +5 | +6 | 7 | Turn 2"],
      ["Session 1", "Connection | Session 1"],
    ] as const) {
      assert.equal(fold(view, itemAt(conversation, view, word)), true);
      assert.equal(state(view), expected);
    }
    for (const word of ["Session 1", "4×3", "Turn 2", "Connection"]) fold(view, itemAt(conversation, view, word));
    assert.equal(state(view), shown(conversation));
  });

  it("changes nothing that is so already, and no row", () => {
    const view = openingView(conversation);
    assert.equal(fold(view, itemAt(conversation, view, "Turn 1"), false), false);
    assert.equal(fold(view, itemAt(conversation, view, "4×3"), true), false);
    assert.equal(fold(view, itemAt(conversation, view, "3")), false);
    assert.equal(state(view), shown(conversation));
  });

  it("shuts all turns, and opens them when all are shut", () => {
    const view = openingView(conversation);
    fold(view, itemAt(conversation, view, "Turn 1"));
    foldTurns(view, conversation);
    assert.equal(state(view), "Connection | 0 | 1 | Session 1 | 2 | Turn 1 | Turn 2");
    foldTurns(view, conversation);
    assert.equal(state(view), shown(conversation));
  });

  it("opens what a row is in", () => {
    const view = openingView(conversation);
    for (const word of ["Turn 1", "Turn 2", "Session 1", "Connection"]) fold(view, itemAt(conversation, view, word));
    const [first, , , , inTurn] = conversation.rows;
    assert.ok(first && inTurn);
    uncover(view, conversation, inTurn);
    assert.equal(state(view), "Connection | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2");
    uncover(view, conversation, first);
    assert.equal(state(view), "Connection | 0 | 1 | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2");
  });
});

describe("sameItem", () => {
  const view = openingView(conversation);
  const again = (item: Item, wanted: Partial<ViewState> = {}): string => {
    const found = sameItem(itemsOf(conversation, { ...view, ...wanted }), item);
    return found === undefined ? "none" : wordFor(found);
  };

  it("finds a line again when the list was made anew", () => {
    for (const item of itemsOf(conversation, view)) assert.equal(again(item), wordFor(item));
  });

  it("finds the row instead of its stream, and the stream instead of its first row", () => {
    assert.equal(again(itemAt(conversation, view, "4×3"), { search: '"a"' }), "4");
    const row = itemAt(conversation, { ...view, search: '"a"' }, "4");
    assert.equal(again(row), "4×3");
  });

  it("finds nothing where it is no longer shown", () => {
    assert.equal(again(itemAt(conversation, view, "Turn 2"), { isFlat: true }), "none");
    assert.equal(again(itemAt(conversation, view, "3"), { search: "two" }), "none");
  });
});
