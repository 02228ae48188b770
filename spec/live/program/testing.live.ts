/**
 * Live specs of guard, faults and expect with agents that were not written here:
 * claude-agent-acp with the real Claude CLI, and codex-acp with the real Codex.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { say as codexSay } from "../../support/live/api/fake-responses-api.ts";
import { answerQuestion, sessionShown, sharedPage } from "../../support/live/shared-page.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { claudeExecutable, codexPeerInstallation, peerInstallation } from "../../support/live/real-cli.ts";

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bowline <words>`; the fake API of the test answers meanwhile. */
function ran(
  words: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [built, ...words], options, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const bowline = (...words: readonly string[]): readonly string[] => [process.execPath, built, ...words];
const peer = (): readonly string[] => [process.execPath, peerInstallation().program];
const env = (): Readonly<Record<string, string>> => ({ CLAUDE_CODE_EXECUTABLE: claudeExecutable() });

/** The model runs an allowed command, a denied one and a compound one. */
function commands({ api }: LiveEnvironment): void {
  const bash = (command: string) => call("Bash", { command, description: "Do it" });
  api.script(
    "work",
    answer(bash("touch allowed.txt")),
    answer(bash("touch denied.txt && rm -f allowed.txt")),
    answer(bash("touch $(echo hidden.txt)")),
    answer(say("All done.")),
  );
}

const policy = {
  rules: [
    { effect: "allow", command: "touch *" },
    { effect: "deny", command: "rm *" },
  ],
  otherwise: "deny",
};

describe("bowline guard, live", () => {
  it("bowline guard allows, denies and logs what claude-agent-acp asks, without the editor", async () => {
    await withEnvironment({}, async (environment) => {
      commands(environment);
      const { place, client } = environment;
      const file = join(place.root, "policy.json");
      const log = join(place.root, "decisions.ndjson");
      writeFileSync(file, JSON.stringify(policy));
      const editor = client({
        agent: [...bowline("guard", "--policy", file, "--log", log, "--"), ...peer()],
        env: env(),
      });
      const session = await editor.open(place.cwd);
      await editor.prompt(session, "[[work]] go");
      await editor.hangUp();
      const asked = editor.program.wire.items.filter(
        ({ from, text }) => from === "agent" && text.includes("request_permission"),
      );
      assert.deepEqual(asked.length, 0, "the editor is asked nothing");
      assert.deepEqual(
        ["allowed.txt", "denied.txt", "hidden.txt"].map((name) => existsSync(place.path(name))),
        [true, false, false],
      );
      const decisions = readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        decisions.map(({ decision, by }) => `${decision} by ${by}`),
        ["allow by rule 1", "deny by rule 2", "deny by the command is not understood"],
      );
      assert.equal(statSync(log).mode & 0o777, 0o600);
    });
  });

  it("a call of claude-agent-acp that bowline guard --share asks about is answered on the page of bowline serve", async () => {
    await withEnvironment({}, async (environment) => {
      const { place, client, api } = environment;
      const bash = (command: string) => call("Bash", { command, description: "Do it" });
      api.script("work", answer(bash("touch allowed.txt")), answer(bash("touch denied.txt")), answer(say("Done.")));
      const page = await sharedPage(environment);
      const file = join(place.root, "policy.json");
      const log = join(place.root, "decisions.ndjson");
      writeFileSync(file, JSON.stringify({ rules: [{ effect: "allow", command: "touch allowed.txt" }] }));
      const words = ["guard", "--policy", file, "--log", log, "--share", "--"];
      const editor = client({ agent: [...bowline(...words), ...peer()], env: env() });
      editor.editor.usual = "wait";
      const session = await editor.open(place.cwd);
      await sessionShown(page, session);
      const events = await page.stream("GET", `/sessions/${session}/events`);
      const turn = editor.prompt(session, "[[work]] go");
      await events.untilPacket("permission_request");
      await answerQuestion(page, "reject_once");
      await turn;
      events.leave();
      await editor.hangUp();
      assert.deepEqual(
        ["allowed.txt", "denied.txt"].map((name) => existsSync(place.path(name))),
        [true, false],
      );
      assert.match(
        readFileSync(log, "utf8"),
        /"decision":"allow","by":"rule 1"[^]*"ask"[^]*"decision":"deny","by":"editor or page"/,
      );
    });
  });
});

describe("bowline tap with faults and bowline expect, live", () => {
  it("a tape of claude-agent-acp with late messages meets its expectations", async () => {
    await withEnvironment({}, async (environment) => {
      const { place, client, api } = environment;
      api.script("read", answer(call("Read", { file_path: place.path("hello.txt") })), answer(say("I have read it.")));
      const tapes = join(place.root, "tapes/");
      const faults = ["--delay", "20", "--jitter", "30", "--seed", "1"];
      const editor = client({ agent: [...bowline("tap", ...faults, "-o", tapes, "--"), ...peer()], env: env() });
      const session = await editor.open(place.cwd);
      await editor.prompt(session, "[[read]] go");
      await editor.hangUp();
      const [tape = ""] = readdirSync(tapes);
      const expected = join(place.root, "expect.json");
      writeFileSync(
        expected,
        JSON.stringify({ tools: ["Read"], noTools: ["execute"], stop: "end_turn", says: ["read it"], maxSeconds: 120 }),
      );
      const { stdout: said } = await ran(["expect", join(tapes, tape), "--expect", expected]);
      assert.equal(said.match(/^ok /gm)?.length, 5, said);
      writeFileSync(expected, JSON.stringify({ noTools: ["Read"] }));
      assert.equal((await ran(["expect", join(tapes, tape), "--expect", expected])).status, 1);
    });
  });

  it("bowline expect runs claude-agent-acp itself and judges the run", async () => {
    await withEnvironment({}, async (environment) => {
      const { place, api, program } = environment;
      api.script("hello", answer(say("Hello there.")));
      const expected = join(place.root, "expect.json");
      writeFileSync(
        expected,
        JSON.stringify({ tools: [], stop: "end_turn", says: ["^Hello there"], maxPermissions: 0 }),
      );
      const { env: clean, cwd } = program({ agent: peer(), env: env() });
      const words = [
        "expect",
        "--expect",
        expected,
        "--prompt",
        "[[hello]] go",
        "--cwd",
        place.cwd,
        "--json",
        "--",
        ...peer(),
      ];
      const { stdout, status, stderr } = await ran(words, { ...(clean && { env: clean }), ...(cwd && { cwd }) });
      assert.equal(status, 0, stdout + stderr);
      assert.equal(JSON.parse(stdout).isMet, true);
    });
  });

  it("bowline check writes a JUnit report of codex-acp, which starts without a network", async () => {
    await withEnvironment({}, async ({ place, program }) => {
      const agent = [process.execPath, codexPeerInstallation().program];
      const junit = join(place.root, "check.xml");
      const { env: clean } = program({ agent });
      const words = ["check", "--no-prompt", "--only", "initialize", "--junit", junit, "--", ...agent];
      await ran(words, { ...(clean && { env: clean }) });
      assert.match(readFileSync(junit, "utf8"), /<testsuite name="bowline check" tests="\d+" failures="0"/);
    });
  });
});

describe("bowline sessions, live", () => {
  const works = async (words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> => {
    const { status, stdout, stderr } = await ran(["sessions", ...words], { env, cwd });
    assert.equal(status, 0, stderr);
    return stdout;
  };

  it("bowline sessions lists, exports and prunes a conversation of Claude, with Bowline and with claude-agent-acp", async () => {
    await withEnvironment({}, async ({ place, api, client, program }) => {
      api.script("hello", answer(say("Hello there.")));
      const editor = client();
      const id = await editor.open(place.cwd);
      await editor.prompt(id, "[[hello]] say it");
      await editor.hangUp();
      const clean = { ...program().env, ...env() };
      for (const agent of [[], ["--", ...peer()]]) {
        assert.match(await works(["list", ...agent], clean, place.cwd), new RegExp(`^${id} `));
        const text = await works(["export", id.slice(0, 8), ...agent], clean, place.cwd);
        assert.match(text, /## User\n\n.*say it[^]*## Agent\n\nHello there\./);
      }
      assert.match(await works(["search", "hello THERE"], clean, place.cwd), /^\S+ .*\n {4}Hello there\.\n$/);
      assert.equal(await works(["search", "there is no such text"], clean, place.cwd), "");
      assert.match(await works(["prune", "--older-than", "0"], clean, place.cwd), /would delete {2}/);
      assert.match(await works(["prune", "--older-than", "0", "--yes"], clean, place.cwd), /^deleted {2}/);
      assert.equal(await works([], clean, place.cwd), "");
    });
  });

  it("bowline sessions lists and exports a conversation of Codex", async () => {
    await inCodexSession({ talk: [codexSay("Good day.")] }, async ({ tell, sessionId, program, cwd, client }) => {
      const clean = { ...program().env };
      await tell("[[talk]] greet");
      await client.hangUp();
      assert.match(await works(["--route", "codex"], clean, cwd), new RegExp(`^${sessionId} `));
      const text = await works(["export", sessionId, "--route", "codex", "--format", "html"], clean, cwd);
      assert.match(text, /<p>Good day\.<\/p>/);
      const search = await works(["search", "good DAY", "--route", "codex"], clean, cwd);
      assert.match(search, new RegExp(`^${sessionId} .*\\n {4}Good day\\.\\n$`));
      assert.equal(await works(["search", "environment_context", "--route", "codex"], clean, cwd), "");
    });
  });
});
