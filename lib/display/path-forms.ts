/**
 * Compares paths that are written in different ways, and converts paths to file URIs.
 *
 * Windows: drive letters and names in any case, both separators, `\\?\` in front, `/c/`
 * as Git Bash writes drives. macOS: `/private/var` and `/var` are the same directory, and
 * file names come in NFD. Functions of strings: the files may be on another machine.
 */

/** Whether a path is one of Windows: with a drive, or on a server. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[a-z]:|\\\\)/i.test(path);
}

/** The path without `\\?\`, which programs add to pass long names. */
export function withoutLongPrefix(path: string): string {
  return path.replace(/^\\\\[?.]\\UNC\\/i, "\\\\").replace(/^\\\\[?.]\\(?=[a-z]:)/i, "");
}

/** A path of Git Bash, such as `/c/Users`, as Windows has it. Other paths are returned as they are. */
export function windowsFromBash(path: string): string {
  const [, drive, rest = ""] = /^\/([a-z])(\/.*)?$/i.exec(path) ?? [];
  return drive === undefined ? path : `${drive.toUpperCase()}:${rest === "" ? "\\" : rest.replaceAll("/", "\\")}`;
}

/**
 * The part of `path` below `directory`, as `path` writes it; "" for the directory itself,
 * undefined when the path is elsewhere.
 */
export function pathBelow(path: string, directory: string): string | undefined {
  const isWindows = isWindowsPath(directory);
  const [inner, outer] = [path, directory].map((one) => (isWindows ? withoutLongPrefix(one) : withoutPrivate(one)));
  const long = isWindows && !isWindowsPath(path) ? windowsFromBash(path) : (inner ?? path);
  const top = (outer ?? directory).replace(isWindows ? /[\\/]+$/ : /(?<!^)\/+$/, "");
  const form = (text: string): string => comparable(text, isWindows);
  const names = long.split(isWindows ? /[\\/]/ : "/");
  const count = top === "/" ? 1 : top.split(isWindows ? /[\\/]/ : "/").length;
  const begin = names.slice(0, count).join("/");
  if (form(begin) !== form(top === "/" ? "" : top)) return undefined;
  return names.slice(count).join(isWindows ? "\\" : "/");
}

function comparable(path: string, isWindows: boolean): string {
  const normal = path.normalize("NFC");
  return isWindows ? normal.replaceAll("\\", "/").toLowerCase() : normal;
}

/** macOS: /var, /tmp and /etc are links to directories below /private. */
function withoutPrivate(path: string): string {
  return path.replace(/^\/private(?=\/(?:var|tmp|etc)(?:\/|$))/, "");
}

/** An absolute path without `.`, `..`, repeated separators and `\\\\?\\`. */
export function normalizedPath(path: string): string {
  const isWindows = isWindowsPath(path);
  const [, root = "", rest = ""] = /^([a-z]:|\\\\|)(.*)$/is.exec(isWindows ? withoutLongPrefix(path) : path) ?? [];
  const names: string[] = [];
  for (const name of rest.split(isWindows ? /[\\/]+/ : /\/+/)) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  const separator = isWindows ? "\\" : "/";
  return root + (root === "\\\\" ? "" : separator) + names.join(separator);
}

/** The same text for every spelling of a path; only to be compared. */
export function pathKey(path: string): string {
  const plain = normalizedPath(path);
  return isWindowsPath(path) ? comparable(plain, true) : comparable(withoutPrivate(plain), false);
}

/** The `file:` URI of an absolute path of any system. */
export function fileUri(path: string): string {
  if (!isWindowsPath(path)) return `file://${encoded(path)}`;
  const [, server, drive, rest = ""] = /^(?:[\\/]{2}([^\\/]+)|([a-z]:))(.*)$/is.exec(withoutLongPrefix(path)) ?? [];
  const tail = encoded(rest.replaceAll("\\", "/"));
  return server === undefined ? `file:///${drive}${tail}` : `file://${encodeURIComponent(server)}${tail}`;
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
