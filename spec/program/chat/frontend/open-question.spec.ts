/**
 * A permission question on the screen, with a fake clock.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption } from "../../../../lib/acp/index.ts";
import type { Key } from "../../../../lib/program/chat/input/line-editor.ts";
import type { Question } from "../../../../lib/program/chat/frontend/frontend.ts";
import { OpenQuestion } from "../../../../lib/program/chat/frontend/open-question.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { bare } from "../../../support/program/chat/themes.ts";

const options = [
  permissionOption("allow_once", "yes", "Allow"),
  permissionOption("allow_always", "always", "Always allow\u202e this"),
  permissionOption("reject_once", "no", "Reject"),
];

function opened(whole: readonly string[] = ["  one"], rows = 24, more: Partial<Question> = {}, hasDraft = true) {
  const clock = fakeClock();
  const typed: Key[] = [];
  const answers: string[] = [];
  let isDraftEmpty = true;
  const question = new OpenQuestion(
    {
      question: { options, whole: () => whole, isCut: whole.length > 40, ...more },
      theme: bare,
      clock,
      hasDraft,
      isDraftEmpty: () => isDraftEmpty,
      rows: () => rows,
    },
    {
      onType: (key) => {
        typed.push(key);
        isDraftEmpty = false;
      },
      onAnswer: (outcome) => answers.push(outcome.outcome === "selected" ? outcome.optionId : outcome.outcome),
      onChange: () => {},
    },
  );
  const shown = (): string => question.region({ live: [], queued: [], draft: undefined }, rows).lines.join("\n");
  const press = (...keys: readonly string[]): void => {
    for (const name of keys) question.press({ name, sequence: name.length === 1 ? name : `\x1b[${name}` });
  };
  return { clock, question, typed, answers, shown, press };
}

describe("OpenQuestion", () => {
  it("a question that was covered takes no key until it has been seen for a second", () => {
    const { clock, question, answers, press } = opened();
    clock.advance(5000);
    question.shown();
    press("y");
    clock.advance(900);
    assert.deepEqual(answers, []);
    assert.equal(question.takesKeys, false);
  });

  it("a question in a window that is too small for it says so, and takes no answer but no", () => {
    const { clock, answers, shown, press } = opened(["  one"], 8);
    clock.advance(5000);
    assert.match(shown(), /^The window is too small to show the question/);
    press("y");
    clock.advance(5000);
    press("down", "return");
    clock.advance(5000);
    assert.deepEqual(answers, []);
    press("n");
    clock.advance(5000);
    assert.deepEqual(answers, ["no"]);
  });

  it("the hints say where keys go before the question takes them, and which keys answer afterwards", () => {
    const { clock, question, shown } = opened();
    assert.match(
      shown(),
      /your keys go to the message below\n {2}after a pause, tab answers the question\n {2}esc stops the turn/,
    );
    assert.doesNotMatch(shown(), /press y/);
    clock.advance(999);
    assert.equal(question.takesKeys, false);
    clock.advance(1);
    assert.equal(question.takesKeys, true);
    assert.match(shown().replaceAll(/\s+/g, " "), /press y or n, or choose with ↑ ↓ and enter · esc says no/);
    assert.match(shown(), /Always allow<U\+202E> this \(↑ ↓ and enter\)/);
  });

  it("the option that asks for a reason in a form is left out where Tab asks for it at once, and where the user cannot type", () => {
    const more = { options: [...options, permissionOption("reject_once", "reject_reason", "Reject and tell why")] };
    const takesInstead = { ...more, takesInstead: true };
    assert.doesNotMatch(opened([], 24, takesInstead).shown(), /tell why/);
    assert.doesNotMatch(opened([], 24, more, false).shown(), /tell why/, "no reason can be typed");
    assert.match(opened([], 24, more).shown(), /tell why/);
  });

  it("no answer is highlighted at first", () => {
    const { clock, shown, press, answers } = opened();
    clock.advance(1000);
    assert.doesNotMatch(shown(), /▸/);
    press("return");
    assert.deepEqual(answers, []);
    press("down", "down");
    assert.match(shown(), /^▸ {4}Always/m);
    press("return");
    assert.deepEqual(answers, ["always"]);
  });

  it("letters of a word go to the draft, and a closed question leaves no timer", () => {
    const { clock, typed, answers, press, question } = opened();
    clock.advance(1000);
    press("y");
    clock.advance(100);
    press("e");
    clock.advance(60_000);
    assert.deepEqual([typed.map(({ name }) => name), answers], [["y", "e"], []]);
    const other = opened();
    other.question.close();
    question.close();
    assert.deepEqual([clock.pending(), other.clock.pending()], [0, 0]);
  });

  it("the view shows every line of the tool call page by page, with the answers below it", () => {
    const whole = Array.from({ length: 2000 }, (_, i) => `  line ${i + 1}`);
    const { clock, press, shown } = opened(whole);
    clock.advance(1000);
    assert.match(shown(), /v shows all 2000 lines/);
    press("v");
    clock.advance(1000);
    const seen = new Set<string>();
    for (;;) {
      const screen = shown();
      assert.ok(screen.split("\n").length <= 24, "it fits on the screen");
      assert.match(screen, /Reject/);
      for (const [line] of screen.matchAll(/ {2}line \d+$/gm)) seen.add(line);
      if (/── end ──/.test(screen)) break;
      press("pagedown");
    }
    assert.deepEqual([...seen], whole);
  });

  it("the view is offered when all lines were printed but do not fit the screen", () => {
    const whole = Array.from({ length: 30 }, (_, i) => `  line ${i + 1}`);
    const low = opened(whole, 24);
    low.clock.advance(1000);
    assert.match(low.shown(), /v shows all 30 lines/);
    const high = opened(whole, 60);
    high.clock.advance(1000);
    assert.doesNotMatch(high.shown(), /shows all/);
  });

  it("messages that wait stand between the question and the message that is being typed", () => {
    const { question } = opened();
    const draft = { lines: ["❯ a"], cursor: { row: 0, column: 3 } };
    const { lines } = question.region({ live: ["live"], queued: ["❯ later (waits)"], draft }, 40);
    assert.deepEqual(lines.slice(-5), ["live", "", "❯ later (waits)", "", "❯ a"]);
    const low = question.region(
      { live: Array.from({ length: 40 }, () => "live"), queued: ["❯ later (waits)"], draft },
      20,
    );
    assert.deepEqual(low.lines.slice(-4), ["", "❯ later (waits)", "", "❯ a"]);
    assert.doesNotMatch(low.lines.join("\n"), /live/);
  });

  it("the answers stay on a low screen, also with a plan and a long draft", () => {
    const { question } = opened();
    const live = Array.from({ length: 40 }, () => "a plan");
    const draft = { lines: ["❯ a", "  b"], cursor: { row: 1, column: 3 } };
    const queued = Array.from({ length: 30 }, () => "❯ later (waits)");
    const { lines, cursor } = question.region({ live, queued, draft }, 20);
    assert.ok(lines.length <= 20);
    assert.match(lines.join("\n"), /Reject/);
    assert.doesNotMatch(lines.join("\n"), /waits/);
    assert.deepEqual([lines[cursor?.row ?? 0], cursor?.column], ["  b", 3]);
  });
});
