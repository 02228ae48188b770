/**
 * Specs of the file that lists the sessions with two engines.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileIndex, maxSessions, type SessionIndex } from "../../../lib/agent/routes/session-index.ts";

const root = mkdtempSync(join(tmpdir(), "spec-"));
after(() => rmSync(root, { recursive: true }));

let count = 0;
function indexIn(state: string = join(root, `state-${count++}`)): {
  readonly index: SessionIndex;
  readonly path: string;
  readonly state: string;
  readonly bugs: string[];
} {
  const bugs: string[] = [];
  const index = fileIndex({ XDG_STATE_HOME: state }, (doing) => bugs.push(doing));
  return { index, path: join(state, "bowline", "sessions.json"), state, bugs };
}

describe("fileIndex", () => {
  it("a session with two engines is found again by another program, in a file that only this user can read", () => {
    const { index, path, state } = indexIn();
    index.note({ sessionId: "s", engine: "claude", savedId: "s", mark: "claude" });
    assert.throws(() => statSync(path), "a session with one engine is not written");
    index.note({ sessionId: "s", engine: "codex", savedId: "t", mark: "codex" });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(state, "bowline")), ["sessions.json"], "no temporary file is left");
    const { index: again } = indexIn(state);
    assert.deepEqual(again.find("s"), { sessionId: "s", claude: "s", codex: "t", turns: ["claude", "codex"] });
    again.remove("s");
    assert.equal(indexIn(state).index.find("s"), undefined);
  });

  it("a damaged file counts as empty and is replaced", () => {
    const { index, path } = indexIn();
    index.note({ sessionId: "s", engine: "claude", savedId: "s", mark: "claude" });
    index.note({ sessionId: "s", engine: "codex", savedId: "t", mark: "codex" });
    writeFileSync(path, '{"sessions":[{"sessionId":3}');
    assert.equal(index.find("s"), undefined);
    index.note({ sessionId: "s", engine: "claude", savedId: "s", mark: "claude" });
    assert.equal(index.find("s")?.turns.length, 3);
  });

  it("what was accepted is kept before any turn has ended, found by the id of each part, and stays with the turns", () => {
    const { index, path, state } = indexIn();
    const accepted = { claude: { "/p/.mcp.json": "1" } };
    assert.equal(index.keep({ sessionId: "s", parts: ["s", "t"], accepted }), true);
    index.note({ sessionId: "s", engine: "codex", savedId: "t2", mark: "codex" });
    const { index: again } = indexIn(state);
    for (const id of ["s", "t", "t2"]) assert.deepEqual(again.findPart(id)?.accepted, accepted, id);
    assert.equal(again.findPart("u"), undefined);
    writeFileSync(path, '{"sessions":[');
    assert.deepEqual(again.findPart("s")?.accepted, { claude: {}, codex: {} }, "nothing is known of a damaged file");
    assert.equal(indexIn("/dev/null/nowhere").index.keep({ sessionId: "s", parts: [], accepted }), false);
  });

  it("the file keeps the newest sessions up to a limit", () => {
    const { index, path } = indexIn();
    for (let i = 0; i < maxSessions + 3; i++) {
      index.note({ sessionId: `s${i}`, engine: "claude", savedId: "a", mark: "claude" });
      index.note({ sessionId: `s${i}`, engine: "codex", savedId: "b", mark: "codex" });
    }
    assert.equal(JSON.parse(readFileSync(path, "utf8")).sessions.length, maxSessions);
    assert.equal(index.find("s0"), undefined);
    assert.ok(index.find(`s${maxSessions + 2}`));
  });

  it("a directory that cannot be written is reported and breaks nothing", () => {
    const { index, bugs } = indexIn("/dev/null/nowhere");
    index.note({ sessionId: "s", engine: "claude", savedId: "s", mark: "claude" });
    index.note({ sessionId: "s", engine: "codex", savedId: "t", mark: "codex" });
    assert.equal(bugs.length, 1);
    assert.equal(index.find("s"), undefined);
  });

  it("a session that gets another id keeps what is known of it", () => {
    const { index } = indexIn();
    index.note({ sessionId: "s", engine: "claude", savedId: "s", mark: "claude" });
    index.note({ sessionId: "s2", previousId: "s", engine: "codex", savedId: "t", mark: "codex" });
    assert.deepEqual(index.find("s2"), { sessionId: "s2", claude: "s", codex: "t", turns: ["claude", "codex"] });
  });
});
