/**
 * Legacy: what older peers say, read as what they mean today.
 *
 * Only names change here; the values are read by the schema of today.
 */
import { isRecord, type Schema } from "../schema/index.ts";

/** Methods that were once called otherwise. */
const methodNames: ReadonlyMap<string, string> = new Map([["unstable_resumeSession", "session/resume"]]);

/** The name a method has today. */
export function currentMethod(method: string): string {
  return methodNames.get(method) ?? method;
}

/** Reads an object whose keys may still have their old names. */
export function renamed<T>(schema: Schema<T>, names: Readonly<Record<string, string>>): Schema<T> {
  const pairs = Object.entries(names);
  return {
    get node() {
      return schema.node;
    },
    read: (value) => {
      if (!isRecord(value)) return schema.read(value);
      let current: Record<string, unknown> | undefined;
      for (const [old, name] of pairs) {
        if (!Object.hasOwn(value, old) || Object.hasOwn(value, name)) continue;
        current ??= { ...value };
        current[name] = value[old];
        delete current[old];
      }
      return schema.read(current ?? value);
    },
  };
}
