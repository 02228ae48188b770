/**
 * History: what a person typed before, in a file only they can read.
 *
 * One JSON string a line. Nothing here can stop a conversation: a file that cannot
 * be read or written is as good as none. What begins with a space is not kept.
 */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

export interface PromptHistory {
  /** The oldest first. */
  readonly entries: readonly string[];
  readonly add: (text: string) => void;
}

export const maxEntries = 500;
/** Longer ones are not worth typing again. */
const maxEntryChars = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where it is kept: below XDG_STATE_HOME, or what the system has in its place. */
export function historyPath(env: Environment, platform: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = env;
  const home = HOME || USERPROFILE || homedir();
  const named = platform === "win32" ? LOCALAPPDATA : XDG_STATE_HOME;
  // The specification has relative paths ignored.
  const state = named !== undefined && isAbsolute(named) ? named : join(home, ".local", "state");
  return join(state, "bowline", "chat-history.jsonl");
}

/** Kept in a file; without one, as long as the program runs. */
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
    // Twice too long: written anew, so that it does not grow for ever.
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
