/**
 * Reads the directories and the saved conversation that a client names in the params with which
 * it opens a session.
 *
 * Agents read them not only from the fields of the protocol but also from fields of `_meta`, so a
 * server that allows only certain directories has to check both.
 */
import { type Fields, isRecord } from "../../schema/index.ts";

/** The directories of a session beside its `cwd`, unchecked. */
export function furtherDirectories(params: Fields): readonly unknown[] {
  const named = [
    params["additionalDirectories"],
    recordIn(params, "_meta")["additionalRoots"],
    claudeOptions(params)["additionalDirectories"],
  ];
  return named.flatMap((one): readonly unknown[] => (Array.isArray(one) ? one : []));
}

/** The saved conversation that `session/new` is to continue; undefined when a new one is to begin. */
export function continuedId(params: Fields): string | undefined {
  const { resume } = claudeOptions(params);
  return typeof resume === "string" && resume.trim() !== "" ? resume : undefined;
}

function claudeOptions(params: Fields): Fields {
  return recordIn(recordIn(recordIn(params, "_meta"), "claudeCode"), "options");
}

function recordIn(value: Fields, key: string): Fields {
  const inner = value[key];
  return isRecord(inner) ? inner : {};
}
