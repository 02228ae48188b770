/**
 * `bowline record`, `replay`, `inspect`, `packets`, `tap` and `check` with Codex as the engine.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { readRows, type Row } from "../../../lib/tape/index.ts";
import { editor, type Editor } from "../../support/program/editor-client.ts";
import { bowline, run, scratch } from "../../support/program/run-program.ts";

const place = realpathSync(scratch());
const cwd = join(place, "project");
const codex = join(place, "codex.mjs");
const secret = "sk-proj-a-key-that-nobody-may-read-1";
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/codex/${name}.ndjson`, import.meta.url));

before(async () => {
  mkdirSync(cwd);
  const entry = fileURLToPath(new URL("../../support/program/tape-codex.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: codex,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
  });
});

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
    const [, packed = ""] = /id="tape">([^<]+)</.exec(html) ?? [];
    const page = inflateRawSync(Buffer.from(packed, "base64")).toString();
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

function methodsOf(rows: readonly Row[], dir: "in" | "out"): readonly string[] {
  return rows.flatMap((row) => {
    const method = row.kind === "message" && row.dir === dir ? /"method":"([^"]+)"/.exec(row.line)?.[1] : undefined;
    return method === undefined ? [] : [method];
  });
}

/** What the user sees: chunks joined, without the ids of this run. */
function shown(lines: readonly string[]): readonly unknown[] {
  const all: unknown[] = [];
  let text = "";
  for (const line of lines) {
    const { params, result, method } = JSON.parse(
      line.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "uuid"),
    );
    const update = params?.update;
    if (update?.sessionUpdate === "agent_message_chunk") {
      text += update.content.text;
      continue;
    }
    all.push({ method, params, result, text });
    text = "";
  }
  return all;
}
