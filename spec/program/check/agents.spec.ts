/**
 * `bowline check` on real agents: our own with tapes, and one made with the official SDK.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { check, type Finding } from "../../../lib/program/check/check.ts";
import { rules } from "../../../lib/program/check/rules.ts";
import { bowline } from "../../support/program/fake-terminal.ts";
import { startTapedAgent } from "../../support/program/tape-agent.ts";

const sdkAgent = fileURLToPath(new URL("../../support/program/programs/sdk-agent.ts", import.meta.url));
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-check-spec-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const server = { name: "m", command: "/bin/m", args: [], env: [] };

function named(findings: readonly Finding[], status: Finding["status"]): readonly string[] {
  return findings.filter((one) => one.status === status).map(({ id, why }) => `${id}: ${why}`);
}

/** Bundled to one file, because it is started often and loading many modules takes a second. */
function bundled(entry: string): string {
  const outfile = join(scratch, "sdk-agent.mjs");
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" });
  return outfile;
}

describe("check, on our own agent", () => {
  it("our own agent keeps every rule, on tapes", async () => {
    const kept = new Map();
    const { findings } = await check({
      rules,
      start: () => startTapedAgent({ kept }),
      cwd: scratch,
      limitMs: 4000,
      authMethod: undefined,
      prompts: { short: "[[read]] go", long: "[[slow]] go" },
      mcp: { server, wasStarted: () => true },
    });
    assert.deepEqual(named(findings, "fail"), []);
    // Read needs no permission.
    assert.deepEqual(named(findings, "not run"), ["tools/permission: it asked for none"]);
  });
});

describe("bowline check", () => {
  it("bowline check --json reports an agent made with the official SDK as conformant, with exit code 0", async () => {
    const { code, stdout } = await bowline(["check", "--json", "--", process.execPath, bundled(sdkAgent)]);
    const { agent, isConformant, rules: found } = JSON.parse(stdout);
    assert.deepEqual([code, agent.name, isConformant, found.length], [0, "sdk-agent", true, rules.length]);
    assert.deepEqual(
      found.filter(({ status }: Finding) => status === "fail").map(({ id }: Finding) => id),
      ["session/cwd", "session/mcp-connects"],
    );
    for (const { says, source } of found) assert.match(`${says} ${source}`, /^\S.* https:\/\/\S+$/);
  });

  it("bowline check prints a table of failures for a program that does not speak ACP, with exit code 1", async () => {
    const words = ["--timeout", "2", "--only", "initialize/answers,transport/only-json", "--", "sh", "-c"];
    const { code, stdout } = await bowline(["check", ...words, "echo ready; cat > /dev/null"]);
    assert.equal(code, 1);
    assert.match(stdout, /^ {2}FAIL {2}MUST {4}initialize\/answers .*\n {8}initialize was not answered within 2 s\n/m);
    assert.match(stdout, /^ {8}stdout had the line "ready"\n {8}see https:\/\/agentclientprotocol\.com\//m);
    assert.match(stdout, /^MUST {4}0 kept, 2 broken, 0 not run$/m);
    assert.ok(!stdout.includes("\x1b"));
  });

  it("bowline check names a command it cannot start and a rule it does not know", async () => {
    const missing = await bowline(["check", "--no-prompt", "--", "bowline-is-not-there"]);
    assert.deepEqual([missing.code, missing.stdout], [1, ""]);
    assert.match(missing.stderr, /^bowline: could not start bowline-is-not-there: .*\n$/);
    assert.match(
      (await bowline(["check", "--only", "nothing", "--", "x"])).stderr,
      /^bowline: --only: there is no rule or group/,
    );
    assert.equal((await bowline(["check"])).code, 2);
  });

  it("bowline check --list prints the rules of a group without starting the agent", async () => {
    const { code, stdout } = await bowline(["check", "--list", "--only", "cancel"]);
    assert.equal(code, 0);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/\s+/)[1]),
      ["cancel/idle", "cancel/at-once", "cancel/mid-turn", "cancel/others"],
    );
  });
});
