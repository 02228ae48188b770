/**
 * The commands that speak a protocol on stdout, with code in their process that prints.
 *
 * The printing code runs when the command begins to read stdin, as a forgotten
 * `console.log` in a handler would.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { programArgs, programDirectory } from "../support/built-program.ts";

const claudeTape = join(import.meta.dirname, "..", "..", "lib", "program", "demo", "tape.ndjson");
const acpTape = join(programDirectory, "acp.ndjson");
const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}';
const printing = `
  const { stdin } = process;
  const on = stdin.on;
  stdin.on = function (event, listener) {
    if (event === "data") {
      console.log("a stray word");
      console.table(["a stray table"]);
    }
    return on.call(this, event, listener);
  };`;

writeFileSync(
  acpTape,
  `{"dir":"in","t":0,"side":"acp","msg":${initialize}}
{"dir":"out","t":1,"side":"acp","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}}\n`,
);

const commands: readonly (readonly [args: readonly string[], input: string])[] = [
  [[], initialize],
  [["agent"], initialize],
  [["record", "--output", "/dev/null/none"], initialize],
  [["bridge"], '{"type":"session.kill","id":"k","session_id":"s","payload":{}}'],
  [["replay", acpTape], initialize],
  [["replay", "--claude", claudeTape], initialize],
  [
    ["tap", "--output", "/dev/null/none", "--", process.execPath, "-e", "process.stdin.pipe(process.stdout)"],
    initialize,
  ],
];

describe("a command that speaks a protocol on stdout", { timeout: 120_000 }, () => {
  for (const [args, input] of commands) {
    it(`bowline ${args[0] ?? "without arguments"}${args[1] === "--claude" ? " --claude" : ""} writes to stderr what code in its process prints, and only messages to stdout`, () => {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ["--import", `data:text/javascript,${encodeURIComponent(printing)}`, ...programArgs, ...args],
        { input: `${input}\n`, encoding: "utf8", timeout: 60_000 },
      );
      const lines = stdout.trimEnd().split("\n");
      assert.ok(lines.length > 0);
      for (const line of lines) assert.equal(typeof JSON.parse(line), "object");
      assert.match(stderr, /a stray word/);
      assert.match(stderr, /a stray table/);
    });
  }
});
