/**
 * Tests, in the real node.exe, that commands are found and started without a shell.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { locateClaude } from "../../lib/claude/index.ts";
import { locateCodex } from "../../lib/codex/process/find-codex.ts";
import { childLink } from "../../lib/wire/index.ts";
import { LinkLog } from "../support/wire/link-log.ts";
import { npmProgramShim, npmScriptShim, npxShim, windowsLines } from "../support/wire/npm-shims.ts";

let directory = "";
let env: NodeJS.ProcessEnv = {};

before(() => {
  directory = mkdtempSync(join(tmpdir(), "bowline programs & more-"));
  env = { SystemRoot: process.env["SystemRoot"], Path: `C:\\nowhere;${directory}`, PATHEXT: ".COM;.EXE;.BAT;.CMD" };
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Prints its arguments. */
const echo = "process.stdout.write(JSON.stringify(process.argv.slice(2)) + '\\n')";

function put(path: string, text: string): string {
  const whole = join(directory, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

async function output(command: string, args: readonly string[]): Promise<{ lines: readonly string[]; end: string }> {
  const log = new LinkLog();
  const link = childLink(command, args, { env, cwd: directory });
  link.open(log);
  const end = await log.closed;
  return { lines: log.lines, end };
}

describe("locateClaude on Windows", () => {
  it("npm's claude.cmd is found on PATH and resolved to claude.exe", () => {
    const program = put("node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe", "");
    const shim = put("claude.cmd", npmProgramShim("node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"));
    assert.deepEqual(locateClaude({ env, places: [] }), { command: program, args: [], path: program, from: "PATH" });
    const named = locateClaude({ env: { ...env, BOWLINE_CLAUDE: shim }, places: [] });
    assert.deepEqual(named, { command: program, args: [], path: program, from: "BOWLINE_CLAUDE" });
  });

  it("a claude.cmd that is not npm's is refused, because it needs a shell", () => {
    const shim = put("other\\claude.cmd", windowsLines(["@echo off", "volta run claude %*"]));
    assert.throws(
      () => locateClaude({ env: { ...env, BOWLINE_CLAUDE: shim }, places: [] }),
      /BOWLINE_CLAUDE names a file that cannot be run/,
    );
    assert.throws(() => locateClaude({ env: { ...env, Path: dirname(shim) }, places: [] }), /was not found/);
  });

  it("npm's codex.cmd is found on PATH and resolved to its script", () => {
    const script = put("node_modules\\@openai\\codex\\bin\\codex.js", "");
    put("codex.cmd", npmScriptShim("node_modules\\@openai\\codex\\bin\\codex.js"));
    const found = locateCodex({ env, places: [] });
    assert.deepEqual([found.command, found.args, found.from], [process.execPath, [script], "PATH"]);
  });
});

describe("childLink on Windows", () => {
  const hostile = ["a b", "%PATH%", '"; calc', "&calc", "^", "!x!", "C:\\dir\\", "é", ""];

  it("a child link starts npx and npm's batch files with every argument unchanged", async () => {
    put("node_modules\\npm\\bin\\npx-cli.js", echo);
    put("npx.cmd", npxShim);
    put("node_modules\\agent\\bin\\agent", echo);
    put("agent.cmd", npmScriptShim("node_modules\\agent\\bin\\agent"));
    for (const command of ["npx", "agent", "agent.cmd", join(directory, "AGENT.CMD")]) {
      const { lines, end } = await output(command, hostile);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        [hostile],
        `${command}: ${end}`,
      );
    }
  });

  it("a child link starts another batch file, but not with arguments that cmd.exe would interpret", async () => {
    put("wrapper.cmd", windowsLines(["@echo off", "echo ran %*"]));
    const { lines } = await output("wrapper", ["one", "two words"]);
    assert.deepEqual(
      lines.map((line) => line.trim()),
      ['ran "one" "two words"'],
    );
    for (const one of hostile.filter((arg) => /["%&^!]|\\$/.test(arg))) {
      const { lines: none, end } = await output("wrapper", [one]);
      assert.deepEqual(
        [none, end],
        [[], "could not start wrapper: a batch file cannot safely be given these arguments"],
      );
    }
  });

  it("a child link does not start a program of its working directory by a bare name", async () => {
    put("project\\tool.cmd", windowsLines(["@echo off", "echo wrong"]));
    const log = new LinkLog();
    childLink("tool", [], { env: { ...env, Path: "C:\\nowhere;.;" }, cwd: join(directory, "project") }).open(log);
    assert.equal(await log.closed, "could not start tool: ENOENT");
  });
});
