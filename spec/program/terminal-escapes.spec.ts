/**
 * No command lets an agent, a CLI, a tape or an editor control the user's terminal.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { filesBelow, readText } from "../support/files.ts";
import { bowline, type FakeOptions, type Ran } from "../support/program/fake-terminal.ts";
import { bowline as commandLine, run, scratch } from "../support/program/run-program.ts";

const place = scratch();

/** Each sequence alone changes what the user sees, or the clipboard. */
const attacks = [
  "\x1b]52;c;cm0gLXJm\x07",
  "\x1b]0;title\x07",
  "\x1b[2J\x1b[H",
  "\x1b[?1049h",
  "\x1b[32mgreen",
  "\x9b2J",
  "\x9d52;c;eA==\x9c",
  "\u202egnp.exe",
  "\u2066hidden\u2069",
  "over\rwritten",
  "back\b\b\b\bspace",
  "\x7f\x00\x07\u200b\ufeff\u{e0041}",
];
const hostile = `x${attacks.join("|")}\nMUST    99 kept, 0 broken`;

/** Control characters other than newline and tab. */
// oxlint-disable-next-line no-control-regex
const forbidden =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\udb40][\udc00-\udfff]/;
/** The styles of ansi.ts, and the progress line of check. */
// oxlint-disable-next-line no-control-regex
const own = /\x1b\[(?:1|2|3|22|23|31|32|33|35|36|39)m|\r\x1b\[K/g;

function assertHarmless(text: string, from: string, isTTY = false): void {
  const bare = isTTY ? text.replaceAll(own, "") : text;
  const found = forbidden.exec(bare);
  const near = found === null ? "" : JSON.stringify(bare.slice(Math.max(0, found.index - 60), found.index + 20));
  assert.equal(found, null, `${from}: ${near}`);
}

function file(name: string, text: string): string {
  const path = join(place, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** An agent whose every text is hostile; `answer` makes its responses. */
const agent = file(
  "agent.mjs",
  `
import { createInterface } from "node:readline";
const hostile = ${JSON.stringify(hostile)};
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
process.stderr.write(hostile + "\\n");
if (process.argv[2] === "garbage") process.stdout.write(hostile + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  let message;
  try { message = JSON.parse(line); } catch { return say({ id: null, error: { code: -32700, message: hostile } }); }
  const { id, method } = message;
  if (id === undefined || method === undefined) return;
  if (method === "initialize") {
    const agentInfo = { name: hostile, title: hostile, version: hostile };
    return say({ id, result: { protocolVersion: 1, agentInfo, [hostile]: 1, agentCapabilities: { loadSession: true },
      authMethods: [{ id: hostile, name: hostile, description: hostile }] } });
  }
  if (method === "session/new") {
    if (process.argv[2] === "signin") return say({ id, error: { code: -32000, message: hostile } });
    const modes = { currentModeId: hostile, availableModes: [{ id: hostile, name: hostile, description: hostile }] };
    return say({ id, result: { sessionId: hostile, modes } });
  }
  if (method === "session/prompt") {
    const { sessionId } = message.params;
    const update = (update) => say({ method: "session/update", params: { sessionId, update } });
    const text = { type: "text", text: hostile };
    update({ sessionUpdate: hostile });
    update({ sessionUpdate: "agent_message_chunk", content: text });
    update({ sessionUpdate: "agent_thought_chunk", content: text });
    update({ sessionUpdate: "plan", entries: [{ content: hostile, status: "pending", priority: "low" }] });
    update({ sessionUpdate: "available_commands_update", availableCommands: [{ name: hostile, description: hostile }] });
    update({ sessionUpdate: "session_info_update", title: hostile });
    update({ sessionUpdate: "tool_call", toolCallId: hostile, title: hostile, kind: hostile, status: "completed",
      locations: [{ path: hostile }], rawInput: { command: hostile },
      content: [{ type: "content", content: text }, { type: "diff", path: hostile, oldText: hostile, newText: "n" + hostile }] });
    say({ id: "p", method: "session/request_permission", params: { sessionId,
      toolCall: { toolCallId: "q", title: hostile, rawInput: { command: hostile } },
      options: [{ optionId: "a", name: hostile, kind: "allow_once" }, { optionId: "r", name: hostile, kind: "reject_once" }] } });
    say({ method: hostile, params: {} });
    say({ id: 77, method: hostile, params: {} });
    if (process.argv[2] === "fails") return say({ id, error: { code: -32603, message: hostile, data: hostile } });
    return say({ id, result: { stopReason: "end_turn" } });
  }
  say({ id, error: { code: -32601, message: hostile, data: hostile } });
});
`,
);

/** A Claude CLI whose every text is hostile. */
const claude = file(
  "claude",
  `#!${process.execPath}
const hostile = ${JSON.stringify(hostile)};
process.stderr.write(hostile + "\\n");
if (process.argv.includes("--version")) console.log(hostile);
else if (process.argv.includes("auth")) console.log(JSON.stringify({ loggedIn: true, authMethod: hostile, email: hostile }));
else {
  console.log(hostile);
  process.exit(3);
}
`,
);

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const row = (dir: string, msg: unknown, more: object = {}): string =>
  JSON.stringify({ dir, t: 1, side: "acp", msg, ...more });

/** A tape with hostile method names, from which a client deviates. */
const tape = file(
  "tape.ndjson",
  [
    JSON.stringify({ dir: "meta", t: 0, tape: 1, cwd: hostile, platform: hostile, command: [hostile] }),
    row("in", initialize),
    row("out", { jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } }),
    row("in", { jsonrpc: "2.0", id: 2, method: hostile, params: {} }),
    row("out", { jsonrpc: "2.0", id: 2, error: { code: 1, message: hostile } }),
    JSON.stringify({ dir: "stderr", t: 1, side: "acp", text: hostile }),
    "",
  ].join("\n"),
);

const env = { ...process.env, BOWLINE_CLAUDE: claude, HOME: place, BOWLINE_PREWARM: "0", TERM: "xterm" };

async function ran(words: readonly string[], options: FakeOptions = {}): Promise<Ran> {
  return bowline(words, { env, ...options });
}

/** Runs the program itself, with lines on its stdin. */
async function piped(words: readonly string[], lines: readonly string[] = []): Promise<{ out: string; err: string }> {
  const { child, ended } = run(words, { BOWLINE_CLAUDE: claude, HOME: place });
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const { stdout, stderr } = await ended;
  return { out: stdout.toString(), err: stderr };
}

const quick = ["--timeout", "0.5", "--only", "initialize,session/new,prompt,transport"];

describe("output that contains text of agents, CLIs, tapes and editors", () => {
  for (const isTTY of [false, true]) {
    for (const mode of isTTY ? ["plain", "garbage"] : ["signin", "fails"]) {
      const where = isTTY ? "in a terminal" : "in a pipe";
      it(`check prints nothing of a hostile agent (${mode}) that controls the terminal, ${where}`, async () => {
        const program = ["--", process.execPath, agent, mode];
        const { stdout, stderr } = await ran(["check", "--stderr", ...quick, ...program], { isTTY });
        assert.match(stdout, /\\u001b\]52/);
        assert.doesNotMatch(stdout, /^MUST {4}99 kept/m, "the agent wrote a line of the report");
        assertHarmless(stdout, "stdout", isTTY);
        assertHarmless(stderr, "stderr", isTTY);
      });
    }
  }

  it("doctor prints nothing of a hostile CLI that controls the terminal", async () => {
    for (const words of [["doctor"], ["doctor", "--json"]]) {
      const { out, err } = await piped(words);
      assert.match(out, /version/);
      assertHarmless(out, "stdout");
      assertHarmless(err, "stderr");
    }
  });

  it("check --json prints nothing that controls the terminal, and the same value as before", async () => {
    const { stdout } = await ran(["check", "--json", ...quick, "--", process.execPath, agent]);
    assertHarmless(stdout, "stdout");
    assert.equal(JSON.parse(stdout).agent.name, hostile);
  });

  it("replay reports how a hostile client deviates from a hostile tape, and prints nothing that controls the terminal", async () => {
    const other = { jsonrpc: "2.0", id: 2, method: `other ${hostile}`, params: {} };
    for (const words of [[], ["--strict"], ["--claude"]]) {
      const { err } = await piped(
        ["replay", ...words, tape],
        [initialize, other].map((one) => JSON.stringify(one)),
      );
      assert.notEqual(err, "");
      assertHarmless(err, `replay ${words.join(" ")}`);
    }
    const left = await piped(["replay", "--strict", tape], [JSON.stringify(initialize)]);
    assert.match(left.err, /the client left before/);
    assertHarmless(left.err, "stderr");
  });

  it("tap prints problems and the agent's stderr without anything that controls the terminal", async () => {
    const words = ["tap", "-o", join(place, "tapped.ndjson"), "--", process.execPath, agent, "garbage"];
    const prompt = { jsonrpc: "2.0", id: 3, method: "session/prompt", params: { sessionId: "s", prompt: [] } };
    const input = [initialize, prompt].map((one) => `${JSON.stringify(one)}\n`).join("");
    const { stdout, stderr } = await ran(words, { input, isTTY: true });
    assert.match(stderr, /problems in/);
    assert.match(stdout, /agentInfo/);
    assertHarmless(stdout, "stdout", true);
    assertHarmless(stderr, "stderr", true);
  });

  it("packets prints nothing that controls the terminal, and the same packets", async () => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: hostile } };
    const path = file("updates.ndjson", `${JSON.stringify({ sessionId: "s", update })}\n${hostile}\n`);
    const { stdout, stderr } = await ran(["packets", path]);
    assertHarmless(stdout, "stdout");
    assertHarmless(stderr, "stderr");
    assert.equal(JSON.parse(stdout.split("\n")[0] ?? "").content.text, hostile);
  });

  it("chat prints nothing of a hostile agent that controls the terminal", async () => {
    for (const mode of ["plain", "signin", "fails", "garbage"]) {
      const { out, err } = await piped(["chat", "hello", "--", process.execPath, agent, mode]);
      assert.notEqual(out + err, "");
      assertHarmless(out, `chat ${mode}: stdout`);
      assertHarmless(err, `chat ${mode}: stderr`);
    }
  });

  it("record, agent and bridge print nothing on stderr that controls the terminal when the CLI is hostile", async () => {
    const open = { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: place, mcpServers: [] } };
    const lines = [initialize, open, { jsonrpc: "2.0", id: 3, method: hostile }].map((one) => JSON.stringify(one));
    for (const words of [["agent"], ["record", "-o", join(place, "tapes")], ["bridge"]]) {
      const { err } = await piped(words, [...lines, hostile]);
      assertHarmless(err, words.join(" "));
    }
  });

  it("serve prints nothing on stderr that controls the terminal when the CLI is hostile", async () => {
    const words = ["serve", "--port", "0", "--cwd", place, "--token", "0123456789abcdef0123"];
    const [command, ...args] = commandLine(words);
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    try {
      for await (const text of child.stdout.setEncoding("utf8")) if ((out += String(text)).includes("\n")) break;
      const url = out.slice(0, out.indexOf("#"));
      const headers = { authorization: "Bearer 0123456789abcdef0123", "content-type": "application/json" };
      await fetch(`${url}api/sessions`, { method: "POST", headers, body: JSON.stringify({ cwd: place, x: hostile }) });
      await fetch(`${url}sessions`, { method: "POST", headers, body: JSON.stringify({ cwd: place, x: hostile }) });
    } finally {
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("close", resolve));
    }
    assertHarmless(out + err, "serve");
  });

  it("the failure of any command names a hostile file or argument without anything that controls the terminal", async () => {
    const missing = join(place, hostile.replaceAll("\0", ""));
    const bad = file("bad.ndjson", `${hostile}\n${hostile}\n`);
    for (const words of [
      [hostile],
      ["help", hostile],
      ["chat", `--${hostile}`],
      ["replay", missing],
      ["replay", bad],
      ["inspect", missing],
      ["inspect", bad],
      ["inspect", tape],
      ["packets", missing],
      ["serve", "--cwd", missing],
      ["serve", "--tape", bad],
      ["check", "--only", hostile, "--", "x"],
      ["check", "--", missing],
      ["tap", "--", missing],
      ["zed", "--name", hostile],
      ["zed", "--write", "--settings", bad],
      ["zed", "--registry", join(place, "registry"), "--sums", missing],
      ["completion", hostile],
    ]) {
      const { stdout, stderr } = await ran(words);
      assertHarmless(stdout, `${words[0]}: stdout`);
      assertHarmless(stderr, `${words[0]}: stderr`);
    }
  });
});

describe("lib/program", () => {
  /** The frontends of the chat, which move the cursor; their lines go through `terminalText`. */
  const mayWrite = new Set(
    ["print.ts", "chat/frontend/screen.ts", "chat/frontend/pipe.ts", "chat/input/keyboard.ts"].map(
      (name) => `lib/program/${name}`,
    ),
  );

  it("lib/program writes to stdout and stderr only in print.ts and in the frontends of the chat", () => {
    const sources = filesBelow(["lib/program"], ".ts");
    assert.ok(sources.length > 50);
    for (const path of sources) {
      if (mayWrite.has(path)) continue;
      const code = readText(path)
        .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
        .replaceAll(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')
        // Writes to another program's stdin, to a decoder and to a socket, and the wait for buffered output.
        .replaceAll(
          /child\.stdin\.write\(chunk\)|\bdecoder\.write\(|socket\.write\(""\)|stdout\.write\("", \(\) => resolve\(\)\)/g,
          "",
        );
      assert.doesNotMatch(code, /\.write\(|\bwrite\s*[,}].*=\s*\w*(?:stdout|stderr)/, `${path} writes past print.ts`);
      assert.doesNotMatch(code, /\bconsole\.|\.pipe\(|\bpipeline\(/, `${path} writes past print.ts`);
    }
  });

  it("the frontends of the chat print lines through terminalText", () => {
    for (const path of ["lib/program/chat/frontend/screen.ts", "lib/program/chat/frontend/pipe.ts"])
      assert.match(readText(path), /terminalText\(/, path);
  });
});
