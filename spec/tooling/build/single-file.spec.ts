/**
 * The single file as it is shipped: plain code that can be read, searched and debugged.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { filesBelow, readText } from "../../support/files.ts";
import { builtProgram } from "../../support/built-program.ts";

const text = readFileSync(builtProgram, "utf8");
const lines = text.split("\n");
const scratch = mkdtempSync(join(tmpdir(), "bowline-single-file-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** The stack of the program's first write to stdout. */
function stackOfFirstWrite(...flags: readonly string[]): string {
  const hook = join(scratch, "hook.cjs");
  writeFileSync(hook, "process.stdout.write = () => { console.error(new Error('here').stack); process.exit(3); };");
  const input = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
  const { status, stderr } = spawnSync(process.execPath, [...flags, "--require", hook, builtProgram], {
    input,
    encoding: "utf8",
  });
  assert.equal(status, 3, stderr);
  return stderr;
}

describe("the single file as text", { timeout: 120_000 }, () => {
  it("the single file evaluates no code from a string", () => {
    assert.doesNotMatch(text, /node:vm\b|require\("vm"\)|compileFunction|runInThisContext|\beval\(|new Function\(/);
    assert.doesNotMatch(text, /brotli|inflate(?:Raw)?Sync|gunzipSync|unzipSync/i);
  });

  it("the single file contains no encoded data but the icons of the page", () => {
    const found = text.match(/[A-Za-z0-9+/=]{200,}/g) ?? [];
    // The icons of the page are PNG files, which begin like this in base 64.
    assert.deepEqual(
      found.filter((one) => !one.startsWith("iVBORw0KGgo")),
      [],
    );
  });

  it("the single file has no code in comments", () => {
    const comments = lines.filter((line) => line.startsWith("//"));
    assert.ok(comments.length > 300);
    for (const line of comments) {
      assert.match(
        line,
        /^\/\/ (?:lib|bin)\/[\w./-]+$|^\/\/ the text of lib\/[\w./-]+$|^\/\/ layer-\w+$|^\/\/ package\.json$|^\/\/# source/,
      );
    }
  });

  it("the single file says where the code of each source file begins", () => {
    for (const path of [
      "lib/agent/early-initialize.ts",
      "lib/claude/translate/fold.ts",
      "lib/program/check/check.ts",
    ]) {
      assert.ok(filesBelow(["lib"], ".ts").includes(path) === lines.includes(`// ${path}`), path);
    }
  });

  it("the single file keeps the names of functions, classes and variables", () => {
    for (const name of ["answerInitializeEarly", "serveAgent", "readTranscript", "makeShellPrefix", "startServer"]) {
      assert.ok(
        lines.some((line) => new RegExp(`^(?:async )?function ${name}\\(`).test(line)),
        name,
      );
    }
    for (const name of ["resolveNeeded", "maxStopMs", "SessionRegistry"]) assert.ok(text.includes(name), name);
  });

  it("the single file is broken into lines that can be searched", () => {
    const long = lines.filter((line) => line.length > 10_000);
    // The scripts of the two pages, and the recorded duet.
    assert.ok(long.length <= 3, `${long.length} lines are longer than 10,000 characters`);
    const chars = lines.toSorted((a, b) => a.length - b.length)[Math.floor(lines.length / 2)]?.length ?? 0;
    assert.ok(chars < 200, `the median line has ${chars} characters`);
  });

  it("the single file contains pages, styles and scripts as text", () => {
    const [, second = ""] = readText("lib/serve/page/index.html").split("\n");
    assert.ok(lines.includes(second), second);
    // Without spaces and comments, with its names.
    assert.match(text, /function runHere\(shell,\s?line\)/);
  });
});

describe("the single file's stack traces", { timeout: 120_000 }, () => {
  it("a stack trace names the functions of the sources", () => {
    const stack = stackOfFirstWrite();
    assert.match(stack, /\bbowline\.mjs:\d+:\d+/);
    assert.match(stack, /at Outbox\.flush \(/);
    assert.doesNotMatch(stack, /\.ts:\d+/);
  });

  it("with --enable-source-maps, a stack trace names the source files and their lines", () => {
    const stack = stackOfFirstWrite("--enable-source-maps");
    const [, path = "", line = ""] = /Outbox\.flush .*(lib\/wire\/outbox\.ts):(\d+):\d+/.exec(stack) ?? [];
    assert.ok(path !== "", stack);
    assert.match(readText(path).split("\n")[Number(line) - 1] ?? "", /write\(/);
  });
});

describe("the layers of the single file", { timeout: 120_000 }, () => {
  const traced = join(scratch, "traced.mjs");
  const start = "function commandsLayer(require, module) {";
  writeFileSync(traced, text.replace(start, `${start}process.stderr.write("commands loaded\\n");`));
  const input = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
  const run = (...args: readonly string[]): { readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [traced, ...args], { input, encoding: "utf8" });

  for (const args of [[], ["agent"], ["agent", "--route", "claude"]]) {
    it(`\`${["bowline", ...args].join(" ")}\` answers initialize without the code of the other commands`, () => {
      const { stdout, stderr } = run(...args);
      assert.match(stdout, /"protocolVersion":1/);
      assert.doesNotMatch(stderr, /commands loaded/);
    });
  }

  it("`bowline agent --help` prints the help page", () => {
    const { stdout, stderr } = run("agent", "--help");
    assert.match(stdout, /--route/);
    assert.match(stderr, /commands loaded/);
  });
});
