/**
 * Maps paths between the machine of a remote agent and the machine of the editor.
 *
 * Paths are compared by whole segments, and the longest prefix decides. A path that no
 * prefix covers, or that has `.` or `..` in it (also with the dots and blanks that Windows
 * cuts off), is not mapped: the caller refuses it.
 */
export interface PathPair {
  readonly remote: string;
  readonly local: string;
}

export interface PathMap {
  readonly toLocal: (path: string) => string | undefined;
  readonly toRemote: (path: string) => string | undefined;
}

/** Without pairs both machines have the same paths. */
export function pathMap(pairs: readonly PathPair[]): PathMap {
  if (pairs.length === 0) return { toLocal: (path) => path, toRemote: (path) => path };
  return {
    toLocal: (path) =>
      mapped(
        path,
        pairs.map(({ remote, local }) => [remote, local]),
      ),
    toRemote: (path) =>
      mapped(
        path,
        pairs.map(({ remote, local }) => [local, remote]),
      ),
  };
}

/** Reads `/remote=/local`, several separated by commas. Undefined when a part is no such pair. */
export function readPairs(text: string): readonly PathPair[] | undefined {
  const pairs: PathPair[] = [];
  for (const part of text.split(",")) {
    const [, remote, local] = /^([^=]+)=([^=]+)$/.exec(part.trim()) ?? [];
    if (remote === undefined || local === undefined || !isAbsolute(remote) || !isAbsolute(local)) return undefined;
    pairs.push({ remote: trimmed(remote), local: trimmed(local) });
  }
  return pairs;
}

function mapped(path: string, pairs: readonly (readonly [string, string])[]): string | undefined {
  if (!isAbsolute(path) || path.includes("\0") || path.split(/[\\/]/).some((part) => /^\.[. ]*$/.test(part)))
    return undefined;
  let best: readonly [string, string] | undefined;
  for (const pair of pairs) {
    if (isBelow(path, pair[0]) && pair[0].length >= (best?.[0].length ?? 0)) best = pair;
  }
  if (best === undefined) return undefined;
  const [from, to] = best;
  const rest = path.slice(from.length).replace(/^[\\/]/, "");
  if (rest === "") return to === "" ? "/" : to;
  const separator = isWindows(to) ? "\\" : "/";
  return `${to}${separator}${rest.split(isWindows(from) ? /[\\/]/ : "/").join(separator)}`;
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || (path.startsWith(prefix) && /[\\/]/.test(path[prefix.length] ?? ""));
}

/** The root directory becomes the empty prefix, which covers every path. */
function trimmed(path: string): string {
  return path.replace(/[\\/]+$/, "");
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || isWindows(path);
}

function isWindows(path: string): boolean {
  return /^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(path);
}
