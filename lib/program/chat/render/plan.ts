/**
 * Renders the agent's plan, and finds which entries have not been printed yet.
 */
import type { Plan } from "../../../acp/index.ts";
import { sanitizeLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { cut } from "./text-width.ts";

type PlanViewEntry = Plan["entries"][number];

/** Entries shown while the agent works. */
const maxShown = 8;

export class PlanView {
  readonly #theme: Theme;
  #entries: readonly PlanViewEntry[] = [];
  #printed: readonly PlanViewEntry[] = [];
  #isHidden = false;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  set entries(entries: readonly PlanViewEntry[]) {
    this.#entries = entries;
    this.#isHidden = false;
  }

  get isDone(): boolean {
    return this.#entries.every(({ status }) => status === "completed");
  }

  /** Lines not printed yet: in a live terminal the whole plan when it changed, else the changed entries. */
  news(): readonly string[] {
    const printed = this.#printed;
    this.#printed = this.#entries;
    const isKnown = ({ content, status }: PlanViewEntry): boolean =>
      printed.some((one) => one.content === content && one.status === status);
    if (printed.length === this.#entries.length && this.#entries.every(isKnown)) return [];
    return this.#lines(this.#theme.isLive ? this.#entries : this.#entries.filter((entry) => !isKnown(entry)));
  }

  /** The entries around the one in progress; none while the plan is hidden. */
  lines(): readonly string[] {
    if (this.#isHidden) return [];
    const at = this.#entries.findIndex(({ status }) => status === "in_progress");
    const from = Math.max(0, Math.min(at - 2, this.#entries.length - maxShown));
    return this.#lines(this.#entries.slice(from, from + maxShown));
  }

  /** Hides the plan until it changes, when the turn or the plan is finished. */
  hide(): void {
    this.#isHidden = true;
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
