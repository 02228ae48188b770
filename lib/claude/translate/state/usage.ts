/**
 * Usage: how full the context is, and what the session has cost.
 *
 * Nothing is told before the size of the context is known; a guess would be
 * shown as a fact.
 */
import { type SessionUpdate, update } from "../../../acp/index.ts";
import type { Result, Usage as Tokens } from "../../index.ts";

export class UsageTracker {
  #model: string | undefined;
  #input = 0;
  #output = 0;
  #size: number | undefined;
  #costUsd: number | undefined;
  /** What was told last, so that nothing is told twice. */
  #told = "";

  /** A request of the main conversation began. */
  started(model: string | undefined, tokens: Tokens | undefined): void {
    this.#model = model ?? this.#model;
    this.#take(tokens);
  }

  /** It is over. */
  ended(tokens: Tokens | undefined): SessionUpdate | undefined {
    this.#take(tokens);
    return this.#whole();
  }

  /** The context was made smaller, or emptied. */
  shrunk(tokens: number): SessionUpdate | undefined {
    this.#input = tokens;
    this.#output = 0;
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
    const told = `${used} ${this.#size} ${this.#costUsd}`;
    if (told === this.#told) return undefined;
    this.#told = told;
    const cost =
      this.#costUsd === undefined ? undefined : { amount: Math.round(this.#costUsd * 1e6) / 1e6, currency: "USD" };
    return update.usage(used, this.#size, cost);
  }
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0;
}
