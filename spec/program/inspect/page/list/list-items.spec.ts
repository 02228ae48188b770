/**
 * The parts of the inspector's list that need no browser: grouping, folding
 * and finding a line again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Item, TapeModel, ViewState } from "../../../../../lib/program/inspect/page/recording/model.ts";
import {
  acp,
  answered,
  chunk,
  claude,
  list,
  matchesOf,
  prompt,
  tapeOf,
  updated,
  views,
} from "../../../../support/program/inspector-modules.ts";

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

/** Each line of the list, abbreviated. */
function shown(tape: TapeModel, wanted: Partial<ViewState> = {}): string {
  const { search = "" } = wanted;
  const matches = search === "" ? undefined : matchesOf(tape.rows, search);
  return itemsOf(tape, { ...openingView(tape), matches, ...wanted })
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
  it("a CLI that was started ahead and got no session is named as that, and is not counted as a session", () => {
    const tape = tapeOf(
      claude("out", 0, { type: "control_response" }, "waiting-1"),
      acp("in", 1, { id: 1, method: "session/load", params: { sessionId: "s-1" } }),
      prompt(2, 2, "Question one"),
      answered(3, 2),
    );
    const names = itemsOf(tape, openingView(tape)).flatMap((item) => ("name" in item ? [item.name] : []));
    assert.deepEqual(names, ["CLI that waits for a session", "Session 1", "Turn 1"]);
  });

  it("rows are grouped by session and turn, and a stream is one line", () => {
    assert.equal(
      shown(conversation),
      "Connection | 0 | 1 | Session 1 | 2 | Turn 1 | 3 | 4×3 | 7 | Turn 2 | 8 | 9 | 10 | 11 | 12",
    );
  });

  it("the flat list has all rows by time", () => {
    assert.equal(shown(conversation, { isFlat: true }), "0 | 1 | 2 | 3 | 4×3 | 7 | 8 | 9 | 10 | 11 | 12");
  });

  it("matches of a search are shown and never folded", () => {
    const shut = new Set(conversation.sessions.get("s-1")?.turns);
    assert.equal(shown(conversation, { search: "question", shut }), "Session 1 | Turn 1 | 3 | Turn 2 | 8");
    assert.equal(shown(conversation, { search: '"b"' }), "Session 1 | Turn 1 | 5", "no stream, and any case");
    assert.equal(shown(conversation, { search: "nowhere" }), "");
  });

  it("the list of one side has only its rows, also of a stream that both sides report", () => {
    const delta = (t: number): object =>
      claude("out", t, { type: "stream_event", event: { delta: { type: "text_delta", text: "a" } } });
    const both = tapeOf(prompt(0, 1, "a"), delta(1), chunk(2, "a"), delta(3), chunk(4, "a"), answered(5, 1));
    assert.equal(shown(both), "Session 1 | Turn 1 | 0 | 1×4 | 5");
    assert.equal(shown(both, { side: "acp" }), "Session 1 | Turn 1 | 0 | 2×2 | 5");
    assert.equal(shown(both, { side: "claude" }), "Session 1 | Turn 1 | 1×2");
  });

  it("the list of problems has rows with errors and rows with violations", () => {
    assert.equal(shown(conversation, { isBad: true }), "Session 1 | Turn 2 | 11");
    const wrong = tapeOf(acp("in", 1, { method: "a" }), { dir: "problem", about: "b" }, acp("in", 2, { method: "c" }));
    assert.equal(shown(wrong, { isBad: true }), "Connection | 0");
  });

  it("the list of a session has its rows only, folded as before", () => {
    const two = tapeOf(
      acp("in", 0, { id: 0, method: "initialize" }),
      prompt(1, 1, "one", "s-1"),
      chunk(2, "a", "s-1"),
      prompt(3, 2, "two", "s-2"),
      chunk(4, "b", "s-2"),
    );
    const session = two.sessions.get("s-2");
    assert.equal(shown(two, { session }), "Session 2 | Turn 1 | 3 | 4");
    assert.equal(shown(two, { session, shut: new Set(session?.turns) }), "Session 2 | Turn 1");
    assert.equal(shown(two, { session: "connection" }), "Connection | 0");
    assert.equal(shown(two, { session, isFlat: true }), "3 | 4");
  });

  it("the list of a kind has the rows of that kind in all turns, and a stream is one line", () => {
    const shut = new Set(conversation.sessions.get("s-1")?.turns);
    assert.equal(shown(conversation, { kind: "text", shut }), "Session 1 | Turn 1 | 4×3 | Turn 2 | 9 | 10");
    assert.equal(shown(conversation, { kind: "tool" }), "Session 1 | Turn 2 | 11");
    assert.equal(shown(conversation, { kind: "prompt" }), "Session 1 | Turn 1 | 3 | 7 | Turn 2 | 8 | 12");
    assert.equal(shown(conversation, { kind: "terminal" }), "");
  });

  it("the only session of a CLI has no number", () => {
    assert.equal(shown(tapeOf(claude("out", 1, { type: "a" }))), "Session | 0");
  });

  it("an empty recording has no lines", () => {
    assert.equal(shown(tapeOf()), "");
    assert.equal(shown(tapeOf(), { isFlat: true }), "");
  });

  it("itemsOf changes neither the recording nor the view", () => {
    const view = openingView(conversation);
    const before = structuredClone(conversation);
    const first = itemsOf(conversation, view);
    assert.deepEqual(itemsOf(conversation, view), first);
    assert.deepEqual(view, openingView(conversation));
    assert.deepEqual(structuredClone(conversation), before);
  });
});

describe("countRows", () => {
  it("countRows counts every row once, folded or not", () => {
    const view = openingView(conversation);
    assert.equal(countRows(itemsOf(conversation, view)), 13);
    fold(view, itemAt(conversation, view, "4×3"));
    assert.equal(countRows(itemsOf(conversation, view)), 13);
    fold(view, itemAt(conversation, view, "Turn 2"));
    assert.equal(countRows(itemsOf(conversation, view)), 8);
  });
});

describe("openingView", () => {
  it("a long recording with several turns opens with its turns folded", () => {
    const chunks = Array.from({ length: 300 }, (_, i) => chunk(i, "a"));
    assert.equal(shown(tapeOf(prompt(0, 1, "a"), ...chunks, answered(300, 1))), "Session 1 | Turn 1 | 0 | 1×300 | 301");
    const two = tapeOf(prompt(0, 1, "a"), ...chunks, answered(300, 1), prompt(301, 2, "b"));
    assert.equal(shown(two), "Session 1 | Turn 1 | Turn 2");
  });
});

describe("fold", () => {
  const state = (view: ViewState): string => itemsOf(conversation, view).map(wordFor).join(" | ");

  it("fold folds and unfolds sessions, turns and runs", () => {
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

  it("fold changes neither an item that is in the wanted state nor a row", () => {
    const view = openingView(conversation);
    assert.equal(fold(view, itemAt(conversation, view, "Turn 1"), false), false);
    assert.equal(fold(view, itemAt(conversation, view, "4×3"), true), false);
    assert.equal(fold(view, itemAt(conversation, view, "3")), false);
    assert.equal(state(view), shown(conversation));
  });

  it("foldTurns folds all turns, and unfolds them when all are folded", () => {
    const view = openingView(conversation);
    fold(view, itemAt(conversation, view, "Turn 1"));
    foldTurns(view, conversation);
    assert.equal(state(view), "Connection | 0 | 1 | Session 1 | 2 | Turn 1 | Turn 2");
    foldTurns(view, conversation);
    assert.equal(state(view), shown(conversation));
  });

  it("uncover unfolds the session and the turn of a row", () => {
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

  it("sameItem finds a line again after the list was rebuilt", () => {
    for (const item of itemsOf(conversation, view)) assert.equal(again(item), wordFor(item));
  });

  it("sameItem finds the row instead of its run, and the run instead of its first row", () => {
    const matches = matchesOf(conversation.rows, '"a"');
    assert.equal(again(itemAt(conversation, view, "4×3"), { matches }), "4");
    const row = itemAt(conversation, { ...view, matches }, "4");
    assert.equal(again(row), "4×3");
  });

  it("sameItem finds nothing for a line that is no longer shown", () => {
    assert.equal(again(itemAt(conversation, view, "Turn 2"), { isFlat: true }), "none");
    assert.equal(again(itemAt(conversation, view, "3"), { matches: matchesOf(conversation.rows, "two") }), "none");
  });
});
