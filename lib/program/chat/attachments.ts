/**
 * Files that the user names in a message: completion of `@path`, and the content blocks
 * that go with the message.
 *
 * `@path` of an existing file becomes a resource link, which the agent reads. An image,
 * named by `@path` or by its bare absolute path (what terminals paste for a dropped file,
 * quoted, with backslashes or as a file: address), is sent as an image if the agent takes
 * images. The text stays as the user typed it.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { block, type ContentBlock } from "../../acp/index.ts";
import type { SlashCompletion } from "./input/input-view.ts";

/** Files and directories looked at for a completion. */
const maxVisited = 5000;
const maxOffered = 200;
const maxAttachments = 20;
export const maxImageBytes = 5 * 1024 * 1024;
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", "target", ".cache", "__pycache__"]);
const imageTypes: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
]);

/** The files below `cwd` whose path contains what follows the last `@`; shallow ones first. */
export function fileCompletions(text: string, cwd: string): readonly SlashCompletion[] {
  const [, wanted] = /(?:^|\s)@(\S*)$/.exec(text) ?? [];
  if (wanted === undefined) return [];
  const found: SlashCompletion[] = [];
  const queue = [cwd];
  let visited = 0;
  for (let directory = queue.shift(); directory !== undefined; directory = queue.shift()) {
    for (const entry of entriesOf(directory)) {
      if (++visited > maxVisited || found.length >= maxOffered) return byName(found, wanted);
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) queue.push(path);
      const name = relative(cwd, path);
      if (entry.isFile() && !/\s/.test(name) && name.toLowerCase().includes(wanted.toLowerCase()))
        found.push({ name, description: "" });
    }
  }
  return byName(found, wanted);
}

/** Files whose name begins with the typed text come first. */
function byName(files: readonly SlashCompletion[], typed: string): readonly SlashCompletion[] {
  const begins = ({ name }: SlashCompletion): boolean => basename(name).toLowerCase().startsWith(typed.toLowerCase());
  return [...files.filter(begins), ...files.filter((file) => !begins(file))];
}

/** The blocks of a message: its text, then the files it names. */
export function messageBlocks(text: string, cwd: string, takesImages: boolean): readonly ContentBlock[] {
  const files: ContentBlock[] = [];
  for (const [, at, named = ""] of text.matchAll(names)) {
    const path = pathOf(named);
    const mimeType = imageTypes.get(extname(path).toLowerCase());
    // A bare path counts only if it is an absolute one of an image.
    if (files.length >= maxAttachments || (at === "" && (mimeType === undefined || !isAbsolute(path)))) continue;
    const full = isAbsolute(path) ? path : join(cwd, path);
    const size = sizeOf(full);
    if (size === undefined) continue;
    if (mimeType !== undefined && takesImages && size <= maxImageBytes)
      files.push(block.image(readFileSync(full).toString("base64"), mimeType, pathToFileURL(full).href));
    else files.push(block.link(pathToFileURL(full).href, basename(full)));
  }
  return [block.text(text), ...files];
}

/** A word with or without `@`; a path with blanks is quoted, or has a backslash before each. */
const names =
  /(?<=^|\s)(@?)((?:(?<=@)|(?=["'](?:\/|[A-Za-z]:[\\/]|file:)))(?:"[^"\n]+"|'[^'\n]+')(?=\s|$)|(?:\\.|\S)+)/g;

/** The path of a word, as terminals write the path of a file that is dropped on them. */
function pathOf(word: string): string {
  const quoted = /^(["'])(.+)\1$/.exec(word)?.[2];
  const unescaped = sep === "/" ? word.replaceAll(/\\(.)/g, "$1") : word;
  const path = quoted ?? unescaped.replace(/[,.;:!?]+$/, "");
  if (!/^file:\/\/\//i.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  } catch {
    return [];
  }
}

function sizeOf(path: string): number | undefined {
  try {
    const facts = statSync(path);
    return facts.isFile() ? facts.size : undefined;
  } catch {
    return undefined;
  }
}
