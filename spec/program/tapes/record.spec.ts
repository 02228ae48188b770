/**
 * `bowline record` and `bowline replay`: a recording is played back as it was.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readRows, tapeSessions } from "../../../lib/tape/index.ts";
import { isTapeFile } from "../../../lib/program/tapes/record.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { converse } from "../../support/program/official-conversation.ts";
import { editor, shown } from "../../support/program/editor-client.ts";
import { bowline, run, scratch } from "../../support/program/run-program.ts";

const place = realpathSync(scratch());
const cwd = join(place, "project");
const cli = await bundledProgram(fileURLToPath(new URL("../../support/program/tape-claude.ts", import.meta.url)));
const official = await bundledProgram(
  fileURLToPath(new URL("../../support/interop/programs/official-agent.ts", import.meta.url)),
);
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/claude/${name}.ndjson`, import.meta.url));

mkdirSync(cwd);
// The project of the recording.
writeFileSync(join(cwd, "hello.txt"), "hello world\nsecond line\n");

const secret = "sk-ant-api03-a-key-that-nobody-may-read";

/** Our agent, recording, with a tape in place of the CLI. */
async function recorded(
  name: string,
  directory: string,
  prompts: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const all = {
    BOWLINE_CLAUDE: cli,
    TAPE: fixture(name),
    BOWLINE_PREWARM: "0",
    MY_API_KEY: secret,
    HOME: place,
    ...env,
  };
  const one = await editor(bowline(["record", "-o", directory]), { env: all });
  const answers = await one.work(cwd, ...prompts);
  await one.leave();
  const [tape = ""] = readdirSync(directory);
  return { ...one, answers, tape: join(directory, tape) };
}

describe("bowline record", () => {
  it("-o names a file when it ends with .ndjson or is a file, and a directory otherwise, as for bowline tap", () => {
    const file = join(place, "there");
    writeFileSync(file, "");
    mkdirSync(join(place, "directory.ndjson"));
    assert.deepEqual(
      ["two.ndjson", "there", "directory.ndjson", "tapes", "tapes/"].map((name) => isTapeFile(join(place, name))),
      [true, true, false, false, false],
    );
  });

  it("bowline record writes both sides of a session to a file that only its owner can read", async () => {
    const directory = join(place, "both");
    const { answers, lines, tape, stderr } = await recorded("bash", directory, [`list it, my key is ${secret}`]);
    assert.deepEqual(answers, ["end_turn"]);
    assert.equal(
      stderr(),
      `bowline: recording to ${tape}; keep it to yourself, scrubbing hides only the secrets it recognises\n`,
    );
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    assert.equal(statSync(tape).mode & 0o777, 0o600);
    const text = readFileSync(tape, "utf8");
    assert.ok(!text.includes(secret), "no secret");
    assert.ok(!text.includes(place), "no home");
    const rows = readRows(text);
    const out = rows.filter((row) => row.side === "acp" && row.kind === "message" && row.dir === "out");
    assert.equal(out.length, lines.length);
    const [session, ...others] = tapeSessions(rows);
    assert.equal(others.length, 0);
    assert.equal(session?.runs.length, 1);
    assert.equal(session?.runs[0]?.cwd, "/home/user/project");
    const kinds = rows.filter(({ side, session: id }) => side === "claude" && id !== undefined).map(({ kind }) => kind);
    assert.deepEqual([kinds[0], kinds.at(-1)], ["meta", "exit"]);
    assert.ok(rows.every(({ atMs }, i) => atMs >= (rows[i - 1]?.atMs ?? 0)));
  });

  it("BOWLINE_RECORD makes the agent record too, and secrets are kept only with BOWLINE_RECORD_SECRETS", async () => {
    const directory = join(place, "raw");
    const env = { BOWLINE_CLAUDE: cli, TAPE: fixture("text"), BOWLINE_PREWARM: "0", BOWLINE_RECORD: directory };
    const one = await editor(bowline(["agent"]), { env: { ...env, BOWLINE_RECORD_SECRETS: "1" } });
    await one.work(cwd, `hello, ${secret}`);
    await one.leave();
    const [tape = ""] = readdirSync(directory);
    assert.ok(readFileSync(join(directory, tape), "utf8").includes(secret));
  });

  it("a recording that cannot be written never stops the session", async () => {
    writeFileSync(join(place, "file"), "");
    const env = { BOWLINE_CLAUDE: cli, TAPE: fixture("text"), BOWLINE_PREWARM: "0" };
    const one = await editor(bowline(["record", "-o", join(place, "file", "tapes")]), { env });
    assert.deepEqual(await one.work(cwd, "hello"), ["end_turn"]);
    await one.leave();
    assert.match(one.stderr(), /^bowline: nothing is recorded: .* cannot be written \(ENOTDIR\)\n$/);
  });
});

describe("bowline replay", () => {
  it("bowline replay plays a recorded session word for word, under the client's own ids", async () => {
    const { lines, tape } = await recorded("edit", join(place, "edit"), ["change it"], { BOWLINE_RECORD_SECRETS: "1" });
    const again = await editor(bowline(["replay", "--strict", tape]));
    assert.deepEqual(await again.work(cwd, "change it"), ["end_turn"]);
    await again.leave();
    assert.deepEqual(again.lines, lines);
    assert.equal(again.stderr(), "");
  });

  it("bowline replay --claude plays the CLI's side to the real agent, which sends the same again", async () => {
    const { lines, tape } = await recorded("edit", join(place, "edit-claude"), ["change it"], {
      BOWLINE_RECORD_SECRETS: "1",
    });
    const again = await editor(bowline(["replay", "--claude", tape]));
    assert.deepEqual(await again.work(cwd, "change it"), ["end_turn"]);
    await again.leave();
    assert.deepEqual(shown(again.lines), shown(lines));
    assert.equal(again.stderr(), "");
  });

  it("bowline replay --claude plays recordings of the CLI alone, made with any host", async () => {
    for (const [name, answer] of [
      ["read", "end_turn"],
      ["two-turns", "end_turn"],
      ["prompt-folded-in", "end_turn"],
      ["plan-approved", "end_turn"],
      ["hooks-of-the-host", "end_turn"],
      ["max-turns", "max_turn_requests"],
    ] as const) {
      const one = await editor(bowline(["replay", "--claude", fixture(name)]));
      assert.deepEqual(await one.work(cwd, "do it"), [answer], name);
      await one.leave();
      const isThere = one.lines.some((line) => line.includes(`${cwd}/hello.txt`));
      assert.ok(isThere || name !== "read", "it works in the client's directory");
    }
  });

  it("bowline replay plays at the recorded speed or a multiple of it", async () => {
    const tape = join(place, "slow.ndjson");
    const rows = [
      { dir: "in", t: 0, side: "acp", msg: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } },
      { dir: "out", t: 5, side: "acp", msg: { jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } } },
      { dir: "out", t: 905, side: "acp", msg: { jsonrpc: "2.0", method: "_later" } },
    ];
    writeFileSync(tape, rows.map((row) => JSON.stringify(row)).join("\n"));
    for (const [speed, leastMs] of [
      ["recorded", 890],
      ["3", 290],
    ] as const) {
      const { child, says, ended } = run(["replay", "--speed", speed, tape]);
      child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
      await says("protocolVersion");
      const started = performance.now();
      await says("_later");
      const ms = performance.now() - started;
      child.stdin.end();
      assert.equal((await ended).code, 0);
      // On a busy machine the first line may arrive late, but the second never early.
      assert.ok(ms > leastMs / 2 && ms < 20_000, `${speed}: ${ms} ms`);
    }
  });

  it("bowline replay plays the official agent to the official client without a difference", async () => {
    const tape = join(place, "official.ndjson");
    const agent = [process.execPath, official];
    const live = await converse(bowline(["tap", "--unscrubbed", "-o", tape, "--", ...agent]));
    const again = await converse(bowline(["replay", "--strict", tape]));
    assert.deepEqual(again.told, live.told);
    assert.equal(again.stderr, "");
    assert.equal(again.exitCode, 0);
  });

  it("bowline replay reports a client that decides differently, and fails with --strict", async () => {
    const tape = join(place, "official.ndjson");
    const failed: string[] = [];
    const other = {
      allows: false,
      onFailure: (prompt: string, cause: unknown) => failed.push(`${prompt}: ${String(cause)}`),
    };
    const loose = await converse(bowline(["replay", tape]), other);
    const sentence =
      'the client departs from the tape: it sent "no" in answer to session/request_permission, the recording has "yes"';
    assert.deepEqual(failed, [`permission: RequestError: ${sentence}`]);
    assert.equal(loose.stderr, `bowline replay: ${sentence}\n`);
    assert.equal(loose.exitCode, 0);
    const { child, ended, says } = run(["replay", "--strict", tape]);
    child.stdin.write('{"jsonrpc":"2.0","id":"x","method":"session/list","params":{}}\n');
    await says("departs");
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 1);
    const departure = "the client departs from the tape: it sent session/list, the recording has initialize";
    assert.equal(stderr, `bowline replay: ${departure}\n`);
    assert.deepEqual(JSON.parse(stdout.toString()), {
      jsonrpc: "2.0",
      id: "x",
      error: { code: -32600, message: departure },
    });
  });

  it("bowline replay answers a client's last requests before it ends", async () => {
    const { child, ended } = run(["replay", join(place, "official.ndjson")]);
    child.stdin.end('{"jsonrpc":"2.0","id":"last","method":"initialize","params":{"protocolVersion":1}}\n');
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.match(stdout.toString(), /^\{"jsonrpc":"2.0","id":"last","result":/);
  });

  it("bowline replay --strict fails when the client leaves before the end of the tape", async () => {
    const { child, ended } = run(["replay", "--strict", join(place, "official.ndjson")]);
    child.stdin.end();
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.equal(stderr, "bowline replay: the client left before initialize, which the recording has\n");
  });

  it("bowline replay --claude --strict fails when the client deviates from the CLI's tape", async () => {
    const one = await editor(bowline(["replay", "--claude", "--strict", fixture("bash")]), { allows: false });
    const [answer] = await one.work(cwd, "do it");
    assert.match(answer ?? "", /the host departs from the tape: it sent the answer "deny"/);
    await one.agent.closed;
    assert.match(one.stderr(), /^bowline replay: the host departs from the tape: it sent the answer "deny" to /);
  });

  it("bowline replay says what is wrong with a file that is no tape", async () => {
    writeFileSync(join(place, "none.txt"), "hello\n");
    writeFileSync(join(place, "empty.ndjson"), "");
    writeFileSync(join(place, "deep.ndjson"), `{"dir":"out","msg":${"[".repeat(50_000)}${"]".repeat(50_000)}}\n`);
    const words: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["no-such"], 1, /^bowline: no-such cannot be read \(ENOENT\); give the path of a tape\n$/],
      [[join(place, "none.txt")], 1, /is not a tape: line 1 of the recording must be JSON\n$/],
      [[join(place, "deep.ndjson")], 1, /is not a tape: line 1 of the recording is nested too deeply\n$/],
      [[join(place, "empty.ndjson")], 1, /is not a tape: it has no rows/],
      [[fixture("text")], 1, /nothing of an editor's side; play the CLI's with bowline replay --claude\n$/],
      [["--claude", join(place, "slow.ndjson")], 1, /nothing of the CLI's side/],
      [[], 2, /replay needs <tape>/],
      [["--speed", "soon", "x"], 2, /--speed must be a number of times, or recorded/],
    ];
    for (const [args, code, sentence] of words) {
      const ended = await run(["replay", ...args]).ended;
      assert.equal(ended.code, code, args.join(" "));
      assert.match(ended.stderr, sentence);
    }
  });
});
