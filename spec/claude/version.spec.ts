/**
 * Parsing and comparing the CLI's version.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOlder, readVersion } from "../../lib/claude/index.ts";

describe("readVersion", () => {
  it("readVersion finds the version number and isOlder compares it part by part", () => {
    const version = (text: string) => readVersion(text) ?? assert.fail(text);
    assert.deepEqual(version("2.1.325 (Claude Code)\n"), { major: 2, minor: 1, patch: 325 });
    assert.equal(isOlder(version("2.0.999"), version("2.1.0")), true);
    assert.equal(isOlder(version("2.1.9"), version("2.1.10")), true);
    assert.equal(isOlder(version("10.0.0"), version("9.9.9")), false);
    assert.equal(isOlder(version("2.1.0"), version("2.1.0")), false);
    assert.equal(readVersion("node 20"), undefined);
  });
});
