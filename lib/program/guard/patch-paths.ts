/**
 * The files that the text of a patch in a tool's input names.
 *
 * Read are the headers of Codex's patches (`*** Update File: path`), which OpenCode uses too,
 * and of unified and Git diffs (`--- a/path`). The parsers of agents differ, so a header counts
 * in each of its readings. A name that cannot be read or resolved is `undefined`, which makes
 * the call one that is not understood.
 */
import { isAbsolute, resolve } from "node:path";
import type { Fields } from "../../schema/index.ts";

/** Fields of tool inputs that hold a patch. */
const patchFields = ["patchText", "patch_text", "patch", "diff", "unified_diff", "input"] as const;

export interface PatchPlace {
  /** The directory that relative names are below; undefined when it is not known. */
  readonly directory: string | undefined;
  /** The files that the call names elsewhere. They show whether the `a/` of a diff is part of the name. */
  readonly told: ReadonlySet<string>;
}

export function patchPaths(input: Fields, { directory, told }: PatchPlace): readonly (string | undefined)[] {
  const paths = patchFields
    .flatMap((key) => namesIn(linesOf(input[key])))
    .flatMap((readings) => {
      const found = readings.map((name) => pathOf(name, directory));
      const sure = found.find((path) => path !== undefined && told.has(path));
      return sure !== undefined && readings.length > 1 ? [sure] : found;
    });
  return [...new Set(paths)];
}

/** The text of a patch may be given as a list of its lines. */
function linesOf(text: unknown): readonly string[] {
  const texts = Array.isArray(text) ? text : [text];
  return texts.flatMap((one) => (typeof one === "string" ? one.split("\n") : []));
}

/** The readings of a name, the likeliest first. */
type Readings = readonly (string | undefined)[];

function namesIn(lines: readonly string[]): readonly Readings[] {
  const isDiff = lines.some(
    (line, i) => line.startsWith("diff --git ") || (/^--- \S/.test(line) && /^\+\+\+ \S/.test(lines[i + 1] ?? "")),
  );
  return lines.flatMap((line) => {
    const header = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):([^]*)$/.exec(line)?.[1];
    if (header !== undefined) return headerReadings(header);
    return isDiff ? diffNames(line) : [];
  });
}

/** Each reading counts: Codex keeps blanks before a name, and OpenCode ends a name at a colon. */
function headerReadings(header: string): readonly Readings[] {
  const name = header.trim();
  const untrimmed = header.trimEnd().replace(/^ /, "");
  const beforeColon = /^[A-Za-z]:[\\/]/.test(name) ? name : (name.split(":")[0]?.trim() ?? "");
  return [name, untrimmed, ...(beforeColon === "" ? [] : [beforeColon])].map((one) => [one]);
}

/** The names in a line of a unified or Git diff. Only Git's prefixes may be no part of a name. */
function diffNames(line: string): readonly Readings[] {
  const both = /^diff --git ([^]*)$/.exec(line)?.[1];
  if (both !== undefined) {
    const names = both.trim().split(" ");
    // With a blank in a name it is not clear where the second one begins.
    return names.length === 2 ? names.map(withoutPrefix) : [[undefined]];
  }
  const moved = /^(?:rename|copy) (?:from|to) ([^]*)$/.exec(line)?.[1];
  if (moved !== undefined) return [[unquoted(moved.trim())]];
  const named = /^(?:---|\+\+\+) ([^\t]*)/.exec(line)?.[1]?.trim();
  return named === undefined || named === "/dev/null" ? [] : [withoutPrefix(named)];
}

function withoutPrefix(name: string): Readings {
  return /^[abciow]\/[^/]/.test(name) ? [unquoted(name.slice(2)), unquoted(name)] : [unquoted(name)];
}

/** Git writes unusual names in quotes with escapes, which are not read. */
function unquoted(name: string): string | undefined {
  return name.startsWith('"') ? undefined : name;
}

function pathOf(name: string | undefined, directory: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (name === undefined || name === "" || /[\0-\x1f\x7f]/.test(name)) return undefined;
  if (isAbsolute(name)) return resolve(name);
  return directory === undefined ? undefined : resolve(directory, name);
}
