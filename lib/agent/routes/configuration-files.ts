/**
 * Reads the project files that decide what an engine runs without asking: settings with hooks
 * and rules, MCP servers, subagents, skills, and for Claude the repositories of submodules.
 *
 * Each file has a fingerprint, which another run of the program can compare. It is a hash of
 * the content, or of the file's times for a file that is too large to be shown.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { EngineId } from "../route.ts";

/** Where an engine reads its configuration, in each directory of a session. */
const names: Readonly<Record<EngineId, readonly string[]>> = {
  claude: [
    ".mcp.json",
    ...[
      "settings.json",
      "settings.local.json",
      "agents",
      "commands",
      "hooks",
      "plugins",
      "skills",
      "output-styles",
    ].map((name) => join(".claude", name)),
  ],
  codex: [
    ".agents",
    ...["config.toml", "hooks.json", "agents", "hooks", "prompts", "rules", "skills"].map((name) =>
      join(".codex", name),
    ),
  ],
};
/** Files of a submodule's repository that decide what git runs. Codex protects the repository of the project alone. */
const repositoryNames = [".git/config", ".git/HEAD", ".git/commondir", ".git/hooks"];
const maxSubmodulesBytes = 1024 * 1024;

/** Links among directories could be followed for ever. What lies beyond these limits counts as changed at every look. */
const maxEntries = 4000;
const maxDepth = 8;
/** The largest file whose text is shown. */
const maxShownBytes = 64 * 1024;

export interface ConfigurationFile {
  /** Another text whenever the content changes. */
  readonly fingerprint: string;
  /** Undefined when the file is too large to be shown, or was not read. */
  readonly text: string | undefined;
}

/** By path. */
export type ConfigurationFiles = ReadonlyMap<string, ConfigurationFile>;

/** The files of one engine, in the directories of a session. */
export class ConfigurationReader {
  readonly #engine: EngineId;
  readonly #directories: readonly string[];
  /** The submodules that `.gitmodules` has named at some time. */
  readonly #submodules = new Set<string>();

  constructor(engine: EngineId, directories: readonly string[]) {
    this.#engine = engine;
    this.#directories = directories;
  }

  read(): ConfigurationFiles {
    const reading: Reading = { files: new Map(), entriesLeft: maxEntries, firstUnread: undefined };
    for (const directory of this.#directories)
      for (const name of names[this.#engine]) readInto(reading, join(directory, name), maxDepth);
    // The repository of a submodule is a file that names it, or a directory.
    for (const submodule of this.#findSubmodules())
      if (factsOf(join(submodule, ".git"))?.isDirectory() !== true) readInto(reading, join(submodule, ".git"), 1);
      else for (const name of repositoryNames) readInto(reading, join(submodule, name), maxDepth);
    const { files, firstUnread } = reading;
    if (firstUnread !== undefined) files.set(firstUnread, { fingerprint: crypto.randomUUID(), text: undefined });
    return files;
  }

  /** Those of submodules too, and those that are named no longer: git has them in its index. */
  #findSubmodules(): ReadonlySet<string> {
    // Git runs in commands of Claude without a question. Those of Codex are in its sandbox.
    if (this.#engine !== "claude") return this.#submodules;
    for (const directory of [...this.#directories, ...this.#submodules])
      for (const submodule of submodulesOf(directory)) this.#submodules.add(submodule);
    return this.#submodules;
  }
}

/** The paths of submodules in a `.gitmodules`, below the directory that it lies in. */
function submodulesOf(directory: string): readonly string[] {
  const path = join(directory, ".gitmodules");
  const facts = factsOf(path);
  if (facts?.isFile() !== true || facts.size > maxSubmodulesBytes) return [];
  const text = contentOf(path)?.toString() ?? "";
  const named = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$/gim)];
  return named.flatMap(([, name]) => (name === undefined ? [] : [join(directory, name)]));
}

interface Reading {
  readonly files: Map<string, ConfigurationFile>;
  entriesLeft: number;
  /** The first path beyond the limits. */
  firstUnread: string | undefined;
}

function readInto(reading: Reading, path: string, depth: number): void {
  if (depth === 0 || reading.entriesLeft-- <= 0) {
    reading.firstUnread ??= path;
    return;
  }
  const facts = factsOf(path);
  if (facts?.isDirectory() === true) for (const name of namesIn(path)) readInto(reading, join(path, name), depth - 1);
  else if (facts !== undefined) reading.files.set(path, readFile(path, facts));
}

function readFile(path: string, facts: Stats): ConfigurationFile {
  const { mtimeMs, ctimeMs, ino, size, mode } = facts;
  const content = facts.isFile() && size <= maxShownBytes ? contentOf(path) : undefined;
  // No program can set the time of the last change.
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

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
