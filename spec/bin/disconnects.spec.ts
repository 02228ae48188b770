/**
 * The ways a client can disconnect, fully or partly, on real pipes.
 */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { programArgs } from "../support/built-program.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const list = { jsonrpc: "2.0", id: 2, method: "session/list", params: {} };
/** An invalid notification, which the program reports on stderr. */
const wrong = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: 7, secret: "canary-secret" } };

interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly say: (message: object) => void;
  /** The next line, parsed. */
  readonly hear: () => Promise<{ readonly id: unknown }>;
}

/** `preload`: code that runs in the program's process before the program. */
function run(preload = ""): Run {
  const before = preload === "" ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const args = [...before, ...programArgs];
  const child = spawn(process.execPath, args, { timeout: 60_000, killSignal: "SIGKILL" });
  child.stdin.on("error", () => {});
  let text = "";
  let wake = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    wake();
  });
  const hear = async (): Promise<{ readonly id: unknown }> => {
    while (!text.includes("\n")) await new Promise<void>((resolve) => (wake = resolve));
    const [line = "", ...rest] = text.split("\n");
    text = rest.join("\n");
    return JSON.parse(line);
  };
  return { child, say: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`), hear };
}

/** Code that runs this before each directory is listed. */
function slowDisk(wait: string): string {
  return `
    import disk from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const { readdir } = disk;
    disk.readdir = async (...args) => { ${wait}; return readdir(...args); };
    syncBuiltinESMExports();`;
}

describe("the program", { timeout: 120_000 }, () => {
  it("the program ends when its stdout is closed, though its stdin stays open", async () => {
    const { child, say, hear } = run();
    say(initialize);
    await hear();
    child.stdout.destroy();
    say(list);
    const [code, signal] = await once(child, "exit");
    assert.deepEqual([code, signal], [0, null]);
  });

  it("the program goes on when its stderr is closed", async () => {
    const { child, say, hear } = run();
    say(initialize);
    await hear();
    child.stderr.destroy();
    for (let i = 0; i < 50; i++) say(wrong);
    say(list);
    assert.equal((await hear()).id, 2);
    child.stdin.end();
    assert.deepEqual((await once(child, "exit"))[0], 0);
  });

  it("the program reports an invalid message on stderr without its content", async () => {
    const { child, say, hear } = run();
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
    say(initialize);
    await hear();
    say(wrong);
    say(list);
    await hear();
    child.stdin.end();
    await once(child, "close");
    assert.match(told, /^bowline: session\/cancel: RpcError/);
    assert.doesNotMatch(told, /canary/);
  });

  it("the program goes on after an unhandled rejection, and reports only where it happened", async () => {
    const { child, say, hear } = run(`process.on("SIGUSR2", () => void Promise.reject(new Error("ca" + "nary")))`);
    say(initialize);
    await hear();
    child.kill("SIGUSR2");
    const [told] = await once(child.stderr.setEncoding("utf8"), "data");
    say(list);
    assert.equal((await hear()).id, 2);
    child.stdin.end();
    assert.deepEqual((await once(child, "exit"))[0], 0);
    assert.match(String(told), /^bowline: unhandled rejection: Error at /);
    assert.doesNotMatch(String(told), /canary/);
  });

  it("the program exits with 1, and ends its child processes, after an uncaught exception", async () => {
    const { child, say, hear } = run(`process.on("SIGUSR2", () => { throw new Error("canary-secret"); })`);
    say(initialize);
    await hear();
    child.kill("SIGUSR2");
    assert.deepEqual((await once(child, "exit"))[0], 1);
  });

  it("the program answers a session/list that comes right before the end of its input, also on a slow disk", async () => {
    const { child, say, hear } = run(slowDisk("await new Promise((resolve) => setTimeout(resolve, 300))"));
    say(initialize);
    child.stdin.end(`${JSON.stringify(list)}\n`);
    assert.deepEqual([(await hear()).id, (await hear()).id], [1, 2]);
    assert.deepEqual((await once(child, "exit"))[0], 0);
  });

  it("the program ends within seconds of its input although a request is never answered", async () => {
    // The timer keeps the process running, as a request to a stuck disk would.
    const { child, say, hear } = run(slowDisk("await new Promise(() => setInterval(() => {}, 1000))"));
    say(initialize);
    child.stdin.end(`${JSON.stringify(list)}\n`);
    assert.equal((await hear()).id, 1);
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  it("the program answers an unfinished last message and ends when its input ends", async () => {
    const { child, say, hear } = run();
    say(initialize);
    await hear();
    child.stdin.end('{"jsonrpc":"2.0","id":3,"meth');
    assert.equal((await hear()).id, null);
    assert.deepEqual((await once(child, "exit"))[0], 0);
  });
});
