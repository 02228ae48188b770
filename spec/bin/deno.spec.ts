/**
 * The built program on Deno ends at signals.
 *
 * Runs where Deno is installed: as `deno` on PATH, or by
 * `npm install --prefix .cache/live/deno deno`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { builtProgram } from "../support/built-program.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const deno = findDeno();

/** The npm package `deno` has its executable in a package for the platform, `@deno/linux-x64-glibc`. */
function findDeno(): string | undefined {
  const packages = fileURLToPath(new URL("../../.cache/live/deno/node_modules/@deno/", import.meta.url));
  const installed = existsSync(packages) ? readdirSync(packages).map((name) => join(packages, name)) : [];
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), ...installed];
  return directories.map((directory) => join(directory, "deno")).find((path) => existsSync(path));
}

describe("the program on Deno", { timeout: 60_000, skip: deno === undefined && "deno is not installed" }, () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    it(`the program on Deno exits with ${code} at ${signal} while its client keeps stdin open`, async () => {
      assert.ok(deno !== undefined);
      const child = spawn(deno, ["run", "-A", "--no-prompt", builtProgram], { stdio: ["pipe", "pipe", "inherit"] });
      const exited = once(child, "exit", { signal: AbortSignal.timeout(30_000) });
      try {
        // The second request is answered by the agent itself, which has taken over the signals by then.
        for (const request of [initialize, { jsonrpc: "2.0", id: 2, method: "session/list", params: {} }]) {
          child.stdin.write(`${JSON.stringify(request)}\n`);
          await once(child.stdout, "data");
        }
        child.kill(signal);
        assert.deepEqual(await exited, [code, null]);
      } finally {
        child.kill("SIGKILL");
      }
    });
  }
});
