/**
 * Checklist: the agent's plan as lines, and which of them are news.
 */
import type { Plan } from "../../acp/index.ts";
import { harmlessLine } from "./harmless.ts";
import type { Look } from "./look.ts";
import { glyphs } from "./paint.ts";
import { cut } from "./width.ts";

type Entry = Plan["entries"][number];

/** How many entries are kept in sight while the agent works. */
const maxShown = 8;

export class Checklist {
  readonly #look: Look;
  #entries: readonly Entry[] = [];
  #told: readonly Entry[] = [];
  #isResting = false;

  constructor(look: Look) {
    this.#look = look;
  }

  set entries(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#isResting = false;
  }

  get isDone(): boolean {
    return this.#entries.every(({ status }) => status === "completed");
  }

  /** What was not told yet: all of it where it is told once, else what changed. */
  news(): readonly string[] {
    const told = this.#told;
    this.#told = this.#entries;
    const isKnown = ({ content, status }: Entry): boolean =>
      told.some((one) => one.content === content && one.status === status);
    if (told.length === this.#entries.length && this.#entries.every(isKnown)) return [];
    return this.#lines(this.#look.isLive ? this.#entries : this.#entries.filter((entry) => !isKnown(entry)));
  }

  /** Those around the one that is worked on; none while nobody works on any. */
  lines(): readonly string[] {
    if (this.#isResting) return [];
    const at = this.#entries.findIndex(({ status }) => status === "in_progress");
    const from = Math.max(0, Math.min(at - 2, this.#entries.length - maxShown));
    return this.#lines(this.#entries.slice(from, from + maxShown));
  }

  /** The turn is over, or the plan is done: out of sight until it changes. */
  rest(): void {
    this.#isResting = true;
  }

  #lines(entries: readonly Entry[]): readonly string[] {
    const { paint, columns } = this.#look;
    return entries.map(({ content, status }) => {
      const words = cut(harmlessLine(content), columns() - 4, glyphs.more);
      switch (status) {
        case "completed":
          return `  ${paint.green(glyphs.done)} ${paint.dim(words)}`;
        case "in_progress":
          return `  ${paint.yellow(glyphs.doing)} ${paint.bold(words)}`;
        case "pending":
          return `  ${paint.dim(glyphs.open)} ${words}`;
      }
    });
  }
}
