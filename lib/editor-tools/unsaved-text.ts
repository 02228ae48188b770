/**
 * Unsaved text in the result of the CLI's own Read.
 *
 * The CLI judges and reads the file. Where the editor has other text for that file
 * than the disk, the result is replaced by the editor's text, in the same lines. The
 * result stays as it is when the file on disk is no longer the one the CLI read, so a
 * path that was changed to lead elsewhere shows nothing else.
 */
import { isRecord } from "../schema/index.ts";
import type { CurrentTexts } from "./current-text.ts";
import type { KnownFiles } from "./known-files.ts";
import { linesOf, shownText } from "./text-edit.ts";

export interface UnsavedTextOptions {
  readonly texts: CurrentTexts;
  readonly knownFiles: KnownFiles;
}

/** Lines the CLI reads when the call names no number. */
const defaultLines = 2000;
/** The most text the CLI gives the model from one call. */
const maxReadBytes = 256 * 1024;

/** What takes the place of the CLI's result; undefined leaves it as it is. */
export async function unsavedResult(
  input: unknown,
  response: unknown,
  { texts, knownFiles }: UnsavedTextOptions,
): Promise<object | undefined> {
  const file = isRecord(response) ? response["file"] : undefined;
  const path = isRecord(file) ? file["filePath"] : undefined;
  if (!isRecord(response) || !isRecord(file) || typeof path !== "string") return undefined;
  const { type } = response;
  if (type !== "text" && type !== "file_unchanged" && type !== "notebook") return undefined;
  const before = knownFiles.get(path);
  const current = await texts.current(path, true);
  if (current.kind !== "text" || current.saved === undefined) return undefined;
  const { text, saved, disk, isSaved } = current;
  const savedLines = linesOf(shownText(saved));
  const range = type === "text" ? rangeOf(input) : { first: 1, count: defaultLines };
  const isWhole = range.first === 1 && savedLines.length <= range.count;
  if (type === "text" && !isReadFrom(file, savedLines, range)) return undefined;
  const lines = linesOf(shownText(text));
  // The model knows the whole text, or only that the file has been read.
  knownFiles.set(path, { text: isWhole && lines.length <= range.count ? text : undefined, disk, isSaved });
  if (type === "notebook") return undefined;
  // Nothing has changed for the model since its last look.
  if (type === "file_unchanged" && (before?.text === text || (isSaved && before?.isSaved !== false))) return undefined;
  if (type === "text" && isSaved) return undefined;
  const shown = lines.slice(range.first - 1, range.first - 1 + range.count);
  const content = shown.join("\n");
  if (Buffer.byteLength(content) > maxReadBytes) return undefined;
  return {
    type: "text",
    file: { filePath: path, content, numLines: shown.length, startLine: range.first, totalLines: lines.length },
  };
}

interface Range {
  /** The first line, from 1. */
  readonly first: number;
  readonly count: number;
}

function rangeOf(input: unknown): Range {
  const offset = isRecord(input) ? input["offset"] : undefined;
  const limit = isRecord(input) ? input["limit"] : undefined;
  return {
    first: typeof offset === "number" && offset >= 1 ? Math.floor(offset) : 1,
    count: typeof limit === "number" && limit >= 1 ? Math.floor(limit) : defaultLines,
  };
}

/** Whether the CLI's result holds the lines that are on disk now. */
function isReadFrom(file: Readonly<Record<string, unknown>>, saved: readonly string[], { first }: Range): boolean {
  const { content, numLines } = file;
  if (typeof content !== "string" || typeof numLines !== "number") return false;
  const lines = linesOf(content);
  return lines.every((line, i) => line === saved[first - 1 + i]);
}
