/**
 * Completion of file names after `@` in a chat message.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileCompletions } from "../../../lib/program/chat/attachments.ts";

describe("fileCompletions", () => {
  const cwd = mkdtempSync(join(tmpdir(), "bowline-files-"));
  after(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, "lib"));
  for (const name of ["notes.txt", "src.ts", join("lib", "Screen.ts")]) writeFileSync(join(cwd, name), "");

  it("files whose name begins with the typed text come before those that contain it", () => {
    assert.deepEqual(
      fileCompletions("look at @s", cwd).map(({ name }) => name),
      ["src.ts", join("lib", "Screen.ts"), "notes.txt"],
    );
  });

  it("nothing is offered without an @ before the last word", () => {
    assert.deepEqual(fileCompletions("look at s", cwd), []);
  });
});
