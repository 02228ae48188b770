/**
 * Where an engine reads the files that decide what it runs without asking.
 *
 * In the project these are whole directories, of each directory of the session and of all
 * directories above it: both engines read some of their files there, and a sandbox with
 * `writable_roots` may write them. The user's own configuration counts only where the other
 * engine can write, because programs of the user change it at any time.
 */
import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Environment } from "../../process/index.ts";
import { type EngineId, otherEngine } from "../route.ts";
import { textOf } from "./configuration-files.ts";

export interface WatchedPath {
  readonly path: string;
  /** Which entries of the directory count. Undefined: all. */
  readonly counts?: ((name: string) => boolean) | undefined;
  /** The part of the file's text that counts; a file without such a part does not. Undefined: all of it. */
  readonly part?: ((text: string) => string) | undefined;
}

const projectNames: Readonly<Record<EngineId, readonly string[]>> = {
  claude: [".mcp.json", ".claude"],
  codex: [".agents", ".codex"],
};
/** What Claude writes below `.claude` by itself, in normal work. Nothing of it is run. */
const ownNames: ReadonlySet<string> = new Set([
  "worktrees",
  "scheduled_tasks.lock",
  "agent-memory",
  "agent-memory-local",
]);
/** What counts of the user's own directory, which has transcripts and caches too. */
const userNames: Readonly<Record<EngineId, RegExp>> = {
  claude:
    /^(?:settings.*\.json|CLAUDE\.md|agents|commands|hooks|loop\.md|output-styles|routines|rules|scheduled_tasks\.json|session-env|skills|workflows)$/i,
  codex: /^(?:.*\.toml|\.env|hooks\.json|agents|hooks|prompts|rules|skills|plugins)$/i,
};

/** `reach`: where the other engine may write in other sessions. */
export function watchedPaths(
  engine: EngineId,
  directories: readonly string[],
  env: Environment,
  reach: readonly string[] = [],
): readonly WatchedPath[] {
  const user = userDirectories(env);
  const chain = withParents(directories);
  const writable = [...chain.own, ...writableDirectories(otherEngine(engine), directories, env)].map(realPathOf);
  const isWritable = (path: string): boolean => writable.some((one) => isBelow(realPathOf(path), one));
  const isUsers = (path: string): boolean => realPathOf(path) === realPathOf(user[engine]);
  /** The sandbox of Codex protects the directory `.git` of each directory of its session, and not those below it. */
  const isProtected = (directory: string): boolean =>
    chain.own.includes(directory) && !reach.some((one) => one !== directory && isBelow(directory, one));
  const repositories = chain.all.map((directory) => repositoryAt(directory, isProtected(directory)));
  const paths: WatchedPath[] = [...chain.all, ...repositories.flatMap(({ mainTree }) => mainTree ?? [])]
    .flatMap((directory) => projectNames[engine].map((name) => join(directory, name)))
    .filter((path) => !isUsers(path))
    .map((path) => ({ path, counts: (name) => engine !== "claude" || !ownNames.has(name) }));
  // Git runs in commands of Claude without a question. Those of Codex are in its sandbox.
  if (engine === "claude") paths.push(...repositories.flatMap(({ files }) => files.map((path) => ({ path }))));
  if (isWritable(user[engine])) paths.push({ path: user[engine], counts: (name) => userNames[engine].test(name) });
  if (engine === "claude" && isWritable(user.claude))
    // The CLI counts in `store` how its own plugins are used.
    paths.push({ path: join(user.claude, "plugins"), counts: (name) => name !== "store" });
  if (engine === "claude" && isWritable(user.claudeState)) paths.push({ path: user.claudeState, part: mcpServersOf });
  return paths;
}

interface Repository {
  /** What decides what git runs, where the sandbox of Codex need not protect it. */
  readonly files: readonly string[];
  /** The main working tree of a linked one: Claude reads settings there too. */
  readonly mainTree: string | undefined;
}

function repositoryAt(directory: string, isProtected: boolean): Repository {
  const path = join(directory, ".git");
  const named = (names: readonly string[], at: string): readonly string[] => names.map((name) => join(at, name));
  const [, data] = /^gitdir: ([^\r\n]{1,4096})/.exec(textOf(path)) ?? [];
  if (data === undefined) {
    const files = isProtected ? [] : named(["config", "config.worktree", "commondir", "hooks"], path);
    return { files, mainTree: undefined };
  }
  const own = resolve(directory, data);
  const common = resolve(own, textOf(join(own, "commondir")).trim() || ".");
  const files = [...named(["config.worktree", "commondir"], own), ...named(["config", "hooks"], common)];
  return { files: [path, ...files], mainTree: basename(common) === ".git" ? dirname(common) : undefined };
}

/** The directories and all above them, as they are named and with their links resolved. */
export function withParents(directories: readonly string[]): {
  readonly own: readonly string[];
  readonly all: readonly string[];
} {
  const own = [...new Set(directories.flatMap((one) => [resolve(one), realPathOf(one)]))];
  const all = new Set<string>();
  for (const one of own) for (let path = one; !all.has(path); path = dirname(path)) all.add(path);
  return { own, all: [...all] };
}

export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return !/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way);
}

interface UserDirectories {
  readonly home: string;
  readonly claude: string;
  readonly codex: string;
  /** Claude's file with the user's MCP servers. */
  readonly claudeState: string;
}

function userDirectories(env: Environment): UserDirectories {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  const named = env["CLAUDE_CONFIG_DIR"];
  return {
    home,
    claude: named || join(home, ".claude"),
    codex: env["CODEX_HOME"] || join(home, ".codex"),
    claudeState: join(named || home, ".claude.json"),
  };
}

/** What an engine may write beyond the directories of the session, as far as the user's settings name it. */
export function writableDirectories(
  engine: EngineId,
  [cwd = "/", ...more]: readonly string[],
  env: Environment,
): readonly string[] {
  const { home, claude, codex } = userDirectories(env);
  const absolute = (path: string): string =>
    resolve(
      cwd,
      path.replace(/^~(?=[\\/]|$)/, () => home),
    );
  if (engine === "claude") {
    const files = [claude, ...[cwd, ...more].map((one) => join(one, ".claude"))].flatMap((one) =>
      ["settings.json", "settings.local.json"].map((name) => join(one, name)),
    );
    return files.flatMap((file) => listIn(textOf(file), "additionalDirectories")).map(absolute);
  }
  const text = textOf(join(codex, "config.toml"));
  const temporary = [
    ...(/exclude_slash_tmp\s*=\s*true/.test(text) ? [] : ["/tmp"]),
    ...(/exclude_tmpdir_env_var\s*=\s*true/.test(text) ? [] : [env["TMPDIR"] || tmpdir()]),
  ];
  return [...temporary, ...listIn(text, "writable_roots").map(absolute)];
}

/** The texts in each list with that name, in JSON or TOML. */
function listIn(text: string, name: string): readonly string[] {
  const lists = [...text.matchAll(new RegExp(`\\b${name}"?\\s*[=:]\\s*\\[([^\\]]*)\\]`, "g"))];
  return lists.flatMap(([, list = ""]) =>
    [...list.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(
      ([, quoted, literal = ""]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? literal,
    ),
  );
}

/** The CLI writes its file often, with an entry for each project; only the servers in it are run. Empty when there are none. */
function mcpServersOf(text: string): string {
  const found: unknown[] = [];
  try {
    // A reviver is called for each key at any depth.
    JSON.parse(text, (key, value: unknown) => {
      const isServers = /^(?:mcpServers|enabledMcpjsonServers|enableAllProjectMcpServers)$/.test(key);
      if (isServers && !["{}", "[]", "false"].includes(JSON.stringify(value))) found.push([key, value]);
      return value;
    });
    return found.length === 0 ? "" : JSON.stringify(found);
  } catch {
    return text;
  }
}
