/**
 * Damage to recorded lines of the CLI, as data.
 *
 * Each kind of damage is a value that can be generated, printed, shrunk and applied to
 * any recording; positions count modulo the number of lines. `harmless` damage must not
 * change what the user sees.
 */
import fc from "fast-check";
import { isObject } from "../../support/json.ts";

export type Damage =
  | { readonly kind: "drop" | "double" | "truncate"; readonly at: number }
  | { readonly kind: "move"; readonly at: number; readonly to: number }
  /** The nth value within a line becomes another. */
  | { readonly kind: "value"; readonly at: number; readonly nth: number; readonly value: unknown }
  | { readonly kind: "forget"; readonly at: number; readonly nth: number }
  | { readonly kind: "insert"; readonly at: number; readonly line: string };

/** Values of a wrong type or shape. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "__proto__",
  "constructor",
  "toString",
  "toolu_1",
  "msg_1",
  "x".repeat(5000),
  [],
  [null],
  [[]],
  {},
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { type: "text" },
  { type: "tool_use" },
  { length: 2 ** 32 },
];

/** Lines that are no events at all. */
export const garbage: readonly string[] = [
  "",
  "null",
  "[]",
  "{}",
  "0",
  '"text"',
  "not json",
  '{"type":"assistant"',
  '{"type":null}',
  '{"type":"__proto__"}',
  '{"type":"constructor","constructor":{}}',
  '{"type":"system"}',
  '{"type":"system","subtype":"toString"}',
  '{"type":"stream_event","event":{"type":"ping"}}',
  '{"type":"stream_event","event":null}',
  '{"type":"control_request"}',
  '{"type":"control_request","request_id":"r1"}',
  '{"type":"control_request","request_id":"r2","request":{"subtype":"__proto__"}}',
  '{"type":"control_response","response":{"subtype":"success","request_id":"never asked"}}',
  '{"type":"control_response","response":null}',
  '{"type":"control_cancel_request","request_id":"never asked"}',
  '{"type":"keep_alive"}',
  '{"type":"some_day","value":1}',
  "Warning: something on the wrong stream",
  "\u2028",
  `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  `{"type":"user","message":${'{"content":'.repeat(5000)}1${"}".repeat(5000)}}`,
];

/** Signs of life and the like, that mean nothing wherever they come. */
const silent: readonly string[] = [
  "",
  "   ",
  "not json",
  "null",
  "[]",
  '{"type":"keep_alive"}',
  '{"type":"some_day","value":1}',
  '{"type":"system","subtype":"some_day"}',
  '{"type":"stream_event","event":{"type":"ping"}}',
  '{"type":"active_goal"}',
  '{"type":"tool_progress","tool_use_id":"x","tool_name":"Bash","elapsed_time_seconds":1}',
  '{"type":"control_response","response":{"subtype":"success","request_id":"never asked"}}',
  '{"type":"control_cancel_request","request_id":"never asked"}',
];

const place = fc.nat(400);

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("drop", "double", "truncate"), at: place }),
    fc.record({ kind: fc.constant("move" as const), at: place, to: place }),
    fc.record({
      kind: fc.constant("value" as const),
      at: place,
      nth: fc.nat(60),
      value: fc.constantFrom(...oddValues),
    }),
    fc.record({ kind: fc.constant("forget" as const), at: place, nth: fc.nat(60) }),
    fc.record({ kind: fc.constant("insert" as const), at: place, line: fc.constantFrom(...garbage) }),
  ),
  { minLength: 1, maxLength: 6 },
);

export const harmless: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({ kind: fc.constant("insert" as const), at: place, line: fc.constantFrom(...silent) }),
  { minLength: 1, maxLength: 12 },
);

/** The lines with all this damage applied, in order. */
export function damaged(lines: readonly string[], all: readonly Damage[]): readonly string[] {
  const left = [...lines];
  for (const one of all) {
    const at = left.length === 0 ? 0 : one.at % left.length;
    const line = left[at] ?? "";
    switch (one.kind) {
      case "drop":
        left.splice(at, 1);
        break;
      case "double":
        left.splice(at, 0, line);
        break;
      case "truncate":
        left[at] = line.slice(0, Math.floor(line.length / 2));
        break;
      case "move":
        left.splice(at, 1);
        left.splice(one.to % (left.length + 1), 0, line);
        break;
      case "value":
        left[at] = edited(line, one.nth, () => one.value);
        break;
      case "forget":
        left[at] = edited(line, one.nth, () => undefined);
        break;
      case "insert":
        left.splice(at, 0, one.line);
    }
  }
  return left;
}

/** A line with its nth value, in the order of the text, replaced. A line that is not JSON stays unchanged. */
function edited(line: string, nth: number, replace: () => unknown): string {
  let root: unknown;
  try {
    root = JSON.parse(line);
  } catch {
    return line;
  }
  const places: { readonly holder: Record<string, unknown> | unknown[]; readonly key: string }[] = [];
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const holder = waiting.shift();
    if (!isObject(holder) && !Array.isArray(holder)) continue;
    for (const [key, value] of Object.entries(holder)) {
      // Freshly parsed, so it may be changed.
      places.push({ holder: holder as Record<string, unknown> | unknown[], key });
      waiting.push(value);
    }
  }
  const chosen = places[nth % Math.max(1, places.length)];
  if (chosen === undefined) return line;
  const value = replace();
  const { holder, key } = chosen;
  if (Array.isArray(holder)) holder.splice(Number(key), 1, ...(value === undefined ? [] : [value]));
  else if (value === undefined) delete holder[key];
  else holder[key] = value;
  return JSON.stringify(root);
}
