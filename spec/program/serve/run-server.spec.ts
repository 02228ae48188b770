/**
 * `bowline serve`, run as a process.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { visitor } from "../../support/serve/test-server.ts";
import { programArgs } from "../../support/built-program.ts";

const tape = fileURLToPath(new URL("../../../fixtures/claude/text.ndjson", import.meta.url));
const token = "a-token-of-sixteen-or-more";

interface Run {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  /** Resolves with the first line it prints. */
  readonly address: Promise<string>;
  readonly exit: Promise<number | null>;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, [...programArgs, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const said = { stdout: "", stderr: "" };
  const address = new Promise<string>((resolve) => {
    child.stdout.on("data", (data: Buffer) => {
      said.stdout += data.toString();
      if (said.stdout.includes("\n")) resolve(said.stdout.trimEnd());
    });
  });
  child.stderr.on("data", (data: Buffer) => void (said.stderr += data.toString()));
  return { child, said, address, exit: once(child, "close").then(([code]) => code) };
}

describe("bowline serve", () => {
  it("bowline serve prints its address with a token, plays a tape, and ends at a signal", async () => {
    const { child, said, address, exit } = run(["--port", "0", "--tape", tape, "--cwd", tmpdir()]);
    const { origin, hash } = new URL(await address);
    const [, given] = /^#token=([\w-]{43})$/.exec(hash) ?? [];
    assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/);
    const authorization = { authorization: `Bearer ${given}` };
    assert.equal((await fetch(`${origin}/sessions`)).status, 401);
    const page = await (await fetch(origin)).text();
    assert.match(page, /<title>Bowline<\/title>/);
    assert.ok(!page.includes(given ?? "?"), "the page itself has no secret");
    const opened = await fetch(`${origin}/sessions`, { method: "POST", headers: authorization });
    const { id } = (await opened.json()) as { readonly id: string };
    const answer = await fetch(`${origin}/sessions/${id}/send-message`, {
      method: "POST",
      headers: { ...authorization, "content-type": "application/json" },
      body: JSON.stringify({ content: "hello" }),
    });
    const text = await answer.text();
    assert.match(text, /"type":"agent_message_chunk"/);
    assert.match(text, /"stopReason":"end_turn"/);
    const saved = await (await fetch(`${origin}/saved`, { headers: authorization })).json();
    assert.deepEqual(saved, { sessions: [] });
    child.kill("SIGINT");
    assert.equal(await exit, 130);
    assert.equal(said.stdout.trimEnd(), await address);
    assert.ok(!said.stderr.includes(given ?? "?"));
  });

  it("bowline serve --demo plays without Claude, whether its questions are allowed or refused", async () => {
    const { child, address, exit } = run(["--port=0", "--demo", "--token", token, "--cwd", tmpdir()], { PATH: "" });
    const client = visitor(new URL(await address).origin, token);
    const play = async (answer: string): Promise<void> => {
      const path = await client.open();
      const turn = await client.stream("POST", `${path}/send-message`, { body: { content: "anything" } });
      const questions = (): readonly any[] =>
        turn.events.flatMap(({ packet }) => (packet.type === "permission_request" ? [packet] : []));
      for (let asked = 0; ; asked++) {
        await turn.until(({ types }) => types.includes("prompt_response") || questions().length > asked);
        const question = questions()[asked];
        if (question === undefined) break;
        assert.match(JSON.stringify(question.rawInput), /slug\.js|npm test/);
        await client.call("POST", `${path}/permissions/${question.requestId}`, { body: { optionId: answer } });
      }
      assert.equal(turn.packet("prompt_response").stopReason, "end_turn", answer);
      assert.ok(questions().length > 0);
    };
    await Promise.all([play("allow"), play("reject")]);
    child.kill("SIGINT");
    assert.equal(await exit, 130);
  });

  it("bowline serve says at its start and on its page that the CLI is missing, with what to do", async () => {
    const env = { PATH: "", HOME: tmpdir(), BOWLINE_CLAUDE: "", CODEX_EXECUTABLE: "", BOWLINE_PREWARM: "0" };
    const { child, said, address, exit } = run(["--port=0", "--token", token, "--cwd", tmpdir()], env);
    const client = visitor(new URL(await address).origin, token);
    const { problem } = (await client.call("GET", "/about")).json;
    child.kill("SIGINT");
    assert.equal(await exit, 130);
    const words = "the Claude CLI was not found; install it with `npm install -g @anthropic-ai/claude-code`";
    assert.ok(String(problem).startsWith(words), String(problem));
    assert.ok(said.stderr.startsWith(`bowline: no session can be opened yet: ${words}`), said.stderr);
  });

  it(
    "bowline serve --open leads the browser to the page without the token on a command line",
    { skip: process.platform !== "linux" && "only Linux has xdg-open" },
    async () => {
      const place = mkdtempSync(join(tmpdir(), "bowline-spec-"));
      const [opener, log] = [join(place, "xdg-open"), join(place, "opened")];
      writeFileSync(opener, `#!/bin/sh\ncp "$1" ${log}.html\necho "$@" > ${log}.part\nmv ${log}.part ${log}\n`, {
        mode: 0o755,
      });
      const env = { PATH: `${place}:${process.env["PATH"]}`, TMPDIR: place };
      const { child, said, address, exit } = run(["--port=0", "--tape", tape, "--token", token, "--open"], env);
      const url = await address;
      while (!existsSync(log)) await setTimeout(20);
      const file = readFileSync(log, "utf8").trim();
      assert.match(file, /open\.html$/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.ok(readFileSync(`${log}.html`, "utf8").includes(`location.replace(${JSON.stringify(url)})`));
      child.kill("SIGINT");
      assert.equal(await exit, 130);
      assert.equal(existsSync(file), false);
      assert.match(said.stderr, /the page opens in your browser/);
      rmSync(place, { recursive: true });
    },
  );

  it("bowline serve takes its token from BOWLINE_TOKEN", async () => {
    const { child, address, exit } = run(["--port=0", "--tape", tape], { BOWLINE_TOKEN: token });
    assert.equal(new URL(await address).hash, `#token=${token}`);
    child.kill("SIGTERM");
    assert.equal(await exit, 143);
  });

  it("bowline serve prints a second address for observers, whose token may only watch", async () => {
    const directory = mkdtempSync(join(tmpdir(), "observers-"));
    const file = join(directory, "token");
    writeFileSync(file, "a-token-for-those-who-watch\n", { mode: 0o600 });
    const { child, said, address, exit } = run(["--port=0", "--tape", tape, "--observer-token-file", file], {
      BOWLINE_TOKEN: token,
    });
    await address;
    while (said.stdout.split("\n").length < 3) await once(child.stdout ?? child, "data");
    const [owner = "", observer = ""] = said.stdout.split("\n").map((line) => line.trim());
    assert.equal(new URL(owner).hash, `#token=${token}`);
    const { origin, hash } = new URL(observer);
    const watching = visitor(origin, hash.replace("#token=", ""));
    assert.equal((await watching.call("GET", "/sessions")).status, 200);
    assert.equal((await watching.call("POST", "/sessions")).status, 403);
    child.kill("SIGTERM");
    assert.equal(await exit, 143);
    rmSync(directory, { recursive: true });
  });

  it("bowline serve says in one sentence what is wrong, with exit code 2 for a wrong command line and 1 for other failures", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const missing = join(tmpdir(), "no-such-directory");
    const cases = [
      [["--port", "x"], 2, /^bowline: --port must be 0 to 65535; see bowline serve --help\n$/],
      [["--port", "65536"], 2, /--port must be/],
      [["--token", "short"], 2, /a token must be 16 characters or more/],
      [["--observer-token-file", missing], 1, /the file of --observer-token-file cannot be read/],
      [["--max-sessions", "0"], 2, /--max-sessions must be a number of sessions/],
      [["more"], 2, /serve takes no arguments/],
      [["--cwd", missing], 1, /no-such-directory is not a directory; name one that exists\n$/],
      [["--tape", missing], 1, /^bowline: the tape cannot be read: /],
      [["--tape", tape, "--port", port], 1, /^bowline: port \d+ is taken; choose another with --port\n$/],
      [["--tape", tape, "--host", "192.0.2.1", "--port", "0"], 1, /192\.0\.2\.1 is not an address of this machine/],
    ] as const;
    const ended = cases.map(async ([args, code, words]) => {
      const { said, exit } = run(args);
      assert.equal(await exit, code, args.join(" "));
      assert.match(said.stderr, words);
      assert.deepEqual([said.stdout, said.stderr.split("\n").length], ["", 2]);
    });
    await Promise.all(ended);
    taken.close();
  });
});
