/**
 * Adds up the tokens of Codex's saved conversations.
 *
 * Codex writes the tokens of each answer of a model, and no cost. Versions before that
 * wrote only the sum of the thread; what it grew by is counted then.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Fields, recordIn, textOf } from "../../schema/index.ts";
import { countIn, dayOf, hasWord, readJsonLines } from "./json-lines.ts";
import type { Spending, Tokens } from "./spending.ts";

/** The files of saved conversations below Codex's directory. */
export function codexFiles(home: string): readonly string[] {
  return ["sessions", "archived_sessions"].flatMap((name) => {
    try {
      return readdirSync(join(home, name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.startsWith("rollout-") && entry.name.endsWith(".jsonl"))
        .map((entry) => join(entry.parentPath, entry.name));
    } catch {
      return [];
    }
  });
}

/** Reads one file after the other, and counts no answer twice. */
export class CodexSpending {
  readonly #answers = new Set<string>();

  read(path: string): readonly Spending[] {
    const answers: Spending[] = [];
    const grown: Spending[] = [];
    let [cwd, model, session] = ["unknown", "unknown", path];
    let before: Tokens = noTokens;
    readJsonLines(path, hasWord('"session_meta"', '"turn_context"', "token_"), (line) => {
      const payload = recordIn(line, "payload");
      const day = dayOf(line["timestamp"]);
      const place = (): SpendingGroup => ({ engine: "codex", day, project: cwd, model, session, cost: undefined });
      switch (line["type"]) {
        case "session_meta":
          cwd = textOf(payload["cwd"]) ?? cwd;
          session = textOf(payload["id"]) ?? session;
          return;
        case "turn_context":
          cwd = textOf(payload["cwd"]) ?? cwd;
          model = textOf(payload["model"]) ?? model;
          return;
        case "token_usage_record": {
          const id = `${textOf(payload["thread_id"]) ?? ""} ${textOf(payload["response_id"]) ?? answers.length}`;
          if (this.#answers.has(id)) return;
          this.#answers.add(id);
          answers.push({ ...place(), ...tokensIn(recordIn(payload, "usage")) });
          return;
        }
        case "event_msg": {
          if (payload["type"] !== "token_count") return;
          const total = tokensIn(recordIn(recordIn(payload, "info"), "total_token_usage"));
          grown.push({ ...place(), ...difference(total, before) });
          before = total;
          return;
        }
        default:
      }
    });
    return answers.length > 0 ? answers : grown.filter(({ input, output }) => input + output > 0);
  }
}

type SpendingGroup = Pick<Spending, "engine" | "day" | "project" | "model" | "session" | "cost">;

const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Codex's input has the cached tokens in it. */
function tokensIn(usage: Fields): Tokens {
  const [cacheRead, cacheWrite] = [countIn(usage, "cached_input_tokens"), countIn(usage, "cache_write_input_tokens")];
  return {
    input: Math.max(0, countIn(usage, "input_tokens") - cacheRead - cacheWrite),
    output: countIn(usage, "output_tokens"),
    cacheRead,
    cacheWrite,
  };
}

function difference(total: Tokens, before: Tokens): Tokens {
  const grown = (key: keyof Tokens): number => Math.max(0, total[key] - before[key]);
  return {
    input: grown("input"),
    output: grown("output"),
    cacheRead: grown("cacheRead"),
    cacheWrite: grown("cacheWrite"),
  };
}
