/**
 * Live specs of tapes: traffic between an editor, an agent and the real CLI, recorded,
 * replayed and inspected.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readRows, type Row, tapeSessions } from "../../../lib/tape/index.ts";
import { launchBrowser, noBrowser, picture } from "../../support/serve/browser.ts";
import type { AcpClient } from "../../support/live/client/acp-client.ts";
import { claudeExecutable, fakeKey, peerInstallation } from "../../support/live/real-cli.ts";
import { answer, call, say, think } from "../../support/live/api/model-script.ts";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const bowline = (...words: readonly string[]): readonly string[] => [process.execPath, built, ...words];
const peer = "claude-agent-acp";

/** Two turns of a user. The model sends a key, which the stream splits, reads a file and runs a command. */
const prompts = ["[[work]] look at it and write it down", "[[again]] hello"] as const;

function scripts({ api, place }: LiveEnvironment): void {
  api.script(
    "work",
    answer(think("Let me ", "look."), say("I read ", "it. "), call("Read", { file_path: place.path("hello.txt") })),
    answer(
      say("Your key is ", "sk-ant-ap", "i03-cut-in", "to-pieces-01", "23456789", " and it is a secret. "),
      call("Bash", { command: "echo done > out.txt", description: "Write it down" }, { pieces: 7 }),
    ),
    answer(say("All ", "is ", "done.")),
  );
  api.script("again", answer(say("Hello ", "again.")));
}

interface Recorded {
  readonly tape: string;
  /** Every line of the agent, in order. */
  readonly lines: readonly string[];
  readonly shown: readonly string[];
  readonly stderr: string;
  readonly home: string;
}

/** Both turns with an agent that leaves a tape in `../tapes`. */
async function recorded(agent: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Recorded> {
  let result: Recorded | undefined;
  await withEnvironment({}, async (environment) => {
    const { place, client } = environment;
    scripts(environment);
    const editor = client({ agent, env: { BOWLINE_PREWARM: "0", ...env } });
    const shown = await work(editor, place.cwd);
    assert.equal(place.read("out.txt"), "done\n");
    const [name = "none"] = readdirSync(join(place.root, "tapes"));
    const path = join(place.root, "tapes", name);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const tape = readFileSync(path, "utf8");
    result = { tape, lines: linesOf(editor), shown, stderr: editor.program.stderr, home: place.home };
  });
  assert.ok(result);
  return result;
}

async function work(editor: AcpClient, cwd: string): Promise<readonly string[]> {
  const sessionId = await editor.open(cwd);
  for (const prompt of prompts) await editor.prompt(sessionId, prompt);
  await editor.hangUp();
  assert.deepEqual(editor.faults(), []);
  return transcript(editor, cwd, sessionId);
}

/** The same two turns with the tape instead of the agent, in another project, without a key. */
async function replayed(tape: string, ...words: readonly string[]): Promise<Omit<Recorded, "tape">> {
  let result: Omit<Recorded, "tape"> | undefined;
  await withEnvironment({}, async ({ place, client, api }) => {
    const path = join(place.root, "tape.ndjson");
    writeFileSync(path, tape);
    const env = { ANTHROPIC_API_KEY: undefined, BOWLINE_CLAUDE: undefined, ANTHROPIC_BASE_URL: undefined };
    const editor = client({ agent: bowline("replay", ...words, path), env });
    const shown = await work(editor, place.cwd);
    assert.equal(api.requests.length, 0, "no network");
    result = { lines: linesOf(editor), shown, stderr: editor.program.stderr, home: place.home };
  });
  assert.ok(result);
  return result;
}

function linesOf(editor: AcpClient): readonly string[] {
  return editor.program.wire.items.flatMap(({ from, text }) => (from === "agent" ? [text] : []));
}

const seen = [
  "thinks Let me look.",
  "says I read it. ",
  "calls read Read hello.txt",
  "completed Read hello.txt",
  "says Your key is sk-ant-api03-cut-into-pieces-0123456789 and it is a secret. ",
];

function sizeOf(rows: readonly Row[], side: Row["side"], dir: "in" | "out"): number {
  return rows.filter((row) => row.kind === "message" && row.side === side && row.dir === dir).length;
}

describe("bowline record, live", () => {
  it("bowline record writes both sides of the session, and no secret", async () => {
    const { tape, lines, shown, home, stderr } = await recorded(bowline("record", "-o", "../tapes"));
    assert.match(stderr, /^bowline: recording to \S+; .*\n$/);
    assert.deepEqual(
      shown.filter((line) => line.startsWith("says Your key")),
      [seen[4]],
      "the person sees everything",
    );
    for (const secret of [fakeKey, "cut-into", "pieces-01", home]) assert.ok(!tape.includes(secret), secret);
    const rows = readRows(tape);
    assert.equal(sizeOf(rows, "acp", "out"), lines.length);
    assert.ok(sizeOf(rows, "claude", "out") > 40);
    const words = rows.flatMap((row) => (row.kind === "message" && row.side === "acp" ? chunk(row.line) : []));
    assert.ok(words.join("").includes("Your key is scrubbed and it is a secret."), words.join(""));
    const sessions = tapeSessions(rows);
    assert.deepEqual(
      sessions.map(({ runs }) => runs.length),
      [1],
    );
  });
});

describe("bowline replay, live", () => {
  it("bowline replay plays a recorded session again: the agent's side word for word, the CLI's with the same outcome", async () => {
    const live = await recorded(bowline("record", "--unscrubbed", "-o", "../tapes"));
    const agent = await replayed(live.tape, "--strict");
    assert.equal(agent.stderr, "");
    assert.equal(agent.lines.length, live.lines.length);
    assert.deepEqual(agent.shown, live.shown);
    const claude = await replayed(live.tape, "--claude");
    assert.equal(claude.stderr, "");
    assert.deepEqual(claude.shown, live.shown);
  });
});

describe("bowline replay --claude of a recording of the CLI alone, live", () => {
  /** Says hello in plan mode, and again in the mode it had before. */
  async function withModes(editor: AcpClient, cwd: string, isEarly: boolean): Promise<readonly string[]> {
    const sessionId = await editor.open(cwd);
    const change = (modeId: string): Promise<unknown> => editor.request("session/set_mode", { sessionId, modeId });
    await change("plan");
    if (isEarly) await change("default");
    await editor.prompt(sessionId, prompts[1]);
    if (!isEarly) await change("default");
    await editor.prompt(sessionId, prompts[1]);
    await editor.hangUp();
    assert.deepEqual(editor.faults(), []);
    return transcript(editor, cwd, sessionId).filter((line) => line.startsWith("says"));
  }

  it("a client changes the mode when the recording has it, and at another time", async () => {
    let cliAlone = "";
    await withEnvironment({}, async (environment) => {
      const { place, client } = environment;
      scripts(environment);
      const editor = client({ agent: bowline("record", "-o", "../tapes"), env: { BOWLINE_PREWARM: "0" } });
      const shown = await withModes(editor, place.cwd, false);
      assert.deepEqual(shown, ["says Hello again.", "says Hello again."]);
      const [name = "none"] = readdirSync(join(place.root, "tapes"));
      const lines = readFileSync(join(place.root, "tapes", name), "utf8").split("\n");
      cliAlone = lines.filter((line) => !line.includes('"side":"acp"')).join("\n");
    });
    assert.match(cliAlone, /set_permission_mode/);
    for (const isEarly of [false, true]) {
      await withEnvironment({}, async ({ place, client }) => {
        const path = join(place.root, "tape.ndjson");
        writeFileSync(path, cliAlone);
        const editor = client({ agent: bowline("replay", "--claude", path), env: { BOWLINE_CLAUDE: undefined } });
        assert.deepEqual(await withModes(editor, place.cwd, isEarly), ["says Hello again.", "says Hello again."]);
        assert.equal(editor.program.stderr, "");
      });
    }
  });
});

describe("bowline tap, live", () => {
  it("bowline tap is not noticed by our agent, and finds nothing wrong", async () => {
    const { tape, lines, shown, stderr } = await recorded(
      bowline("tap", "--unscrubbed", "-o", "../tapes/", "--", ...bowline()),
    );
    assert.match(stderr, /^bowline: recording to \S+; .*\n$/);
    const rows = readRows(tape);
    assert.equal(sizeOf(rows, "acp", "out"), lines.length);
    assert.equal(sizeOf(rows, "claude", "out"), 0);
    const again = await replayed(tape, "--strict");
    assert.deepEqual(again.shown, shown);
  });

  it("bowline tap is not noticed by claude-agent-acp either, and its tape plays", async () => {
    const { program } = peerInstallation();
    const { tape, lines, shown, stderr } = await recorded(
      bowline("tap", "--unscrubbed", "-o", "../tapes/", "--", process.execPath, program),
      { CLAUDE_CODE_EXECUTABLE: claudeExecutable() },
    );
    assert.match(stderr, /^bowline: recording to \S+; .*\n/);
    assert.equal(sizeOf(readRows(tape), "acp", "out"), lines.length);
    const again = await replayed(tape, "--strict");
    assert.deepEqual(again.shown, shown, peer);
    assert.equal(again.lines.length, lines.length);
  });
});

describe("bowline inspect, live", { skip: noBrowser }, () => {
  it("bowline inspect shows a real session: both sides, its turns and its tool calls", async () => {
    const { tape } = await recorded(bowline("record", "-o", "../tapes"));
    const browser = await launchBrowser();
    try {
      await withEnvironment({}, async ({ place }) => {
        writeFileSync(join(place.root, "live.ndjson"), tape);
        const args = [built, "inspect", join(place.root, "live.ndjson")];
        const made = execFileSync(process.execPath, args, { encoding: "utf8" });
        for (const colorScheme of ["light", "dark"] as const) {
          const context = await browser.newContext({ viewport: { width: 1320, height: 860 }, colorScheme });
          const page = await context.newPage();
          const complaints: string[] = [];
          page.on("pageerror", (cause) => complaints.push(String(cause)));
          page.on("console", (said) => complaints.push(said.text()));
          await page.goto(pathToFileURL(made.trim()).href);
          await page.waitForSelector("html[data-ready]");
          await page.keyboard.press("f");
          const heads = await page.locator(".head .name").allTextContents();
          assert.deepEqual(heads, ["Connection", "Session 1", "Turn 1", "Turn 2"]);
          await page.locator(".head.turn").first().click();
          assert.match(
            await page.locator("#detail").innerText(),
            /Read hello\.txt[\s\S]*Write it down|Read hello\.txt[\s\S]*echo done/,
          );
          await picture(page, `inspect-live-${colorScheme}`);
          assert.deepEqual(complaints, []);
          await context.close();
        }
      });
    } finally {
      await browser.close();
    }
  });
});

function chunk(line: string): readonly string[] {
  const { params } = JSON.parse(line);
  const update = params?.update;
  return update?.sessionUpdate === "agent_message_chunk" ? [update.content.text] : [];
}
