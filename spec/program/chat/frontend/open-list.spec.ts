/**
 * A list on the screen, with a fake clock: which keys choose, and what is shown.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Key } from "../../../../lib/program/chat/input/line-editor.ts";
import { OpenList, type Picked, type PickList } from "../../../../lib/program/chat/frontend/open-list.ts";
import { quietMs } from "../../../../lib/program/chat/input/question-keys.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { bare } from "../../../support/program/chat/themes.ts";

const form: PickList = {
  title: "Which one?",
  items: [{ label: "One" }, { label: "Two" }],
  typing: "answer",
  isOwn: false,
};

function opened(list: Partial<PickList> = {}) {
  const clock = fakeClock();
  const typed: string[] = [];
  const picked: Picked[] = [];
  const open = new OpenList(
    { list: { ...form, ...list }, theme: bare, clock, isDraftEmpty: () => typed.length === 0, rows: () => 24 },
    { onType: (key) => typed.push(key.sequence ?? ""), onPick: (one) => picked.push(one), onChange: () => {} },
  );
  const press = (...names: readonly string[]): void => {
    for (const name of names) open.press(keyOf(name));
  };
  return { clock, press, typed, picked, shown: () => open.lines().join("\n") };
}

function keyOf(name: string): Key {
  return { name, sequence: name.length === 1 ? name : name === "return" ? "\r" : `\x1b[${name}` };
}

describe("OpenList", () => {
  it("keys that are typed before a form takes keys go to the message, and choose nothing", () => {
    const { clock, press, typed, picked } = opened();
    clock.advance(quietMs - 1);
    press("h", "i", "return", "down", "return");
    clock.advance(10 * quietMs);
    press("return");
    assert.deepEqual(typed.slice(0, 3), ["h", "i", "\r"]);
    assert.deepEqual(picked, []);
  });

  it("a Tab that completes a word of the message does not make a form take keys, and one after a pause does", () => {
    const { clock, press, typed, picked } = opened();
    press("/", "tab", "down", "return");
    clock.advance(quietMs - 1);
    press("tab", "down", "return");
    assert.deepEqual(picked, []);
    assert.equal(typed.length, 7);
    clock.advance(quietMs);
    press("tab", "down", "return");
    assert.deepEqual(picked, [{ kind: "items", indexes: [0] }]);
  });

  it("Enter alone chooses nothing in a form, and an arrow key with Enter chooses", () => {
    const { clock, press, picked } = opened();
    clock.advance(quietMs);
    press("return", "return");
    assert.deepEqual(picked, []);
    press("down", "down", "return");
    assert.deepEqual(picked, [{ kind: "items", indexes: [1] }]);
  });

  it("the descriptions of short names stand in one column", () => {
    const long = "a name that is too long for a column";
    const items = [
      { label: "One", about: "first" },
      { label: "Three", about: "third" },
      { label: long, about: "x" },
    ];
    const { shown } = opened({ items });
    assert.match(shown(), /\n {2}One {4}first\n {2}Three {2}third\n/);
    assert.ok(shown().includes(`${long}  x`));
  });

  it("the line ends of pasted text confirm nothing", () => {
    for (const isOwn of [false, true])
      for (const typing of ["answer", "filter"] as const) {
        const { clock, press, picked, shown } = opened({ isOwn, typing });
        clock.advance(quietMs);
        press("paste-start", "o", "return", "y", "return", "paste-end");
        assert.deepEqual(picked, [], `${isOwn} ${typing}`);
        assert.match(shown(), /: o y/);
      }
  });

  it("typing alone chooses nothing in a list of the agent, also where it filters", () => {
    const { clock, press, picked } = opened({ typing: "filter" });
    clock.advance(quietMs);
    press("o", "return");
    assert.deepEqual(picked, []);
    press("down", "return");
    assert.deepEqual(picked, [{ kind: "items", indexes: [0] }]);
  });

  it("the question of an agent is shown completely, with invisible characters by their code points", () => {
    const label = `${"long ".repeat(40)}and the end\u202e`;
    const { shown } = opened({ title: "Which\u200b?", items: [{ label, about: "a\u2066b" }] });
    const text = shown().replaceAll(/\n {4}/g, " ");
    assert.match(text, /Which<U\+200B>\?/);
    assert.match(text, /and the\s+end<U\+202E>\s+a<U\+2066>b/);
  });
});
