/**
 * Computes the usage of one turn: the tokens of its results, and the cost since the last turn.
 *
 * The CLI reports the tokens of a turn without its subagents, and the cost as a total of the
 * conversation. The total before the first turn of a resumed conversation is not known, so
 * that turn has no cost.
 */
import type { Usage } from "../../acp/index.ts";
import { addUsage, rounded, type TurnUsage } from "../../engine/index.ts";
import type { Result } from "../index.ts";

export class UsageMeter {
  #tokens: TurnUsage | undefined;
  /** The total at the end of the last turn; undefined when it is not known. */
  #totalBefore: number | undefined;
  #total: number | undefined;

  /** `isNew`: the conversation has not cost anything yet. */
  constructor(isNew: boolean) {
    this.#totalBefore = isNew ? 0 : undefined;
  }

  onResult({ usage, total_cost_usd: total }: Result): void {
    const input = usage?.input_tokens;
    const output = usage?.output_tokens;
    const cachedRead = usage?.cache_read_input_tokens ?? 0;
    const cachedWrite = usage?.cache_creation_input_tokens ?? 0;
    const isCounted = [input, output, cachedRead, cachedWrite].every((count) => Number.isSafeInteger(count));
    if (isCounted && input !== undefined && output !== undefined) {
      const tokens: Usage = {
        totalTokens: input + output + cachedRead + cachedWrite,
        inputTokens: input,
        outputTokens: output,
        cachedReadTokens: cachedRead,
        cachedWriteTokens: cachedWrite,
      };
      this.#tokens = addUsage(this.#tokens, { tokens });
    }
    if (total !== undefined && Number.isFinite(total)) this.#total = total;
  }

  /** What the turn that ends now has used; the next turn begins at nothing. */
  take(): TurnUsage | undefined {
    const usage = this.#tokens;
    const [before, total] = [this.#totalBefore, this.#total];
    this.#tokens = undefined;
    this.#totalBefore = total ?? before;
    // A total that is smaller than before is that of another conversation, for example after `/clear`.
    if (usage === undefined || before === undefined || total === undefined || total < before) return usage;
    return { ...usage, cost: { amount: rounded(total - before), currency: "USD" } };
  }
}
