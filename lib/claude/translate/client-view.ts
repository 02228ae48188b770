/**
 * View: what the translator knows of the editor it writes for.
 *
 * Plain values and one question, so that a recording translates the same
 * everywhere.
 */
import { isAbsolutePath } from "../../acp/index.ts";
import { markInvisible, sliceWhole } from "../../schema/index.ts";

export interface ClientView {
  /** The session's directory; paths below it are shown without it. */
  readonly cwd: string;
  /** The client shows command output sent in `_meta.terminal_output`. */
  readonly showsTerminals: boolean;
  readonly showsNotices: boolean;
  readonly showsCompaction: boolean;
  /** A file's text as it is now, where that can be known. */
  readonly textOf: (path: string) => string | undefined;
}

/** A path as a person wants to read it. */
export function shownPath(path: string, { cwd }: ClientView): string {
  if (path === cwd) return ".";
  const root = cwd.endsWith("/") || cwd.endsWith("\\") ? cwd : `${cwd}${cwd.includes("\\") ? "\\" : "/"}`;
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** A path made absolute against the session's directory. */
export function absolutePath(path: string, { cwd }: ClientView): string {
  if (isAbsolutePath(path)) return path;
  const separator = cwd.includes("\\") ? "\\" : "/";
  const relative = path.replace(/^\.[\\/]/, "");
  return cwd.endsWith(separator) ? cwd + relative : cwd + separator + relative;
}

/** The most of a title that is worth showing. */
const maxTitleChars = 160;

/** The title of a tool call: one line in which every character can be seen. */
export function titleLine(text: string, maxChars: number = maxTitleChars): string {
  return oneLine(markInvisible(text), maxChars);
}

/** Any text as one line of a sane length. */
export function oneLine(text: string, maxChars: number = maxTitleChars): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${sliceWhole(line, maxChars - 1)}…`;
}
