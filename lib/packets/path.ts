/**
 * Path functions for POSIX and Windows paths alike: an agent may run on another system.
 */

/** The path relative to `cwd` when it is below `cwd`; any other path unchanged. */
export function shownPath(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === "" || cwd === "/") return path;
  const root = /[\\/]$/.test(cwd) ? cwd : cwd + (cwd.includes("\\") ? "\\" : "/");
  return path.startsWith(root) && path.length > root.length ? path.slice(root.length) : path;
}

/** The directory that contains the path, with a trailing separator. */
export function directoryOf(path: string): string {
  return path.slice(0, lastSeparator(path) + 1);
}

/** The last component of the path; a trailing separator is ignored. */
export function nameOf(path: string): string {
  const plain = lastSeparator(path) === path.length - 1 ? path.slice(0, -1) : path;
  return plain.slice(lastSeparator(plain) + 1);
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
}
