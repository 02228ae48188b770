/**
 * The GitHub Action: its script runs, and no input becomes text of the script.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readText } from "../../support/files.ts";
import { scratch } from "../../support/program/run-program.ts";

const text = readText("docs/action/action.yml");
const place = scratch();
const script = (text.split("      run: |\n")[1] ?? "").replaceAll(/^ {8}/gm, "");

/** Runs the script of the action with a program that prints its arguments in place of bowline.mjs. */
function runAction(inputs: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly said: string;
} {
  const program = join(place, "bowline.mjs");
  writeFileSync(program, "console.log(JSON.stringify(process.argv.slice(2)))");
  const output = join(place, "output");
  writeFileSync(output, "");
  const env = {
    PATH: process.env["PATH"],
    BOWLINE_FILE: program,
    GITHUB_OUTPUT: output,
    JUNIT_FILE: "j.xml",
    ...inputs,
  };
  const { status, stdout } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], { env, encoding: "utf8" });
  return { status, said: stdout.trim() + readFileSync(output, "utf8") };
}

describe("docs/action/action.yml", () => {
  it("every input that is used is declared, and every declared input is used", () => {
    const declared = [...(text.split("\noutputs:")[0] ?? "").matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name);
    const used = [...text.matchAll(/\$\{\{ inputs\.(\w+) \}\}/g)].map(([, name]) => name);
    assert.deepEqual(declared.sort(), used.sort());
    assert.ok(/^ {2}using: composite$/m.test(text) && /^ {6}shell: bash$/m.test(text) && !text.includes("\t"));
  });

  it("no expression is in the text of the script", () => {
    assert.ok(script.length > 100);
    assert.doesNotMatch(script, /\$\{\{/);
  });

  it("the script starts the command with its arguments and the agent, and runs no input as code", () => {
    const { status, said } = runAction({
      BOWLINE_COMMAND: "check",
      AGENT_COMMAND: "node a.js",
      MORE_ARGUMENTS: "--no-prompt",
    });
    assert.equal(status, 0);
    assert.equal(said, '["check","--junit","j.xml","--no-prompt","--","node","a.js"]junit=j.xml\n');
    const hostile = runAction({ BOWLINE_COMMAND: "expect", AGENT_COMMAND: "", MORE_ARGUMENTS: '$(id) "; id' });
    assert.equal(hostile.said, '["expect","--junit","j.xml","$(id)","\\";","id"]junit=j.xml\n');
    assert.equal(runAction({ BOWLINE_COMMAND: "chat", AGENT_COMMAND: "x", MORE_ARGUMENTS: "" }).status, 2);
  });
});
