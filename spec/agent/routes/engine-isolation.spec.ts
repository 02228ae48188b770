/**
 * Two scripted engines in one project, one of which reloads its configuration while it runs:
 * it does not run while the other engine may write that configuration.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { emptyIndex } from "../../../lib/agent/routes/session-index.ts";
import type { EngineId, Route } from "../../../lib/agent/route.ts";
import type { BackgroundTask } from "../../../lib/engine/index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { connectAgent } from "../../support/agent/connected-agent.ts";
import { listedAnswers } from "../../support/agent/listed-answers.ts";
import type { ScriptedConversation } from "../../support/agent/scripted-engine.ts";

type Session = Awaited<ReturnType<typeof sessionOfBoth>>;

/** A session on the route codex, before which Claude has answered a prompt unless the session began with Codex. Claude reloads its configuration. */
async function sessionOfBoth(codexMode: string, first: EngineId = "claude") {
  const [claude, codex] = [named("claude", "Claude"), named("codex", "Codex")];
  claude.capabilities = { ...claude.capabilities, reloadsConfiguration: true };
  codex.settingsState = { ...codex.settingsState, mode: codexMode };
  const settings = { route: first, primary: "claude", isReview: false, sharesContext: false } as const;
  const engine = routedEngine({ engines: { claude, codex }, settings, index: emptyIndex });
  const listed = listedAnswers();
  const connected = await connectAgent({ permit: listed.permit }, (link, shared) =>
    createAgent(link, { ...shared, engine }),
  );
  const { editor, prompt } = connected;
  const open = async (): Promise<string> => (await editor.call("session/new", { cwd: "/", mcpServers: [] })).sessionId;
  const sessionId = await open();
  const tell = (text: string, id = sessionId): Promise<string> =>
    prompt(id, text).then(
      ({ stopReason }) => stopReason,
      (cause: Error) => cause.message,
    );
  const route = (value: Route): Promise<unknown> =>
    editor.call("session/set_config_option", { sessionId, configId: "route", value });
  if (first === "claude") {
    await tell("hello");
    await route("codex");
  }
  const ofCodex = codex.opened[0] ?? assert.fail();
  const ofClaude = claude.opened[0] ?? ofCodex;
  return { ...connected, ...listed, engine, claude, codex, ofClaude, ofCodex, open, tell, route };
}

function named(id: string, name: string): AnsweringEngine {
  const engine = Object.assign(new AnsweringEngine(), { id, name });
  engine.onPrompt = (conversation) => conversation.end();
  return engine;
}

function withTasks(conversation: ScriptedConversation, tasks: BackgroundTask[]): void {
  const list = async (): Promise<readonly BackgroundTask[]> => [...tasks];
  const stop = async (id: string): Promise<void> =>
    void tasks.splice(
      tasks.findIndex((one) => one.id === id),
      1,
    );
  Object.assign(conversation, { controls: { tasks: { list, stop } } });
}

describe("an engine that reloads its configuration, beside another one", () => {
  it("an idle engine has exited before the other one gets a prompt with which it may write files without asking", async () => {
    const { tell, ofClaude, ofCodex, codex } = await sessionOfBoth("acceptEdits");
    let exit = (): void => {};
    Object.assign(ofClaude, { exited: new Promise<void>((resolve) => (exit = resolve)) });
    codex.onPrompt = (conversation) => {
      assert.equal(ofClaude.isRunning, false);
      conversation.end();
    };
    const answered = tell("write");
    await ofClaude.hear("release");
    assert.equal(ofCodex.prompts.length, 0, "the engine gets its prompt when the other has exited");
    exit();
    assert.equal(await answered, "end_turn");
  });

  it("an idle engine keeps running while the other one asks before each change", async () => {
    const { tell, ofClaude } = await sessionOfBoth("default");
    assert.equal(await tell("look"), "end_turn");
    assert.equal(ofClaude.isRunning, true);
  });

  it("an idle engine is stopped before the other one does what the user has allowed", async () => {
    const { tell, ofClaude, codex, answers } = await sessionOfBoth("default");
    answers.push("allow");
    const choices = [{ option: permissionOption("allow_once", "allow", "Allow"), decision: "yes" }];
    codex.onPrompt = async (conversation) => {
      const toolCall = { toolCallId: "c1", title: "Run a command" };
      const question = { toolCall, choices, rejected: "no", unanswered: "no" };
      assert.equal(await conversation.host.ask(question, new AbortController().signal), "yes");
      assert.equal(ofClaude.isRunning, false);
      conversation.end();
    };
    assert.equal(await tell("run"), "end_turn");
  });

  it("an idle engine is stopped when the other one gets a mode that changes files without asking during its turn", async () => {
    const { tell, ofClaude, ofCodex, codex, editor } = await sessionOfBoth("default");
    for (const engine of [ofClaude, ofCodex])
      Object.assign(engine, {
        settingsState: { ...engine.settingsState, modes: [{ id: "acceptEdits", name: "Accept edits" }] },
      });
    codex.onPrompt = () => {};
    const answered = tell("write");
    await ofCodex.hear("submit");
    await editor.call("session/set_mode", { sessionId: ofClaude.id, modeId: "acceptEdits" });
    assert.equal(ofClaude.isRunning, false);
    ofCodex.end();
    assert.equal(await answered, "end_turn");
  });

  it("the idle engines of other sessions are stopped too, and none is started meanwhile", async () => {
    const { tell, claude, codex, open } = await sessionOfBoth("acceptEdits");
    const before = claude.opened.length;
    await open();
    codex.onPrompt = async (conversation) => {
      await open();
      const [stopped, unstarted] = claude.opened.slice(before);
      assert.equal(stopped?.isRunning, false);
      assert.deepEqual(unstarted?.calls, []);
      conversation.end();
    };
    assert.equal(await tell("write"), "end_turn");
  });

  it("no engine is started while the other one waits for engines to exit before its first prompt", async () => {
    const { tell, claude, ofClaude, ofCodex, open } = await sessionOfBoth("acceptEdits");
    let exit = (): void => {};
    Object.assign(ofClaude, { exited: new Promise<void>((resolve) => (exit = resolve)) });
    const before = claude.opened.length;
    const answered = tell("write");
    await ofClaude.hear("release");
    await open();
    assert.deepEqual(claude.opened[before]?.calls, []);
    assert.equal(ofCodex.prompts.length, 0);
    exit();
    assert.equal(await answered, "end_turn");
  });

  it("an engine is not started when the other one gets a prompt while the tasks of a third are listed", async () => {
    const { tell, route, claude, codex, ofCodex, open, editor, answers } = await sessionOfBoth("acceptEdits", "codex");
    await tell("write");
    const other = await open();
    await tell("write", other);
    const third = codex.opened[1] ?? assert.fail();
    codex.onPrompt = () => {};
    let answered: Promise<string> | undefined;
    const list = async (): Promise<readonly BackgroundTask[]> => {
      answered ??= tell("write more");
      await ofCodex.hear("submit");
      return [];
    };
    Object.assign(third, { controls: { tasks: { list, stop: async () => {} } } });
    answers.push("stop");
    const routed = editor.call("session/set_config_option", { sessionId: other, configId: "route", value: "claude" });
    await assert.rejects(routed, /Codex still runs: a prompt/);
    assert.deepEqual(
      claude.opened.flatMap(({ calls }) => calls),
      [],
    );
    ofCodex.end();
    assert.equal(await answered, "end_turn");
    await route("codex");
  });

  it("an engine that is being started when the other one gets a prompt has started and exited before the prompt is sent", async () => {
    const { tell, claude, codex, ofCodex, open } = await sessionOfBoth("acceptEdits");
    const before = claude.opened.length;
    codex.onPrompt = (conversation) => {
      assert.equal(claude.opened[before]?.isRunning, false);
      conversation.end();
    };
    let answered: Promise<string> | undefined;
    const { onCall } = claude;
    claude.onCall = async (conversation, call) => {
      if (call === "start") {
        answered = tell("write");
        for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(ofCodex.prompts.length, 0, "the settings are being read");
      }
      return onCall(conversation, call);
    };
    await open();
    assert.equal(await answered, "end_turn");
    assert.equal(ofCodex.prompts.length, 1);
  });

  for (const [how, go] of [
    ["the route is changed", async ({ route }) => void (await route("claude").catch(() => {}))],
    ["the route is changed to both", async ({ route }) => void (await route("duet").catch(() => {}))],
    ["it gets a prompt", async ({ tell }) => void (await tell("/claude hello"))],
    ["the route is changed by a command", async ({ tell }) => void (await tell("/claude"))],
  ] satisfies readonly (readonly [string, (session: Session) => Promise<void>])[])
    it(`an engine is not started for the first time beside background tasks of the other one when ${how}`, async () => {
      const session = await sessionOfBoth("acceptEdits", "codex");
      const { tell, ofCodex, claude, answers, asked } = session;
      const tasks: BackgroundTask[] = [{ id: "t1", kind: "command", title: "sleep 4; write" }];
      withTasks(ofCodex, tasks);
      await tell("start it");
      answers.push("stop");
      await go(session);
      const calls = (): readonly string[] => claude.opened[0]?.calls ?? [];
      assert.deepEqual(calls(), []);
      answers.push("stop_them");
      await go(session);
      assert.ok(calls().includes("start"));
      assert.equal(tasks.length, 0);
      assert.deepEqual(
        asked.map(({ toolCall }) => toolCall.title),
        Array(2).fill("Let Claude work beside Codex"),
      );
    });

  it("an engine is not started during a prompt of the other one in the same session, unless the user agrees", async () => {
    const { tell, route, ofCodex, claude, codex, answers } = await sessionOfBoth("acceptEdits", "codex");
    codex.onPrompt = () => {};
    const answered = tell("write");
    await ofCodex.hear("submit");
    answers.push("stop");
    await assert.rejects(route("claude"), /Codex still runs: a prompt\./);
    assert.deepEqual(claude.opened[0]?.calls, []);
    ofCodex.end();
    assert.equal(await answered, "end_turn");
  });

  it("background tasks of an engine that has got an asking mode since are asked about", async () => {
    const { tell, route, ofCodex, claude, answers } = await sessionOfBoth("acceptEdits", "codex");
    withTasks(ofCodex, [{ id: "t1", kind: "command", title: "sleep 4; write" }]);
    await tell("start it");
    ofCodex.settingsState = { ...ofCodex.settingsState, mode: "plan" };
    answers.push("stop");
    await assert.rejects(route("claude"), /Codex still runs: sleep 4; write\./);
    assert.deepEqual(claude.opened[0]?.calls, []);
  });

  it("a session that is opened beside background tasks of the other engine does not start its engine", async () => {
    const { tell, ofCodex, claude, open, answers } = await sessionOfBoth("acceptEdits");
    withTasks(ofCodex, [{ id: "t1", kind: "command", title: "sleep 4; write" }]);
    await tell("start it");
    const other = await open();
    const [conversation] = claude.opened.filter(({ id }) => id === other);
    assert.deepEqual(conversation?.calls, []);
    answers.push("stop_them");
    assert.equal(await tell("work", other), "end_turn");
  });

  it("an engine that works in the background is stopped only if the user agrees, and otherwise the other gets no prompt", async () => {
    const { tell, ofClaude, ofCodex, answers, asked } = await sessionOfBoth("acceptEdits");
    ofClaude.isBusy = true;
    answers.push("stop", "stop_them");
    assert.match(await tell("write"), /Claude still works in the background.*has not been sent the prompt/);
    assert.equal(ofCodex.prompts.length, 0);
    assert.equal(await tell("write"), "end_turn");
    assert.ok(ofClaude.calls.includes("abandon"));
    assert.deepEqual(
      asked.map(({ toolCall }) => toolCall.title),
      Array(2).fill("Let Codex work beside Claude"),
    );
  });

  it("an engine works beside background tasks of the other one only if the user agrees, once for each task", async () => {
    const { tell, route, ofClaude, ofCodex, answers, asked } = await sessionOfBoth("acceptEdits");
    const tasks: BackgroundTask[] = [{ id: "t1", kind: "command", title: "sleep 12; write" }];
    withTasks(ofCodex, tasks);
    await tell("start it");
    await route("claude");
    answers.push("stop", "go_on");
    const prompts = ofClaude.prompts.length;
    assert.match(await tell("work"), /Codex still runs: sleep 12; write\..*Claude has not been sent the prompt/);
    assert.equal(ofClaude.prompts.length, prompts);
    assert.equal(await tell("work"), "end_turn");
    assert.equal(await tell("and again"), "end_turn");
    tasks.push({ id: "t2", kind: "command", title: "another" });
    answers.push("stop_them");
    assert.equal(await tell("and again"), "end_turn");
    assert.deepEqual(
      tasks.map(({ id }) => id),
      ["t1"],
    );
    assert.equal(asked.length, 3);
  });

  it("the user is asked once when the background tasks of the other engine cannot be listed", async () => {
    const { tell, route, ofCodex, answers, asked } = await sessionOfBoth("acceptEdits");
    const list = (): Promise<never> => Promise.reject(new Error("unknown method"));
    Object.assign(ofCodex, { controls: { tasks: { list, stop: async () => {} } } });
    await tell("start it");
    await route("claude");
    answers.push("go_on");
    assert.equal(await tell("work"), "end_turn");
    assert.equal(await tell("and again"), "end_turn");
    assert.deepEqual(
      asked.map(({ options }) => options.map(({ optionId }) => optionId)),
      [["go_on", "stop"]],
    );
  });

  it("the user is asked before an engine works beside subagents of the other one, once for each of its turns", async () => {
    const { tell, route, ofCodex, answers, asked } = await sessionOfBoth("acceptEdits");
    Object.assign(ofCodex, { mayHaveAgents: true });
    await tell("start them");
    await route("claude");
    answers.push("stop", "go_on");
    assert.match(await tell("work"), /Codex still runs: perhaps a subagent\./);
    assert.equal(await tell("work"), "end_turn");
    assert.equal(await tell("and again"), "end_turn");
    assert.deepEqual(
      asked.map(({ options }) => options.map(({ optionId }) => optionId)),
      Array(2).fill(["go_on", "stop"]),
    );
  });

  it("the user is asked before an engine works beside a prompt of the other one in another session of the directory", async () => {
    const { tell, route, open, ofCodex, codex, claude, answers } = await sessionOfBoth("acceptEdits");
    codex.onPrompt = () => {};
    const answered = tell("write");
    await ofCodex.hear("submit");
    const other = await open();
    answers.push("stop", "go_on");
    assert.match(await tell("work", other), /Codex still runs: a prompt in another session\./);
    assert.equal(await tell("work", other), "end_turn");
    assert.equal(await tell("and again", other), "end_turn");
    claude.onPrompt = () => {};
    const [working] = claude.opened.filter(({ id }) => id === other);
    const busy = tell("work on", other);
    await working?.hear("submit");
    ofCodex.end();
    assert.equal(await answered, "end_turn");
    if (working !== undefined) working.isBusy = true;
    answers.push("stop");
    assert.match(await tell("write more"), /Claude works in another session of this directory/);
    working?.end();
    assert.equal(await busy, "end_turn");
    await route("claude");
  });

  it("no session is prewarmed once an engine has worked that may write files without asking", async () => {
    const engines = async (mode: string): Promise<boolean | undefined> => {
      const { tell, engine } = await sessionOfBoth(mode);
      await tell("write");
      return engine.mayPrewarm?.();
    };
    assert.equal(await engines("default"), true);
    assert.equal(await engines("acceptEdits"), false);
  });
});
