/**
 * Sessions of two scripted engines that another run of the program opens: an engine is not
 * started with files that the other one may have changed before the user has seen them.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { createAgent } from "../../../lib/agent/index.ts";
import type { EngineId, Route } from "../../../lib/agent/route.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { fileIndex } from "../../../lib/agent/routes/session-index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { type ConnectedAgent, connectAgent } from "../../support/agent/connected-agent.ts";
import { type ListedAnswers, listedAnswers } from "../../support/agent/listed-answers.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-accepted-"));
after(() => rmSync(root, { recursive: true, force: true }));
let projects = 0;

interface Run extends ConnectedAgent, ListedAnswers {
  readonly engines: { readonly [E in EngineId]: AnsweringEngine };
  /** The stop reason of a prompt, or its error. */
  readonly tell: (sessionId: string, text: string) => Promise<string>;
  readonly route: (sessionId: string, value: Route) => Promise<unknown>;
  readonly isStarted: (engine: EngineId) => boolean;
}

class Project {
  readonly cwd = join(root, String(++projects));
  readonly state = join(this.cwd, "..", `state-${projects}`);
  /** The conversations that each engine has on disk. */
  readonly saved = { claude: new Set<string>(), codex: new Set<string>() };

  constructor() {
    mkdirSync(this.cwd);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.cwd, name)), { recursive: true });
    writeFileSync(join(this.cwd, name), text);
  }

  /** One run of the program. */
  async run(route: Route = "claude", prewarms = false): Promise<Run> {
    const of = (id: EngineId, name: string): AnsweringEngine => {
      const engine: AnsweringEngine = Object.assign(new AnsweringEngine(), { id: String(id), name });
      const isClaude = id === "claude";
      engine.capabilities = { ...engine.capabilities, reloadsConfiguration: isClaude, replaysFromDisk: isClaude };
      for (const one of this.saved[id]) engine.saved.set(one, []);
      engine.onPrompt = (conversation) => {
        this.saved[id].add(conversation.savedId);
        engine.saved.set(conversation.savedId, []);
        conversation.end();
      };
      return engine;
    };
    const engines = { claude: of("claude", "Claude"), codex: of("codex", "Codex") };
    const settings = { route, primary: "claude", isReview: false, sharesContext: false } as const;
    const index = fileIndex({ XDG_STATE_HOME: this.state }, () => {});
    const engine = routedEngine({ engines, settings, index });
    const listed = listedAnswers();
    const connected = await connectAgent({ permit: listed.permit, prewarms }, (link, shared) =>
      createAgent(link, { ...shared, engine }),
    );
    const { editor, prompt } = connected;
    return {
      ...connected,
      ...listed,
      engines,
      tell: (sessionId, text) =>
        prompt(sessionId, text).then(
          ({ stopReason }) => stopReason,
          (cause: Error) => cause.message,
        ),
      route: (sessionId, value) => editor.call("session/set_config_option", { sessionId, configId: "route", value }),
      isStarted: (id) => engines[id].opened.some(({ calls }) => calls.some((call) => /start|ready|submit/.test(call))),
    };
  }

  /** A session that began with `first`, and in which the other engine then wrote the file. */
  async session(first: EngineId, name: string, text = "after"): Promise<string> {
    const other = first === "claude" ? "codex" : "claude";
    const { editor, tell, route, engines, agent } = await this.run(first);
    const { sessionId } = await editor.call("session/new", { cwd: this.cwd, mcpServers: [] });
    await tell(sessionId, "one");
    await route(sessionId, other);
    const { onPrompt } = engines[other];
    engines[other].onPrompt = (conversation) => {
      this.write(name, text);
      return onPrompt(conversation);
    };
    assert.equal(await tell(sessionId, "two"), "end_turn");
    await agent.stop("the program ends");
    return sessionId;
  }
}

describe("the configuration of an engine in a session that another run of the program opens", () => {
  for (const method of ["session/load", "session/resume", "session/fork"] as const) {
    it(`${method} does not start an engine with files that the other one has changed, unless the user agrees`, async () => {
      const project = new Project();
      const { cwd } = project;
      project.write(".mcp.json", "{}");
      const id = await project.session("claude", ".claude/settings.json", '{"hooks":"evil"}');
      const { editor, tell, answers, asked, updates, engines, isStarted } = await project.run();
      const opened = { sessionId: id, ...(await editor.call(method, { sessionId: id, cwd, mcpServers: [] })) };
      await editor.call("session/set_title", { sessionId: opened.sessionId, title: "a title" });
      assert.deepEqual([isStarted("claude"), asked.length], [false, 0]);
      answers.push("stop", "stop", "go_on");
      const refused = /Codex has worked in this session, and since then files have changed.*settings\.json/;
      assert.match(await tell(opened.sessionId, "go on"), refused);
      await assert.rejects(
        editor.call("session/set_mode", { sessionId: opened.sessionId, modeId: "plan" }),
        /files have changed/,
      );
      assert.equal(isStarted("claude"), false);
      assert.equal(await tell(opened.sessionId, "go on"), "end_turn");
      assert.equal(engines.claude.opened[0]?.prompts.length, 1);
      assert.equal(asked.length, 3);
      assert.match(JSON.stringify(asked[0]?.toolCall), /"newText":"\{\\"hooks\\":\\"evil\\"\}"/);
      assert.doesNotMatch(JSON.stringify(asked[0]?.toolCall), /mcp\.json/);
      assert.match(JSON.stringify(updates), /Claude is not started before you have agreed/);
    });
  }

  it("what the user has accepted is not asked about again by the next run of the program, and a further change is", async () => {
    const project = new Project();
    const id = await project.session("claude", ".claude/settings.json");
    const load = { sessionId: id, cwd: project.cwd, mcpServers: [] };
    const second = await project.run();
    second.answers.push("go_on");
    await second.editor.call("session/load", load);
    assert.equal(await second.tell(id, "go on"), "end_turn");
    await second.agent.stop("the program ends");
    const third = await project.run();
    await third.editor.call("session/load", load);
    assert.equal(await third.tell(id, "go on"), "end_turn");
    assert.equal(third.asked.length, 0);
    await third.agent.stop("the program ends");
    project.write(".claude/agents/one.md", "changed");
    const fourth = await project.run();
    await fourth.editor.call("session/load", load);
    fourth.answers.push("stop");
    assert.match(await fourth.tell(id, "go on"), /files have changed.*one\.md/);
    assert.equal(fourth.isStarted("claude"), false);
  });

  it("a program that was killed while the second engine had its first prompt has saved what was accepted", async () => {
    const project = new Project();
    const first = await project.run();
    const { sessionId } = await first.editor.call("session/new", { cwd: project.cwd, mcpServers: [] });
    await first.tell(sessionId, "one");
    await first.route(sessionId, "codex");
    const working = new Promise<void>((resolve) => {
      first.engines.codex.onPrompt = () => {
        project.write(".claude/settings.json", "evil");
        resolve();
      };
    });
    void first.tell(sessionId, "two");
    await working;
    const second = await project.run();
    await second.editor.call("session/load", { sessionId, cwd: project.cwd, mcpServers: [] });
    assert.equal(second.isStarted("claude"), false);
  });

  it("a conversation that was cleared after both engines had worked is protected under its new id, from its first prompt on", async () => {
    const project = new Project();
    const { editor, tell, route, engines } = await project.run();
    const { sessionId } = await editor.call("session/new", { cwd: project.cwd, mcpServers: [] });
    await tell(sessionId, "one");
    await tell(sessionId, "/codex two");
    await tell(sessionId, "/clear");
    await route(sessionId, "claude");
    const working = new Promise<void>((resolve) => {
      engines.claude.onPrompt = (conversation) => {
        conversation.savedId = "cleared";
        conversation.take();
        resolve();
      };
    });
    void tell(sessionId, "three");
    await working;
    project.saved.claude.add("cleared");
    project.write(".claude/settings.json", "evil");
    const second = await project.run();
    await second.editor.call("session/load", { sessionId: "cleared", cwd: project.cwd, mcpServers: [] });
    assert.equal(second.isStarted("claude"), false);
  });

  it("the conversation of the second engine, opened by its own id, is not started with changed files either", async () => {
    const project = new Project();
    const first = await project.run("codex");
    const { sessionId } = await first.editor.call("session/new", { cwd: project.cwd, mcpServers: [] });
    await first.tell(sessionId, "one");
    await first.tell(sessionId, "/claude two");
    project.write(".claude/settings.json", "evil");
    const [own = ""] = project.saved.claude;
    const second = await project.run();
    await second.editor.call("session/resume", { sessionId: own, cwd: project.cwd, mcpServers: [] });
    assert.equal(second.isStarted("claude"), false);
  });

  it("Codex is not started or asked for its history with files that Claude has changed, and a copy is refused", async () => {
    const project = new Project();
    const id = await project.session("codex", ".codex/config.toml", "[mcp_servers.x]");
    const { editor, tell, answers, engines, updates, isStarted } = await project.run("codex");
    const params = { sessionId: id, cwd: project.cwd, mcpServers: [] };
    await editor.call("session/load", params);
    assert.deepEqual(engines.codex.opened[0]?.calls, []);
    assert.match(JSON.stringify(updates), /The part of Codex in this conversation could not be loaded/);
    await assert.rejects(editor.call("session/fork", params), /cannot be copied before you have agreed/);
    assert.equal(isStarted("codex"), false);
    answers.push("go_on");
    assert.equal(await tell(id, "go on"), "end_turn");
  });

  it("without a record of what was accepted, every file of the other engine is asked about", async () => {
    for (const loss of ["missing", "damaged"]) {
      const project = new Project();
      project.write(".claude/settings.json", "as it was");
      const id = await project.session("codex", "src/main.ts");
      if (loss === "missing") rmSync(project.state, { recursive: true });
      else writeFileSync(join(project.state, "bowline", "sessions.json"), '{"sessions":[');
      const { editor, route, answers, asked, isStarted } = await project.run("codex");
      await editor.call("session/load", { sessionId: id, cwd: project.cwd, mcpServers: [] });
      answers.push("stop");
      await assert.rejects(route(id, "claude"), /Codex has worked in this session.*settings\.json/, loss);
      assert.deepEqual([isStarted("claude"), asked.length], [false, 1], loss);
    }
  });

  it("the second engine gets no prompt when what was accepted cannot be saved", async () => {
    const project = new Project();
    writeFileSync(project.state, "a file in the place of the directory");
    const { editor, tell, engines } = await project.run();
    const { sessionId } = await editor.call("session/new", { cwd: project.cwd, mcpServers: [] });
    assert.equal(await tell(sessionId, "one"), "end_turn");
    assert.match(await tell(sessionId, "/codex two"), /Codex has not been sent the prompt: which settings/);
    assert.equal(engines.codex.opened[0]?.prompts.length, 0);
  });

  it("nothing is prewarmed after a session was loaded in which Codex has worked", async () => {
    const project = new Project();
    const id = await project.session("claude", ".claude/settings.json");
    const { editor, engines, time } = await project.run("claude", true);
    await editor.call("session/load", { sessionId: id, cwd: project.cwd, mcpServers: [] });
    time.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(engines.claude.opened.length, 1);
  });

  it("a session of both engines in which nothing has changed starts its engine once both may work there, and one of Claude alone at once", async () => {
    const project = new Project();
    project.write(".claude/settings.json", "as it was");
    const both = await project.session("claude", "src/main.ts");
    const first = await project.run();
    const { sessionId: alone } = await first.editor.call("session/new", { cwd: project.cwd, mcpServers: [] });
    await first.tell(alone, "one");
    await first.agent.stop("the program ends");
    assert.ok(!readFileSync(join(project.state, "bowline", "sessions.json"), "utf8").includes(alone));
    for (const [id, change, isShared] of [
      [both, "as it was", true],
      [alone, "by the user", false],
    ] as const) {
      project.write(".claude/settings.json", change);
      const { editor, tell, asked, askedToShare, isStarted } = await project.run();
      await editor.call("session/load", { sessionId: id, cwd: project.cwd, mcpServers: [] });
      assert.equal(isStarted("claude"), !isShared);
      assert.equal(await tell(id, "go on"), "end_turn");
      assert.deepEqual([asked.length, askedToShare.length], [0, isShared ? 1 : 0]);
    }
  });
});
