/**
 * Two scripted engines: whether they may work in the same directory is asked before an engine
 * works where the other one could change files.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { permissionOption } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import type { EngineId, Route } from "../../../lib/agent/route.ts";
import { allSessions, routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { emptyIndex } from "../../../lib/agent/routes/session-index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { connectAgent } from "../../support/agent/connected-agent.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-consent-"));
after(() => rmSync(root, { recursive: true, force: true }));
const [project, below, elsewhere] = [join(root, "project"), join(root, "project", "below"), join(root, "elsewhere")];
mkdirSync(below, { recursive: true });
mkdirSync(elsewhere);
const codexHome = join(root, "codex");
mkdirSync(codexHome);
/** Projects of specs lie in the temporary directory, which Codex may write unless told otherwise. */
const noTemporary = "exclude_slash_tmp = true\nexclude_tmpdir_env_var = true";

beforeEach(() => writeFileSync(join(codexHome, "config.toml"), noTemporary));

/** One run of the program. Sessions begin with the engine of the route; each question gets the next answer. */
async function run(
  route: Route,
  modes: Partial<Record<EngineId, string>>,
  all = allSessions(),
  whileAsked: () => unknown = () => {},
) {
  const of = (id: EngineId, name: string): AnsweringEngine => {
    const engine = Object.assign(new AnsweringEngine(), { id: String(id), name });
    engine.settingsState = { ...engine.settingsState, mode: modes[id] ?? "default" };
    engine.onPrompt = (conversation) => conversation.end();
    return engine;
  };
  const engines = { claude: of("claude", "Claude"), codex: of("codex", "Codex") };
  engines.claude.capabilities = { ...engines.claude.capabilities, reloadsConfiguration: true };
  const settings = { route, primary: "claude", isReview: false, sharesContext: false } as const;
  const env = { HOME: root, CODEX_HOME: codexHome, TMPDIR: tmpdir() };
  const engine = routedEngine({ engines, settings, index: emptyIndex, env, all });
  const answers: string[] = [];
  let questions = 0;
  const permit = async (): Promise<{ outcome: { outcome: "selected"; optionId: string } }> => {
    if (questions++ === 0) whileAsked();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    return { outcome: { outcome: "selected", optionId: answers.shift() ?? assert.fail("an unexpected question") } };
  };
  const connected = await connectAgent({ permit }, (link, shared) => createAgent(link, { ...shared, engine }));
  const { editor, prompt } = connected;
  return {
    ...connected,
    engine,
    engines,
    answers,
    open: async (cwd = project) => (await editor.call("session/new", { cwd, mcpServers: [] })).sessionId,
    tell: (sessionId: string, text: string): Promise<string> =>
      prompt(sessionId, text).then(
        ({ stopReason }) => stopReason,
        (cause: Error) => cause.message,
      ),
    callsOf: (id: EngineId, nth = 0) => engines[id].opened[nth]?.calls ?? [],
  };
}

describe("two engines in the same directory", () => {
  it("an engine works where another one could change files only if the user agrees, whatever has changed", async () => {
    const { open, tell, answers, asked, callsOf } = await run("codex", { codex: "acceptEdits" });
    const session = await open();
    assert.equal(await tell(session, "write"), "end_turn");
    answers.push("stop");
    const refused = await tell(session, "/claude look");
    assert.match(refused, /Codex has worked in .*project and could change files there/);
    assert.match(refused, /Claude has not been sent the prompt/);
    assert.deepEqual(callsOf("claude"), []);
    answers.push("share_directory");
    assert.equal(await tell(session, "/claude look"), "end_turn");
    assert.ok(callsOf("claude").includes("submit"));
    assert.deepEqual(
      asked[0]?.options.map(({ kind }) => kind),
      ["allow_once", "allow_always", "reject_once"],
    );
  });

  it("an engine that may go on this time is asked about again before its next prompt", async () => {
    const { open, tell, answers, asked, engines } = await run("codex", { codex: "acceptEdits" });
    const session = await open();
    await tell(session, "write");
    answers.push("go_on", "go_on", "stop");
    assert.equal(await tell(session, "/claude look"), "end_turn");
    assert.equal(await tell(session, "/claude look"), "end_turn");
    assert.match(await tell(session, "/claude look"), /Codex has worked in/);
    assert.deepEqual([asked.length, engines.claude.opened[0]?.prompts.length], [3, 2]);
  });

  it("an engine that may go on this time is asked about again once the other one has had another prompt", async () => {
    const { editor, open, tell, answers, asked, engines } = await run("codex", { codex: "acceptEdits" });
    const session = await open();
    await tell(session, "write");
    answers.push("go_on", "stop");
    await editor.call("session/set_config_option", { sessionId: session, configId: "route", value: "claude" });
    assert.equal(await tell(session, "/codex write again"), "end_turn");
    assert.match(await tell(session, "look"), /Codex has worked in/);
    assert.deepEqual([asked.length, engines.claude.opened[0]?.prompts.length], [2, 0]);
  });

  it("a prompt for one engine asks nothing about the engine of the route and does not start it", async () => {
    const { open, tell, answers, asked, engines } = await run("claude", { codex: "acceptEdits" });
    const session = await open();
    assert.equal(await tell(session, "/codex write"), "end_turn");
    const calls = engines.claude.opened[0]?.calls.length;
    assert.equal(await tell(session, "/codex write again"), "end_turn");
    assert.deepEqual([asked.length, engines.claude.opened[0]?.calls.length], [0, calls]);
    answers.push("stop");
    assert.match(await tell(session, "look"), /Codex has worked in/);
  });

  it("an engine whose prompt was refused is idle: the other one stops it without a question", async () => {
    const { open, tell, answers, asked, engines } = await run("claude", { codex: "acceptEdits" });
    const [one, other] = [await open(), await open()];
    assert.equal(await tell(other, "look"), "end_turn");
    assert.equal(await tell(one, "/codex write"), "end_turn");
    answers.push("stop");
    assert.match(await tell(other, "look"), /Codex has worked in/);
    for (const claude of engines.claude.opened) claude.isRunning = true;
    assert.equal(await tell(one, "/codex write"), "end_turn");
    assert.equal(asked.length, 1);
    assert.ok(engines.claude.opened.every(({ isRunning }) => !isRunning));
  });

  it("an answer counts for what the question showed, also when a repository is made above it meanwhile", async () => {
    const { open, tell, answers, asked } = await run("claude", { codex: "acceptEdits" }, allSessions(), () =>
      mkdirSync(join(project, ".git")),
    );
    const session = await open(below);
    try {
      assert.equal(await tell(session, "/codex write"), "end_turn");
      answers.push("share_directory", "stop");
      // The answer does not cover the repository that there is now, so the user is asked again.
      assert.match(await tell(session, "look"), /Codex has worked in .*project and could/);
      assert.equal(asked.length, 2);
    } finally {
      rmSync(join(project, ".git"), { recursive: true });
    }
  });

  it("a yes after the session was closed or the prompt was cancelled starts no engine", async () => {
    for (const how of ["session/close", "session/cancel"] as const) {
      let end = (): void => {};
      const { editor, open, tell, answers, callsOf } = await run("codex", { codex: "acceptEdits" }, allSessions(), () =>
        end(),
      );
      const session = await open();
      await tell(session, "write");
      end = () => void (how === "session/close" ? editor.call(how, { sessionId: session }) : editor.cancel(session));
      answers.push("share_directory");
      await tell(session, "/claude look");
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        callsOf("claude").filter((call) => call === "start"),
        [],
        how,
      );
    }
  });

  it("a directory counts that the user's settings let the other engine write", async () => {
    for (const config of [
      `${noTemporary}\nwritable_roots = [${JSON.stringify(elsewhere)}]`,
      "exclude_slash_tmp = true",
    ]) {
      writeFileSync(join(codexHome, "config.toml"), config);
      const { open, tell, answers, asked, callsOf } = await run("claude", { codex: "acceptEdits" });
      assert.equal(await tell(await open(), "/codex write"), "end_turn");
      const other = await open(elsewhere);
      assert.deepEqual(callsOf("claude", 1), [], config);
      answers.push("stop");
      assert.match(await tell(other, "look"), /Codex has worked in .*elsewhere/, config);
      assert.equal(asked.length, 1);
    }
  });

  it("the answer holds for both engines of the session, and for no other session", async () => {
    const { open, tell, answers, asked } = await run("claude", { claude: "acceptEdits", codex: "acceptEdits" });
    const session = await open();
    answers.push("share_directory");
    for (const text of ["one", "/codex two", "three", "/codex four"])
      assert.equal(await tell(session, text), "end_turn", text);
    assert.equal(asked.length, 1);
    answers.push("stop", "stop");
    // What Codex has written since the first session was asked about would run in a new one.
    for (const directory of [project, below])
      assert.match(await tell(await open(directory), "look"), /Codex has worked in/);
    const other = await open(elsewhere);
    assert.equal(await tell(other, "one"), "end_turn");
    answers.push("stop");
    assert.match(await tell(other, "/codex two"), /Claude has worked in .*elsewhere/);
  });

  it("an engine of another session counts, also when that session is closed", async () => {
    const { editor, open, tell, answers, asked, callsOf, engine } = await run("claude", { codex: "acceptEdits" });
    const first = await open();
    assert.equal(await tell(first, "/codex write"), "end_turn");
    await editor.call("session/close", { sessionId: first });
    assert.equal(engine.mayPrewarm?.(), false);
    const second = await open(below);
    assert.deepEqual([callsOf("claude", 1), asked.length], [[], 0]);
    answers.push("stop", "share_directory");
    assert.match(await tell(second, "look"), /Codex has worked in .*below and could change files there/);
    assert.deepEqual(callsOf("claude", 1), []);
    assert.equal(await tell(second, "look"), "end_turn");
    assert.equal(await tell(await open(elsewhere), "look"), "end_turn");
    assert.equal(asked.length, 2);
  });

  it("the agents of one program know of each other's engines, also when one of them has been stopped", async () => {
    const all = allSessions();
    const first = await run("codex", { codex: "acceptEdits" }, all);
    const second = await run("claude", {}, all);
    const open = await second.open();
    assert.equal(await second.tell(open, "look"), "end_turn");
    assert.equal(await first.tell(await first.open(), "write"), "end_turn");
    assert.equal(second.engines.claude.opened[0]?.isRunning, false, "Claude is stopped before Codex works");
    await first.agent.stop("its client is gone");
    second.answers.push("stop");
    assert.match(await second.tell(open, "look"), /Codex has worked in/);
    assert.equal(second.engine.mayPrewarm?.(), false);
  });

  it("a link on the way to a directory counts as it is named, as it was and as it is", async () => {
    const [old, fresh, link] = ["old", "fresh", "project/current"].map((name) => join(root, name));
    for (const one of [old, fresh]) mkdirSync(one ?? "");
    symlinkSync(old ?? "", link ?? "");
    const { open, tell, answers } = await run("claude", { codex: "acceptEdits" });
    // Codex can replace the link, which lies in its directory.
    const behind = await open(link);
    assert.equal(await tell(behind, "look"), "end_turn");
    assert.equal(await tell(await open(), "/codex write"), "end_turn");
    answers.push("stop");
    assert.match(await tell(behind, "look"), /Codex has worked in/);
    const other = await run("claude", { codex: "acceptEdits" });
    const current = await other.open(link);
    rmSync(link ?? "");
    symlinkSync(fresh ?? "", link ?? "");
    assert.equal(await other.tell(current, "/codex write"), "end_turn");
    other.answers.push("stop");
    assert.match(await other.tell(await other.open(fresh), "look"), /Codex has worked in/);
  });

  it("nothing is asked while the other engine asks before each change, and once it was allowed something the user is asked", async () => {
    const { open, tell, answers, asked, engines } = await run("codex", {});
    const session = await open();
    assert.equal(await tell(session, "look"), "end_turn");
    assert.equal(await tell(session, "/claude look"), "end_turn");
    assert.equal(asked.length, 0);
    engines.codex.onPrompt = async (conversation) => {
      const toolCall = { toolCallId: "c1", title: "Run a command" };
      const choices = [{ option: permissionOption("allow_once", "allow", "Allow"), decision: "yes" }];
      await conversation.host.ask(
        { toolCall, choices, rejected: "no", unanswered: "no" },
        new AbortController().signal,
      );
      conversation.end();
    };
    answers.push("allow", "stop");
    assert.equal(await tell(session, "run"), "end_turn");
    assert.match(await tell(session, "/claude look"), /Codex has worked in/);
  });

  it("in a duet the second engine gets no prompt before the user has agreed, and the turn says so", async () => {
    const { open, tell, answers, updates, engines } = await run("duet", { claude: "acceptEdits" });
    const session = await open();
    answers.push("stop", "share_directory");
    assert.equal(await tell(session, "work"), "end_turn");
    assert.equal(engines.codex.opened[0]?.prompts.length, 0);
    assert.match(JSON.stringify(updates), /Codex could not answer: Claude has worked in/);
    assert.equal(await tell(session, "work"), "end_turn");
    assert.equal(engines.codex.opened[0]?.prompts.length, 1);
  });
});
