/**
 * The user's own prices of models, for tokens without a reported cost.
 *
 * Bowline has no prices of its own, since they change and differ by contract.
 */
import { number, object, optional, record, type Schema, type Static } from "../../schema/index.ts";
import type { JsonFileKind } from "../json-file/read-json-file.ts";
import type { Spending } from "./spending.ts";

const price = object({ input: number, output: number, cacheRead: optional(number), cacheWrite: optional(number) });
interface Price extends Static<typeof price> {}

/** US dollars for a million tokens, by the beginning of a model's name. */
export type Prices = Readonly<Record<string, Price>>;
export const Prices: Schema<Prices> = record(price);

export const pricesFile: JsonFileKind<Prices> = { what: "price list", schema: Prices };

/** The spending with its cost; unchanged when it is known already or the model has no price. */
export function priced(spending: Spending, prices: Prices): Spending {
  if (spending.cost !== undefined) return spending;
  const names = Object.keys(prices).filter((name) => spending.model.startsWith(name));
  const longest = names.reduce((best, name) => (name.length > best.length ? name : best), "");
  const found = names.length === 0 ? undefined : prices[longest];
  if (found === undefined) return spending;
  const { input, output, cacheRead = input, cacheWrite = input } = found;
  const millionths =
    spending.input * input +
    spending.output * output +
    spending.cacheRead * cacheRead +
    spending.cacheWrite * cacheWrite;
  return { ...spending, cost: millionths / 1e6 };
}
