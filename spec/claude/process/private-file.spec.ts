/**
 * `mcpConfigFile`: the mode and the removal of a private file.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { mcpConfigFile } from "../../../lib/claude/index.ts";
import { privateDirectory } from "../../../lib/claude/process/private-file.ts";

describe("mcpConfigFile", () => {
  it("mcpConfigFile writes a file only its owner can read, and remove deletes it", () => {
    const parent = mkdtempSync(join(tmpdir(), "spec-"));
    try {
      const file = mcpConfigFile({ s: { type: "stdio", command: "x", args: [], env: { KEY: "secret" } } }, parent);
      assert.equal(statSync(file.path).mode & 0o777, 0o600);
      assert.equal(statSync(dirname(file.path)).mode & 0o777, 0o700);
      assert.equal(JSON.parse(readFileSync(file.path, "utf8")).mcpServers.s.env.KEY, "secret");
      file.remove();
      file.remove();
      assert.ok(!existsSync(dirname(file.path)));
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});

describe("privateDirectory", () => {
  it("privateDirectory is in the user's profile on Windows, also where TEMP is one directory for all users", () => {
    const home = "C:\\Users\\me";
    const own = "c:\\users\\ME\\AppData\\Local\\Temp";
    assert.equal(privateDirectory(own, home, "win32"), own);
    assert.equal(privateDirectory("C:\\Windows\\Temp", home, "win32"), "C:\\Users\\me\\AppData\\Local\\Temp");
    assert.equal(privateDirectory("/tmp", "/home/me", "linux"), "/tmp");
  });
});
