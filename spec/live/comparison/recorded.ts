/**
 * The outcomes of the CLI's own tools, recorded with the options off, one file for each version of the CLI.
 *
 * They do not depend on this repository's code, so an ordinary run compares with the file and starts only
 * agents with the options on. The file names no directory of the machine that recorded it. Each call has
 * one letter for each column (a mode and a shell); `-` is not recorded. `npm run test:compare -- --record`
 * records again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject, listAt } from "../../support/json.ts";
import { claudeVersion } from "../../support/live/real-cli.ts";
import type { Mode, Shell } from "./call.ts";
import type { Outcome, Verdict } from "./outcome.ts";

const letters: Readonly<Record<Verdict, string>> = { ran: "r", asked: "a", denied: "d", failed: "f" };
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["r", "ran"],
  ["a", "asked"],
  ["d", "denied"],
  ["f", "failed"],
]);
const file = fileURLToPath(new URL(`../../../fixtures/comparison/claude-${claudeVersion}.json`, import.meta.url));

/** The CLI runs its own commands with bash where the shell is neither bash nor zsh. */
export function columnOf(mode: Mode, shell: Shell): string {
  return `${mode}/${shell === "zsh" ? "zsh" : "bash"}`;
}

export class RecordedOutcomes {
  readonly #outcomes = new Map<string, Map<string, Outcome>>();

  static read(): RecordedOutcomes {
    const recorded = new RecordedOutcomes();
    if (!existsSync(file)) return recorded;
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(value)) return recorded;
    const columns = listAt(value, "columns").map(String);
    const effects = value["effects"];
    for (const [id, row] of Object.entries(isObject(value["verdicts"]) ? value["verdicts"] : {})) {
      columns.forEach((column, place) => {
        const verdict = verdicts.get(String(row).charAt(place));
        const ofColumn = isObject(effects) ? effects[column] : undefined;
        // Not `listAt`: an id may contain dots.
        const found: unknown = isObject(ofColumn) ? ofColumn[id] : undefined;
        if (verdict) recorded.set(column, id, { verdict, effects: Array.isArray(found) ? found.map(String) : [] });
      });
    }
    return recorded;
  }

  get(column: string, id: string): Outcome | undefined {
    return this.#outcomes.get(column)?.get(id);
  }

  set(column: string, id: string, outcome: Outcome): void {
    const ofColumn = this.#outcomes.get(column) ?? new Map<string, Outcome>();
    this.#outcomes.set(column, ofColumn.set(id, outcome));
  }

  /** Writes the file again with the calls that exist, in their order. */
  write(ids: readonly string[]): void {
    const columns = [...this.#outcomes.keys()].sort();
    const rows: Record<string, string> = {};
    const effects: Record<string, Record<string, readonly string[]>> = {};
    for (const id of ids) {
      const found = columns.map((column) => this.get(column, id));
      if (found.every((outcome) => outcome === undefined)) continue;
      rows[id] = found.map((outcome) => (outcome === undefined ? "-" : letters[outcome.verdict])).join("");
      columns.forEach((column, place) => {
        const outcome = found[place];
        if (outcome !== undefined && outcome.effects.length > 0) (effects[column] ??= {})[id] = outcome.effects;
      });
    }
    mkdirSync(dirname(file), { recursive: true });
    const about = `Outcomes of the tools of Claude Code ${claudeVersion}; written by npm run test:compare -- --record.`;
    const key = "r ran, a asked, d denied, f failed, - not recorded; one letter for each column";
    writeFileSync(file, `${JSON.stringify({ about, key, columns, verdicts: rows, effects }, undefined, 1)}\n`);
  }
}
