/**
 * Which keys answer an open question and which edit the draft.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { permissionOption } from "../../../../lib/acp/index.ts";
import type { Key } from "../../../../lib/program/chat/input/line-editor.ts";
import { answersTo, refusal } from "../../../../lib/program/chat/render/permission-prompt.ts";
import {
  dueAtMs,
  onTimer,
  letterMs,
  openedAt,
  onKey,
  type QuestionContext,
  type QuestionEffect,
  type QuestionState,
  quietMs,
} from "../../../../lib/program/chat/input/question-keys.ts";

const options = [
  permissionOption("allow_once", "yes", "Allow"),
  permissionOption("allow_always", "always", "Always"),
  permissionOption("reject_once", "no", "Reject"),
];

const named: Readonly<Record<string, Key>> = {
  tab: { name: "tab", sequence: "\t" },
  backtab: { name: "tab", sequence: "\x1b[Z", shift: true },
  up: { name: "up", sequence: "\x1b[A" },
  down: { name: "down", sequence: "\x1b[B" },
  enter: { name: "return", sequence: "\r" },
  escape: { name: "escape", sequence: "\x1b", meta: true },
  pagedown: { name: "pagedown", sequence: "\x1b[6~" },
  pageup: { name: "pageup", sequence: "\x1b[5~" },
  backspace: { name: "backspace", sequence: "\x7f" },
  paste: { name: "paste-start", sequence: "\x1b[200~" },
  "ctrl-y": { name: "y", sequence: "\x19", ctrl: true },
  "alt-y": { name: "y", sequence: "\x1by", meta: true },
};

const keyOf = (word: string): Key => named[word] ?? { name: word, sequence: word };

/** Plays keys (strings) and pauses (numbers, in ms); letters that are no answer fill a draft. */
class KeyPlayer {
  state: QuestionState = openedAt(0);
  nowMs = 0;
  draft = "";
  answer: string | undefined;
  readonly #view: QuestionContext["view"];

  constructor(view?: QuestionContext["view"]) {
    this.#view = view;
  }

  play(...steps: readonly (string | number)[]): this {
    for (const step of steps) {
      if (typeof step === "number") this.#wait(step);
      else if (this.answer === undefined) this.#take(onKey(this.state, keyOf(step), this.#context()));
    }
    return this;
  }

  /** Calls `onTimer` when it is due, and once more at the end. */
  #wait(ms: number): void {
    const end = this.nowMs + ms;
    for (;;) {
      const dueMs = this.answer === undefined ? dueAtMs(this.state, this.draft === "") : undefined;
      if (dueMs === undefined || dueMs > end) break;
      this.nowMs = Math.max(this.nowMs, dueMs);
      this.#take(onTimer(this.state, this.#context()));
    }
    this.nowMs = end;
  }

  #take({ state, effect }: { readonly state: QuestionState; readonly effect: QuestionEffect }): void {
    this.state = state;
    if (effect.kind === "answer")
      this.answer = effect.outcome.outcome === "selected" ? effect.outcome.optionId : "cancelled";
    if (effect.kind !== "type") return;
    for (const { sequence = "", name } of effect.keys) {
      if (name === "backspace") this.draft = this.draft.slice(0, -1);
      else if (name === "return") this.draft = "";
      else if (sequence.length === 1) this.draft += sequence;
    }
  }

  #context(): QuestionContext {
    const { nowMs } = this;
    const isDraftEmpty = this.draft === "";
    return { nowMs, isDraftEmpty, answers: answersTo(options), refusal: refusal(options), view: this.#view };
  }
}

const playKeys = (...steps: readonly (string | number)[]): KeyPlayer => new KeyPlayer().play(...steps);

describe("when a question takes keys", () => {
  it("a question takes keys after a second without a key, and not a millisecond earlier", () => {
    assert.equal(playKeys(quietMs - 1).state.at, "draft");
    assert.equal(playKeys(quietMs).state.at, "choices");
    const early = playKeys(quietMs - 1, "y", letterMs);
    assert.deepEqual([early.answer, early.draft], [undefined, "y"]);
  });

  it("the second counts from the last key, also one that changed nothing", () => {
    assert.equal(playKeys(900, "up", 999).state.at, "draft");
    assert.equal(playKeys(900, "up", 1000).state.at, "choices");
  });

  it("a question takes no keys while the draft is not empty, however long no key is pressed", () => {
    const typed = playKeys("h", 3_600_000);
    assert.equal(typed.state.at, "draft");
    assert.equal(typed.play("backspace", quietMs).state.at, "choices");
  });

  it("Tab after a second without a key makes a question take keys, also with a draft, and Tab gives them back", () => {
    assert.equal(playKeys("h", quietMs, "tab").state.at, "choices");
    assert.equal(playKeys("h", quietMs, "tab", "y", letterMs).answer, "yes");
    const back = playKeys(quietMs, "tab", 3_600_000);
    assert.equal(back.state.at, "draft", "who went to the draft by Tab stays there");
    assert.equal(back.play("y", letterMs).draft, "y");
  });

  it("a Tab that completes a word of the draft does not make a question take keys", () => {
    for (const steps of [
      ["tab", "down", "down", "enter"],
      ["/", "tab", "down", "down", "enter"],
      [quietMs - 1, "tab", "y", letterMs],
      ["@", "s", quietMs - 1, "tab", "y", letterMs],
      [quietMs, "/", "tab", "tab", "down", "enter"],
    ]) {
      const { answer, state } = playKeys(...steps);
      assert.deepEqual([answer, state.at], [undefined, "draft"], steps.join(" "));
    }
  });

  it("who has come to an empty draft by Tab goes back by Tab at once", () => {
    assert.equal(playKeys(quietMs, "tab", "tab").state.at, "choices");
    assert.equal(playKeys(quietMs, "tab", "h", "tab").state.at, "draft");
    assert.equal(playKeys(quietMs, "tab", "h", quietMs, "tab").state.at, "choices");
  });

  it("Shift-Tab does not make a question take keys", () => {
    assert.equal(playKeys("backtab").state.at, "draft");
  });
});

describe("letters at a question", () => {
  it("a letter answers when no other key follows at once", () => {
    assert.equal(playKeys(quietMs, "y", letterMs - 1).answer, undefined);
    assert.equal(playKeys(quietMs, "y", letterMs).answer, "yes");
    assert.equal(playKeys(quietMs, "n", letterMs).answer, "no");
  });

  it("text that is pasted without its marks answers nothing, also when it begins with a letter and a line end", () => {
    const pasted = playKeys(quietMs, "y", "enter", "m", "o", "r", "e", 10_000);
    assert.equal(pasted.answer, undefined);
    assert.equal(pasted.draft, "y more");
    assert.equal(playKeys(quietMs, "y", "enter", letterMs - 1, "m", 10_000).answer, undefined);
  });

  it("Enter after a letter changes nothing, and Backspace takes the letter back", () => {
    assert.equal(playKeys(quietMs, "y", "enter").answer, undefined);
    assert.equal(playKeys(quietMs, "y", "enter", letterMs).answer, "yes");
    const back = playKeys(quietMs, "y", "backspace", 10_000);
    assert.deepEqual([back.answer, back.draft, back.state.at], [undefined, "", "choices"]);
  });

  it("a letter that begins a word goes to the draft with the word", () => {
    const typed = playKeys(quietMs, "y", 300, "e", 300, "s", 10_000);
    assert.deepEqual([typed.answer, typed.draft], [undefined, "yes"]);
  });

  it("a letter that is no answer goes to the draft, and the keys after it too", () => {
    const typed = playKeys(quietMs, "a", 10_000, "y", 10_000, "n", 10_000);
    assert.deepEqual([typed.answer, typed.draft], [undefined, "ayn"]);
  });

  it("a letter with Ctrl or Alt, or a pasted one, is no answer", () => {
    for (const key of ["ctrl-y", "alt-y"]) assert.equal(playKeys(quietMs, key, 10_000).answer, undefined, key);
    const pasted = playKeys(quietMs, "paste", "y", 500);
    assert.deepEqual([pasted.answer, pasted.draft], [undefined, "y"]);
  });

  it("a letter followed by a key that a busy program reads late is still the start of a word", () => {
    const late = playKeys(quietMs, "y");
    late.nowMs += 10 * letterMs;
    late.play("n", 10_000);
    assert.deepEqual([late.answer, late.draft], [undefined, "yn"]);
  });
});

describe("Enter at a question", () => {
  it("Enter answers nothing before an arrow key has highlighted an answer", () => {
    const entered = playKeys(quietMs, "enter", "enter", 10_000);
    assert.deepEqual([entered.answer, entered.state.at], [undefined, "choices"]);
  });

  it("Enter gives the highlighted answer, and arrows wrap around at both ends", () => {
    assert.equal(playKeys(quietMs, "down", "enter").answer, "yes");
    assert.equal(playKeys(quietMs, "down", "down", "enter").answer, "always");
    assert.equal(playKeys(quietMs, "up", "enter").answer, "no");
    assert.equal(playKeys(quietMs, "down", "up", "enter").answer, "no");
    assert.equal(playKeys(quietMs, "up", "down", "enter").answer, "yes");
  });

  it("Enter does not answer after the question has given the keys back to the draft", () => {
    const typed = playKeys(quietMs, "down", "down", "x", "enter", quietMs, "enter");
    assert.equal(typed.answer, undefined, "the highlight is gone");
  });
});

describe("Escape at a question", () => {
  it("Escape refuses once the question takes keys, and belongs to the draft before", () => {
    assert.equal(playKeys("escape").answer, undefined);
    assert.equal(playKeys(quietMs, "escape").answer, "no");
    assert.equal(playKeys(quietMs, "y", "escape").answer, "no");
  });
});

describe("the view of a question", () => {
  const view = { pageRows: 10, lastTop: 25 };
  const top = (...steps: readonly (string | number)[]): number | undefined => {
    const { state } = new KeyPlayer(view).play(quietMs, ...steps);
    return state.at === "draft" ? -1 : state.top;
  };

  it("the view opens and closes by its letter, and scrolls by pages to both ends", () => {
    assert.equal(top("v", letterMs), 0);
    assert.equal(top("v", letterMs, "v", letterMs), undefined);
    assert.equal(top("pagedown"), 0);
    assert.equal(top("pagedown", "pagedown", "pagedown"), 20);
    assert.equal(top("pagedown", "pagedown", "pagedown", "pagedown", "pagedown"), 25);
    assert.equal(top("pagedown", "pagedown", "pageup", "pageup"), 0);
  });

  it("the view does not change the highlighted answer", () => {
    assert.equal(new KeyPlayer(view).play(quietMs, "pagedown", "y", letterMs).answer, "yes");
  });

  it("the view has no letter when everything is on the screen", () => {
    const typed = playKeys(quietMs, "v", letterMs);
    assert.deepEqual([typed.draft, typed.state.at], ["v", "draft"]);
  });
});

describe("any typing at a question", () => {
  it("text typed faster than the letter pause answers nothing and is all in the draft", () => {
    const letters = fc.array(fc.constantFrom("y", "n", "a", "1", "2", "3", "v", " ", "x", "q"), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 1, max: letterMs - 1 }),
        letters,
        (at, gap, all) => {
          const typing = new KeyPlayer().play(at);
          for (const letter of all) typing.play(letter, gap);
          assert.deepEqual([typing.answer, typing.draft], [undefined, all.join("")]);
        },
      ),
    );
  });

  it("a lasting permission is granted only by an arrow key and Enter", () => {
    const steps = fc.array(
      fc.oneof(
        fc.constantFrom("y", "n", "a", "1", "2", "3", "v", ...Object.keys(named)),
        fc.integer({ min: 1, max: 2000 }),
      ),
    );
    fc.assert(
      fc.property(steps, (all) => {
        if (new KeyPlayer().play(...all).answer !== "always") return;
        assert.ok(all.includes("enter") && (all.includes("up") || all.includes("down")), JSON.stringify(all));
      }),
      { numRuns: 2000 },
    );
  });
});
