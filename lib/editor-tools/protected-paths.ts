/**
 * Decides which paths the writing tools may write without asking the user.
 *
 * The Claude CLI asks before it writes files that decide what other programs run:
 * git hooks, shell profiles, package manager and build settings. The names are its
 * own list (CLI 2.1.325). This module protects more: every name that begins with a dot,
 * and every name that two file systems could read differently.
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
 */
const plainName = /^[\p{L}\p{N}_@[(](?:[\p{L}\p{N}\p{M}_+@=,.()[\]-]*[\p{L}\p{N}\p{M}_+@=,()[\]-])?$/u;
/** A part of a name that Windows takes for a device. */
const deviceName = /(?:^|\.)(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\.|$)/;
/** Letters that fold to ASCII letters on some file systems: dotless i and long s. */
const foldsToAscii = /[\u0130\u0131\u017f\u212a]/u;

/** Whether a path below `directory` has only plain, unprotected names on the way and at its end. */
export function isUnprotectedBelow(path: string, directory: string): boolean {
  return isBelow(path, directory) && relative(directory, path).split(sep).every(isUnprotectedName);
}

/** Whether a path lies below a directory, by its text alone. */
export function isBelow(path: string, directory: string): boolean {
  const below = relative(directory, path);
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

function isUnprotectedName(name: string): boolean {
  if (!plainName.test(name) || foldsToAscii.test(name)) return false;
  // One spelling in every Unicode form and case.
  const folded = name.normalize("NFKC").toLowerCase();
  return !protectedNames.has(folded) && !deviceName.test(folded);
}
