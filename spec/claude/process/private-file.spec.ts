/**
 * `mcpConfigFile`: the mode and the removal of a private file.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { mcpConfigFile } from "../../../lib/claude/index.ts";

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
