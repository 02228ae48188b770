/**
 * A live spec of 10,000 connection attempts on the built `bowline serve`, and of a client that is served meanwhile.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { visitor } from "../../support/serve/test-server.ts";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const attempts = 10_000;
const atOnce = 200;
/** What the server may grow by; 10,000 sockets that were kept would take ten times as much. */
const maxGrownMegabytes = 60;

const handshake = [
  "GET /acp HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "",
  "",
].join("\r\n");

/** The kinds of attempt: a handshake without the token, nothing, half a request, no HTTP at all. */
const greetings = [handshake, "", "GET /acp HTTP/1.1\r\nHost:", "\u0016\u0003\u0001 no HTTP\r\n\r\n"];

/** Connects, says it, and leaves; resolves with the status of the response, if there was one. */
function attempt(port: number, greeting: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(greeting);
      // Nothing is answered to these for a while.
      if (greeting === "" || greeting.endsWith("Host:")) socket.destroy();
    });
    socket.on("data", (chunk) => (heard += String(chunk)));
    socket.on("error", () => {});
    socket.on("close", () => resolve(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? ""));
  });
}

describe("bowline serve under connection attempts", () => {
  it(
    "10,000 connection attempts are refused, cost no memory, and keep no client from being served",
    { skip: process.platform !== "linux" },
    async () => {
      const home = mkdtempSync(join(tmpdir(), "attempts-"));
      const env = { PATH: process.env["PATH"], HOME: home, BOWLINE_PREWARM: "0" };
      const child = spawn(process.execPath, [built, "serve", "--port", "0", "--demo", "--cwd", home], {
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const exit = once(child, "close");
      const megabytes = (): number =>
        Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
      try {
        const [line] = await once(child.stdout, "data");
        const { origin, port, hash } = new URL(String(line).trim());
        const page = visitor(origin, hash.replace("#token=", ""));
        const statuses = new Map<string, number>();
        const run = async (count: number): Promise<void> => {
          for (let i = 0; i < count; i += atOnce) {
            const some = Array.from({ length: atOnce }, (_, n) =>
              attempt(Number(port), greetings[n % greetings.length] ?? ""),
            );
            // A client with the token is served between them.
            const [served, ...got] = await Promise.all([page.call("GET", "/sessions"), ...some]);
            assert.equal(served.status, 200);
            for (const status of got) statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        };
        await run(attempts / 10);
        const before = megabytes();
        await run(attempts);
        assert.deepEqual([...statuses.keys()].toSorted(), ["", "400", "401"]);
        assert.equal(statuses.get("401"), (attempts * 1.1) / greetings.length, "each handshake is answered with 401");
        assert.ok(megabytes() - before < maxGrownMegabytes, `grown by ${megabytes() - before} MB`);
        assert.equal((await page.call("POST", "/sessions")).status, 201);
      } finally {
        child.kill("SIGTERM");
        await exit;
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
