/**
 * Checklist: the agent's plan as lines, and which of them are news.
 */
import type { Plan } from "../../../acp/index.ts";
import { sanitizeLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { cut } from "./text-width.ts";

type PlanViewEntry = Plan["entries"][number];

/** How many entries are kept in sight while the agent works. */
const maxShown = 8;

export class PlanView {
  readonly #theme: Theme;
  #entries: readonly PlanViewEntry[] = [];
  #told: readonly PlanViewEntry[] = [];
  #isResting = false;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  set entries(entries: readonly PlanViewEntry[]) {
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
    const isKnown = ({ content, status }: PlanViewEntry): boolean =>
      told.some((one) => one.content === content && one.status === status);
    if (told.length === this.#entries.length && this.#entries.every(isKnown)) return [];
    return this.#lines(this.#theme.isLive ? this.#entries : this.#entries.filter((entry) => !isKnown(entry)));
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

  #lines(entries: readonly PlanViewEntry[]): readonly string[] {
    const { paint, columns } = this.#theme;
    return entries.map(({ content, status }) => {
      const words = cut(sanitizeLine(content), columns() - 4, glyphs.more);
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
