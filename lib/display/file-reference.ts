/**
 * Reads links to files in a prompt, and puts the text of an attached file into a prompt.
 */
import { block, type ContentBlock } from "../acp/index.ts";
import { sliceWhole } from "../schema/index.ts";
import { fileUri } from "./path-forms.ts";

/** Attached text is cut at this length, with a note to the model. */
export const maxAttachedChars = 512 * 1024;

export interface FileReference {
  readonly path: string;
  /** The line range as text: `line 3` or `lines 3 to 5`. */
  readonly lines: string | undefined;
  /** The first line of the range, counted from 1. */
  readonly line: number | undefined;
  readonly lineCount: number | undefined;
}

/** Parses a `file:` URI with an optional fragment `#L10` or `#L10:20`; undefined for any other URI. */
export function readFileUri(uri: string): FileReference | undefined {
  const [, server = "", encoded, fragment] = /^file:\/\/([\w.-]*)(\/[^#?]*)(?:\?[^#]*)?(?:#(.*))?$/i.exec(uri) ?? [];
  if (encoded === undefined) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  // A Windows path has its drive letter after the first slash.
  if (/^\/[A-Za-z]:/.test(path)) path = path.slice(1);
  // A file on a server, as Windows names it.
  else if (server !== "" && server !== "localhost") path = `\\\\${server}${path.replaceAll("/", "\\")}`;
  const [, from, to] = /^L(\d+)(?:[:-]L?(\d+))?$/.exec(fragment ?? "") ?? [];
  const first = from === undefined ? undefined : Number(from);
  if (first === undefined || first < 1) return { path, lines: undefined, line: undefined, lineCount: undefined };
  const last = to === undefined ? undefined : Number(to);
  if (last === undefined || last < first) return { path, lines: `line ${first}`, line: first, lineCount: 1 };
  return { path, lines: `lines ${first} to ${last}`, line: first, lineCount: last - first + 1 };
}

/** The text of a file in a tag that separates it from the user's own text. */
export function attachedText(uri: string, content: string): string {
  const name = attachedName(uri);
  const isLong = content.length > maxAttachedChars;
  const shown = isLong
    ? `${sliceWhole(content, maxAttachedChars)}\n[cut here: ${content.length - maxAttachedChars} more characters]`
    : content;
  // The end of the block must not occur within it.
  const inside = shown.replaceAll("</context>", "<\\/context>");
  return `\n<context ref="${inTag(name)}">\n${inside}\n</context>\n`;
}

/** The characters of a name that would end the tag or its line, and how they are written in it. */
const tagCharacters = { '"': "&quot;", "\n": "&#10;", "\r": "&#13;" } as const;

function inTag(name: string): string {
  return Object.entries(tagCharacters).reduce((text, [one, written]) => text.replaceAll(one, written), name);
}

function fromTag(name: string): string {
  return Object.entries(tagCharacters).reduce((text, [one, written]) => text.replaceAll(written, one), name);
}

/** The name in the tag: a path, with its lines, or an address. */
export function attachedName(uri: string): string {
  const file = readFileUri(uri);
  if (file === undefined) return uri;
  return file.lines === undefined ? file.path : `${file.path} (${file.lines})`;
}

/**
 * The blocks of a saved prompt, in which attached files are texts in tags. They become attachments again, so that
 * a client that sends the prompt once more does not send words of a file as words of the user. What another
 * engine said, which comes first, belongs to no prompt; with `keepsSharedContext` it is a block of its own.
 */
export function savedBlocks(text: string, keepsSharedContext = false): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let end = 0;
  // An attached text has no end of the tag within it.
  for (const found of text.matchAll(/\n?<context ref="([^"\n]*)">\n([^]*?)\n<\/context>\n/g)) {
    const [whole, name = "", inside = ""] = found;
    const isShared = name === "conversation";
    if (isShared && found.index > 0) continue;
    if (found.index > end) blocks.push(block.text(text.slice(end, found.index)));
    if (isShared && keepsSharedContext) blocks.push(block.text(whole));
    if (!isShared) blocks.push(block.resource({ uri: uriOf(fromTag(name)), text: inside }));
    end = found.index + whole.length;
  }
  return end === 0 ? [block.text(text)] : end < text.length ? [...blocks, block.text(text.slice(end))] : blocks;
}

/** The reverse of `attachedName`. */
function uriOf(name: string): string {
  const [, path = name, from, to = from] = /^(.*) \(lines? (\d+)(?: to (\d+))?\)$/s.exec(name) ?? [];
  if (!/^(?:\/|\\\\|[a-z]:)/i.test(path) || /^[a-z]:\/\//i.test(path)) return name;
  return from === undefined ? fileUri(path) : `${fileUri(path)}#L${from}:${to}`;
}
