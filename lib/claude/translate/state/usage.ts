/**
 * Tracks how much of the context window is used and what the session has cost.
 *
 * Emits nothing before the size of the context window is known, because the client would
 * show a guess as a fact.
 */
import { type SessionUpdate, update } from "../../../acp/index.ts";
import type { UsageLimit } from "../../../engine/index.ts";
import type { Result, ClaudeUsage as Tokens } from "../../index.ts";

export class UsageTracker {
  #model: string | undefined;
  #input = 0;
  #output = 0;
  #size: number | undefined;
  #costUsd: number | undefined;
  #limits: readonly UsageLimit[] = [];
  /** The values of the last update, so that no update is repeated. */
  #lastSent = "";

  /** A request of the main conversation to the API started. */
  started(model: string | undefined, tokens: Tokens | undefined): void {
    this.#model = model ?? this.#model;
    this.#take(tokens);
  }

  /** The request ended. */
  ended(tokens: Tokens | undefined): SessionUpdate | undefined {
    this.#take(tokens);
    return this.#whole();
  }

  /** The context was compacted or cleared. */
  shrunk(tokens: number): SessionUpdate | undefined {
    this.#input = tokens;
    this.#output = 0;
    return this.#whole();
  }

  /** The account's limits are used to another degree. */
  limited(limits: readonly UsageLimit[]): SessionUpdate | undefined {
    this.#limits = limits;
    return this.#whole();
  }

  result({ modelUsage, total_cost_usd }: Result): SessionUpdate | undefined {
    this.#costUsd = total_cost_usd ?? this.#costUsd;
    const used = this.#model === undefined ? undefined : modelUsage?.[this.#model];
    const windows = Object.values(modelUsage ?? {}).flatMap(({ contextWindow }) => contextWindow ?? []);
    this.#size = used?.contextWindow ?? (windows.length > 0 ? Math.max(...windows) : this.#size);
    return this.#whole();
  }

  #take(tokens: Tokens | undefined): void {
    if (tokens === undefined) return;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = tokens;
    if (input_tokens !== undefined) {
      this.#input = input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
    }
    if (output_tokens !== undefined) this.#output = output_tokens;
  }

  #whole(): SessionUpdate | undefined {
    const used = this.#input + this.#output;
    if (!isCount(this.#size) || !isCount(used)) return undefined;
    const values = `${used} ${this.#size} ${this.#costUsd} ${JSON.stringify(this.#limits)}`;
    if (values === this.#lastSent) return undefined;
    this.#lastSent = values;
    const cost =
      this.#costUsd === undefined ? undefined : { amount: Math.round(this.#costUsd * 1e6) / 1e6, currency: "USD" };
    const whole = update.usage(used, this.#size, cost);
    return this.#limits.length === 0 ? whole : { ...whole, _meta: { limits: this.#limits } };
  }
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0;
}
