/**
 * Manual: every page can be read in a terminal, and names everything its command takes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manualOf, overview } from "../../lib/client/manual.ts";
import { commands } from "../../lib/client/program.ts";

describe("manualOf", () => {
  it("names each option, variable and example, within 80 columns", () => {
    for (const one of commands) {
      const page = manualOf(one);
      for (const word of [...Object.keys(one.options), ...Object.keys(one.environment ?? {})]) {
        assert.ok(page.includes(`  ${word}`) || page.includes(`, ${word}`), `${one.name} tells of ${word}`);
      }
      for (const line of page.split("\n")) assert.ok(line.length <= 80, `${one.name}: ${line}`);
      assert.ok(page.startsWith(`bowline ${one.name}: `) && page.endsWith("\n"));
    }
  });
});

describe("overview", () => {
  it("has a line for each command", () => {
    const page = overview("about", commands, {});
    for (const { name } of commands) assert.match(page, new RegExp(`^  ${name} `, "m"));
    assert.ok(commands.length > 3);
  });
});
