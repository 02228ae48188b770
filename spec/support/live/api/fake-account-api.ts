/**
 * Plays api.anthropic.com for the real CLI of a user with a plan.
 *
 * The CLI asks that host for the limits of the plan, whatever ANTHROPIC_BASE_URL says, so it is
 * led here by a proxy for HTTPS and trusts a certificate made for the test. Needs openssl.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface AccountApi extends AsyncDisposable {
  /** The environment of a CLI that is signed in to the plan. `home` gets its credentials. */
  readonly environment: (home: string) => Record<string, string | undefined>;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
}

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** `limits` is the answer to `/api/oauth/usage`. */
export async function accountApi(limits: object): Promise<AccountApi> {
  const directory = mkdtempSync(join(tmpdir(), "bowline-account-"));
  const { key, cert, authority } = certificate(directory);
  const asked: string[] = [];
  const api = createTlsServer({ key, cert }, (request, response) => {
    asked.push(request.url ?? "");
    const isUsage = request.url?.startsWith("/api/oauth/usage") === true;
    response.writeHead(isUsage ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isUsage ? limits : {}));
  });
  const apiPort = await listen(api);
  const proxy = createServer();
  /** The server does not count connections that it has handed over. */
  const tunnels = new Set<Duplex>();
  proxy.on("connect", (_request, client) => {
    const server = connect(apiPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    for (const end of [server, client]) {
      tunnels.add(end);
      end.on("error", () => end.destroy());
    }
  });
  const proxyPort = await listen(proxy);
  return {
    asked,
    environment: (home) => {
      mkdirSync(join(home, ".claude"), { recursive: true });
      const claudeAiOauth = {
        accessToken: "sk-ant-oat01-fake",
        refreshToken: "sk-ant-ort01-fake",
        expiresAt: Date.now() + 8 * 3_600_000,
        scopes: ["user:inference", "user:profile"],
        subscriptionType: "max",
      };
      writeFileSync(join(home, ".claude", ".credentials.json"), JSON.stringify({ claudeAiOauth }), { mode: 0o600 });
      return {
        ANTHROPIC_API_KEY: undefined,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: undefined,
        HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
        NO_PROXY: "127.0.0.1",
        NODE_EXTRA_CA_CERTS: authority,
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of tunnels) end.destroy();
      for (const server of [api, proxy]) {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function listen(server: Server | NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // a TCP server that listens
}

/** A certificate for api.anthropic.com, of an authority that only this test knows. */
function certificate(directory: string): { readonly key: Buffer; readonly cert: Buffer; readonly authority: string } {
  const path = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: directory, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
  };
  const fresh = ["-newkey", "rsa:2048", "-nodes"];
  const isAuthority = "basicConstraints=critical,CA:TRUE";
  openssl("req", "-x509", ...fresh, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test", "-addext", isAuthority);
  openssl("req", ...fresh, "-keyout", "api.key", "-out", "api.csr", "-subj", "/CN=api.anthropic.com");
  writeFileSync(path("names"), "subjectAltName=DNS:api.anthropic.com");
  const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", "-in", "api.csr", ...signing, "-out", "api.pem");
  return { key: readFileSync(path("api.key")), cert: readFileSync(path("api.pem")), authority: path("ca.pem") };
}
