/**
 * Reads the files that decide what an engine runs without asking: settings with hooks and rules,
 * MCP servers, subagents, skills, and for Claude the repositories of submodules.
 *
 * Each file has a fingerprint, which another run of the program can compare. It is a hash of the
 * content, or of the file's times for a file that is too large to be shown. A file that is as it
 * was by its times is not read again: no program can set the time of the last change (`ctime`).
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EngineId } from "../route.ts";
import type { WatchedPath } from "./configuration-paths.ts";
import { gitLinksAround } from "./git-links.ts";

/** Files of a submodule's repository that decide what git runs. Codex protects the repository of the project alone. */
const repositoryNames = [".git/config", ".git/HEAD", ".git/commondir", ".git/hooks"];
const maxSubmodulesBytes = 1024 * 1024;

/** Links among directories could be followed for ever. What lies beyond these limits is asked about each time. */
const maxEntries = 4000;
const maxDepth = 9;
/** The largest file whose text is shown. */
const maxShownBytes = 64 * 1024;
/** The largest file of which a part counts. */
const maxPartBytes = 16 * 1024 * 1024;
/** A file that was changed twice within the resolution of a file system's times has the same times. */
const timesResolutionMs = 3000;

/** Of a path beyond the limits, whose changes are not seen. */
export const unreadFingerprint = "unread";

export interface ConfigurationFile {
  /** Another text whenever the content changes. */
  readonly fingerprint: string;
  /** Undefined when the file is too large to be shown, or was not read. */
  readonly text: string | undefined;
}

/** By path. */
export type ConfigurationFiles = ReadonlyMap<string, ConfigurationFile>;

/** The files of one engine, for the directories of a session. */
export class ConfigurationReader {
  readonly #engine: EngineId;
  readonly #findWatched: () => readonly WatchedPath[];
  /** The files whose content was read, with the facts that they had. */
  readonly #known = new Map<string, { readonly facts: string; readonly file: ConfigurationFile }>();
  /** The submodules that `.gitmodules` or git's index has named at some time. */
  readonly #submodules = new Set<string>();
  /** A repository whose submodules cannot be found. */
  #unreadIndex: string | undefined;

  readonly #now: () => number;

  /**
   * `findWatched` is called for each reading: a directory may have become a link. `now` is the
   * time of day, with which the times of files are compared.
   */
  constructor(engine: EngineId, findWatched: () => readonly WatchedPath[], now: () => number) {
    this.#engine = engine;
    this.#findWatched = findWatched;
    this.#now = now;
  }

  read(): ConfigurationFiles {
    const reading: Reading = {
      files: new Map(),
      entriesLeft: maxEntries,
      firstUnread: undefined,
      read: (path, facts, part) => this.#readFile(path, facts, part),
    };
    const watched = this.#findWatched();
    for (const { path, ...which } of watched) readInto(reading, path, maxDepth, which);
    // The repository of a submodule is a file that names it, or a directory.
    for (const submodule of this.#findSubmodules(watched))
      if (factsOf(join(submodule, ".git"))?.isDirectory() !== true) readInto(reading, join(submodule, ".git"), 1);
      else for (const name of repositoryNames) readInto(reading, join(submodule, name), maxDepth);
    const { files } = reading;
    const firstUnread = reading.firstUnread ?? this.#unreadIndex;
    if (firstUnread !== undefined) files.set(firstUnread, { fingerprint: unreadFingerprint, text: undefined });
    return files;
  }

  /** Those of submodules too, and those that are named no longer: git has them in its index. */
  #findSubmodules(watched: readonly WatchedPath[]): ReadonlySet<string> {
    // Git runs in commands of Claude without a question. Those of Codex are in its sandbox.
    if (this.#engine !== "claude") return this.#submodules;
    const directories = new Set(watched.map(({ path }) => dirname(path)));
    this.#unreadIndex = undefined;
    for (const directory of [...directories, ...this.#submodules]) {
      // The directories above are watched too, so each repository is read once.
      const links = factsOf(join(directory, ".git")) === undefined ? [] : linksAround(directory);
      if (links === undefined) this.#unreadIndex = join(directory, ".git");
      for (const submodule of [...submodulesOf(directory), ...(links ?? [])]) this.#submodules.add(submodule);
    }
    return this.#submodules;
  }

  #readFile(path: string, facts: Stats, part: WatchedPath["part"]): ConfigurationFile {
    const { mtimeMs, ctimeMs, ino, dev, size, mode } = facts;
    const all = [mtimeMs, ctimeMs, ino, dev, size, mode].join(" ");
    const known = this.#known.get(path);
    if (known?.facts === all) return known.file;
    const readAtMs = this.#now();
    const file = readFile(path, facts, part);
    // A further change within the resolution of the times would not show.
    if (readAtMs - ctimeMs > timesResolutionMs) this.#known.set(path, { facts: all, file });
    else this.#known.delete(path);
    return file;
  }
}

function linksAround(directory: string): readonly string[] | undefined {
  try {
    return gitLinksAround(directory);
  } catch {
    return undefined;
  }
}

/** The paths of submodules in a `.gitmodules`, below the directory that it lies in. */
function submodulesOf(directory: string): readonly string[] {
  const path = join(directory, ".gitmodules");
  const facts = factsOf(path);
  if (facts?.isFile() !== true || facts.size > maxSubmodulesBytes) return [];
  const named = [...textOf(path).matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$/gim)];
  return named.flatMap(([, name]) => (name === undefined ? [] : [join(directory, name)]));
}

interface Reading {
  readonly files: Map<string, ConfigurationFile>;
  entriesLeft: number;
  /** The first path beyond the limits. */
  firstUnread: string | undefined;
  readonly read: (path: string, facts: Stats, part: WatchedPath["part"]) => ConfigurationFile;
}

function readInto(reading: Reading, path: string, depth: number, which: Omit<WatchedPath, "path"> = {}): void {
  if (depth === 0 || reading.entriesLeft-- <= 0) {
    reading.firstUnread ??= path;
    return;
  }
  const facts = factsOf(path);
  const target = targetOf(path);
  // A link counts by its own text too: `/proc/self` is another place in each process.
  if (target !== undefined) {
    if (/^\/(?:proc|dev)\b/.test(target)) reading.firstUnread ??= path;
    reading.files.set(`${path} -> ${target}`, { fingerprint: "link", text: undefined });
  }
  const names = facts?.isDirectory() === true ? namesIn(path) : [];
  // What cannot be listed, or is a link to nothing, may be read by the engine all the same.
  if (names === undefined || (facts === undefined && mayExist(path))) reading.firstUnread ??= path;
  if (facts?.isDirectory() === true) {
    for (const name of names ?? []) if (which.counts?.(name) ?? true) readInto(reading, join(path, name), depth - 1);
  } else if (facts !== undefined) {
    const file = reading.read(path, facts, which.part);
    if (which.part === undefined || file.text !== "") reading.files.set(path, file);
  }
}

function readFile(path: string, facts: Stats, part: WatchedPath["part"]): ConfigurationFile {
  const { mtimeMs, ctimeMs, ino, size, mode } = facts;
  const isRead = facts.isFile() && size <= (part === undefined ? maxShownBytes : maxPartBytes);
  const whole = isRead ? contentOf(path) : undefined;
  const content = part === undefined || whole === undefined ? whole : Buffer.from(part(whole.toString()));
  const identity = content ?? [mtimeMs, ctimeMs, ino, size].join(" ");
  const hash = createHash("sha256")
    .update(`${content === undefined ? "facts" : "content"} ${mode}\n`)
    .update(identity);
  return { fingerprint: hash.digest("base64url"), text: content?.toString() };
}

function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Where a symbolic link leads, as it is written; undefined for anything else. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Undefined when the directory cannot be listed. */
function namesIn(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return undefined;
  }
}

/** Whether there may be something at a path that has no facts. */
function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ENOTDIR");
  }
}

/** Empty when the file cannot be read. */
export function textOf(path: string): string {
  return contentOf(path)?.toString() ?? "";
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
