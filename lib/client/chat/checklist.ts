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

  constructor(look: Look) {
    this.#look = look;
  }

  set entries(entries: readonly Entry[]) {
    this.#entries = entries;
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

  /** Those around the one that is worked on. */
  lines(): readonly string[] {
    const at = this.#entries.findIndex(({ status }) => status === "in_progress");
    const from = Math.max(0, Math.min(at - 2, this.#entries.length - maxShown));
    return this.#lines(this.#entries.slice(from, from + maxShown));
  }

  /** A plan that is done makes room for the next. */
  endIfDone(): void {
    if (this.isDone) this.#entries = this.#told = [];
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
