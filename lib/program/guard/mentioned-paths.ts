/**
 * Reads every text in the input of a tool call as a path, whatever its field is called.
 *
 * Tools of MCP servers name their files in fields such as `source`, `uri` or `args.file`. A rule
 * that denies or asks holds for each path found here; a rule that allows is not compared with
 * them. So a text that is no path can make the guard stricter, and never more permissive.
 */
import { homedir } from "node:os";
import { normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fields } from "../../schema/index.ts";

/** An input with more or deeper texts is not understood. */
const maxTexts = 10_000;
const maxDepth = 32;
/** No path is longer, or has a line break in a field that names a file. */
const maxPathChars = 4096;
/** Fields that name no file: commands, which have rules of their own, the MCP server, and texts of files. */
const otherFields: ReadonlySet<string> = new Set([
  "command",
  "cmd",
  "commands",
  "script",
  "server",
  "tool",
  "description",
  "content",
  "new_source",
  "old_string",
  "new_string",
  "old_text",
  "new_text",
  "oldText",
  "newText",
]);

export interface MentionedPath {
  readonly path: string;
  /** Whether the text is a single name, such as `secrets`: it may be no path at all. */
  readonly isName: boolean;
}

/** Undefined when the input is too large to be read. */
export function mentionedPaths(input: Fields, cwd: string | undefined): readonly MentionedPath[] | undefined {
  const found = new Map<string, MentionedPath>();
  const rest: { readonly value: unknown; readonly depth: number }[] = [{ value: input, depth: 0 }];
  let count = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, depth } = next;
    if (++count > maxTexts || depth > maxDepth) return undefined;
    if (typeof value === "string") {
      const isName = !/[/\\]/.test(value);
      for (const path of readings(value, cwd)) if (found.get(path)?.isName !== false) found.set(path, { path, isName });
    }
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (otherFields.has(key)) continue;
      // A key may be a path too: some patches have one for each file.
      if (/[/\\.]/.test(key)) rest.push({ value: key, depth: depth + 1 });
      rest.push({ value: inner, depth: depth + 1 });
    }
  }
  return [...found.values()];
}

/**
 * What the words of a command name as paths: a word itself, and what stands in it behind `=`, `:` or `@`, or from its
 * first slash, `~` or dot on, as in `--file=.env`, `HEAD:.env` and `-f/etc/passwd`.
 */
export function pathsInWords(
  words: readonly string[],
  directories: readonly (string | undefined)[],
): readonly string[] {
  const texts = words.flatMap((word) => [
    word,
    ...[...word.matchAll(/[=:@,]/g)].map(({ index }) => word.slice(index + 1)),
    ...(/[/~.][^]*$/.exec(word) ?? []),
  ]);
  return [...new Set(texts.flatMap((text) => directories.flatMap((directory) => readings(text, directory))))];
}

/** What a text names as a path. Servers may cut blanks and separators at its end, and compose its characters. */
function readings(text: string, cwd: string | undefined): readonly string[] {
  if (text === "" || text.length > maxPathChars || text.includes("\n")) return [];
  const given = [text, text.trim(), text.trim().normalize("NFC")].flatMap((one) => [one, fromUrl(one) ?? one]);
  return given.map((one) => {
    const path = resolve(cwd ?? "/", one.replace(/^~(?=[/\\]|$)/, () => homedir()).replaceAll("\0", ""));
    return normalize(path).replace(/(.)[/\\]+$/s, "$1");
  });
}

function fromUrl(text: string): string | undefined {
  if (!/^file:/i.test(text)) return undefined;
  try {
    return fileURLToPath(text);
  } catch {
    // A host or an odd escape: the path of the URL is all there is.
    return text.replace(/^file:(?:\/\/[^/]*)?/i, "");
  }
}
