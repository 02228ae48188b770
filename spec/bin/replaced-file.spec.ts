/**
 * The program's own file is replaced, truncated or removed while the program runs.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { builtProgram } from "../support/built-program.ts";
import { cliScript } from "../support/bridge/many-sessions.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };

const changes: readonly (readonly [string, (file: string) => void])[] = [
  ["removed", (file) => rmSync(file)],
  ["cut in the middle", (file) => truncateSync(file, 40_000)],
  ["overwritten in place with another program", (file) => writeFileSync(file, "process.exit(77);\n")],
];

describe("a program that has answered initialize", { timeout: 120_000 }, () => {
  for (const [how, change] of changes) {
    it(`the running program keeps the code it was started with when its file is ${how}`, async () => {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), "replaced-")));
      const file = join(directory, "bowline.mjs");
      copyFileSync(builtProgram, file);
      const cli = join(directory, "claude");
      writeFileSync(cli, cliScript("while read -r line; do :; done"), { mode: 0o755 });
      const env = { PATH: process.env["PATH"], HOME: directory, BOWLINE_CLAUDE: cli, BOWLINE_PREWARM: "0" };
      const child = spawn(process.execPath, [file], { env, stdio: ["pipe", "pipe", "inherit"] });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const exited = once(child, "exit");
      try {
        child.stdin.write(`${JSON.stringify(initialize)}\n`);
        assert.equal(JSON.parse((await lines.next()).value).id, 1);
        change(file);
        const params = { cwd: directory, mcpServers: [] };
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/new", params })}\n`);
        const { id, result } = JSON.parse((await lines.next()).value ?? "{}");
        assert.deepEqual([id, typeof result?.sessionId], [2, "string"]);
        child.stdin.end();
        assert.deepEqual(await exited, [0, null]);
      } finally {
        child.kill("SIGKILL");
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
});
