/**
 * Two scripted engines in one project: an engine does not go on with a configuration that
 * may be the other one's before the user has seen it.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { createAgent } from "../../../lib/agent/index.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { emptyIndex } from "../../../lib/agent/routes/session-index.ts";
import type { Route } from "../../../lib/agent/route.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { type ConnectedAgent, connectAgent } from "../../support/agent/connected-agent.ts";
import { type ListedAnswers, listedAnswers } from "../../support/agent/listed-answers.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-configuration-"));
after(() => rmSync(root, { recursive: true, force: true }));
let projects = 0;

interface Project extends ConnectedAgent, ListedAnswers {
  readonly claude: AnsweringEngine;
  readonly codex: AnsweringEngine;
  /** Opens another session in the project. */
  readonly open: (directory?: string) => Promise<string>;
  readonly cwd: string;
  readonly tell: (text: string, sessionId?: string) => Promise<string>;
  readonly route: (value: Route) => Promise<unknown>;
  readonly write: (name: string, text: string) => string;
  readonly promptsOf: (engine: AnsweringEngine) => number;
}

/** A session on the route given in a project of its own; questions get the answers in `answers`. */
async function project(route: Route, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const cwd = join(root, String(++projects));
  mkdirSync(cwd);
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
    return join(cwd, name);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const [claude, codex] = [named("claude", "Claude"), named("codex", "Codex")];
  const settings = { route, primary: "claude", isReview: false, sharesContext: false } as const;
  const engine = routedEngine({ engines: { claude, codex }, settings, index: emptyIndex });
  const listed = listedAnswers();
  const connected = await connectAgent({ permit: listed.permit }, (link, shared) =>
    createAgent(link, { ...shared, engine }),
  );
  const { editor, prompt } = connected;
  const open = async (directory = cwd): Promise<string> =>
    (await editor.call("session/new", { cwd: directory, mcpServers: [] })).sessionId;
  const sessionId = await open();
  return {
    ...connected,
    ...listed,
    claude,
    codex,
    cwd,
    open,
    tell: (text, id = sessionId) =>
      prompt(id, text).then(
        ({ stopReason }) => stopReason,
        (cause: Error) => cause.message,
      ),
    route: (value) => editor.call("session/set_config_option", { sessionId, configId: "route", value }),
    write,
    promptsOf: (one) => one.opened[0]?.prompts.length ?? 0,
  };
}

function named(id: string, name: string): AnsweringEngine {
  const engine = Object.assign(new AnsweringEngine(), { id, name });
  engine.onPrompt = (conversation) => conversation.end();
  return engine;
}

describe("the configuration of an engine in a session with two engines", () => {
  it("an engine is not started with files that have changed since the other one worked, unless the user agrees", async () => {
    const { tell, route, write, answers, codex, claude, asked, promptsOf } = await project("codex");
    codex.onPrompt = (conversation) => {
      write(".claude/settings.json", '{"hooks":"\u202eevil"}');
      conversation.end();
    };
    await tell("work");
    answers.push("stop");
    await assert.rejects(route("claude"), /Codex has worked in this session.*settings\.json/);
    assert.equal(claude.opened[0]?.calls.includes("start"), false);
    answers.push("go_on");
    await route("claude");
    assert.equal(await tell("go on"), "end_turn");
    assert.equal(promptsOf(claude), 1);
    const shown = JSON.stringify(asked[0]?.toolCall);
    assert.match(shown, /decide what Claude runs, also without asking/);
    assert.match(shown, /"newText":"\{\\"hooks\\":\\"[^"]*202e/i);
    assert.ok(!shown.includes("\u202e"));
  });

  it("an engine that has worked before gets no further prompt with changed files, unless the user agrees", async () => {
    for (const [name, isClaude] of [
      [".claude/settings.json", true],
      [".claude/settings.local.json", true],
      [".claude/agents/helper.md", true],
      [".claude/skills/one/SKILL.md", true],
      [".claude/scheduled_tasks.json", true],
      [".mcp.json", true],
      ["../.mcp.json", true],
      [".codex/config.toml", false],
      ["../.codex/rules/x.rules", false],
      [".agents/skills/one/SKILL.md", false],
    ] as const) {
      const { tell, route, write, answers, asked, codex, claude, promptsOf } = await project(
        isClaude ? "claude" : "codex",
        {
          [name]: "before",
        },
      );
      const [engine, other] = isClaude ? [claude, codex] : [codex, claude];
      await tell("one");
      await route(isClaude ? "codex" : "claude");
      other.onPrompt = (conversation) => {
        const path = write(name, "after!");
        // The times that a program can set say nothing.
        utimesSync(path, 1, 1);
        conversation.end();
      };
      await tell("two");
      answers.push("stop", "stop");
      await assert.rejects(route(isClaude ? "claude" : "codex"), /files have changed/, name);
      await assert.rejects(route(isClaude ? "claude" : "codex"), /files have changed/, name);
      assert.equal(promptsOf(engine), 1, name);
      assert.equal(asked.length, 2, name);
      assert.match(JSON.stringify(asked[0]), /"oldText":"before","newText":"after!"/);
    }
  });

  it("what is accepted is what was shown: a change while a question is open is asked about, until the user is asked no more", async () => {
    const { tell, route, write, answers, whileAsked, asked, claude, codex } = await project("codex");
    codex.onPrompt = (conversation) => {
      write(".claude/settings.json", "shown");
      conversation.end();
    };
    await tell("work");
    let count = 0;
    whileAsked.push(() => write(".claude/settings.json", "other"));
    answers.push("go_on", "stop");
    await assert.rejects(route("claude"), /since then files have changed/);
    assert.match(JSON.stringify(asked[1]), /"oldText":"shown","newText":"other"/);
    whileAsked.push(...Array.from({ length: 12 }, () => () => write(".claude/settings.json", `again ${count++}`)));
    answers.push(...Array(12).fill("go_on"));
    await assert.rejects(route("claude"), /What Claude runs changes again and again/);
    assert.deepEqual([claude.opened[0]?.calls, answers], [[], []]);
    answers.push("go_on");
    await route("claude");
    assert.deepEqual(claude.opened[0]?.calls, ["start"]);
  });

  it("only the files that a question shows are accepted by its answer, and the others are asked about next", async () => {
    const { tell, route, write, answers, asked, claude, codex } = await project("codex");
    codex.onPrompt = (conversation) => {
      for (let i = 0; i < 30; i++) write(`.claude/docs/${10 + i}.md`, "note");
      write(".claude/settings.json", "hooks");
      conversation.end();
    };
    await tell("work");
    answers.push("go_on", "stop");
    await assert.rejects(route("claude"), /since then files have changed/);
    const shows = asked.map((one) => JSON.stringify(one).includes('"newText":"hooks"'));
    assert.deepEqual(shows, [false, true]);
    assert.match(JSON.stringify(asked[0]), /and 11 more, which you are asked about next/);
    assert.deepEqual(claude.opened[0]?.calls, []);
  });

  it("an engine whose files change while it starts is stopped, and the user is asked", async () => {
    const { tell, write, answers, asked, claude } = await project("codex");
    await tell("work");
    const { onCall } = claude;
    claude.onCall = (conversation, call) => {
      if (call === "start") write(".claude/settings.json", "late");
      return onCall(conversation, call);
    };
    answers.push("stop");
    assert.match(await tell("/claude hello"), /since then files have changed/);
    assert.equal(asked.length, 1);
    assert.equal(claude.opened[0]?.isRunning, false);
    assert.equal(claude.opened[0]?.prompts.length, 0);
  });

  it("files are read again when the background tasks of the other engine were stopped", async () => {
    const { tell, write, answers, asked, claude, codex } = await project("codex");
    claude.capabilities = { ...claude.capabilities, reloadsConfiguration: true };
    codex.settingsState = { ...codex.settingsState, mode: "acceptEdits" };
    codex.onPrompt = (conversation) => {
      conversation.settingsState = codex.settingsState;
      const tasks = [{ id: "t1", kind: "command", title: "write" }];
      const stop = async (): Promise<void> => {
        write(".claude/settings.json", "at the end");
        tasks.pop();
      };
      Object.assign(conversation, { controls: { tasks: { list: async () => [...tasks], stop } } });
      conversation.end();
    };
    await tell("work");
    answers.push("stop_them", "stop");
    assert.match(await tell("/claude hello"), /since then files have changed/);
    assert.equal(asked.length, 2);
    assert.deepEqual(claude.opened[0]?.calls, []);
  });

  it("a session that was open while the other engine worked in another session asks before its engine goes on", async () => {
    const { open, tell, write, answers, asked, claude, codex } = await project("claude");
    const older = await open();
    assert.equal(await tell("one", older), "end_turn");
    codex.onPrompt = (conversation) => {
      write(".claude/settings.json", "by Codex");
      conversation.end();
    };
    await tell("/codex work");
    const started = claude.opened.map(({ prompts }) => prompts.length);
    answers.push("stop");
    assert.match(await tell("two", older), /Codex has worked in another session, and since then files have changed/);
    assert.deepEqual(
      claude.opened.map(({ prompts }) => prompts.length),
      started,
    );
    answers.push("go_on");
    assert.equal(await tell("two", older), "end_turn");
    assert.equal(await tell("three", older), "end_turn");
    // Whoever opens a session sees its files as they are; what changes later is asked about.
    const newer = await open();
    assert.equal(await tell("one", newer), "end_turn");
    write(".claude/settings.json", "by a command that Codex left behind");
    answers.push("stop");
    assert.match(await tell("two", newer), /Codex has worked in another session/);
    assert.equal(asked.length, 3);
  });

  it("the repository of a session's directory counts when the other engine works in a directory above it", async () => {
    const { open, tell, write, answers, codex, cwd } = await project("codex", { "sub/.git/config": "[core]" });
    codex.settingsState = { ...codex.settingsState, mode: "acceptEdits" };
    codex.onPrompt = (conversation) => conversation.end();
    const above = await open();
    await tell("work", above);
    const below = await open(join(cwd, "sub"));
    assert.equal(await tell("/claude look", below), "end_turn");
    write("sub/.git/config", "[core]\n\tfsmonitor = evil");
    answers.push("stop");
    assert.match(await tell("/claude look", below), /sub[/\\]\.git[/\\]config/);
  });

  it("in a duet the second engine does not work with what the first has changed, and the turn says so", async () => {
    const { tell, write, answers, claude, codex, promptsOf, updates } = await project("duet");
    claude.onPrompt = (conversation) => {
      write(".codex/config.toml", "[mcp_servers.x]");
      conversation.end();
    };
    answers.push("stop");
    assert.equal(await tell("work"), "end_turn");
    assert.equal(promptsOf(codex), 0);
    assert.match(JSON.stringify(updates), /Codex could not answer: Claude has worked in this session/);
  });

  it("nothing is asked while one engine works alone, nor about other files or files that are as they were", async () => {
    const { tell, route, write, asked, codex, claude, promptsOf } = await project("claude", { ".mcp.json": "{}" });
    claude.onPrompt = (conversation) => {
      write(".claude/settings.json", "by the user, or asked about by Claude");
      conversation.end();
    };
    await tell("one");
    await tell("two");
    codex.onPrompt = (conversation) => {
      write("src/main.ts", "1");
      write(".claude/worktrees/one/file", "1");
      conversation.end();
    };
    claude.onPrompt = (conversation) => conversation.end();
    await route("codex");
    await tell("three");
    await route("claude");
    await tell("four");
    assert.equal(asked.length, 0);
    assert.equal(promptsOf(claude), 3);
  });

  for (const [what, files, hidden] of [
    ["deeper than the limit", {}, ".claude/skills/1/2/3/4/5/6/7/8/SKILL.md"],
    [
      "after too many others",
      Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`.claude/agents/${i}.md`, ""])),
      ".claude/skills/one/SKILL.md",
    ],
  ] as const) {
    it(`a file that lies ${what} is asked about each time, because its changes are not seen`, async () => {
      const { tell, route, write, answers, claude, promptsOf } = await project("codex", { ...files, [hidden]: "1" });
      await tell("work");
      answers.push("go_on");
      await route("claude");
      write(hidden, "2");
      answers.push("stop");
      assert.match(await tell("go on"), /since then files have changed that decide what Claude runs/);
      assert.deepEqual([answers, promptsOf(claude)], [[], 0]);
    });
  }

  it("links among directories do not hold up a session", async () => {
    const { tell, route, write, answers, codex } = await project("codex");
    codex.onPrompt = (conversation) => {
      const directory = dirname(write(".claude/agents/one.md", "1"));
      for (let i = 0; i < 20; i++) symlinkSync(".", join(directory, `a${i}`));
      conversation.end();
    };
    await tell("work");
    answers.push("stop");
    const startedMs = performance.now();
    await assert.rejects(route("claude"), /and \d+ more/);
    assert.ok(performance.now() - startedMs < 20_000);
  });

  it("an engine does not go on with a changed repository of a submodule, unless the user agrees", async () => {
    const { tell, route, write, answers, codex, asked, claude } = await project("claude", {
      ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n',
      "sub/.git": "gitdir: ../.git/modules/sub",
    });
    await tell("hello");
    codex.onPrompt = (conversation) => {
      const { cwd } = conversation.request;
      rmSync(join(cwd, "sub", ".git"));
      write("sub/.git/config", "[core]\n\tfsmonitor = evil");
      write(".gitmodules", "");
      conversation.end();
    };
    await route("codex");
    await tell("write");
    answers.push("stop");
    await assert.rejects(route("claude"), /sub[/\\]\.git/);
    assert.equal(asked.length, 1);
    assert.equal(claude.opened[0]?.prompts.length, 1);
  });

  it("an engine does not go on with a changed repository that only git's index has as a submodule", async () => {
    const { tell, route, write, answers, codex } = await project("claude", { "sub/.git/config": "[core]" });
    codex.onPrompt = (conversation) => {
      write("sub/.git/config", "[core]\n\tfsmonitor = evil");
      conversation.end();
    };
    const cwd = join(root, String(projects));
    const entry = Buffer.alloc(72);
    entry.writeUInt32BE(0o160000, 24);
    entry.writeUInt16BE(3, 60);
    entry.write("sub", 62);
    mkdirSync(join(cwd, ".git"));
    const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1");
    writeFileSync(join(cwd, ".git", "index"), Buffer.concat([head, entry, Buffer.alloc(20)]));
    await tell("hello");
    await route("codex");
    await tell("write");
    answers.push("stop");
    await assert.rejects(route("claude"), /sub[/\\]\.git[/\\]config/);
  });
});
