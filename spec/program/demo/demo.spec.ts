/**
 * `bowline demo` without a terminal.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { bowline } from "../../support/program/chat/chat-program.ts";
import { runPlain } from "../../support/program/chat/run-piped.ts";
import { obeyed } from "../../support/program/chat/hostile-texts.ts";

const directory = mkdtempSync(join(tmpdir(), "bowline-demo-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const env = {
  HOME: directory,
  PATH: dirname(process.execPath),
  BOWLINE_CLAUDE: undefined,
  CLAUDE_CODE_EXECUTABLE: undefined,
};

describe("bowline demo without a terminal", () => {
  it("bowline demo --duet plays the answers of Claude and Codex to one prompt, each under its name", async () => {
    const { code, stdout, stderr } = await runPlain(bowline("demo", "--duet"), { env, cwd: directory });
    const seen = [...stdout.matchAll(/✓ \[(?:Claude|Codex)\] \w+|^\[(?:Claude|Codex)\]/gm)].map(([words]) => words);
    assert.deepEqual(seen, ["✓ [Claude] Read", "[Claude]", "✓ [Codex] grep", "[Codex]"]);
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("bowline demo answers its own questions, plays to the end, says how to continue and exits with 0", async () => {
    const { code, stdout, stderr } = await runPlain(bowline("demo"), { env, cwd: directory });
    const order = [
      "Bowline ",
      "Claude Code and Codex in your editor",
      "❯ slug(",
      "✻ ",
      "◐ Read src/slug.js",
      "✓ Read src/slug.js  7 lines",
      "? Edit src/slug.js",
      "4 + ",
      "↳ Allow",
      "✓ Edit src/slug.js",
      "? npm test",
      "✓ npm test",
      "3 tests, no failures",
      "## Fixed",
      "tokens · $",
      "bowline chat is a real conversation and bowline install zed sets up an editor.",
    ];
    let from = 0;
    for (const words of order) {
      const at = stdout.indexOf(words, from);
      assert.notEqual(at, -1, `${words} comes after what is before it in\n${stdout}`);
      from = at;
    }
    assert.doesNotMatch(stdout, obeyed);
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("bowline demo does not wait for an input that stays open", async () => {
    const { code } = await runPlain(bowline("demo"), { env, cwd: directory, keepsInput: true });
    assert.equal(code, 0);
  });

  it("bowline demo writes no file, and works in a directory that was removed", async () => {
    assert.deepEqual(readdirSync(directory), []);
    const gone = mkdtempSync(join(tmpdir(), "bowline-gone-"));
    const { code } = await runPlain(["/bin/sh", "-c", `rmdir "$0" && exec "$@"`, gone, ...bowline("demo")], {
      env,
      cwd: gone,
    });
    assert.equal(code, 0);
  });
});
