/**
 * `bowline chat` in pipes, as scripts use it, with several kinds of agents.
 *
 * A chat with an agent of the specs runs in this process, which takes a third of the time
 * of a program; what only a program shows (signals, a closed output, our own agent) is
 * tested with the built one.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { waitForCommand, waitUntilGone } from "../../../support/processes.ts";
import { echoClaude } from "../../../support/claude/echo-claude.ts";
import { bowline, specAgent } from "../../../support/program/chat/chat-program.ts";
import { bowline as runHere } from "../../../support/program/fake-terminal.ts";
import { type Run, type RunOptions, runPlain } from "../../../support/program/chat/run-piped.ts";
import { obeyed } from "../../../support/program/chat/hostile-texts.ts";

const directory = mkdtempSync(join(tmpdir(), "bowline-pipes-"));
after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

/** Every process these specs start has this directory in its environment, so that it can be found. */
const env = { HOME: directory, XDG_STATE_HOME: join(directory, "state") };
Object.assign(process.env, env);

function chat(words: readonly string[], input: string, more: RunOptions = {}): Promise<Run> {
  const all = { NO_COLOR: undefined, FORCE_COLOR: undefined, ...env, ...more.env };
  if (!words.includes("--") && !words.includes("--agent"))
    return runPlain(bowline("chat", ...words), { input, cwd: directory, ...more, env: all });
  const place = words.includes("--cwd") ? [] : ["--cwd", directory];
  return runHere(["chat", ...place, ...words], { input, env: { ...process.env, ...all } });
}

function talk(agent: readonly string[], input: string, more: RunOptions = {}): Promise<Run> {
  return chat(["--", ...agent], input, more);
}

const scripted = specAgent("scripted");

describe("bowline chat in pipes", { concurrency: 4 }, () => {
  it("each input line is sent as a prompt, the replies are printed, and the exit code is 0", async () => {
    const { code, stdout, stderr } = await runPlain(bowline("chat", "--", ...scripted), {
      input: "say **one**\n\nsay two\n",
      cwd: directory,
      env,
    });
    assert.equal(
      stdout,
      [
        `Scripted 1.0.0 · ~`,
        "",
        "❯ say **one**",
        "",
        "**one**",
        "",
        "0s · 1.23k of 200k tokens · $0.25",
        "",
        "❯ say two",
        "",
        "two",
        "",
        "0s · 1.23k of 200k tokens · $0.25",
        "",
      ].join("\n"),
    );
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("a permission request in a pipe prints every line of the tool call", async () => {
    const { stdout } = await talk(scripted, "long\nwide\n");
    assert.match(stdout, /\n {2}echo 60\n {2}rm -rf \.\/build\n {2}↳ Reject\n/);
    assert.match(stdout, /\n {2}echo hello<5000 spaces>; rm -rf \.\/build\n {2}↳ Reject\n/);
  });

  it("the chat works with an agent of the official SDK, and refuses permissions where the user cannot be asked", async () => {
    const { code, stdout, stderr } = await talk(specAgent("official"), "tie a knot\n");
    assert.match(
      stdout,
      /✻ Knots\.\n\nA \*\*bowline\*\*, of course\.\n\n\? Tie knot\.txt\n {2}\/project\/knot\.txt\n +1 \+ round\n +2 \+ through\n {2}↳ Leave it\n✗ Tie knot\.txt\n\nLeft\.\n/,
    );
    assert.equal(code, 1);
    assert.equal(
      stderr,
      "bowline: a permission was refused, because stdin is not a terminal: Tie knot.txt; choose a mode that allows it with --mode\n",
    );
  });

  it("--quiet prints only the agent's text, and operands are the first prompt", async () => {
    const { stdout } = await chat(["-q", "--agent", scripted.join(" "), "say", "just this"], "");
    assert.equal(stdout, "just this\n");
  });

  it("--quiet keeps the text around a refused permission, reports the refusal on stderr and exits with 1", async () => {
    const { code, stdout, stderr } = await chat(["-q", "--", ...specAgent("official")], "tie a knot\n");
    assert.equal(stdout, "A **bowline**, of course.\n\nLeft.\n");
    assert.match(stderr, /^bowline: a permission was refused, because stdin is not a terminal: Tie knot\.txt; /);
    assert.equal(code, 1);
  });

  it("output in a pipe has no escape sequences, unless FORCE_COLOR asks for colours", async () => {
    const plain = await talk(scripted, "say # **one**\n");
    assert.doesNotMatch(plain.stdout, obeyed);
    const colourful = await talk(scripted, "say # **one**\n", { env: { FORCE_COLOR: "1" } });
    assert.match(colourful.stdout, /\x1b\[35m\x1b\[1m/); // oxlint-disable-line no-control-regex
    assert.doesNotMatch(colourful.stdout, /\x1b\[[^m]*[A-HJKfhlnsu]|\r/); // oxlint-disable-line no-control-regex
  });

  it("escape sequences of an agent do not reach the output", async () => {
    const { code, stdout } = await talk(scripted, "hostile\n/help\n");
    assert.doesNotMatch(stdout, obeyed);
    assert.match(stdout, /clipboard/);
    assert.equal(code, 1, "its permission request was refused");
  });

  it("mode and model can be set by options and by slash commands", async () => {
    const words = ["--mode", "sail", "--model", "Elm", "--agent", scripted.join(" ")];
    const { stdout } = await chat(words, "/mode\n/set model 1\n/mode nowhere\n/set x y\n");
    assert.match(stdout, /Mode: SAIL\n\nModel: ELM\n/);
    assert.match(
      stdout,
      /Mode is SAIL\n {4}1 ASK ask · what ask does\n {2}✓ 2 SAIL sail · what sail does\n {4}3 ROW row · what row does\n/,
    );
    assert.match(stdout, /Model: OAK\n/);
    assert.match(stdout, /! mode nowhere is not offered here; choose one of ask, sail, row, bypassPermissions\n/);
    assert.match(stdout, /! there is no x to choose here\n/);
  });

  it("an unknown slash command is not sent, and the one that was meant is named", async () => {
    const { code, stdout } = await talk(scripted, "say ready\n/hual\n /usr/bin is a path\n");
    assert.match(
      stdout,
      /! there is no command \/hual; did you mean \/haul\? A space before the line sends it as text\.\n/,
    );
    assert.doesNotMatch(stdout, /You said \/hual/);
    assert.match(stdout, /You said {2}\/usr\/bin is a path\n/);
    assert.equal(code, 1);
  });

  it("@file attaches a file, and an image by its path is sent as an image", async () => {
    const image = join(directory, "dot.png");
    writeFileSync(image, "x");
    writeFileSync(join(directory, "notes.md"), "x");
    const { stdout } = await talk(scripted, `look at @notes.md and ${image}\nand @nothing.md\n`);
    rmSync(image);
    rmSync(join(directory, "notes.md"));
    assert.match(stdout, /You said look at @notes\.md and .*dot\.png \[resource_link image\/png\]\n/);
    assert.match(stdout, /You said and @nothing\.md\n/);
  });

  it("the path of an image is understood as terminals write it: quoted, with backslashes, as an address", async () => {
    const place = mkdtempSync(join(tmpdir(), "bowline-image-"));
    after(() => rmSync(place, { recursive: true }));
    const file = join(place, "a knot.png");
    writeFileSync(file, Buffer.from("89504e47", "hex"));
    const forms = [`'${file}'`, `"${file}"`, file.replaceAll(" ", "\\ "), `file://${file.replaceAll(" ", "%20")}`];
    const { stdout } = await talk(scripted, forms.map((form) => `what is ${form}\n`).join(""));
    assert.equal(stdout.match(/\[image\/png\]/g)?.length, forms.length, stdout);
    const prose = await talk(scripted, `it's 'quoted ${join(directory, "none.png")} text'\n`);
    assert.doesNotMatch(prose.stdout, /image\/png/);
  });

  it("a prompt that fails because its CLI died says that the next message goes on", async () => {
    const { stdout, code } = await talk(scripted, "gone\n");
    assert.match(
      stdout.replaceAll(/\s+/g, " "),
      /! the Claude CLI was ended by SIGKILL\. Your next message starts it again and continues the conversation\./,
    );
    assert.equal(code, 1);
  });

  it("the chat names Bowline and the CLI with their versions, and takes the variables by which a session goes on by itself", async () => {
    const place = mkdtempSync(join(tmpdir(), "bowline-home-"));
    after(() => rmSync(place, { recursive: true }));
    const cli = join(place, "claude.mjs");
    const version = 'if (process.argv.includes("--version")) process.exit(console.log("2.1.325 (Claude Code)"));';
    writeFileSync(cli, `${version}\n${echoClaude}`);
    const own = { BOWLINE_CLAUDE: cli, ANTHROPIC_API_KEY: "x", HOME: place };
    const shown = async (more: Readonly<Record<string, string>>): Promise<string> =>
      (await chat([], "/set auto_continue\n/set continue_at_reset\n", { env: { ...own, ...more } })).stdout;
    const heading = /^Bowline \d+\.\d+\.\d+ · Claude Code 2\.1\.325 · /;
    const [on, off] = await Promise.all([
      shown({ BOWLINE_AUTO_CONTINUE: "fresh", BOWLINE_CONTINUE_AT_RESET: "1" }),
      shown({}),
    ]);
    assert.match(on, heading);
    assert.match(on, /Auto-continue is On\n[^]*Continue at reset is On\n/);
    assert.match(off, /Auto-continue is Off\n[^]*Continue at reset is Off\n/);
  });

  it("!command runs in the user's shell, and only !! gives its output to the agent", async () => {
    const { stdout } = await talk(scripted, "!echo one; exit 3\nhello\n!!echo two\nand now\n");
    assert.match(stdout, / {2}one\n {2}exit code 3; the agent does not see this, !! shares it\n/);
    assert.match(stdout, /You said hello\n/);
    assert.match(stdout, / {2}two\n {2}exit code 0; the output goes with your next message\n/);
    assert.match(stdout, /You said I ran `echo two` \(exit code 0\):\n\ntwo\n\n+and now\n/);
  });

  it("--cwd works in another directory, and refuses one that is not there", async () => {
    const { stdout } = await chat(["--cwd", "/", "--", ...scripted], "");
    assert.match(stdout, /^Scripted 1\.0\.0 · \/\n/);
    assert.match((await chat(["--cwd", "/nowhere"], "")).stderr, /--cwd "\/nowhere" is not a directory/);
  });

  it("--resume with an id opens that conversation", async () => {
    const { stdout } = await chat(["--resume", "second", "--", ...scripted], "");
    assert.match(stdout, /This is second\./);
  });

  it("/new opens a new session and /quit leaves", async () => {
    const { code, stdout } = await talk(scripted, "/new\n/quit\nsay never\n");
    assert.match(stdout, /Scripted 1\.0\.0 · ~ · a new conversation\n/);
    assert.doesNotMatch(stdout, /never/);
    assert.equal(code, 0);
  });

  it("a failed prompt is reported, the next one is sent, and the exit code is 1", async () => {
    const { code, stdout } = await talk(scripted, "fail\nsay on\n");
    assert.match(stdout, /! internal error\n\n❯ say on\n\non\n/);
    assert.equal(code, 1);
  });

  it("the failure says why an agent is gone", async () => {
    const cases: readonly (readonly [readonly string[], string, RegExp])[] = [
      [
        scripted,
        "die\n",
        /^bowline: the agent is gone: the program exited with code 3; its last output: the rope broke\n$/,
      ],
      [
        specAgent("misbehaving", "dies"),
        "x\n",
        /^bowline: the agent is gone: the program exited with code 4; its last output: no licence<U\+001B>]52;c;eA==<U\+0007> found\n$/,
      ],
      [["/nowhere/agent"], "x\n", /^bowline: the agent is gone: could not start \/nowhere\/agent: ENOENT\n$/],
    ];
    await Promise.all(
      cases.map(async ([agent, input, expected]) => {
        const { code, stderr } = await talk(agent, input);
        assert.match(stderr, expected);
        assert.equal(code, 1);
      }),
    );
  });

  it("--wait limits the wait for an agent that sends nothing, or no valid message", async () => {
    // A shell starts in a few milliseconds, also on a busy machine.
    const garbage = ["sh", "-c", "printf 'Welcome!\\n\\033[32mready\\033[0m\\n'; cat > /dev/null"];
    const cases = [
      [specAgent("misbehaving", "silent"), "0.5", ""],
      [garbage, "1.5", "; its last output: ready"],
    ] as const;
    await Promise.all(
      cases.map(async ([agent, seconds, words]) => {
        const { code, stderr } = await chat(["--wait", seconds, "--", ...agent], "x\n");
        const hint = "see that it speaks the Agent Client Protocol on stdin and stdout";
        assert.ok(stderr.includes(`did not answer within ${seconds} s; ${hint}`), stderr);
        assert.ok(stderr.endsWith(`${words}\n`), stderr);
        assert.equal(code, 1);
      }),
    );
  });

  it("an agent that first prints a greeting can be used", async () => {
    const { code, stdout } = await talk(specAgent("misbehaving", "noisy"), "x\n");
    assert.match(stdout, /Heard\.\n/);
    assert.equal(code, 0);
  });

  it("the failure says how to sign in, and where to get Claude", async () => {
    const other = await talk(specAgent("misbehaving", "signed-out"), "x\n");
    assert.equal(other.stderr, "bowline: the agent wants you to sign in first: put KEY into the environment\n");
    const own = await chat([], "x\n", { env: { PATH: dirname(process.execPath), BOWLINE_CLAUDE: "" } });
    assert.match(
      own.stderr,
      /^bowline: the Claude CLI was not found; install it with .*; bowline demo shows a recorded session\n$/,
    );
    assert.deepEqual([other.code, own.code], [1, 1]);
  });

  it("an empty agent command, and one given twice, are refused", async () => {
    for (const words of [["--agent", " "], ["--agent", "a", "--", "b"], ["--"], ["--wait", "x"]]) {
      const { code, stderr } = await chat(words, "");
      assert.equal(code, 2, stderr);
    }
  });

  it("the chat ends silently when its output is closed", async () => {
    const line = `${bowline("chat", "--", ...scripted)
      .map((word) => `'${word}'`)
      .join(" ")} | head -1`;
    const child = spawn("sh", ["-c", line], { cwd: directory, env: { ...process.env, ...env }, stdio: "pipe" });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stdin.on("error", () => {});
    child.stdin.write("say one\n".repeat(50));
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.deepEqual([code, said], [0, ""]);
  });

  it("a signal ends the chat and its agent, and sets the exit code", async () => {
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const [command = "", ...args] = bowline("chat", "--", ...scripted);
      const child = spawn(command, args, {
        cwd: directory,
        env: { ...process.env, ...env, MARK: signal },
        stdio: ["pipe", "pipe", "ignore"],
      });
      child.stdin.write("stubborn\n");
      let said = "";
      await new Promise<void>((resolve) =>
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          said += text;
          if (said.includes("❯ stubborn")) resolve();
        }),
      );
      await waitForCommand(directory, "scripted.mjs");
      child.kill(signal);
      assert.equal(await new Promise((resolve) => child.on("close", resolve)), code);
    }
  });
});

describe("after all chats in pipes", () => {
  it("a chat in a pipe leaves no process and writes no history", async () => {
    assert.deepEqual(await waitUntilGone(directory), []);
    assert.deepEqual(readdirSync(directory), []);
    assert.throws(() => readFileSync(join(directory, "state", "bowline", "chat-history.jsonl")));
  });
});
