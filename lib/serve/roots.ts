/**
 * The directories that sessions of the server may work in: the roots and what is below them.
 *
 * Symbolic links are resolved first, because a link could lead out of the roots.
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { DirectoryPolicy } from "../hub/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";

export type RequestedDirectory =
  | { readonly kind: "allowed"; readonly path: string }
  | { readonly kind: "missing" | "outside"; readonly why: string };

export class Roots implements DirectoryPolicy {
  readonly #roots: readonly [string, ...string[]];

  constructor(roots: readonly [string, ...string[]]) {
    this.#roots = roots;
  }

  /** `requested` is absolute, or relative to the first root. */
  async find(requested: string | undefined): Promise<RequestedDirectory> {
    const path = await realpath(resolve(this.#roots[0], requested ?? "")).catch(() => undefined);
    if (path === undefined) return { kind: "missing", why: "cwd must be a directory that exists" };
    if (await this.isWithin(path)) return { kind: "allowed", path };
    return {
      kind: "outside",
      why: "the directory must be below one of the server's directories; bowline serve --root adds one",
    };
  }

  readonly admit = async (cwd: string): Promise<string> => {
    const found = await this.find(cwd);
    if (found.kind === "allowed") return found.path;
    throw new RpcError(errorCodes.invalidParams, found.why);
  };

  /** A directory that no longer exists counts as outside: its links cannot be resolved. */
  readonly isWithin = async (directory: string): Promise<boolean> => {
    if (!isAbsolute(directory)) return false;
    const real = await realpath(directory).catch(() => undefined);
    if (real === undefined) return false;
    for (const root of this.#roots) {
      if (isBelow(await realpath(root).catch(() => root), real)) return true;
    }
    return false;
  };
}

function isBelow(root: string, path: string): boolean {
  const relativePath = relative(root, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}
