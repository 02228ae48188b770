/**
 * Tells whether any segment of a path is a protected name. `permitWrite` (write-permit.ts) uses
 * this to decide whether the user is asked about a write.
 *
 * The Claude CLI asks before it writes files that decide what other programs run: git hooks,
 * shell profiles, package manager and build settings. This module covers its list (CLI 2.1.325)
 * and more. It protects every name that begins with a dot (`.npmrc`, `.git/hooks`, `.bashrc`),
 * every name in `protectedNames`, and every name that two file systems could read differently.
 */
import { isAbsolute, relative, sep } from "node:path";

/**
 * Names the CLI protects that do not begin with a dot, the short name Windows gives
 * `.git`, and the file that makes a directory a git repository.
 */
const protectedNames = new Set([
  "bunfig.toml",
  "git~1",
  "gradle-wrapper.properties",
  "head",
  "lefthook.yaml",
  "lefthook.yml",
  "maven-wrapper.properties",
  "pyrightconfig.json",
]);

/**
 * A name that every file system reads alike: letters, digits and a few signs, no dot
 * or dash at its beginning, no dot at its end. Spaces, colons, tildes, control
 * characters and invisible characters are left out, so their meaning is never guessed.
 * A name that does not match is protected; this is the rule for `.npmrc`, `.git` and `.bashrc`.
 */
const plainName = /^[\p{L}\p{N}_@[(](?:[\p{L}\p{N}\p{M}_+@=,.()[\]-]*[\p{L}\p{N}\p{M}_+@=,()[\]-])?$/u;
/** A part of a name that Windows takes for a device. */
const deviceName = /(?:^|\.)(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\.|$)/;
/** Letters that fold to ASCII letters on some file systems: dotless i and long s. */
const foldsToAscii = /[\u0130\u0131\u017f\u212a]/u;

/** Directories whose whole content the CLI protects; the directory of a session may itself lie in one. */
const protectedDirectories = new Set([
  ".claude",
  ".cargo",
  ".devcontainer",
  ".git",
  ".githooks",
  ".husky",
  ".idea",
  ".mvn",
  ".vscode",
  ".yarn",
  "git~1",
]);

/**
 * Whether a path below `directory` has only plain, unprotected names on the way and at
 * its end, and `directory` does not lie in a protected directory.
 */
export function isBelowAndUnprotected(path: string, directory: string): boolean {
  if (!isBelow(path, directory) || liesInProtected(directory)) return false;
  return relative(directory, path).split(sep).every(isUnprotectedName);
}

function liesInProtected(directory: string): boolean {
  const names = directory.split(sep).map((name) => foldName(name).replace(/[. ]+$/, ""));
  // The CLI keeps worktrees of the user's project there, and treats them as projects.
  const place = names.join("/").replace(/\/\.claude\/worktrees\/[^/]+/, "");
  return /(?:^|\/)\.config\/git(?:\/|$)/.test(place) || place.split("/").some((name) => protectedDirectories.has(name));
}

/** Whether a path lies below a directory, by its text alone. */
export function isBelow(path: string, directory: string): boolean {
  const below = relative(directory, path);
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

function isUnprotectedName(name: string): boolean {
  if (!plainName.test(name) || foldsToAscii.test(name)) return false;
  const folded = foldName(name);
  return !protectedNames.has(folded) && !deviceName.test(folded);
}

/** The same spelling for every case and Unicode form of a name, without characters that cannot be seen. */
function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll("\u0131", "i")
    .replaceAll("\u017f", "s");
}
