/**
 * Reads a JSON file that a user wrote by a schema; problems name the file and the line.
 *
 * Unknown keys are problems too. Problems never quote values.
 */
import { readFileSync, statSync } from "node:fs";
import { Fault, type Schema, shownWord } from "../../schema/index.ts";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";
import { NotJson, parseJsonSource } from "./json-source.ts";
import { type References, unknownKeys } from "./json-schema.ts";

/** A file kind: what it is called, its schema, and the placeholders in the schema's node. */
export interface JsonFileKind<T> {
  readonly what: string;
  readonly schema: Schema<T>;
  readonly references?: References;
  /** Problems that the schema cannot express: a path and a sentence that follows it. */
  readonly check?: (value: T) => readonly FileProblem[];
}

export interface FileProblem {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

export type ReadResult<T> =
  | { readonly isValid: true; readonly value: T }
  | { readonly isValid: false; readonly problems: readonly string[] };

const maxFileBytes = 4 * 1024 * 1024;
const maxProblems = 20;

/** Throws `CommandFailure` with every problem, one on each line. */
export function readJsonFile<T>(path: string, kind: JsonFileKind<T>): T {
  const result = readJsonText(readText(path, kind.what), path, kind);
  if (result.isValid) return result.value;
  throw new CommandFailure(result.problems.join("; "));
}

export function readText(path: string, what: string): string {
  try {
    if (statSync(path).size > maxFileBytes)
      throw new CommandFailure(`${path} is over ${maxFileBytes} bytes; a ${what} is a small file`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(`${path} cannot be read (${codeOf(cause)}); give the path of a ${what}`, { cause });
  }
}

/** The value, or the problems as `file:line: sentence`. */
export function readJsonText<T>(text: string, path: string, kind: JsonFileKind<T>): ReadResult<T> {
  let source;
  try {
    source = parseJsonSource(text);
  } catch (cause) {
    if (!(cause instanceof NotJson)) throw cause;
    return { isValid: false, problems: [`${path}:${cause.line}: ${cause.message}`] };
  }
  const { lineAt } = source;
  const describe = ({ path: steps, says }: FileProblem): string =>
    `${path}:${lineAt(steps)}: ${steps.length === 0 ? `the ${kind.what}` : steps.map((step) => shownWord(String(step), 80)).join(".")} ${says}`;
  const value = kind.schema.read(source.value);
  if (value instanceof Fault)
    return { isValid: false, problems: [describe({ path: value.path, says: `must be ${value.expected}` })] };
  const unknown = unknownKeys(kind.schema.node, source.value, kind.references);
  const problems = [
    ...unknown.map((steps): FileProblem => ({ path: steps, says: "is not a field here" })),
    ...(kind.check?.(value) ?? []),
  ];
  if (problems.length === 0) return { isValid: true, value };
  return { isValid: false, problems: problems.slice(0, maxProblems).map(describe) };
}
