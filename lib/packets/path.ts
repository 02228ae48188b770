/**
 * Paths: as a person wants to read them, whichever system they are of.
 */

/** A path below the session's directory without it; any other as it is. */
export function shownPath(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === "") return path;
  const root = /[\\/]$/.test(cwd) ? cwd : cwd + (cwd.includes("\\") ? "\\" : "/");
  return path.startsWith(root) && path.length > root.length ? path.slice(root.length) : path;
}

/** The directory a path is in, with the separator at its end. */
export function directoryOf(path: string): string {
  return path.slice(0, lastSeparator(path) + 1);
}

/** The last name of a path; of a directory, with the separator at its end, its own. */
export function nameOf(path: string): string {
  const plain = lastSeparator(path) === path.length - 1 ? path.slice(0, -1) : path;
  return plain.slice(lastSeparator(plain) + 1);
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
}
