/**
 * Help pages fit a terminal and name everything their command accepts.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { helpPage, overview } from "../../lib/program/help.ts";
import { commands } from "../../lib/program/program.ts";
import { bowline } from "../support/program/fake-terminal.ts";

describe("helpPage", () => {
  it("every help page names each option, variable and example, within 80 columns", () => {
    for (const one of commands) {
      const page = helpPage(one);
      for (const word of [...Object.keys(one.options), ...Object.keys(one.environment ?? {})]) {
        assert.ok(page.includes(`  ${word}`) || page.includes(`, ${word}`), `${one.name} tells of ${word}`);
      }
      for (const line of page.split("\n")) assert.ok(line.length <= 80, `${one.name}: ${line}`);
      assert.ok(page.startsWith(`bowline ${one.name}: `) && page.endsWith("\n"));
    }
  });
});

describe("the help page of a command", () => {
  it("a help page has the usage line, the exit codes and examples", () => {
    for (const one of commands) {
      const page = helpPage(one);
      assert.ok(one.about.length > 0 && one.about.every((text) => text.endsWith(".")), one.name);
      const usage = /\nusage:\n((?: {2}.*\n)+)/.exec(page)?.[1]?.replaceAll(/\s+/g, " ") ?? "";
      for (const flag of Object.keys(one.options)) assert.ok(usage.includes(`[${flag}`), `${one.name} ${flag}`);
      assert.ok(usage.endsWith(`${one.operands ?? ""} `.trimStart()), one.name);
      assert.match(page, /\nexit codes:\n {2}0 {2}/);
      const hasMore = Object.keys(one.options).length > 0 || one.operands !== undefined;
      assert.ok(!hasMore || (one.examples?.length ?? 0) > 0, `${one.name} has an example`);
      for (const { line } of one.examples ?? []) assert.match(line, /\bbowline\b/);
    }
  });

  it("every see-also reference of a help page is an existing command or file", () => {
    const names = new Set(commands.map(({ name }) => name));
    for (const { name, seeAlso = [] } of commands) {
      for (const other of seeAlso) {
        const isThere =
          names.has(other) || (other.includes("/") && existsSync(new URL(`../../${other}`, import.meta.url)));
        assert.ok(isThere && other !== name, `${name}: ${other}`);
      }
    }
  });

  it("a long example is broken with backslashes that a shell accepts", () => {
    const line = `bowline x ${"--option value ".repeat(10)}end`;
    const page = helpPage({ name: "x", summary: "y", about: ["Z."], options: {}, examples: [{ line, about: "long" }] });
    const shown = /\nexamples:\n([\s\S]*?)\n {6}long\n/.exec(page)?.[1] ?? "";
    assert.equal(shown.replaceAll(/ \\\n\s+/g, " ").trim(), line);
    for (const row of shown.split("\n")) assert.ok(row.length <= 80);
  });
});

describe("bowline help", () => {
  it("bowline help prints the overview or the page of one command, the same as --help", async () => {
    assert.deepEqual(await bowline(["help"]), await bowline(["--help"]));
    for (const { name } of commands) {
      const page = await bowline(["help", name]);
      assert.deepEqual(page, await bowline([name, "--help"]));
      assert.deepEqual([page.code, page.stderr], [0, ""]);
    }
  });

  it("bowline alone in a terminal says what it is and what to type, and ends", async () => {
    const { code, stdout, stderr } = await bowline([], { isTTY: true });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Bowline \d+\.\d+\.\d+ runs Claude Code and Codex in editors/);
    for (const word of ["chat", "demo", "zed", "serve", "doctor", "--help"])
      assert.ok(stdout.includes(`  bowline ${word} `));
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  });

  it("-v, version and help help answer as their long forms do", async () => {
    for (const words of [["-v"], ["version"]]) assert.deepEqual(await bowline(words), await bowline(["--version"]));
    assert.deepEqual(await bowline(["help", "help"]), await bowline(["help"]));
  });

  it("bowline help refuses an unknown command", async () => {
    const { code, stdout, stderr } = await bowline(["help", "nonsense"]);
    assert.deepEqual([code, stdout, stderr], [2, "", 'bowline: unknown command "nonsense"; see bowline --help\n']);
  });
});

describe("overview", () => {
  it("the overview has a line for each command", () => {
    const page = overview("about", commands, {});
    for (const { name } of commands) assert.match(page, new RegExp(`^  ${name} `, "m"));
    assert.ok(commands.length > 3);
  });
});
