/**
 * The screen, by what a terminal shows after each redraw.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Screen } from "../../../../lib/program/chat/frontend/screen.ts";

/** A terminal emulator that knows only the sequences the screen writes, and throws at others. */
class Paper {
  readonly columns = 40;
  readonly rows: number;
  cells: string[] = [""];
  row = 0;
  column = 0;
  writes = 0;

  constructor(rows: number) {
    this.rows = rows;
  }

  readonly write = (text: string): void => {
    this.writes++;
    // oxlint-disable-next-line no-control-regex
    for (const [part] of text.matchAll(/\x1b\[[\d;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+/g)) this.#take(part);
  };

  /** All lines, including those that scrolled away. */
  get text(): string {
    return this.cells.join("\n");
  }

  get #top(): number {
    return Math.max(0, this.cells.length - this.rows);
  }

  #take(part: string): void {
    // oxlint-disable-next-line no-control-regex
    const [, count = "1", verb = ""] = /^\x1b\[\??(\d*)([A-Za-z])$/.exec(part) ?? [];
    if (part === "\r") this.column = 0;
    else if (part === "\n") {
      this.row++;
      if (this.row === this.cells.length) this.cells.push("");
    } else if (verb === "A") this.row = Math.max(this.#top, this.row - Number(count));
    else if (verb === "C") this.column += Number(count);
    else if (verb === "K") this.cells[this.row] = (this.cells[this.row] ?? "").slice(0, this.column);
    else if (verb === "J") {
      this.cells[this.row] = (this.cells[this.row] ?? "").slice(0, this.column);
      this.cells.length = this.row + 1;
    } else if (verb === "h" || verb === "l") return;
    else if (part.startsWith("\x1b")) assert.fail(`the screen wrote ${JSON.stringify(part)}`);
    else {
      const line = (this.cells[this.row] ?? "").padEnd(this.column);
      this.cells[this.row] = line.slice(0, this.column) + part + line.slice(this.column + part.length);
      this.column += part.length;
    }
  }
}

describe("Screen", () => {
  it("final lines stay above the region that is redrawn", () => {
    const paper = new Paper(10);
    const screen = new Screen(paper);
    screen.draw([], ["* working", "> draft"], { row: 1, column: 2 });
    screen.draw(["done"], ["* more", "> draft"], { row: 1, column: 2 });
    assert.equal(paper.text, "done\n* more\n> draft");
    assert.deepEqual([paper.row, paper.column], [2, 2]);
    screen.draw([], ["> draft"], { row: 0, column: 0 });
    assert.equal(paper.text, "done\n> draft");
    screen.close();
    assert.match(paper.text, /^done\s*$/);
    assert.deepEqual([paper.row, paper.column], [1, 0]);
  });

  it("a redraw without a change writes nothing", () => {
    const paper = new Paper(10);
    const screen = new Screen(paper);
    screen.draw([], ["same"]);
    screen.draw([], ["same"]);
    assert.equal(paper.writes, 1);
  });

  it("no line is lost or repeated, for any region and any cursor position", () => {
    const step = fc.record({ printed: fc.nat(4), live: fc.nat(12), cursor: fc.option(fc.nat(11)) });
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 9 }), fc.array(step, { maxLength: 12 }), (rows, steps) => {
        const paper = new Paper(rows);
        const screen = new Screen(paper);
        const printed: string[] = [];
        for (const { printed: count, live, cursor } of steps) {
          const lines = Array.from({ length: count }, (_, i) => `line ${printed.length + i}`);
          printed.push(...lines);
          const place = cursor === null || live === 0 ? undefined : { row: Math.min(cursor, live - 1), column: 1 };
          screen.draw(
            lines,
            Array.from({ length: live }, (_, i) => `live ${i}`),
            place,
          );
        }
        screen.close();
        const shown = paper.text.split("\n").filter((line) => line.startsWith("line"));
        assert.deepEqual(shown, printed);
        assert.doesNotMatch(paper.text, /live/);
      }),
    );
  });
});
