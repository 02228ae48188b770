/**
 * The commands of the program with Codex as the engine: record, replay, inspect, packets,
 * tap, check, chat and serve.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { readRows, type Row } from "../../../lib/tape/index.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { editor, type Editor, shown } from "../../support/program/editor-client.ts";
import { bowline, run, scratch } from "../../support/program/run-program.ts";

const place = realpathSync(scratch());
const cwd = join(place, "project");
const program = (name: string): Promise<string> =>
  bundledProgram(fileURLToPath(new URL(`../../support/program/${name}.ts`, import.meta.url)));
const [codex, echo] = await Promise.all([program("tape-codex"), program("echo-codex")]);
const secret = "sk-proj-a-key-that-nobody-may-read-1";
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/codex/${name}.ndjson`, import.meta.url));

mkdirSync(cwd);

/** The environment of an agent with a recording in place of Codex. */
function played(tape: string): Readonly<Record<string, string>> {
  return {
    CODEX_EXECUTABLE: codex,
    CODEX_HOME: join(place, ".codex"),
    TAPE: tape,
    BOWLINE_PREWARM: "0",
    MY_API_KEY: secret,
    HOME: place,
  };
}

interface Recorded extends Editor {
  readonly answers: readonly string[];
  readonly tape: string;
}

/** Our agent, recording, with a recording of Codex in place of Codex. */
async function recorded(
  name: string,
  prompts: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Recorded> {
  const directory = join(place, `${name}-${Object.keys(env).length}`);
  const words = ["record", "--route", "codex", "-o", directory];
  const one = await editor(bowline(words), { env: { ...played(fixture(name)), ...env } });
  const answers = await one.work(cwd, ...prompts);
  await one.leave();
  const [tape = ""] = readdirSync(directory);
  return { ...one, answers, tape: join(directory, tape) };
}

describe("bowline with Codex", () => {
  it("bowline record --route codex writes the app-server's side without the user's secrets", async () => {
    const { answers, tape, stderr } = await recorded("command-live-output", [`count, my key is ${secret}`]);
    assert.deepEqual(answers, ["end_turn"]);
    assert.match(stderr(), /^bowline: recording to .*\n$/);
    const text = readFileSync(tape, "utf8");
    assert.ok(!text.includes(secret), "no secret");
    assert.ok(!text.includes(place), "no home");
    const rows = readRows(text).filter(({ side }) => side === "codex");
    assert.deepEqual([rows[0]?.kind, rows.at(-1)?.kind], ["meta", "exit"]);
    assert.deepEqual(methodsOf(rows, "in").slice(0, 2), ["initialize", "initialized"]);
    assert.ok(methodsOf(rows, "in").includes("turn/start"));
    assert.ok(methodsOf(rows, "out").includes("item/commandExecution/outputDelta"));
  });

  it("bowline replay plays a recorded session with Codex word for word", async () => {
    const { lines, tape } = await recorded("patch-move", ["move it"], { BOWLINE_RECORD_SECRETS: "1" });
    const again = await editor(bowline(["replay", "--strict", tape]));
    assert.deepEqual(await again.work(cwd, "move it"), ["end_turn"]);
    await again.leave();
    assert.deepEqual(again.lines, lines);
    assert.equal(again.stderr(), "");
  });

  it("bowline replay --codex plays Codex's side to the real agent, which sends the same again", async () => {
    for (const name of ["patch-move", "command-live-output", "subagent"]) {
      const { lines, answers, tape } = await recorded(name, ["do it"], { BOWLINE_RECORD_SECRETS: "1", NAME: name });
      const again = await editor(bowline(["replay", "--codex", "--strict", tape]), { env: played("") });
      assert.deepEqual(await again.work(cwd, "do it"), answers, name);
      await again.leave();
      assert.deepEqual(shown(again.lines), shown(lines), name);
      assert.equal(again.stderr(), "", name);
    }
  });

  it("bowline replay --codex plays recordings of Codex alone, in the client's directory", async () => {
    for (const [name, answer] of [
      ["commentary", "end_turn"],
      ["reasoning", "end_turn"],
      ["patch-overwrite", "end_turn"],
      ["parallel-calls", "end_turn"],
      ["web-search", "end_turn"],
      ["many-items", "end_turn"],
    ] as const) {
      const one = await editor(bowline(["replay", "--codex", fixture(name)]), { env: played("") });
      assert.deepEqual(await one.work(cwd, "do it"), [answer], name);
      await one.leave();
      assert.ok(!one.lines.some((line) => line.includes("/home/dev/project")), name);
    }
  });

  it("bowline replay --codex --strict fails when the client decides differently from the recorded one", async () => {
    const words = ["replay", "--codex", "--strict", fixture("command-declined")];
    const one = await editor(bowline(words), { env: played(""), allows: true });
    const [answer] = await one.work(cwd, "do it");
    assert.match(answer ?? "", /the host departs from the tape: it sent the answer "accept" to request 0/);
    await one.agent.closed;
    assert.match(one.stderr(), /^bowline replay: the host departs from the tape: it sent the answer "accept"/);
  });

  it("bowline replay says which option plays a tape without an editor's side", async () => {
    const words: readonly (readonly [readonly string[], number, RegExp])[] = [
      [[fixture("commentary")], 1, /play the CLI's with bowline replay --codex\n$/],
      [["--codex", fixture("../claude/text")], 1, /nothing of Codex's side/],
      [["--codex", "--claude", fixture("commentary")], 2, /--claude and --codex exclude each other/],
    ];
    for (const [args, code, sentence] of words) {
      const ended = await run(["replay", ...args]).ended;
      assert.equal(ended.code, code, args.join(" "));
      assert.match(ended.stderr, sentence);
    }
  });

  it("bowline inspect shows the messages of Codex as a side of its own", async () => {
    const { tape } = await recorded("commentary", ["hello"], { BOWLINE_RECORD_SECRETS: "1" });
    const { code, stdout } = await run(["inspect", tape]).ended;
    assert.equal(code, 0);
    const html = readFileSync(stdout.toString().trim(), "utf8");
    const blocks = [...html.matchAll(/class="tape">([^<]*)</g)].map(([, packed = ""]) => packed);
    const page = blocks.map((packed) => inflateRawSync(Buffer.from(packed, "base64")).toString()).join("\n");
    assert.match(page, /\{"dir":"out","t":[\d.]+,"side":"codex","msg":\{"method":"item\/agentMessage\/delta"/);
  });

  it("bowline packets gives a patch of Codex the form of a written file", async () => {
    const { tape } = await recorded("patch-overwrite", ["write it"], { BOWLINE_RECORD_SECRETS: "1" });
    const { code, stdout } = await run(["packets", tape]).ended;
    assert.equal(code, 0);
    const packets = stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const patch = packets.find(({ status, kind }) => kind === "edit" && status === "completed");
    assert.equal(patch.rawInput.filePath, join(cwd, "hello.txt"));
    assert.equal(patch.rawInput.content, "replaced\n");
    assert.equal(patch.rawOutput.metadata.filepath, join(cwd, "hello.txt"));
    assert.equal(patch.title, "hello.txt");
  });

  it("bowline tap records and validates the agent with Codex without a problem", async () => {
    const tape = join(place, "tapped.ndjson");
    const agent = bowline(["agent", "--route", "codex"]);
    const one = await editor(bowline(["tap", "-o", tape, "--", ...agent]), { env: played(fixture("parallel-calls")) });
    assert.deepEqual(await one.work(cwd, "do it"), ["end_turn"]);
    await one.leave();
    const rows = readRows(readFileSync(tape, "utf8"));
    assert.ok(rows.some((row) => row.kind === "message"));
    assert.deepEqual(
      rows.filter(({ kind }) => kind === "problem"),
      [],
    );
  });
});

interface Finding {
  readonly id: string;
  readonly status: string;
}

describe("bowline chat, serve and check with Codex", () => {
  it("bowline chat --route codex names Codex and prints its answer", async () => {
    const chat = run(["chat", "--route", "codex", "--no-history"], played(fixture("commentary")));
    chat.child.stdin.end("hello\n");
    const { code, stdout, stderr } = await chat.ended;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout.toString(), /^Bowline \d+\.\d+\.\d+ · Codex \d+\.\d+\.\d+ · /);
    assert.doesNotMatch(stdout.toString(), /Claude/);
  });

  it("bowline chat says how to install a Codex that is missing and how to sign in to one that is not", async () => {
    const missing = run(["chat", "--route", "codex"], { ...played(""), CODEX_EXECUTABLE: "", PATH: "/nowhere" });
    missing.child.stdin.end();
    const { code, stderr } = await missing.ended;
    assert.equal(code, 1);
    const sentence =
      "bowline: the Codex CLI was not found; install it with `npm install -g @openai/codex`, or set CODEX_EXECUTABLE to its path; ";
    assert.ok(stderr.startsWith(sentence), stderr);

    const tape = join(place, "signed-out.ndjson");
    const account = { account: null, requiresOpenaiAuth: true };
    const rows = [
      { dir: "in", t: 0, msg: { id: 1, method: "initialize", params: {} } },
      { dir: "out", t: 1, msg: { id: 1, result: { userAgent: "x", codexHome: "/x" } } },
      { dir: "in", t: 2, msg: { id: 2, method: "account/read", params: {} } },
      { dir: "out", t: 3, msg: { id: 2, result: account } },
      { dir: "in", t: 4, msg: { id: 3, method: "thread/start", params: { cwd } } },
      { dir: "out", t: 5, msg: { id: 3, result: { thread: { id: "thread-1" }, model: "gpt-a" } } },
    ];
    writeFileSync(tape, rows.map((row) => JSON.stringify(row)).join("\n"));
    const signedOut = run(["chat", "--route", "codex"], played(tape));
    signedOut.child.stdin.end("hello\n");
    const ended = await signedOut.ended;
    assert.equal(ended.code, 1);
    assert.match(
      ended.stderr,
      /^bowline: Codex is not signed in: sign in with (?:npm run )?bowline login --route codex; /,
    );
  });

  it("an engine that does not exist, and an engine for another agent, are wrong usage of chat and serve", async () => {
    const words: readonly (readonly [readonly string[], RegExp])[] = [
      [["chat", "--route", "gemini"], /--route must be claude, codex or duet/],
      [["serve", "--route", "gemini"], /--route must be claude, codex or duet/],
      [["record", "--route", "gemini"], /--route must be claude, codex or duet/],
      [["chat", "--route", "codex", "--", "other-agent"], /leave it out for another agent/],
    ];
    for (const [args, sentence] of words) {
      const { code, stderr } = await run(args).ended;
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, sentence);
    }
  });

  it("bowline serve --route codex runs a turn of Codex", async () => {
    const words = ["serve", "--route", "codex", "--port", "0", "--cwd", cwd];
    const { child, says, stdout, ended } = run(words, { ...played(fixture("commentary")), BOWLINE_TOKEN: "" });
    await says("#token=");
    const { origin, hash } = new URL(stdout().trim());
    const headers = { authorization: `Bearer ${hash.slice("#token=".length)}`, "content-type": "application/json" };
    const opened = await fetch(`${origin}/sessions`, { method: "POST", headers, body: "{}" });
    const { id } = (await opened.json()) as { readonly id: string };
    const body = JSON.stringify({ content: "hello" });
    const answer = await fetch(`${origin}/sessions/${id}/send-message`, { method: "POST", headers, body });
    assert.match(await answer.text(), /"type":"agent_message_chunk"/);
    child.kill("SIGTERM");
    assert.equal((await ended).code, 143);
  });

  it("bowline serve refuses a recording of Codex and names the command that plays it", async () => {
    const { code, stderr } = await run(["serve", "--port", "0", "--tape", fixture("commentary")]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /play it with bowline replay --codex\n$/);
  });

  it("bowline check finds no broken rule in the agent with Codex, with prompts", async () => {
    const agent = bowline(["agent", "--route", "codex"]);
    const env = { ...played(""), CODEX_EXECUTABLE: echo };
    const { code, stdout } = await run(["check", "--json", "--", ...agent], env).ended;
    const { rules } = JSON.parse(stdout.toString()) as { readonly rules: readonly Finding[] };
    assert.deepEqual(
      // The small app-server starts no MCP servers.
      rules.filter(({ id, status }) => status === "fail" && id !== "session/mcp-connects"),
      [],
    );
    assert.ok(rules.filter(({ status }) => status === "pass").length > 40);
    assert.equal(code, 0);
  });
});

function methodsOf(rows: readonly Row[], dir: "in" | "out"): readonly string[] {
  return rows.flatMap((row) => {
    const method = row.kind === "message" && row.dir === dir ? /"method":"([^"]+)"/.exec(row.line)?.[1] : undefined;
    return method === undefined ? [] : [method];
  });
}
