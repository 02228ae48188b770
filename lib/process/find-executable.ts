/**
 * Finds an installed program: by environment variables that name it, on PATH, then in the
 * directories that installers use.
 *
 * A variable that names something unusable is reported, never silently skipped. On Windows
 * names get the extensions of PATHEXT, and a batch file of npm is replaced by the program
 * that it starts, because a batch file cannot be started without a shell. Runs nothing.
 */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isBatchFile, shimCommand, variable as variableOf, windowsNames } from "../wire/index.ts";
import type { Environment } from "./environment.ts";

export interface ExecutableQuery {
  /** Variables that may hold the absolute path of the program, the most important first. */
  readonly variables: readonly string[];
  /** File names without the extension that they have on Windows, or paths below a directory that is searched. */
  readonly names: readonly string[];
  /** The install directories that are searched last; relative ones are below the user's home. */
  readonly places: readonly string[];
}

export interface FindOptions {
  readonly env: Environment;
  readonly home?: string | undefined;
  /** Replaces the install directories of the query. */
  readonly places?: readonly string[] | undefined;
}

export type FoundExecutable =
  /** `from`: the name of a variable, "PATH" or "usual place". */
  | { readonly kind: "found"; readonly path: string; readonly from: string }
  /** `why`: what is wrong with the path, as the end of a sentence about the variable. */
  | { readonly kind: "unusable"; readonly variable: string; readonly path: string; readonly why: string }
  | { readonly kind: "missing" };

export function findExecutable(
  query: ExecutableQuery,
  { env, home = homedir(), places }: FindOptions,
): FoundExecutable {
  for (const variable of query.variables) {
    const path = env[variable];
    if (path === undefined || path === "") continue;
    const program = isAbsolute(path) ? startable(path, env) : undefined;
    if (program !== undefined) return { kind: "found", path: program, from: variable };
    return { kind: "unusable", variable, path, why: faultOf(path) };
  }
  const usual = places ?? query.places.map((place) => (isAbsolute(place) ? place : join(home, place)));
  const path = isWindows ? variableOf(env, "PATH") : env["PATH"];
  const names = isWindows ? query.names.flatMap((name) => windowsNames(name, env)) : query.names;
  const searched: readonly (readonly [string, string])[] = [
    ...(path ?? "").split(delimiter).map((place) => [place, "PATH"] as const),
    ...usual.map((place) => [place, "usual place"] as const),
  ];
  for (const [place, from] of searched) {
    // With a relative entry the project's own files would decide which program runs.
    if (!isAbsolute(place)) continue;
    for (const name of names) {
      const program = startable(join(place, name), env);
      if (program !== undefined) return { kind: "found", path: program, from };
    }
  }
  return { kind: "missing" };
}

const isWindows = process.platform === "win32";

/** The file that can be started without a shell: the given one, or the one that a batch file of npm starts. */
function startable(path: string, env: Environment): string | undefined {
  if (!isUsableProgram(path)) return undefined;
  if (!isWindows || !isBatchFile(path)) return path;
  const shim = shimCommand(path, env);
  return shim && (shim.args[0] ?? shim.command);
}

/** Whether a path is a file that can be run. A script is run with the Node that runs us. */
export function isUsableProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, isNodeScript(path) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function faultOf(path: string): string {
  if (!isAbsolute(path)) return "must be an absolute path";
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return "names a file that does not exist";
    return facts.isDirectory() ? "names a directory, not a program" : "names a file that cannot be run";
  } catch {
    return "names a file that cannot be read";
  }
}

export function isNodeScript(path: string): boolean {
  return /\.[cm]?js$/.test(path);
}
