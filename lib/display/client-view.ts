/**
 * `ClientView`: what a translator knows about the client, and how it shows paths and titles.
 *
 * Plain values and one function, so that a recording translates the same everywhere.
 */
import { isAbsolutePath, type SessionUpdate } from "../acp/index.ts";
import { isWindowsPath, pathBelow, windowsFromBash } from "./path-forms.ts";
import { markInvisible, sliceWhole } from "../schema/index.ts";

/** What one event of an engine shows. */
export type Updates = readonly SessionUpdate[];

export interface ClientView {
  /** The session's working directory. Paths below it are shown relative to it. */
  readonly cwd: string;
  /** Whether the client shows command output sent in `_meta.terminal_output`. */
  readonly showsTerminals: boolean;
  readonly showsNotices: boolean;
  readonly showsCompaction: boolean;
  /** Whether the client asks for the whole input and the structured result of each tool call. */
  readonly wantsRaw?: boolean | undefined;
  /** Whether the client asks for the text of subagents while they work. */
  readonly wantsSubagentText?: boolean | undefined;
  /** Whether a saved prompt keeps its first part, the messages of another engine; a session with two engines removes that part. */
  readonly keepsSharedContext?: boolean | undefined;
  /** The current text of a file; undefined when it cannot be read. */
  readonly textOf: (path: string) => string | undefined;
}

/** A path as it is shown to the user: relative when it lies below the working directory. */
export function shownPath(path: string, { cwd }: ClientView): string {
  // Below the root directory, or without a directory, a relative path would only lack its first slash.
  if (cwd === "" || cwd === "/") return path;
  const below = pathBelow(path, cwd);
  return below === "" ? "." : (below ?? path);
}

/** A path made absolute against the session's working directory. */
export function absolutePath(path: string, { cwd }: ClientView): string {
  if (isWindowsPath(cwd)) path = windowsFromBash(path);
  if (isAbsolutePath(path)) return path;
  const separator = cwd.includes("\\") ? "\\" : "/";
  const relative = path.replace(/^\.[\\/]/, "");
  return cwd.endsWith(separator) ? cwd + relative : cwd + separator + relative;
}

const maxTitleChars = 160;

/** The title of a tool call: one line, with invisible characters marked. */
export function titleLine(text: string, maxChars: number = maxTitleChars): string {
  return oneLine(markInvisible(text), maxChars);
}

/** The text as one line, truncated to `maxChars`. */
export function oneLine(text: string, maxChars: number = maxTitleChars): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${sliceWhole(line, maxChars - 1)}…`;
}
