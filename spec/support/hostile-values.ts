/**
 * Hostile values: what a careless or malicious peer may send where another value is
 * expected.
 *
 * One pool, tried on every schema. Every value is deeply frozen, so a schema that
 * changes its input throws.
 */

export const deepestNesting = 100_000;

/** Each with a name for the failure message: the deep ones cannot be printed. */
export const hostileValues: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["undefined", undefined],
  ["null", null],
  ["true", true],
  ["false", false],
  ["0", 0],
  ["-0", -0],
  ["1.5", 1.5],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["2^53", 2 ** 53],
  ["-2^63", -(2 ** 63)],
  ["1e308", 1e308],
  ["a bigint", 10n],
  ["a symbol", Symbol("hostile")],
  ["a function", () => "hostile"],
  ["empty text", ""],
  ["a space", " "],
  ["NUL", "\0"],
  ["half a surrogate pair", "\ud83d"],
  ["__proto__ as text", "__proto__"],
  ["constructor as text", "constructor"],
  ["text of 1 MiB", "x".repeat(2 ** 20)],
  ["an empty array", []],
  ["an array of null", [null]],
  ["an array with a hole", Array.from({ length: 2 }).fill(1, 1)],
  ["an array of 100,000 nulls", Array.from({ length: 100_000 }, () => null)],
  ["an empty object", {}],
  ["an object without a prototype", Object.create(null)],
  ["an own __proto__", JSON.parse('{"__proto__":{"isAdmin":true}}')],
  ["an own __proto__ that is null", JSON.parse('{"__proto__":null}')],
  ["an own constructor", JSON.parse('{"constructor":{"prototype":{"isAdmin":true}}}')],
  ["own toString and valueOf", JSON.parse('{"toString":1,"valueOf":null,"hasOwnProperty":[]}')],
  ["an inherited key", Object.create({ inherited: 1 })],
  ["a length that lies", { length: 2 ** 32 - 1 }],
  ["a then", JSON.parse('{"then":1}')],
  ["an object of 10,000 keys", Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, i]))],
  ["an array of one hundred thousand levels", nest((inner) => [inner])],
  ["an object of one hundred thousand levels", nest((inner) => ({ inner }))],
  ["a date", new Date(0)],
  ["a map", new Map([["key", 1]])],
  ["bytes", Buffer.from("bytes")],
]);

for (const value of hostileValues.values()) freezeDeeply(value);

/** Freezes a value deeply, without recursion: some values are deeper than the stack. */
export function freezeDeeply<T>(root: T): T {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    // A typed array cannot be frozen.
    if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) continue;
    Object.freeze(value);
    for (const part of Object.values(value)) waiting.push(part);
  }
  return root;
}

function nest(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = null;
  for (let level = 0; level < deepestNesting; level++) value = wrap(value);
  return value;
}
