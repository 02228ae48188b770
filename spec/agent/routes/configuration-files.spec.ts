/**
 * Which files count as the configuration of an engine, and how their changes are noticed.
 */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import type { EngineId } from "../../../lib/agent/route.ts";
import { ConfigurationReader, unreadFingerprint } from "../../../lib/agent/routes/configuration-files.ts";
import { watchedPaths } from "../../../lib/agent/routes/configuration-paths.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-watched-"));
after(() => rmSync(root, { recursive: true, force: true }));
let places = 0;

/** A session in `packages/a` of a repository, and the home directory given, below a place of its own. */
class Place {
  readonly root = join(root, String(++places));
  readonly repository = join(this.root, "repository");
  readonly cwd = join(this.repository, "packages", "a");

  constructor() {
    mkdirSync(this.cwd, { recursive: true });
  }

  write(name: string, text: string): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  reader(engine: EngineId, home = join(this.root, "home"), directories = [this.cwd]): ConfigurationReader {
    return new ConfigurationReader(
      engine,
      () => watchedPaths(engine, directories, { HOME: home, TMPDIR: "/nowhere" }),
      Date.now,
    );
  }
}

/** The names of the files that have changed between two readings, below the place. */
function changes(place: Place, reader: ConfigurationReader, change: () => void): readonly string[] {
  const before = reader.read();
  change();
  const now = reader.read();
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((path) => before.get(path)?.fingerprint !== now.get(path)?.fingerprint)
    .map((path) => path.slice(place.root.length + 1).replaceAll("\\", "/"));
}

describe("the files that count as the configuration of an engine", () => {
  it("the whole directory .claude and .mcp.json of the session's directory and of each directory above it count for Claude", () => {
    const place = new Place();
    const names = ["repository/packages/a", "repository/packages", "repository"].flatMap((directory) =>
      [".mcp.json", ".claude/settings.local.json", ".claude/scheduled_tasks.json", ".claude/workflows/x/y.js"].map(
        (name) => `${directory}/${name}`,
      ),
    );
    const reader = place.reader("claude");
    for (const name of names)
      assert.deepEqual(
        changes(place, reader, () => place.write(name, "{}")),
        [name],
      );
    for (const name of ["worktrees/one/file", "scheduled_tasks.lock", "agent-memory/one/MEMORY.md"])
      assert.deepEqual(
        changes(place, reader, () => place.write(`repository/packages/a/.claude/${name}`, "1")),
        [],
        `${name} is written by Claude's own work`,
      );
  });

  it("the whole directories .codex and .agents of the session's directory and of each directory above it count for Codex", () => {
    const place = new Place();
    const reader = place.reader("codex");
    for (const name of [".codex/config.toml", ".codex/rules/x.rules", ".codex/other", ".agents/skills/x/SKILL.md"])
      for (const directory of ["repository/packages/a", "repository"])
        assert.deepEqual(
          changes(place, reader, () => place.write(`${directory}/${name}`, "1")),
          [`${directory}/${name}`],
        );
  });

  it("the directories above the one that a link leads to count too", () => {
    const place = new Place();
    const link = join(place.root, "link");
    symlinkSync(place.cwd, link, "junction");
    const reader = place.reader("claude", undefined, [link]);
    const change = (): string => place.write("repository/.mcp.json", "{}");
    assert.deepEqual(changes(place, reader, change), ["repository/.mcp.json"]);
  });

  it("the directories above count where they are now, when a directory was replaced by a link", () => {
    const place = new Place();
    const reader = place.reader("claude");
    const found = changes(place, reader, () => {
      mkdirSync(join(place.root, "other"));
      renameSync(join(place.root, "repository"), join(place.root, "other", "moved"));
      symlinkSync(join(place.root, "other", "moved"), join(place.root, "repository"), "junction");
      place.write("other/.mcp.json", "{}");
    });
    assert.ok(found.includes("other/.mcp.json"), found.join());
  });

  it("a link to nothing, and a directory that cannot be listed, count as not read", () => {
    const place = new Place();
    const reader = place.reader("claude");
    const unread = (): readonly string[] =>
      [...reader.read()].flatMap(([path, { fingerprint }]) => (fingerprint === unreadFingerprint ? [path] : []));
    assert.deepEqual(unread(), []);
    symlinkSync(join(place.root, "nothing"), join(place.cwd, ".claude"));
    assert.deepEqual(unread(), [join(place.cwd, ".claude")]);
    rmSync(join(place.cwd, ".claude"));
    place.write("repository/packages/a/.claude/settings.json", "{}");
    assert.deepEqual(unread(), []);
    place.write("x.json", "{}");
    rmSync(join(place.cwd, ".claude/settings.json"));
    symlinkSync(join("/proc/self/root", place.root, "x.json"), join(place.cwd, ".claude/settings.json"));
    assert.deepEqual(unread(), [join(place.cwd, ".claude/settings.json")]);
  });

  it("a linked worktree counts the settings of the main working tree, and what decides what git runs there", () => {
    const place = new Place();
    place.write("main/.git/worktrees/wt/commondir", "../..\n");
    place.write("repository/packages/a/.git", `gitdir: ${join(place.root, "main/.git/worktrees/wt")}\n`);
    const reader = place.reader("claude");
    for (const name of [".claude/settings.local.json", ".git/config", ".git/hooks/pre-commit"])
      assert.deepEqual(
        changes(place, reader, () => place.write(`main/${name}`, "1")),
        [`main/${name}`],
      );
  });

  it("the repository above the session's directories counts, which the sandbox of Codex need not protect", () => {
    const place = new Place();
    place.write("repository/.git/HEAD", "ref: refs/heads/main");
    const reader = place.reader("claude");
    for (const name of [".git/config", ".git/hooks/pre-commit"])
      assert.deepEqual(
        changes(place, reader, () => place.write(`repository/${name}`, "1")),
        [`repository/${name}`],
      );
  });

  it("the user's own configuration counts only below a directory that the other engine can write", () => {
    for (const [home, settings, isWatched] of [
      ["home", {}, false],
      ["home", { "home/.codex/config.toml": "exclude_slash_tmp = true\nwritable_roots = ['/x', \"HOME\"]" }, true],
      ["repository/packages/a/home", {}, true],
      ["repository", {}, false],
    ] as const) {
      const place = new Place();
      const own = (name: string): string => `${home}/${name}`;
      place.write(own(".codex/config.toml"), "exclude_slash_tmp = true");
      for (const [name, text] of Object.entries(settings))
        place.write(name, text.replace("HOME", join(place.root, home)));
      place.write(own(".claude/projects/x.jsonl"), "1");
      const reader = place.reader("claude", join(place.root, home));
      for (const name of [".claude/settings.json", ".claude/plugins/x/hooks.json", ".claude/CLAUDE.md"])
        assert.deepEqual(
          changes(place, reader, () => place.write(own(name), "1")),
          isWatched ? [own(name)] : [],
        );
      const state = (servers: object, count: number): string =>
        place.write(own(".claude.json"), JSON.stringify({ count, projects: { "/x": { mcpServers: servers } } }));
      const count = changes(place, reader, () => state({}, 2));
      const used = changes(place, reader, () => place.write(own(".claude/plugins/store/x.json"), "1"));
      assert.deepEqual(used, []);
      assert.deepEqual(
        [count, changes(place, reader, () => place.write(own(".claude/projects/x.jsonl"), "2"))],
        [[], []],
      );
      const server = changes(place, reader, () => state({ evil: { command: "sh" } }, 2));
      assert.deepEqual(server, isWatched ? [own(".claude.json")] : []);
    }
  });

  it("the user's configuration of Codex counts below a directory that Claude can write", () => {
    const place = new Place();
    const home = join(place.root, "home");
    place.write("home/.claude/settings.json", JSON.stringify({ permissions: { additionalDirectories: [home] } }));
    const reader = place.reader("codex", home);
    for (const name of ["config.toml", "rules/x.rules", "skills/x/SKILL.md", "hooks.json"])
      assert.deepEqual(
        changes(place, reader, () => place.write(`home/.codex/${name}`, "1")),
        [`home/.codex/${name}`],
      );
    for (const name of ["sessions/x.jsonl", "auth.json"])
      assert.deepEqual(
        changes(place, reader, () => place.write(`home/.codex/${name}`, "1")),
        [],
      );
  });

  it("a file with the times and the size that it had before is read again", () => {
    const place = new Place();
    const path = place.write("repository/.mcp.json", "before");
    utimesSync(path, 1, 1);
    const reader = place.reader("claude");
    const change = (): void => {
      writeFileSync(path, "after!");
      utimesSync(path, 1, 1);
    };
    assert.deepEqual(changes(place, reader, change), ["repository/.mcp.json"]);
  });
});
