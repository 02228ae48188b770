/**
 * The program killed with SIGKILL while it starts a CLI leaves no private file behind.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { programArgs } from "../support/built-program.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const servers = [{ name: "tickets", command: "/bin/true", args: [], env: [{ name: "KEY", value: "canary-key" }] }];

const rows = [
  [
    "the agent",
    [],
    (cwd: string) => [
      initialize,
      { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd, mcpServers: servers } },
    ],
  ],
  [
    "the bridge",
    ["bridge"],
    (cwd: string) => {
      const options = { mcp_servers: { tickets: { command: "/bin/true", env: { KEY: "canary-key" } } } };
      return [{ type: "session.create", id: "a", payload: { prompt: "", cwd, options } }];
    },
  ],
] as const;

describe(
  "a program killed while a CLI starts",
  { timeout: 120_000, skip: process.platform === "win32" && "there is no guard" },
  () => {
    for (const [who, args, messages] of rows) {
      it(`a killed program leaves no file with the keys of MCP servers: ${who}`, async () => {
        const root = realpathSync(mkdtempSync(join(tmpdir(), "killed-")));
        // A directory name with characters that are special in a shell.
        const state = join(root, "a $(b) 'c' \\n *é\n d");
        mkdirSync(state);
        const cli = join(root, "claude");
        // A CLI that reads and writes nothing, so that the private file is still needed.
        writeFileSync(cli, "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
        const env = { PATH: process.env["PATH"], HOME: root, XDG_STATE_HOME: state, BOWLINE_CLAUDE: cli };
        const child = spawn(process.execPath, [...programArgs, ...args], { env, stdio: ["pipe", "ignore", "inherit"] });
        try {
          for (const message of messages(root)) child.stdin.write(`${JSON.stringify(message)}\n`);
          const files = (): readonly string[] =>
            readdirSync(state, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("bowline-"));
          while (!files().some((name) => name.endsWith("/mcp.json"))) await pause(5);
          child.kill("SIGKILL");
          const limit = performance.now() + 20_000;
          while (files().length > 0 && performance.now() < limit) await pause(20);
          assert.deepEqual(files(), []);
        } finally {
          child.kill("SIGKILL");
          rmSync(root, { recursive: true, force: true });
        }
      });
    }
  },
);
