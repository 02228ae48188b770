/**
 * Specs of `defaultRoute`: which engine serves a session if the user names none.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { defaultRoute } from "../../lib/agent/route.ts";

const root = mkdtempSync(join(tmpdir(), "spec-"));
after(() => rmSync(root, { recursive: true }));

/** A directory with these programs in it. */
function directoryWith(...names: readonly string[]): string {
  const directory = join(root, names.join("-") || "none");
  mkdirSync(directory, { recursive: true });
  for (const name of names) {
    writeFileSync(join(directory, name), "#!/bin/sh\n");
    chmodSync(join(directory, name), 0o755);
  }
  return directory;
}

describe("defaultRoute", () => {
  it("the one CLI that is installed is the default, and Claude when both or none are", () => {
    assert.equal(defaultRoute({ PATH: directoryWith("codex", "claude") }), "claude");
    assert.equal(defaultRoute({ PATH: directoryWith("claude") }), "claude");
    const isClaudeInUsualPlace =
      defaultRoute({ PATH: "", CODEX_PATH: join(directoryWith("codex"), "codex") }) === "claude";
    if (!isClaudeInUsualPlace) assert.equal(defaultRoute({ PATH: directoryWith("codex") }), "codex");
    assert.equal(defaultRoute({ PATH: directoryWith() }), "claude");
  });

  it("a variable that names a missing Claude CLI keeps the route, so that the user learns of the mistake", () => {
    assert.equal(defaultRoute({ PATH: directoryWith("codex"), BOWLINE_CLAUDE: "/nowhere/claude" }), "claude");
  });
});
