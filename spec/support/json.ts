/**
 * Reads values whose shape is not ours.
 *
 * `at(line, "message.content.0.type")` returns undefined where the path does not exist.
 * Checks nothing else.
 */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function at(value: unknown, path: string): unknown {
  let here = value;
  for (const key of path.split(".")) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(key)] : (here as JsonObject)[key];
  }
  return here;
}

/** The string there, or an empty one. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  return typeof found === "string" ? found : "";
}

/** The list there, or an empty one. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}
