/**
 * Puts the editor's unsaved text into the result of the CLI's own Read.
 *
 * The CLI decides whether the file may be read, and reads it. If the editor's text of
 * that file differs from the disk, the result is replaced by the same lines of the
 * editor's text. The result is not replaced when the file on disk is no longer the one
 * that the CLI read, so a path that was redirected meanwhile reveals no other file.
 */
import { isRecord } from "../schema/index.ts";
import type { CurrentTexts } from "./current-text.ts";
import type { KnownFiles } from "./known-files.ts";
import { linesOf, shownText } from "./text-edit.ts";

export interface UnsavedTextOptions {
  readonly texts: CurrentTexts;
  readonly knownFiles: KnownFiles;
  /** False when the result may have been changed by a hook of the user, which a replacement would undo. */
  readonly mayReplace: boolean;
}

/** How many lines the CLI reads when the call has no `limit`. */
const defaultLines = 2000;
/** The most text the CLI gives the model from one call. */
const maxReadBytes = 256 * 1024;

/** The result that replaces the CLI's; undefined leaves it as it is. */
export async function unsavedResult(
  input: unknown,
  response: unknown,
  { texts, knownFiles, mayReplace }: UnsavedTextOptions,
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
  if (!mayReplace && !isSaved) {
    // The model has read the disk, so the unsaved text counts as a change that it does not know.
    knownFiles.set(path, { text: saved, disk, isSaved: false });
    return undefined;
  }
  const lines = linesOf(shownText(text));
  // Without the whole text only the fact is kept that the model has read the file.
  knownFiles.set(path, { text: isWhole && lines.length <= range.count ? text : undefined, disk, isSaved });
  if (type === "notebook") return undefined;
  // The CLI reports an unchanged file, and the editor's text has not changed either since the model read it.
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
