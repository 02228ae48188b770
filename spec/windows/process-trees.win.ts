/**
 * Tests, in the real node.exe, that a program and all its descendants are ended: at close,
 * when the program has died, when this process dies, and when the editor dies.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { GuardedProcess } from "../../lib/process/index.ts";
import { childLink, windowsProcesses } from "../../lib/wire/index.ts";
import { LinkLog } from "../support/wire/link-log.ts";
import { isRunning } from "../support/wire/programs.ts";

const program = process.env["BOWLINE_WINDOWS_PROGRAM"] ?? "";
let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "bowline-trees-"));
});
after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

/** A program that starts a program that starts a program, prints their ids, and ignores the end of its input. */
function treeScript(depth: number): string {
  // Detached, so that the child does not end with its parent's job.
  const inner =
    depth === 0
      ? ""
      : `const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(treeScript(depth - 1))}], { detached: true, stdio: ["ignore", "pipe", "ignore"] }); child.stdout.on("data", (text) => process.stdout.write(text));`;
  return `${inner} process.stdout.write(process.pid + "\\n"); setInterval(() => {}, 1000);`;
}

async function ids(log: LinkLog, count: number): Promise<readonly number[]> {
  while (log.lines.length < count) await pause(20);
  return log.lines.map(Number);
}

async function allGone(pids: readonly number[]): Promise<readonly number[]> {
  for (let round = 0; round < 500 && pids.some(isRunning); round++) await pause(20);
  return pids.filter(isRunning);
}

describe("process trees on Windows", () => {
  it("windowsProcesses lists this process and its child", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const rows = await windowsProcesses();
    child.kill();
    assert.ok(rows.some(({ pid }) => pid === process.pid));
    assert.equal(rows.find(({ pid }) => pid === child.pid)?.parent, process.pid);
  });

  it("closing a child link ends the program and all its descendants", async () => {
    const log = new LinkLog();
    const link = childLink(process.execPath, ["-e", treeScript(2)], { graceMs: 100 });
    link.open(log);
    const pids = await ids(log, 3);
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(await allGone(pids), []);
  });

  it("closing a guarded process ends the CLI and all its descendants", async () => {
    const log = new LinkLog();
    const cli = guarded(treeScript(2));
    cli.open(log);
    const pids = await ids(log, 3);
    cli.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(await allGone(pids), []);
  });

  it("a guarded process that ends at the end of its input is not ended by force", async () => {
    const log = new LinkLog();
    const cli = guarded(
      "process.stdin.on('end', () => process.exit(7)); process.stdin.resume(); console.log(process.pid)",
    );
    cli.open(log);
    await ids(log, 1);
    cli.close("done");
    await log.closed;
    assert.equal(cli.exit()?.code, 7);
  });

  it("the descendants of a CLI that dies are ended, though their parent is gone", async () => {
    const log = new LinkLog();
    const cli = guarded(treeScript(1));
    cli.open(log);
    const pids = await ids(log, 2);
    process.kill(Number(cli.pid));
    await log.closed;
    assert.deepEqual(await allGone(pids), []);
  });
});

describe("the orphan guard on Windows", () => {
  it("a killed agent leaves no CLI, no command of the CLI and no file with the keys of MCP servers", async () => {
    const [pids, state] = [join(directory, "pids.txt"), join(directory, "t \u00e9 1")];
    mkdirSync(state);
    const cli = join(directory, "silent-claude.mjs");
    // A CLI that answers nothing, so that the private file is still needed. Its command survives it unless it is ended.
    const command = `spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" })`;
    writeFileSync(
      cli,
      `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
       const child = ${command}; writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid + " ."); setInterval(() => {}, 1000);`,
    );
    const env = { ...process.env, LOCALAPPDATA: state, BOWLINE_CLAUDE: cli };
    const agent = spawn(process.execPath, [program], { env, stdio: ["pipe", "ignore", "ignore"] });
    const mcpServers = [
      { name: "tickets", command: "C:\\x.exe", args: [], env: [{ name: "KEY", value: "canary-key" }] },
    ];
    agent.stdin.write(line({ id: 1, method: "initialize", params: { protocolVersion: 1 } }));
    agent.stdin.write(line({ id: 2, method: "session/new", params: { cwd: directory, mcpServers } }));
    while (!existsSync(pids) || !readFileSync(pids, "utf8").endsWith(".") || privateFiles(state).length === 0)
      await pause(20);
    const started = readFileSync(pids, "utf8").split(" ").slice(0, 2).map(Number);
    assert.deepEqual(started.filter(isRunning), started);
    agent.kill();
    assert.deepEqual(await allGone(started), []);
    const left = (): readonly string[] => readdirSync(join(state, "bowline", "run"));
    for (let round = 0; round < 500 && left().length > 0; round++) await pause(20);
    assert.deepEqual(left(), []);
  });
});

describe("an agent whose editor dies on Windows", () => {
  it("the agent exits when the editor is killed, though another process holds its input open", async () => {
    const file = join(directory, "agent.txt");
    // The helper inherits the write end of the agent's input, as helper processes of editors do.
    const code = `
      const { spawn } = require("child_process");
      const agent = spawn(process.execPath, [${JSON.stringify(program)}], { stdio: ["pipe", "pipe", "ignore"], detached: true });
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: [agent.stdin, "ignore", "ignore"], detached: true });
      agent.stdout.once("data", () => require("fs").writeFileSync(${JSON.stringify(file)}, agent.pid + " ."));
      agent.stdin.write(${JSON.stringify(line({ id: 1, method: "initialize", params: { protocolVersion: 1 } }))});
      setInterval(() => {}, 1000);`;
    const editor = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
    while (!existsSync(file) || !readFileSync(file, "utf8").endsWith(".")) await pause(20);
    const agent = Number(readFileSync(file, "utf8").split(" ")[0]);
    assert.ok(isRunning(agent));
    editor.kill();
    await once(editor, "exit");
    assert.deepEqual(await allGone([agent]), []);
  });
});

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

function privateFiles(state: string): readonly string[] {
  return readdirSync(state, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("mcp.json"));
}

function guarded(script: string): GuardedProcess {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return new GuardedProcess({
    name: "the CLI",
    command: process.execPath,
    args: ["-e", script],
    cwd: directory,
    env,
    endGraceMs: 300,
  });
}
