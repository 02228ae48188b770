/**
 * The ways a client can go away, or half away, on real pipes.
 */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { programArgs } from "../support/built-program.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const list = { jsonrpc: "2.0", id: 2, method: "session/list", params: {} };
/** Wrong on purpose; it is told on stderr. */
const wrong = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: 7, secret: "canary-secret" } };

interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly say: (message: object) => void;
  /** The next line, as an object. */
  readonly hear: () => Promise<{ readonly id: unknown }>;
}

/** `preload` is code that runs in the program before its own. */
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

describe("the program", { timeout: 120_000 }, () => {
  it("ends when nobody reads its answers any more, though its input stays open", async () => {
    const { child, say, hear } = run();
    say(initialize);
    await hear();
    child.stdout.destroy();
    say(list);
    const [code, signal] = await once(child, "exit");
    assert.deepEqual([code, signal], [0, null]);
  });

  it("goes on when nobody reads its stderr any more", async () => {
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

  it("tells on stderr what went wrong, never what was said", async () => {
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

  it("goes on after a promise of its own that nobody waited for, and says only where", async () => {
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

  it("ends with 1, and everything with it, after an exception that nobody caught", async () => {
    const { child, say, hear } = run(`process.on("SIGUSR2", () => { throw new Error("canary-secret"); })`);
    say(initialize);
    await hear();
    child.kill("SIGUSR2");
    assert.deepEqual((await once(child, "exit"))[0], 1);
  });

  it("ends when its input ends in the middle of a message, and answers that", async () => {
    const { child, say, hear } = run();
    say(initialize);
    await hear();
    child.stdin.end('{"jsonrpc":"2.0","id":3,"meth');
    assert.equal((await hear()).id, null);
    assert.deepEqual((await once(child, "exit"))[0], 0);
  });
});
