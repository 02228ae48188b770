/**
 * Specs of `bowline connect` as a program, with a server on a real port.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { childLink } from "../../../lib/index.ts";
import { programArgs } from "../../support/built-program.ts";
import { echoAgent } from "../../support/serve/echo-agent.ts";
import { echoClient, type EchoClient } from "../../support/serve/echo-client.ts";
import { cwd, served, token } from "../../support/serve/test-server.ts";

const program = [...programArgs, "connect"];

async function connected(t: TestContext, args: readonly string[], env: Record<string, string>): Promise<EchoClient> {
  const link = childLink(process.execPath, [...program, ...args], {
    env: { ...process.env, ...env },
  });
  const one = await echoClient(link, (path) => `the editor's ${path}`);
  t.after(one.close);
  return one;
}

async function failed(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ readonly code: number; readonly text: string }> {
  const run = promisify(execFile)(process.execPath, [...program, ...args], { env: { ...process.env, ...env } });
  run.child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
  try {
    await run;
    return { code: 0, text: "" };
  } catch (cause) {
    const { code, stderr } = cause as { readonly code: number; readonly stderr: string };
    return { code, text: stderr };
  }
}

describe("bowline connect", () => {
  it("bowline connect is an agent on stdio: prompts, permissions, and files of the editor's machine with mapped paths", async (t) => {
    const server = await served({ startAgent: echoAgent });
    t.after(server.close);
    const url = `${server.url.replace("http", "ws")}acp`;
    const { connection, texts } = await connected(t, [url, "--map", `${cwd}=/home/me`], { BOWLINE_TOKEN: token });
    const { sessionId } = await connection.call("session/new", { cwd: "/home/me", mcpServers: [] });
    for (const text of ["hello", "ask", `read ${cwd}/app/a.ts`, "read /etc/passwd"])
      await connection.prompt({ sessionId, prompt: [{ type: "text", text }] });
    assert.deepEqual(texts.slice(0, 3), ["hello", "selected", "the editor's /home/me/app/a.ts"]);
    assert.match(texts[3] ?? "", /outside the directories of --map/);
  });

  it("bowline connect goes on when the server is replaced by another at the same address", async (t) => {
    const first = await served({ startAgent: echoAgent });
    t.after(first.close);
    const port = Number(new URL(first.url).port);
    const file = join(mkdtempSync(join(tmpdir(), "bowline-connect-")), "token");
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const { connection, texts } = await connected(t, [first.url, "--token-file", file], { BOWLINE_TOKEN: "" });
    const { sessionId } = await connection.call("session/new", { cwd, mcpServers: [] });
    await connection.prompt({ sessionId, prompt: [{ type: "text", text: "one" }] });
    await first.close();
    const second = await served({ startAgent: echoAgent, port });
    t.after(second.close);
    await connection.prompt({ sessionId, prompt: [{ type: "text", text: "two" }] });
    assert.deepEqual(texts, ["one", "two"]);
  });

  it("bowline connect warns when the token goes to another machine without TLS, and not for this machine", async () => {
    const urls = ["ws://bowline.invalid/acp", "ws://127.0.0.1:1/acp", "http://[::1]:1/", "wss://bowline.invalid/acp"];
    const runs = await Promise.all(urls.map((url) => failed([url], { BOWLINE_TOKEN: token })));
    assert.deepEqual(
      runs.map(({ text }) =>
        /^bowline: bowline\.invalid is reached without TLS: others on the way can read the token/m.test(text),
      ),
      [true, false, false, false],
    );
  });

  it("bowline connect says in one sentence that the token is wrong, and exits with 1", async (t) => {
    const server = await served({ startAgent: echoAgent });
    t.after(server.close);
    const { code, text } = await failed([server.url], { BOWLINE_TOKEN: "not-the-token-of-it" });
    assert.equal(code, 1);
    assert.match(text, /^bowline: the server does not accept the token: check BOWLINE_TOKEN or --token-file$/m);
    assert.ok(!text.includes("not-the-token-of-it"));
  });

  it("bowline connect warns when other users can read the file of the token", async (t) => {
    const server = await served({ startAgent: echoAgent });
    t.after(server.close);
    const file = join(mkdtempSync(join(tmpdir(), "bowline-connect-")), "token");
    writeFileSync(file, "not-the-token-of-it\n", { mode: 0o600 });
    const warning = /^bowline: other users can read or change the file of --token-file: chmod 600 it$/m;
    assert.doesNotMatch((await failed([server.url, "--token-file", file], {})).text, warning);
    chmodSync(file, 0o644);
    assert.match((await failed([server.url, "--token-file", file], {})).text, warning);
  });

  it("bowline connect refuses a token in the address and an address that is none", async () => {
    for (const url of ["ws://me:secret@localhost/acp", "ws://localhost/acp?token=secret", "localhost"]) {
      const { code, text } = await failed([url], { BOWLINE_TOKEN: token });
      assert.equal(code, 2);
      assert.ok(!text.includes("secret"));
    }
  });
});
