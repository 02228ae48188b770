/**
 * Maps names from older versions of the protocol to the current ones.
 *
 * Only names of methods and keys are mapped; values are read by the current schema.
 */
import { isRecord, type Schema } from "../../schema/index.ts";

/** Old method names and their current names. */
const methodNames: ReadonlyMap<string, string> = new Map([["unstable_resumeSession", "session/resume"]]);

/** The current name of a method. */
export function currentMethod(method: string): string {
  return methodNames.get(method) ?? method;
}

/** Reads an object whose keys may have old names. */
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
