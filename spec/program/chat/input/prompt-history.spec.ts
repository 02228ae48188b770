/**
 * History: what was typed, kept in a file for its owner alone.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promptHistory, historyPath, maxEntries } from "../../../../lib/program/chat/input/prompt-history.ts";

const directory = mkdtempSync(join(tmpdir(), "bowline-history-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("history", () => {
  it("keeps what was said over a restart, in a file that is its owner's alone", () => {
    const path = join(directory, "state", "bowline", "chat-history.jsonl");
    const first = promptHistory(path);
    first.add("one");
    first.add("two\nlines");
    assert.deepEqual(promptHistory(path).entries, ["one", "two\nlines"]);
    assert.equal(mode(path), "600");
    assert.equal(mode(join(directory, "state", "bowline")), "700");
  });

  it("closes a file that others could read", () => {
    const path = join(directory, "open.jsonl");
    writeFileSync(path, '"one"\n', { mode: 0o644 });
    assert.deepEqual(promptHistory(path).entries, ["one"]);
    assert.equal(mode(path), "600");
  });

  it("leaves out what begins with a space, what is long, and what was just said", () => {
    const path = join(directory, "some.jsonl");
    const kept = promptHistory(path);
    for (const text of [" secret", "a", "a", "x".repeat(20_000), "b"]) kept.add(text);
    assert.deepEqual(kept.entries, ["a", "b"]);
    assert.equal(readFileSync(path, "utf8"), '"a"\n"b"\n');
  });

  it("stays within its bound, in memory and on disk", () => {
    const path = join(directory, "long.jsonl");
    writeFileSync(path, Array.from({ length: 3 * maxEntries }, (_, i) => `"${i}"\n`).join(""));
    assert.equal(promptHistory(path).entries.length, maxEntries);
    assert.equal(readFileSync(path, "utf8").trim().split("\n").length, maxEntries);
  });

  it("overlooks a broken file and goes on without one that cannot be", () => {
    const path = join(directory, "broken.jsonl");
    writeFileSync(path, '"one"\n{not json\n42\n\n"two"');
    assert.deepEqual(promptHistory(path).entries, ["one", "two"]);
    const nowhere = promptHistory("/dev/null/no/such/place");
    nowhere.add("a");
    assert.deepEqual(nowhere.entries, ["a"]);
  });

  it("keeps nothing where it is not wanted", () => {
    const kept = promptHistory(undefined);
    kept.add("a");
    assert.deepEqual(kept.entries, ["a"]);
  });
});

describe("historyPath", () => {
  it("is below the state directory of the system", () => {
    assert.equal(historyPath({ HOME: "/home/dev" }, "linux"), "/home/dev/.local/state/bowline/chat-history.jsonl");
    assert.equal(historyPath({ HOME: "/h", XDG_STATE_HOME: "/s" }, "linux"), "/s/bowline/chat-history.jsonl");
    assert.equal(
      historyPath({ HOME: "/h", XDG_STATE_HOME: "s" }, "linux"),
      "/h/.local/state/bowline/chat-history.jsonl",
    );
  });
});
