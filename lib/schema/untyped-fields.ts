/**
 * Look: into a value that no schema describes.
 */

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The first of these fields that holds text, and not an empty one. */
export function textIn(fields: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
