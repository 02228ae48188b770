/**
 * The program: its commands, its messages on failure and its exit codes.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { version } from "../../lib/version.ts";
import { programArgs } from "../support/built-program.ts";

function run(args: readonly string[], input = ""): { code: number | null; stdout: string; stderr: string } {
  const options = { input, encoding: "utf8", timeout: 30_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...programArgs, ...args], options);
  return { code: status, stdout, stderr };
}

describe("bowline", () => {
  it("bowline answers initialize with one line and exits with 0 when its input ends", () => {
    const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    const { code, stdout, stderr } = run([], `${JSON.stringify(request)}\n`);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    const lines = stdout.trimEnd().split("\n");
    assert.equal(lines.length, 1);
    const { id, result } = JSON.parse(lines[0] ?? "");
    assert.equal(id, 1);
    assert.equal(result.protocolVersion, 1);
    assert.ok(result.authMethods.length >= 1);
  });

  it("bowline demo plays without a terminal and exits", () => {
    const { code, stdout } = run(["demo"]);
    assert.equal(code, 0);
    assert.match(stdout, /All \*\*3 tests\*\* pass\.\n/);
  });

  it("bowline prints its version and its usage", () => {
    assert.deepEqual(run(["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" });
    assert.match(run(["--help"]).stdout, /^usage:$/m);
  });

  it("bowline bridge runs until its input ends, and answers a line that is no message", () => {
    const { code, stdout, stderr } = run(
      ["bridge"],
      '{"type":"session.kill","id":"k","session_id":"s","payload":{}}\nnonsense\n',
    );
    assert.deepEqual([code, stderr], [0, ""]);
    const codes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).payload.code);
    assert.deepEqual(codes, ["SESSION_NOT_FOUND", "INVALID_MESSAGE"]);
    assert.equal(run(["bridge", "--callback-timeout", "0"]).code, 0);
    assert.equal(run(["bridge", "--callback-timeout=1.5"]).code, 0);
  });

  it("bowline refuses unknown commands and options with one sentence and exit code 2", () => {
    for (const args of [["nonsense"], ["demo", "more"], ["bridge", "--x"], ["bridge", "--callback-timeout", "x"]]) {
      const { code, stdout, stderr } = run(args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, /^bowline: .*; see bowline (?:\w+ )?--help\n$/);
    }
  });
});
