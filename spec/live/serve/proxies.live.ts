/**
 * The proxy configurations of docs/deploy, with real proxies and real servers behind them.
 *
 * The servers are started with the command of docs/deploy/kubernetes.yaml; only ports,
 * addresses and directories are replaced.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { client } from "../../../lib/acp/index.ts";
import { webSocketLink } from "../../../lib/wire/index.ts";
import { builtProgram } from "../../support/built-program.ts";
import { containerArgs } from "../../support/deploy.ts";
import { freePorts, proxyConfiguration, until } from "../../support/load/proxies.ts";

const token = "a-token-for-the-proxies";
const proxies = {
  haproxy: { file: "docs/deploy/haproxy.cfg", args: (path: string) => ["-db", "-f", path] },
  nginx: {
    file: "docs/deploy/nginx.conf",
    args: (path: string) => ["-c", path, "-e", "stderr", "-g", `daemon off; pid ${path}.pid; error_log stderr;`],
  },
} as const;

function startServer(port: number, directory: string): ChildProcess {
  const args = containerArgs().map((arg) =>
    arg === "0.0.0.0" ? "127.0.0.1" : arg === "4747" ? String(port) : arg === "/project" ? directory : arg,
  );
  const env = { ...process.env, BOWLINE_TOKEN: token, CLAUDE_CONFIG_DIR: directory, BOWLINE_PREWARM: "0" };
  return spawn(process.execPath, [builtProgram, ...args], { env, stdio: "ignore" });
}

const headers = { authorization: `Bearer ${token}` };

for (const [name, { file, args }] of Object.entries(proxies)) {
  const isMissing = spawnSync(name, ["-v"]).error !== undefined;
  describe(`servers behind ${name}`, { skip: isMissing && `${name} is not installed` }, () => {
    it(`${name} passes requests and WebSockets on, and goes on when a server ends`, async () => {
      const directory = mkdtempSync(join(tmpdir(), "proxies-"));
      const [front = 0, ...ports] = await freePorts(4);
      const path = join(directory, "proxy.conf");
      writeFileSync(path, proxyConfiguration(file, front, ports));
      const servers = ports.map((port) => startServer(port, directory));
      const proxy = spawn(name, args(path), { stdio: ["ignore", "ignore", "inherit"] });
      try {
        const url = `http://127.0.0.1:${front}`;
        for (const port of ports) await until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
        await until(async () => (await fetch(`${url}/sessions`, { headers })).ok);
        assert.equal((await fetch(`${url}/sessions`)).status, 401);
        const connect = () =>
          client(webSocketLink(`ws://127.0.0.1:${front}/acp`, { headers }), {
            info: { name: "proxies", version: "1" },
            handlers: () => ({
              "session/update": () => {},
              "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
            }),
          });
        const first = await connect();
        assert.deepEqual((await first.call("session/list", {})).sessions, []);
        // One of the servers has the connection; when all but one have ended, it is gone or still there.
        const started = Date.now();
        for (const server of servers.slice(0, 2)) server.kill("SIGTERM");
        await Promise.all(servers.slice(0, 2).map((server) => server.exitCode ?? once(server, "exit")));
        assert.ok(Date.now() - started < 30_000, "within the grace period of the manifest");
        await until(async () => (await fetch(`${url}/sessions`, { headers })).ok);
        await until(async () => {
          const again = await connect();
          const { sessions } = await again.call("session/list", {});
          again.close("done");
          return sessions.length === 0;
        });
        first.close("done");
      } finally {
        for (const server of servers) server.kill("SIGKILL");
        proxy.kill("SIGTERM");
        await (proxy.exitCode ?? once(proxy, "exit"));
      }
    });
  });
}
