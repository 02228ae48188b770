/**
 * Chooses the lines of recordings after which a fault is tried.
 *
 * Two places are alike when the line that is lost and the two rows before it are of the same
 * kinds. Of places that are alike the first is tried, in all recordings together; the last
 * line of a recording always.
 */
import { isExhaustive } from "../exhaustive.ts";
import { isObject } from "../json.ts";

/** What one side sent. */
export interface SentRow {
  /** Only lines of the program that fails are counted. */
  readonly isCounted: boolean;
  readonly message: unknown;
}

/** Returns a function that gives the numbers of the chosen lines of the next recording, from 0. */
export function faultPlaces(): (rows: readonly SentRow[]) => readonly number[] {
  const seen = new Set<string>();
  return (rows) => {
    const kinds = rows.map(({ isCounted, message }) => `${isCounted ? "out" : "in"} ${kindOf(message)}`);
    const counted = rows.flatMap(({ isCounted }, i) => (isCounted ? [i] : []));
    return counted.flatMap((at, nth) => {
      const place = kinds.slice(Math.max(0, at - 2), at + 1).join("\n");
      const isNew = !seen.has(place);
      seen.add(place);
      return isNew || isExhaustive || nth === counted.length - 1 ? [nth] : [];
    });
  };
}

/** Keys whose values tell kinds of messages apart. */
const tags = new Set(["type", "subtype", "method", "status", "state", "behavior", "tool_name", "name", "is_error"]);
/** Deeper values are the content of a message. */
const maxDepth = 5;

function kindOf(value: unknown, depth = 0): string {
  if (depth > maxDepth) return "";
  if (Array.isArray(value)) return [...new Set(value.map((one) => kindOf(one, depth + 1)))].join(";");
  if (!isObject(value)) return "";
  return Object.entries(value)
    .map(([key, one]) => {
      if (tags.has(key) && (typeof one === "string" || typeof one === "boolean")) return `${key}=${one}`;
      const inner = kindOf(one, depth + 1);
      return inner === "" ? "" : `${key}{${inner}}`;
    })
    .filter((text) => text !== "")
    .join(",");
}
