/**
 * The built `bowline serve` as its users have it: an editor and acpx behind `bowline connect`,
 * the page, `bowline chat`, the real CLI, agents that others wrote, and a server that is killed.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { ProgramOptions } from "../../support/live/agent-program.ts";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { acpxCommand } from "../../support/live/real-cli.ts";
import { answerQuestion, sessionShown } from "../../support/live/shared-page.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";
import { tinyPng } from "../../support/live/workspace.ts";
import { freePorts } from "../../support/load/proxies.ts";
import { type Visitor, visitor } from "../../support/serve/test-server.ts";

const token = "a-token-for-the-live-test";

interface Running {
  readonly page: Visitor;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

async function start({ program, own }: LiveEnvironment, port: number, more: readonly string[] = []): Promise<Running> {
  const given = {
    args: ["serve", "--port", String(port), ...more],
    env: { BOWLINE_PREWARM: "0", BOWLINE_TOKEN: token },
  };
  const { command, args = [], env, cwd } = program(given);
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "close");
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exit;
  };
  own({ [Symbol.asyncDispose]: () => kill("SIGKILL") });
  await once(child.stdout, "data");
  return { page: visitor(`http://127.0.0.1:${port}`, token), kill };
}

/** What the program prints until it ends. */
async function output(argv: readonly string[], { env, cwd }: ProgramOptions, input = ""): Promise<string> {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { env, cwd });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stdin.end(input);
  await once(child, "close");
  return text;
}

const scripts = {
  write: [answer(say("I will. "), call("Write", { file_path: "notes.md", content: "# N\n" })), answer(say("Written."))],
  look: [answer(say("I see it."))],
  hello: [answer(say("Hello."))],
};

describe("bowline serve and its clients with the real CLI", () => {
  it("an editor behind bowline connect and the page share a session, which goes on when the server is killed and started again", () =>
    withEnvironment(scripts, async (environment) => {
      const { client, place } = environment;
      const [port = 0] = await freePorts(1);
      const first = await start(environment, port);
      const editor = client({ args: ["connect", `ws://127.0.0.1:${port}/acp`], env: { BOWLINE_TOKEN: token } });
      editor.editor.usual = "wait";
      const id = await editor.open(place.cwd);
      await sessionShown(first.page, id);
      const events = await first.page.stream("GET", `/sessions/${id}/events`);
      const turn = editor.prompt(id, "[[write]] a note");
      await events.untilPacket("permission_request");
      assert.match(await answerQuestion(first.page, "allow_once"), /notes\.md/);
      assert.equal((await turn).stopReason, "end_turn");
      assert.ok(existsSync(place.path("notes.md")));
      // The CLI saves a prompt with a link and an image in other words than it was sent in.
      place.write("a.txt", "hello\n");
      await editor.request("session/prompt", {
        sessionId: id,
        prompt: [
          { type: "text", text: "[[look]] at " },
          { type: "resource_link", uri: `file://${place.path("a.txt")}`, name: "a.txt" },
          { type: "image", data: tinyPng.toString("base64"), mimeType: "image/png" },
        ],
      });
      const shown = transcript(editor, place.cwd, id);
      await first.kill("SIGKILL");
      events.leave();
      const second = await start(environment, port);
      await sessionShown(second.page, id);
      assert.equal((await editor.prompt(id, "[[hello]] again")).stopReason, "end_turn");
      assert.deepEqual(transcript(editor, place.cwd, id).slice(shown.length), ["says Hello.", "answers end_turn"]);
      assert.match(editor.program.stderr, /the server is gone .*\n.*connected to the server\n$/);
      await editor.hangUp();
      await second.kill("SIGTERM");
    }));

  it("acpx and bowline chat reach the server through bowline connect, and are told in one sentence when it is not there", () =>
    withEnvironment(scripts, async (environment) => {
      const { program, place } = environment;
      const [port = 0] = await freePorts(1);
      const server = await start(environment, port);
      const tokenFile = place.path("token");
      writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
      const connect = program({ args: ["connect", `http://127.0.0.1:${port}/acp`, "--token-file", tokenFile] });
      const agent = [connect.command, ...(connect.args ?? [])];
      const acpx = [...acpxCommand(), "--agent", agent.join(" "), "--cwd", place.cwd, "--approve-all", "exec"];
      assert.match(await output([...acpx, "[[write]] a note"], connect), /Written\.[^]*end_turn/);
      assert.ok(existsSync(place.path("notes.md")), "files are written on the editor's machine");
      const { sessions } = (await server.page.call("GET", "/sessions")).json;
      assert.equal(sessions.length, 1);
      const [bowline = "", built = ""] = agent;
      const chat = [bowline, built, "chat", "--resume", sessions[0].id, "--", ...agent];
      assert.match(await output(chat, connect, "[[hello]] there\n"), /\[\[write\]\] a note[^]*Hello\./);
      await server.kill("SIGTERM");
      assert.match(
        await output([...acpx, "[[hello]] there"], connect),
        /the server cannot be reached: ECONNREFUSED; check the address, and that the server runs/,
      );
      const again = await start(environment, port);
      writeFileSync(tokenFile, "a-wrong-token-of-a-user");
      assert.match(await output([...acpx, "[[hello]] there"], connect), /the server does not accept the token/);
      await again.kill("SIGTERM");
    }));

  it("bowline serve --agent runs the official SDK's example agent next to the built-in one, and its question is in the inbox", () =>
    withEnvironment(scripts, async (environment) => {
      const [, cli = ""] = acpxCommand();
      const example = join(dirname(cli), "../../@agentclientprotocol/sdk/dist/examples/agent.js");
      const [port = 0] = await freePorts(1);
      const { page, kill } = await start(environment, port, ["--agent", `${process.execPath} ${example}`]);
      const { agents } = (await page.call("GET", "/agents")).json;
      assert.equal(agents.length, 2);
      const own = (await page.call("POST", "/sessions")).json;
      const other = (await page.call("POST", "/sessions", { body: { agent: agents[1].name } })).json;
      const sent = await page.stream("POST", `/sessions/${other.id}/send-message`, { body: { content: "hello" } });
      await sent.untilPacket("permission_request");
      await answerQuestion(page, "allow_once");
      await sent.over();
      assert.equal(sent.packet("prompt_response").stopReason, "end_turn");
      const { sessions } = (await page.call("GET", "/sessions")).json;
      assert.deepEqual(sessions.map(({ id }: { id: string }) => id).toSorted(), [own.id, other.id].toSorted());
      await kill("SIGTERM");
    }));
});
