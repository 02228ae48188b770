/**
 * The history of prompts, in a file that only its owner can read.
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

describe("promptHistory", () => {
  it("the history survives a restart, in a file that only its owner can read", () => {
    const path = join(directory, "state", "bowline", "chat-history.jsonl");
    const first = promptHistory(path);
    first.add("one");
    first.add("two\nlines");
    assert.deepEqual(promptHistory(path).entries, ["one", "two\nlines"]);
    assert.equal(mode(path), "600");
    assert.equal(mode(join(directory, "state", "bowline")), "700");
  });

  it("a history file that others can read is made private", () => {
    const path = join(directory, "open.jsonl");
    writeFileSync(path, '"one"\n', { mode: 0o644 });
    assert.deepEqual(promptHistory(path).entries, ["one"]);
    assert.equal(mode(path), "600");
  });

  it("prompts that begin with a space, are too long or repeat the last one are not kept", () => {
    const path = join(directory, "some.jsonl");
    const kept = promptHistory(path);
    for (const text of [" secret", "a", "a", "x".repeat(20_000), "b"]) kept.add(text);
    assert.deepEqual(kept.entries, ["a", "b"]);
    assert.equal(readFileSync(path, "utf8"), '"a"\n"b"\n');
  });

  it("the history stays within its limit, in memory and on disk", () => {
    const path = join(directory, "long.jsonl");
    writeFileSync(path, Array.from({ length: 3 * maxEntries }, (_, i) => `"${i}"\n`).join(""));
    assert.equal(promptHistory(path).entries.length, maxEntries);
    assert.equal(readFileSync(path, "utf8").trim().split("\n").length, maxEntries);
  });

  it("broken lines are skipped, and a file that cannot be written is ignored", () => {
    const path = join(directory, "broken.jsonl");
    writeFileSync(path, '"one"\n{not json\n42\n\n"two"');
    assert.deepEqual(promptHistory(path).entries, ["one", "two"]);
    const nowhere = promptHistory("/dev/null/no/such/place");
    nowhere.add("a");
    assert.deepEqual(nowhere.entries, ["a"]);
  });

  it("without a path the history writes no file", () => {
    const kept = promptHistory(undefined);
    kept.add("a");
    assert.deepEqual(kept.entries, ["a"]);
  });
});

describe("historyPath", () => {
  it("the history file is below the state directory of the system", () => {
    assert.equal(historyPath({ HOME: "/home/dev" }, "linux"), "/home/dev/.local/state/bowline/chat-history.jsonl");
    assert.equal(historyPath({ HOME: "/h", XDG_STATE_HOME: "/s" }, "linux"), "/s/bowline/chat-history.jsonl");
    assert.equal(
      historyPath({ HOME: "/h", XDG_STATE_HOME: "s" }, "linux"),
      "/h/.local/state/bowline/chat-history.jsonl",
    );
  });
});
