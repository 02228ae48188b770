/**
 * Adds up the tokens and costs of Claude Code's saved conversations.
 *
 * The tokens are those of the answers, each counted once: an answer is on several
 * lines, and again in the file of a fork. The cost is the CLI's own, which it writes as a
 * sum of the session when it exits; what the sum grew by belongs to the day of the answer
 * before it. Answers after the last sum, as a killed CLI leaves them, have no known cost,
 * nor have conversations of older CLIs. A session's sum has its subagents in it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Fields, recordIn, textOf } from "../../schema/index.ts";
import { countIn, dayOf, hasWord, readJsonLines } from "./json-lines.ts";
import type { Spending } from "./spending.ts";

/** The files of saved conversations, with those of subagents. */
export function claudeFiles(projects: string): readonly string[] {
  return [...filesBelow(projects, 4)].sort();
}

/** Reads one file after the other, and counts no answer twice. */
export class ClaudeSpending {
  readonly #answers = new Set<string>();

  read(path: string): readonly Spending[] {
    const answers = new Map<string, Spending>();
    /** Answers since the last sum. */
    const open = new Set<string>();
    const costs: Spending[] = [];
    const dollars = new Map<string, number>();
    let [cwd, day, session] = ["unknown", "unknown", ""];
    readJsonLines(path, hasWord('"usage"', '"cost-state"'), (line) => {
      if (line["type"] === "assistant") onAnswer(line);
      else if (line["type"] === "cost-state" && textOf(line["sessionId"]) === session) onCosts(line);
    });
    const fresh = [...answers].filter(([id]) => !this.#answers.has(id));
    for (const [id] of fresh) this.#answers.add(id);
    return [...fresh.map(([id, one]) => (open.has(id) ? one : { ...one, cost: 0 })), ...costs];

    function onAnswer(line: Fields): void {
      const message = recordIn(line, "message");
      const usage = recordIn(message, "usage");
      const model = textOf(message["model"]) ?? "unknown";
      session = textOf(line["sessionId"]) ?? session;
      // The CLI's own notices have this model and no use.
      if (model === "<synthetic>") return;
      cwd = textOf(line["cwd"]) ?? cwd;
      day = dayOf(line["timestamp"]);
      const id = textOf(message["id"]) ?? textOf(line["uuid"]) ?? String(answers.size);
      if (line["isSidechain"] !== true) open.add(id);
      answers.set(id, {
        ...place(model),
        input: countIn(usage, "input_tokens"),
        output: countIn(usage, "output_tokens"),
        cacheRead: countIn(usage, "cache_read_input_tokens"),
        cacheWrite: countIn(usage, "cache_creation_input_tokens"),
        cost: undefined,
      });
    }

    function onCosts(line: Fields): void {
      open.clear();
      const models = recordIn(line, "modelUsage");
      for (const model of Object.keys(models)) {
        const { costUSD } = recordIn(models, model);
        if (typeof costUSD !== "number" || !Number.isFinite(costUSD)) continue;
        const grown = costUSD - (dollars.get(model) ?? 0);
        dollars.set(model, costUSD);
        // The sum begins anew after /clear.
        const cost = grown < 0 ? costUSD : grown;
        if (cost > 0) costs.push({ ...place(model), input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost });
      }
    }

    function place(model: string): Pick<Spending, "engine" | "day" | "project" | "model" | "session"> {
      return { engine: "claude", day, project: cwd, model, session };
    }
  }
}

function filesBelow(directory: string, depth: number): readonly string[] {
  let entries;
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth > 0 ? filesBelow(path, depth - 1) : [];
    return entry.isFile() && entry.name.endsWith(".jsonl") ? [path] : [];
  });
}
