/**
 * The history of typed prompts, in a file that only the user can read (mode 0600).
 *
 * One JSON string a line. Prompts that begin with a space are not kept. A file that
 * cannot be read or written is ignored; the history then lasts as long as the program.
 */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Environment, stateDirectory } from "../../../process/index.ts";

export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  readonly add: (text: string) => void;
}

export const maxEntries = 500;
/** Longer prompts are not kept. */
const maxEntryChars = 10_000;

export function historyPath(env: Environment, platform: string): string {
  return join(stateDirectory(env, platform), "chat-history.jsonl");
}

/** Without a path the history is kept in memory only. */
export function promptHistory(path: string | undefined): PromptHistory {
  const entries = path === undefined ? [] : load(path);
  return {
    entries,
    add: (text) => {
      if (text.startsWith(" ") || text.length > maxEntryChars || entries.at(-1) === text) return;
      entries.push(text);
      if (entries.length > maxEntries) entries.shift();
      if (path !== undefined) attempt(() => appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 }));
    },
  };
}

function load(path: string): string[] {
  const lines = attempt(() => readFileSync(path, "utf8").split("\n")) ?? [];
  const all = lines.flatMap((line) => {
    const entry: unknown = attempt(() => JSON.parse(line));
    return typeof entry === "string" ? [entry] : [];
  });
  const entries = all.slice(-maxEntries);
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Rewritten once it has twice the maximum, so that it does not grow without end.
    if (all.length > 2 * maxEntries) writeFileSync(path, entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
    appendFileSync(path, "", { mode: 0o600 });
    chmodSync(path, 0o600);
  });
  return entries;
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
