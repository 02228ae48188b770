/**
 * The agent when the disk is full, read-only or missing.
 *
 * A limit on the size of files simulates a full disk. A file in the place of a directory
 * simulates a directory that cannot be written, because root can write anything.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, describe, it } from "node:test";
import { claudeLauncher } from "../../../lib/claude/engine/run/launcher.ts";
import { diskStore } from "../../../lib/claude/engine/saved/session-store.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { agentHarness } from "../../support/claude/agent-harness.ts";

const root = mkdtempSync(join(tmpdir(), "bowline-disk-"));
after(() => rmSync(root, { recursive: true, force: true }));
const file = join(root, "file");
writeFileSync(file, "not a directory");
const open = join(root, "open");
mkdirSync(join(open, "bowline", "run"), { recursive: true });
const id = "11111111-1111-4111-8111-111111111111";

describe("diskStore with an unusable config directory", () => {
  for (const [what, CLAUDE_CONFIG_DIR] of [
    ["is a file", file],
    ["lies below a file", join(file, "deeper")],
    ["does not exist", join(root, "nowhere")],
    ["is an invalid path", "\0"],
  ] as const) {
    it(`a config directory that ${what} has no conversations, and the agent works`, async () => {
      const { editor, open, bugs } = await agentHarness({ store: diskStore({ CLAUDE_CONFIG_DIR }) });
      assert.deepEqual((await editor.call("session/list", {})).sessions, []);
      const request = { sessionId: id, cwd: "/", mcpServers: [] };
      await assert.rejects(editor.call("session/load", request), { code: -32002 });
      await assert.rejects(editor.call("session/set_title", { sessionId: id, title: "x" }), { code: -32002 });
      await editor.call("session/delete", { sessionId: id });
      assert.ok((await open()).sessionId !== "");
      assert.deepEqual(bugs, []);
    });
  }
});

describe("diskStore on a full disk", () => {
  it("a title that cannot be saved on a full disk fails with the reason", async () => {
    const project = join(root, "full/projects/-home");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${id}.jsonl`), `${JSON.stringify({ type: "user" }).padEnd(2000)}\n`);
    const script = `
      import { diskStore } from ${JSON.stringify(join(import.meta.dirname, `../../../lib/claude/engine/saved/session-store${extname(import.meta.filename)}`))};
      process.on("SIGXFSZ", () => {});
      const store = diskStore({ CLAUDE_CONFIG_DIR: ${JSON.stringify(join(root, "full"))} });
      await store.rename("${id}", "A title").then(() => console.log("renamed"), ({ kind, message }) => console.log(kind, message));
    `;
    // With this limit a file may grow to one block of 512 or 1024 bytes; the transcript is longer already.
    const limited = `trap "" XFSZ; ulimit -f 1; exec "$@"`;
    const node = [process.execPath, await bundledProgram({ code: script })];
    const { stdout } = spawnSync("sh", ["-c", limited, "sh", ...node], { encoding: "utf8", timeout: 60_000 });
    assert.match(stdout, /^disk the title could not be saved: E(?:FBIG|NOSPC)$/m);
  });
});

describe("claudeLauncher without a private directory", () => {
  it("a session with MCP servers fails with an error that names the directory that cannot be written, or that others can open", async () => {
    for (const [XDG_STATE_HOME, why] of [
      [join(file, "deeper"), /ENOTDIR$/],
      [open, /must be a directory that only you can open \(mode 700\)$/],
    ] as const) {
      const env = { BOWLINE_CLAUDE: process.execPath, XDG_STATE_HOME };
      const { editor, bugs } = await agentHarness({ launcher: claudeLauncher(env) });
      const server = { name: "x", command: "x", args: [], env: [{ name: "KEY", value: "canary-secret" }] };
      const failure = await editor.call("session/new", { cwd: "/", mcpServers: [server] }).catch((cause) => cause);
      assert.equal(failure.code, -32603);
      assert.ok(
        failure.message.startsWith(
          `the MCP servers could not be written down for the Claude CLI in ${join(XDG_STATE_HOME, "bowline", "run")}: `,
        ),
      );
      assert.match(failure.message, why);
      assert.doesNotMatch(JSON.stringify(failure), /canary/);
      assert.deepEqual(bugs, []);
    }
  });
});

describe("session/new with an invalid cwd", () => {
  for (const [what, cwd] of [
    ["a file", file],
    ["a missing directory", join(root, "nowhere")],
    ["a path below a file", join(file, "deeper")],
    ["an invalid path", "/\0"],
    ["a path that is too long", `/${"x".repeat(10_000)}`],
  ] as const) {
    it(`an invalid cwd is refused before a CLI starts: ${what}`, async () => {
      const { editor, cli, bugs } = await agentHarness();
      const failure = { code: -32602, message: "cwd must be a directory that exists" };
      await assert.rejects(editor.call("session/new", { cwd, mcpServers: [] }), failure);
      assert.equal(cli.runs.length, 0);
      assert.deepEqual(bugs, []);
    });
  }
});
