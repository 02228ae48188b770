/**
 * Finding the CLI on made-up machines.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { checkVersion, ClaudeNotFound, isOlder, locateClaude, readVersion } from "../../../lib/claude/index.ts";

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
  it("takes BOWLINE_CLAUDE first, then CLAUDE_CODE_EXECUTABLE, then PATH, then the usual places", () => {
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

  it("looks in the home's own places", () => {
    const path = program("home/.local/bin/claude");
    assert.equal(locateClaude({ env: {}, home: join(root, "home") }).path, path);
  });

  it("passes over directories, files that do not run and relative entries", () => {
    const PATH = ["", ".", "relative", dirname(notExecutable), join(root, "directory"), join(root, "path")].join(
      delimiter,
    );
    assert.equal(locateClaude({ env: { PATH }, places }).path, onPath);
  });

  it("refuses a named path that cannot be used rather than take another", () => {
    for (const path of [join(root, "missing"), notExecutable, "claude", root]) {
      assert.throws(
        () => locateClaude({ env: { BOWLINE_CLAUDE: path, PATH: join(root, "path") }, places }),
        (error) =>
          error instanceof ClaudeNotFound && error.why === "unusable" && error.message.startsWith("BOWLINE_CLAUDE"),
      );
    }
  });

  it("says how to install what is missing", () => {
    assert.throws(
      () => locateClaude({ env: {}, home, places: [home] }),
      (error) => error instanceof ClaudeNotFound && error.why === "missing" && /npm install/.test(error.message),
    );
  });

  it("starts a script with this node", () => {
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

  it("reads the version", async () => {
    assert.deepEqual(await check(named), { major: 2, minor: 1, patch: 325 });
  });

  const bad: readonly (readonly [string, string, string])[] = [
    ["too old", "echo '1.0.128 (Claude Code)'", "too-old"],
    ["not the CLI", "echo hello", "unusable"],
    ["failing", "exit 3", "unusable"],
    ["hanging", "exec sleep 30", "unusable"],
  ];
  for (const [what, text, why] of bad) {
    it(`refuses a program that is ${what}`, async () => {
      const path = says(what.replaceAll(" ", "-"), text);
      await assert.rejects(
        check(path, 300),
        (error) => error instanceof ClaudeNotFound && error.why === why && error.message.includes(path),
      );
    });
  }
});

describe("readVersion", () => {
  it("finds the number and compares it part by part", () => {
    const version = (text: string) => readVersion(text) ?? assert.fail(text);
    assert.deepEqual(version("2.1.325 (Claude Code)\n"), { major: 2, minor: 1, patch: 325 });
    assert.equal(isOlder(version("2.0.999"), version("2.1.0")), true);
    assert.equal(isOlder(version("2.1.9"), version("2.1.10")), true);
    assert.equal(isOlder(version("10.0.0"), version("9.9.9")), false);
    assert.equal(isOlder(version("2.1.0"), version("2.1.0")), false);
    assert.equal(readVersion("node 20"), undefined);
  });
});
