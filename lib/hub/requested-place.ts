/**
 * Where a client wants a session to work, in the fields of `_meta` that agents read beside
 * those of the protocol: the directories of a server hold for them too.
 */
import { isRecord } from "../schema/index.ts";

type Params = Readonly<Record<string, unknown>>;

/** The directories of a session beside its `cwd`, unchecked. */
export function furtherDirectories(params: Params): readonly unknown[] {
  const named = [
    params["additionalDirectories"],
    recordIn(params, "_meta")["additionalRoots"],
    claudeOptions(params)["additionalDirectories"],
  ];
  return named.flatMap((one): readonly unknown[] => (Array.isArray(one) ? one : []));
}

/** The saved conversation that `session/new` is to continue; undefined when a new one is to begin. */
export function continuedId(params: Params): string | undefined {
  const { resume } = claudeOptions(params);
  return typeof resume === "string" && resume.trim() !== "" ? resume : undefined;
}

function claudeOptions(params: Params): Params {
  return recordIn(recordIn(recordIn(params, "_meta"), "claudeCode"), "options");
}

function recordIn(value: Params, key: string): Params {
  const inner = value[key];
  return isRecord(inner) ? inner : {};
}
