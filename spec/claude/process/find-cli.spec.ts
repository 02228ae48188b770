/**
 * Finding the CLI in temporary directories that imitate machines.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { checkVersion, ClaudeNotFound, locateClaude } from "../../../lib/claude/index.ts";

const root = mkdtempSync(join(tmpdir(), "spec-"));
after(() => rmSync(root, { recursive: true }));

function program(path: string, text = "#!/bin/sh\necho '2.1.325 (Claude Code)'\n", mode = 0o755): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, mode);
  return full;
}

const named = program("named/my-claude");
const other = program("other/my-claude");
const onPath = program("path/claude");
const usual = program("usual/claude");
const notExecutable = program("plain/claude", "", 0o644);
mkdirSync(join(root, "directory/claude"), { recursive: true });
const places = [join(root, "usual")];
const home = join(root, "nobody");

describe("locateClaude", () => {
  it("locateClaude prefers BOWLINE_CLAUDE, then CLAUDE_CODE_EXECUTABLE, then PATH, then the usual directories", () => {
    const PATH = join(root, "path");
    const found = (env: Record<string, string>): readonly string[] => {
      const { path, from } = locateClaude({ env, places });
      return [path, from];
    };
    assert.deepEqual(found({ BOWLINE_CLAUDE: named, CLAUDE_CODE_EXECUTABLE: other, PATH }), [named, "BOWLINE_CLAUDE"]);
    assert.deepEqual(found({ CLAUDE_CODE_EXECUTABLE: other, PATH }), [other, "CLAUDE_CODE_EXECUTABLE"]);
    assert.deepEqual(found({ BOWLINE_CLAUDE: "", PATH }), [onPath, "PATH"]);
    assert.deepEqual(found({}), [usual, "usual place"]);
  });

  it("locateClaude searches the install directories below the home directory", () => {
    const path = program("home/.local/bin/claude");
    assert.equal(locateClaude({ env: {}, home: join(root, "home") }).path, path);
  });

  it("locateClaude skips directories, files that are not executable and relative PATH entries", () => {
    const PATH = ["", ".", "relative", dirname(notExecutable), join(root, "directory"), join(root, "path")].join(
      delimiter,
    );
    assert.equal(locateClaude({ env: { PATH }, places }).path, onPath);
  });

  it("locateClaude refuses an unusable path in a variable instead of searching further", () => {
    for (const path of [join(root, "missing"), notExecutable, "claude", root]) {
      assert.throws(
        () => locateClaude({ env: { BOWLINE_CLAUDE: path, PATH: join(root, "path") }, places }),
        (error) =>
          error instanceof ClaudeNotFound && error.why === "unusable" && error.message.startsWith("BOWLINE_CLAUDE"),
      );
    }
  });

  it("locateClaude says how to install a missing CLI", () => {
    assert.throws(
      () => locateClaude({ env: {}, home, places: [home] }),
      (error) => error instanceof ClaudeNotFound && error.why === "missing" && /npm install/.test(error.message),
    );
  });

  it("locateClaude starts a JavaScript file with the running Node", () => {
    const script = program("named/cli.js", "console.log('2.1.300 (Claude Code)')", 0o644);
    const found = locateClaude({ env: { BOWLINE_CLAUDE: script } });
    assert.deepEqual([found.command, found.args], [process.execPath, [script]]);
  });
});

describe("checkVersion", () => {
  const env = { PATH: process.env["PATH"] ?? "" };
  const check = (path: string, limitMs?: number) =>
    checkVersion(locateClaude({ env: { BOWLINE_CLAUDE: path } }), env, limitMs);
  const says = (name: string, text: string): string => program(`versions/${name}`, `#!/bin/sh\n${text}\n`);

  it("checkVersion returns the version the CLI prints", async () => {
    assert.deepEqual(await check(named), { major: 2, minor: 1, patch: 325 });
  });

  const bad: readonly (readonly [string, string, string])[] = [
    ["too old", "echo '1.0.128 (Claude Code)'", "too-old"],
    ["not the CLI", "echo hello", "unusable"],
    ["failing", "exit 3", "unusable"],
    ["hanging", "exec sleep 30", "unusable"],
  ];
  for (const [what, text, why] of bad) {
    it(`checkVersion refuses a program that is ${what}`, async () => {
      const path = says(what.replaceAll(" ", "-"), text);
      await assert.rejects(
        check(path, 300),
        (error) => error instanceof ClaudeNotFound && error.why === why && error.message.includes(path),
      );
    });
  }
});
