/**
 * Tests the shipped program in the real node.exe: the agent, the chat, doctor and other
 * commands, with a script in place of the Claude CLI.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { childLink } from "../../lib/wire/index.ts";
import { echoClaude } from "../support/claude/echo-claude.ts";
import { LinkLog } from "../support/wire/link-log.ts";
import { npmScriptShim } from "../support/wire/npm-shims.ts";

const program = process.env["BOWLINE_WINDOWS_PROGRAM"] ?? "";
let directory = "";
let env: NodeJS.ProcessEnv = {};

before(() => {
  directory = mkdtempSync(join(tmpdir(), "bowline-program-"));
  const cli = "node_modules\\claude\\cli.mjs";
  mkdirSync(join(directory, "node_modules", "claude"), { recursive: true });
  const version = 'if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(0); }';
  writeFileSync(join(directory, cli), `${version}\n${echoClaude}`);
  // As npm installs it: found on PATH through the batch file.
  writeFileSync(join(directory, "claude.cmd"), npmScriptShim(cli));
  env = { ...process.env, PATH: directory, HOME: undefined, USERPROFILE: directory, BOWLINE_ROUTE: "claude" };
});
after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

function run(args: readonly string[], input = ""): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { env, cwd: directory, timeout: 60_000 };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** The agent, and a function that sends it a request and returns the result. */
function startAgent(more: NodeJS.ProcessEnv = {}): {
  readonly agent: ReturnType<typeof childLink>;
  readonly log: LinkLog;
  readonly call: (method: string, params: object) => Promise<Record<string, any>>;
} {
  const log = new LinkLog();
  const agent = childLink(process.execPath, [program], { env: { ...env, ...more }, cwd: directory });
  agent.open(log);
  let count = 0;
  const call = async (method: string, params: object): Promise<Record<string, any>> => {
    const id = ++count;
    agent.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const isAnswer = (text: string): boolean => JSON.parse(text).id === id && !("method" in JSON.parse(text));
    await log.until(() => log.lines.some(isAnswer));
    const { result, error } = JSON.parse(log.lines.find(isAnswer) ?? "");
    return result ?? assert.fail(JSON.stringify(error));
  };
  return { agent, log, call };
}

describe("the shipped program on Windows", () => {
  it("the agent answers initialize, session/new and a prompt, and exits at the end of its input", async () => {
    const { agent, log, call } = startAgent();
    assert.equal((await call("initialize", { protocolVersion: 1 })).protocolVersion, 1);
    const { sessionId } = await call("session/new", { cwd: directory, mcpServers: [] });
    const turn = await call("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
    assert.equal(turn.stopReason, "end_turn");
    assert.ok(log.lines.some((text) => text.includes("You asked: hello")));
    agent.close("done");
    assert.equal(await log.closed, "done");
  });

  it("the agent offers edits through the editor, but no commands in a terminal whose shell is cmd.exe", async () => {
    const { agent, log, call } = startAgent({ BOWLINE_EDITS: "1", BOWLINE_COMMANDS: "1" });
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    await call("initialize", { protocolVersion: 1, clientCapabilities });
    const { configOptions } = await call("session/new", { cwd: directory, mcpServers: [] });
    const offered: readonly string[] = configOptions.map(({ id }: { readonly id: string }) => id);
    assert.deepEqual(
      offered.filter((id) => id === "edits" || id === "commands"),
      ["edits"],
    );
    agent.close("done");
    await log.closed;
  });

  it("the chat answers a prompt from a pipe", async () => {
    const { code, stdout } = await run(["chat", "-q"], "hello\n");
    assert.match(stdout, /You asked: hello/);
    assert.equal(code, 0);
  });

  it("the chat talks to an agent that is a batch file", async () => {
    const agent = join(directory, "bowline.cmd");
    writeFileSync(join(directory, "copy.mjs"), readFileSync(program));
    writeFileSync(agent, npmScriptShim("copy.mjs"));
    const { code, stdout, stderr } = await run(["chat", "-q", "--agent", "bowline"], "hello\n");
    assert.match(stdout, /You asked: hello/, stderr);
    assert.equal(code, 0);
  });

  it("doctor finds the CLI behind npm's batch file and its version", async () => {
    const { stdout } = await run(["doctor", "--json"]);
    const report: { platform: string; signs: { name: string; status: string; says: string }[] } = JSON.parse(stdout);
    assert.equal(report.platform, "win32 x64");
    const status = Object.fromEntries(report.signs.map((sign) => [sign.name, sign]));
    assert.match(status["claude"]?.says ?? "", /cli\.mjs \(found by PATH\)$/);
    assert.equal(status["version"]?.status, "ok");
    // A warning: the agent answered, but slowly.
    assert.match(status["initialize"]?.status ?? "", /^(?:ok|warn)$/);
  });

  it("the demo plays to its end", async () => {
    const { code } = await run(["demo"]);
    assert.equal(code, 0);
  });

  it("check finds transport, JSON-RPC and initialize of the agent conformant", async () => {
    const { stdout } = await run(["check", "--", process.execPath, program]);
    assert.match(stdout, /ok {4}MUST {4}transport\/only-json/);
    // The script in place of the CLI saves no conversations and starts no MCP servers.
    const failures = [...stdout.matchAll(/FAIL +\w+ +(\S+)/g)].map(([, rule = ""]) => rule);
    assert.deepEqual(
      failures.filter((rule) => !/^(?:saved|session)\//.test(rule)),
      [],
    );
  });
});
