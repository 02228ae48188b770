/**
 * Two scripted engines in one session: routes, duets, reviews, failures and cancels.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption, type RequestPermissionRequest, type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import type { RouteSettings } from "../../../lib/agent/routes/route-options.ts";
import { emptyIndex, type NotedTurn, type SessionIndex } from "../../../lib/agent/routes/session-index.ts";
import { UpdateTagger } from "../../../lib/agent/routes/tagged-updates.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { type ConnectedAgent, connectAgent, type EditorOptions } from "../../support/agent/connected-agent.ts";
import type { ScriptedConversation } from "../../support/agent/scripted-engine.ts";

interface Duo extends ConnectedAgent {
  readonly claude: AnsweringEngine;
  readonly codex: AnsweringEngine;
  readonly sessionId: string;
  readonly texts: () => string;
}

const settings: RouteSettings = { route: "claude", primary: "claude", isReview: false, sharesContext: true };
const tick = (): Promise<void> => new Promise(setImmediate);

/** An agent with two scripted engines that answer every prompt with their name, and an open session. */
async function duo(
  given: Partial<RouteSettings> = {},
  client: EditorOptions = {},
  index: SessionIndex = emptyIndex,
): Promise<Duo> {
  const claude = named("claude", "Claude");
  const codex = named("codex", "Codex");
  const engine = routedEngine({ engines: { claude, codex }, settings: { ...settings, ...given }, index });
  const harness = await connectAgent(client, (link, shared) => createAgent(link, { ...shared, engine }));
  const { sessionId } = await harness.editor.call("session/new", { cwd: "/", mcpServers: [] });
  return { ...harness, claude, codex, sessionId, texts: () => textsOf(harness.updates).join("") };
}

function named(id: string, name: string): AnsweringEngine {
  const engine = Object.assign(new AnsweringEngine(), { id, name });
  engine.onPrompt = (conversation) => {
    conversation.say(`${name} answers.`);
    conversation.end();
  };
  return engine;
}

function textsOf(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) =>
    one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
  );
}

function promptsOf(engine: AnsweringEngine): readonly string[] {
  return (engine.opened[0]?.prompts ?? []).map(({ preface = [], content }) => JSON.stringify([...preface, ...content]));
}

function only(engine: AnsweringEngine): ScriptedConversation {
  const [conversation] = engine.opened;
  assert.ok(conversation);
  return conversation;
}

describe("a session with two engines", () => {
  it("a prompt goes to the engine of the route, and the other one is not opened", async () => {
    const { prompt, sessionId, texts, codex } = await duo();
    assert.deepEqual(await prompt(sessionId, "hi"), { stopReason: "end_turn" });
    assert.equal(texts(), "Claude answers.");
    assert.equal(codex.opened.length, 0);
  });

  it("the config option route switches the engine, which receives the earlier messages", async () => {
    const { prompt, sessionId, texts, codex, editor } = await duo();
    await prompt(sessionId, "What is one?");
    const { configOptions } = await editor.call("session/set_config_option", {
      sessionId,
      configId: "route",
      value: "codex",
    });
    assert.ok(configOptions.some((one) => one.id === "route" && one.currentValue === "codex"));
    await prompt(sessionId, "And two?");
    assert.equal(texts(), "Claude answers.Codex answers.");
    assert.match(promptsOf(codex)[0] ?? "", /User: What is one\?.*Claude: Claude answers\..*And two\?/);
    await prompt(sessionId, "And three?");
    assert.doesNotMatch(promptsOf(codex)[1] ?? "", /context/, "it has missed nothing since");
  });

  it("an engine receives no earlier messages when the conversation is not shared", async () => {
    const { prompt, sessionId, codex } = await duo({ sharesContext: false });
    await prompt(sessionId, "one");
    await prompt(sessionId, "/codex two");
    assert.doesNotMatch(promptsOf(codex)[0] ?? "", /context/);
  });

  it("a slash command switches the route and says so, and with a prompt asks that engine once", async () => {
    const { prompt, sessionId, texts, updates, claude, codex } = await duo();
    await prompt(sessionId, "/codex why?");
    assert.equal(texts(), "Codex answers.");
    assert.match(promptsOf(codex)[0] ?? "", /"why\?"/);
    await prompt(sessionId, "and now?");
    assert.equal(texts(), "Codex answers.Claude answers.");
    await prompt(sessionId, "/codex");
    assert.match(texts(), /Codex answers from now on\.$/);
    assert.ok(updates.some((one) => one.sessionUpdate === "config_option_update"));
    await prompt(sessionId, "again");
    assert.equal(only(claude).prompts.length, 1);
    assert.equal(only(codex).prompts.length, 2);
  });

  it("a slash command with a prompt takes what is attached to the prompt along", async () => {
    const { editor, sessionId, texts, claude, codex } = await duo();
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
    const prompt = [{ type: "text", text: "/codex what is this?" } as const, image];
    await editor.call("session/prompt", { sessionId, prompt });
    await editor.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "/codex" }, image] });
    assert.equal(texts(), "Codex answers.Codex answers.");
    assert.deepEqual(
      only(codex).prompts.map(({ content }) => content),
      [[{ type: "text", text: "what is this?" }, image], [image]],
    );
    assert.equal(only(claude).prompts.length, 0);
  });

  it("in a duet both engines answer in turn, and every update names its engine", async () => {
    const { prompt, sessionId, texts, updates, claude, codex } = await duo({ route: "duet", primary: "codex" });
    codex.onPrompt = (conversation) => {
      assert.equal(claude.opened[0]?.prompts.length ?? 0, 0, "the second engine waits");
      conversation.update(update.toolCall({ toolCallId: "call-1", title: "Run ls", kind: "execute" }));
      conversation.update(update.plan([{ content: "look", priority: "medium", status: "completed" }]));
      conversation.say("Co", "dex.");
      conversation.end();
    };
    claude.onPrompt = (conversation) => {
      conversation.update(update.plan([{ content: "think", priority: "medium", status: "pending" }]));
      conversation.say("Claude.");
      conversation.end();
    };
    assert.deepEqual(await prompt(sessionId, "hi"), { stopReason: "end_turn" });
    assert.equal(texts(), "[Codex] Codex.\n\n[Claude] Claude.");
    const call = updates.find((one) => one.sessionUpdate === "tool_call");
    assert.ok(call?.sessionUpdate === "tool_call");
    assert.deepEqual(
      [call.toolCallId, call.title, call._meta?.["engine"]],
      ["codex:call-1", "[Codex] Run ls", "codex"],
    );
    const plans = updates.flatMap((one) => (one.sessionUpdate === "plan" ? [one.entries.map((e) => e.content)] : []));
    assert.deepEqual(plans.at(-1), ["[Codex] look", "[Claude] think"]);
    assert.match(promptsOf(claude)[0] ?? "", /Codex: Codex\./, "the second engine knows the first answer");
  });

  it("in a review the second engine gets the request, the answer and the changes of the first", async () => {
    const { prompt, sessionId, claude, codex } = await duo({ route: "duet", isReview: true });
    claude.onPrompt = (conversation) => {
      const content = [{ type: "diff", path: "/a.ts", oldText: "old line", newText: "new line" }] as const;
      conversation.update(update.toolCall({ toolCallId: "t", title: "Edit a.ts", kind: "edit", content }));
      conversation.say("Done.");
      conversation.end();
    };
    await prompt(sessionId, "Fix the bug");
    assert.match(promptsOf(codex)[0] ?? "", /Claude.*Fix the bug.*Done\..*\/a\.ts.*old line.*new line.*Review/);
  });

  it("a review has every change of a file, and none of a call that was rejected or failed", async () => {
    const { prompt, sessionId, claude, codex } = await duo({ route: "duet", isReview: true });
    const diff = (word: string) => [{ type: "diff", path: "/a.ts", oldText: "", newText: word }] as const;
    claude.onPrompt = (conversation) => {
      for (const word of ["first", "second", "rejected"]) {
        const content = diff(word);
        conversation.update(update.toolCall({ toolCallId: word, title: "Edit a.ts", kind: "edit", content }));
        conversation.update(
          update.toolCallUpdate({ toolCallId: word, status: word === "rejected" ? "failed" : "completed" }),
        );
      }
      conversation.end();
    };
    await prompt(sessionId, "Fix the bug");
    assert.match(promptsOf(codex)[0] ?? "", /first.*second/);
    assert.doesNotMatch(promptsOf(codex)[0] ?? "", /rejected/);
  });

  it("when the first engine of a review fails, the second engine gets the prompt itself", async () => {
    const { prompt, sessionId, texts, claude, codex } = await duo({ route: "duet", isReview: true });
    claude.onPrompt = (conversation) =>
      conversation.end({ kind: "failed", failure: new EngineFailure("api", "the API is down") });
    await prompt(sessionId, "Fix the bug");
    assert.match(texts(), /Claude could not answer/);
    assert.match(promptsOf(codex)[0] ?? "", /"Fix the bug"/);
    assert.doesNotMatch(promptsOf(codex)[0] ?? "", /Review/);
  });

  it("a notice of an engine of a duet says whose it is", () => {
    const tagger = new UpdateTagger({ id: "codex", name: "Codex" });
    assert.deepEqual(tagger.tag(update.notice("warning", "Reconnecting")), {
      ...update.notice("warning", "[Codex] Reconnecting"),
      _meta: { engine: "codex" },
    });
  });

  it("the options and what the user is asked name the engine that answers", async () => {
    const asked: RequestPermissionRequest[] = [];
    const permit = (request: RequestPermissionRequest) => {
      asked.push(request);
      return { outcome: { outcome: "cancelled" } } as const;
    };
    const { prompt, sessionId, editor, codex, texts } = await duo(
      {},
      { permit, elicit: () => ({ action: "cancel" }), elicitation: { form: {} } },
    );
    codex.onPrompt = (conversation) => {
      const choices = [{ option: permissionOption("reject_once", "no", "Reject"), decision: 0, withReason: () => 1 }];
      const question = { toolCall: { toolCallId: "t", title: "Run ls" }, choices, rejected: 0, unanswered: 0 };
      void conversation.host.ask(question, new AbortController().signal).then(() => conversation.end());
    };
    await prompt(sessionId, "/codex go");
    assert.match(JSON.stringify(asked[0]?.options), /Reject and tell Codex why/);
    const change = { sessionId, configId: "route", value: "codex" } as const;
    const { configOptions } = await editor.call("session/set_config_option", change);
    assert.equal(configOptions.find(({ id }) => id === "mode")?.description, "What Codex may do without asking");
    await prompt(sessionId, "/version");
    assert.match(texts(), /, with Claude and Codex\./);
  });

  it("a failing engine of a duet is reported, and the other one still answers", async () => {
    const { prompt, sessionId, texts, claude } = await duo({ route: "duet" });
    claude.onPrompt = (conversation) =>
      conversation.end({ kind: "failed", failure: new EngineFailure("api", "the API is down") });
    assert.deepEqual(await prompt(sessionId, "hi"), { stopReason: "end_turn" });
    assert.match(texts(), /Claude could not answer: the API is down.*\[Codex\] Codex answers\./s);
  });

  it("a duet whose engines both fail fails with the error of the first", async () => {
    const { prompt, sessionId, claude, codex } = await duo({ route: "duet" });
    for (const engine of [claude, codex]) {
      const failure = new EngineFailure("api", `${engine.name} is down`);
      engine.onPrompt = (conversation) => conversation.end({ kind: "failed", failure });
    }
    await assert.rejects(prompt(sessionId, "hi"), { code: -32603, message: "Claude is down." });
  });

  it("a duet whose second engine is not signed in ends with -32000 after the first answer", async () => {
    const { prompt, sessionId, texts, codex } = await duo({ route: "duet" });
    codex.failure = new EngineFailure("not_signed_in", "Codex is not signed in");
    await assert.rejects(prompt(sessionId, "hi"), { code: -32000 });
    assert.match(texts(), /\[Claude\] Claude answers\./);
  });

  it("a cancel during the first answer of a duet skips the second engine", async () => {
    const { prompt, sessionId, editor, claude, codex } = await duo({ route: "duet" });
    claude.onPrompt = (conversation) => conversation.emit({ type: "acknowledged" });
    const running = prompt(sessionId, "hi");
    await tick();
    await editor.notify("session/cancel", { sessionId });
    await tick();
    only(claude).emit({ type: "turn_ended", end: { kind: "stopped", stopReason: "cancelled" } });
    assert.deepEqual(await running, { stopReason: "cancelled" });
    assert.ok(only(claude).calls.includes("interrupt"));
    assert.equal(codex.opened.length, 0);
  });

  it("a cancel during the second answer of a duet cancels the turn", async () => {
    const { prompt, sessionId, editor, codex } = await duo({ route: "duet" });
    codex.onPrompt = () => {};
    const running = prompt(sessionId, "hi");
    while (codex.opened[0]?.prompts.length !== 1) await tick();
    await editor.notify("session/cancel", { sessionId });
    await tick();
    only(codex).emit({ type: "turn_ended", end: { kind: "stopped", stopReason: "cancelled" } });
    assert.deepEqual(await running, { stopReason: "cancelled" });
  });

  it("a call of a duet that is abandoned ends under the name it was announced with", async () => {
    const { prompt, sessionId, editor, claude, updates, time } = await duo();
    claude.onPrompt = (conversation) => {
      conversation.emit({ type: "acknowledged" });
      conversation.update(update.toolCall({ toolCallId: "1", title: "Run make" }));
      conversation.abandon = () => conversation.update(update.toolCallUpdate({ toolCallId: "1", status: "failed" }));
    };
    const running = prompt(sessionId, "/duet hi");
    await tick();
    await editor.notify("session/cancel", { sessionId });
    await tick();
    time.advance(cancelGraceMs);
    assert.deepEqual(await running, { stopReason: "cancelled" });
    const calls = updates.flatMap((one) => ("toolCallId" in one ? [`${one.toolCallId} ${one.status}`] : []));
    assert.deepEqual(calls, ["claude:1 undefined", "claude:1 failed"]);
  });

  it("a switch that is cancelled while the engine starts ends at once and switches nothing", async () => {
    const { prompt, sessionId, editor, codex, texts } = await duo();
    let start = (): void => {};
    codex.onCall = (_, call) => (call === "start" ? new Promise<void>((resolve) => (start = resolve)) : undefined);
    const running = prompt(sessionId, "/codex");
    while (codex.opened.length === 0) await tick();
    await editor.notify("session/cancel", { sessionId });
    assert.deepEqual(await running, { stopReason: "cancelled" });
    start();
    await tick();
    await prompt(sessionId, "hi");
    assert.equal(texts(), "Claude answers.");
  });

  it("a session whose other part is not known any more is loaded without it, and the user is notified", async () => {
    const { editor, claude, texts } = await duo();
    const context = '<context ref="conversation">\nSince you last spoke\n\nCodex: Two.\n</context>\n';
    claude.saved.set("both", [update.userMessage(`${context}And three?`), update.agentMessage("Three.")]);
    await editor.call("session/load", { sessionId: "both", cwd: "/", mcpServers: [] });
    assert.match(texts(), /^Three\..*Codex took part in this conversation/s);
  });

  it("an engine that refuses to open the session fails its part of a duet, and nothing else", async () => {
    const { prompt, sessionId, codex, texts, updates } = await duo({ route: "duet" });
    codex.open = () => {
      throw new EngineFailure("invalid", "Codex cannot use it");
    };
    await prompt(sessionId, "hi").catch(() => {});
    assert.match(texts(), /Claude answers\./);
    assert.match(JSON.stringify(updates), /Codex could not answer: Codex cannot use it/);
  });

  it("an engine that lacks the chosen mode asks, and the user is notified", async () => {
    const { prompt, sessionId, claude, codex, editor, texts, updates } = await duo({ route: "duet" });
    const ids = (...names: readonly string[]) => names.map((id) => ({ id, name: id }));
    claude.settingsState = { ...claude.settingsState, modes: ids("default", "bypassPermissions", "auto") };
    codex.settingsState = { ...codex.settingsState, modes: ids("default", "bypassPermissions") };
    const { sessionId: own } = await editor.call("session/new", { cwd: "/", mcpServers: [] });
    assert.notEqual(own, sessionId);
    await prompt(own, "hi");
    await editor.call("session/set_mode", { sessionId: own, modeId: "bypassPermissions" });
    const modes = (): readonly (string | undefined)[] =>
      [claude, codex].map((one) => one.opened.at(-1)?.settingsState.mode);
    assert.deepEqual(modes(), ["bypassPermissions", "bypassPermissions"]);
    await editor.call("session/set_mode", { sessionId: own, modeId: "auto" });
    assert.deepEqual(modes(), ["auto", "default"]);
    assert.match(`${texts()}${JSON.stringify(updates)}`, /Codex does not have the mode auto; it asks/);
  });

  it("a mode that denies in one engine and works without asking in another is not carried over, and the user is notified", async () => {
    const { prompt, claude, codex, editor, texts, updates } = await duo();
    const mode = (id: string, description: string) => ({ id, name: id, description });
    const edits = "acceptEdits";
    claude.settingsState = {
      ...claude.settingsState,
      modes: [mode("default", "ask"), mode("dontAsk", "deny"), mode(edits, "ask before commands")],
    };
    codex.settingsState = {
      ...codex.settingsState,
      modes: [mode("default", "ask"), mode("dontAsk", "work"), mode(edits, "run commands")],
    };
    const { sessionId } = await editor.call("session/new", { cwd: "/", mcpServers: [] });
    const modes = (): readonly (string | undefined)[] =>
      [claude, codex].map((one) => one.opened.at(-1)?.settingsState.mode);
    const told = (): string => `${texts()}${JSON.stringify(updates)}`;
    await editor.call("session/set_mode", { sessionId, modeId: edits });
    await prompt(sessionId, "/codex hi");
    assert.deepEqual(modes(), [edits, edits]);
    assert.match(told(), /The mode of Codex, acceptEdits: run commands\./);
    await editor.call("session/set_mode", { sessionId, modeId: "dontAsk" });
    assert.deepEqual(modes(), ["dontAsk", "default"]);
    assert.match(told(), /Codex means something else by the mode dontAsk; it asks/);
    // From the list of Codex it is what Codex says it is.
    await editor.call("session/set_config_option", { sessionId, configId: "route", value: "codex" });
    await editor.call("session/set_mode", { sessionId, modeId: "dontAsk" });
    assert.deepEqual(modes(), ["default", "dontAsk"]);
  });

  it("an engine that has left the chosen mode to plan is not taken back to it by the next prompt", async () => {
    const { prompt, sessionId, claude, codex, editor } = await duo({ route: "duet", primary: "codex" });
    await editor.call("session/set_mode", { sessionId, modeId: "default" });
    await prompt(sessionId, "hi");
    const planning = only(claude);
    planning.settingsState = { ...planning.settingsState, mode: "plan" };
    await prompt(sessionId, "and now?");
    assert.equal(planning.settingsState.mode, "plan");
    assert.equal(only(codex).settingsState.mode, "default");
  });

  it("a mode holds for both engines, also for one that is opened later", async () => {
    const { prompt, sessionId, editor, claude, codex } = await duo();
    await editor.call("session/set_mode", { sessionId, modeId: "plan" });
    assert.equal(only(claude).settingsState.mode, "plan");
    await prompt(sessionId, "/codex hi");
    assert.equal(only(codex).settingsState.mode, "plan");
  });

  it("a route to an engine that cannot start is refused and changes nothing", async () => {
    const { prompt, sessionId, editor, codex, texts } = await duo();
    codex.failure = new EngineFailure("not_found", "the Codex CLI was not found");
    const change = { sessionId, configId: "route", value: "codex" };
    await assert.rejects(editor.call("session/set_config_option", change), { message: "the Codex CLI was not found" });
    await assert.rejects(prompt(sessionId, "/codex"), { message: "the Codex CLI was not found" });
    await prompt(sessionId, "hi");
    assert.equal(texts(), "Claude answers.");
  });

  it("a prompt that the first engine lost before it took it is submitted once more", async () => {
    const { prompt, sessionId, claude, texts } = await duo({ route: "duet" });
    let isFirst = true;
    claude.onPrompt = (conversation) => {
      if (isFirst) conversation.lose();
      else conversation.end();
      isFirst = false;
    };
    assert.deepEqual(await prompt(sessionId, "hi"), { stopReason: "end_turn" });
    assert.match(texts(), /\[Codex\] Codex answers\./);
    assert.equal(only(claude).prompts.length, 2);
  });

  it("/clear reaches every engine that has a part of the conversation, and no engine receives earlier messages", async () => {
    const { prompt, sessionId, claude, codex } = await duo();
    await prompt(sessionId, "What is one?");
    await prompt(sessionId, "/codex And two?");
    await prompt(sessionId, "/clear");
    assert.match(promptsOf(claude).at(-1) ?? "", /\/clear/);
    assert.match(promptsOf(codex).at(-1) ?? "", /\/clear/);
    await prompt(sessionId, "/codex Who am I?");
    assert.doesNotMatch(promptsOf(codex).at(-1) ?? "", /What is one/);
  });

  it("a conversation that begins with /clear is listed on its own, and the cleared one stays as it was", async () => {
    const noted: NotedTurn[] = [];
    const index: SessionIndex = { ...emptyIndex, note: (turn) => void noted.push(turn) };
    const { prompt, sessionId, claude, codex } = await duo({}, {}, index);
    await prompt(sessionId, "one");
    await prompt(sessionId, "/codex two");
    await prompt(sessionId, "/clear");
    only(codex).savedId = "codex-2";
    // Claude gets its new id with its next prompt.
    await prompt(sessionId, "/codex three");
    assert.equal(noted.length, 2);
    only(claude).savedId = "claude-2";
    await prompt(sessionId, "four");
    assert.deepEqual(
      noted.map(({ sessionId: id, previousId, engine, savedId }) => [id, previousId, engine, savedId]),
      [
        [sessionId, undefined, "claude", sessionId],
        [sessionId, sessionId, "codex", only(codex).id],
        ["claude-2", undefined, "codex", "codex-2"],
        ["claude-2", undefined, "claude", "claude-2"],
      ],
    );
  });

  it("a linked file is put into a prompt only if every engine that gets the prompt is open and agrees", async () => {
    const serves = { "fs/read_text_file": () => ({ content: "unsaved text" }) };
    const { editor, sessionId, claude } = await duo({}, { serves });
    const link = { type: "resource_link", uri: "file:///linked.txt", name: "linked.txt" } as const;
    const sent = async (): Promise<string> => {
      await editor.call("session/prompt", { sessionId, prompt: [link] });
      return promptsOf(claude).at(-1) ?? "";
    };
    assert.match(await sent(), /unsaved text/);
    only(claude).mayInlineFile = async () => false;
    assert.doesNotMatch(await sent(), /unsaved text/);
    only(claude).mayInlineFile = async () => true;
    await editor.call("session/set_config_option", { sessionId, configId: "route", value: "duet" });
    assert.match(await sent(), /unsaved text/);
  });

  it("a linked file is put into a prompt for one engine only if that engine agrees", async () => {
    const serves = { "fs/read_text_file": () => ({ content: "unsaved text" }) };
    const { editor, prompt, sessionId, claude, codex } = await duo({}, { serves });
    const link = { type: "resource_link", uri: "file:///linked.txt", name: "linked.txt" } as const;
    const sent = async (command: string, engine: AnsweringEngine): Promise<string> => {
      await editor.call("session/prompt", { sessionId, prompt: [{ type: "text", text: `${command} see` }, link] });
      return promptsOf(engine).at(-1) ?? "";
    };
    await prompt(sessionId, "/codex hi");
    only(claude).mayInlineFile = async () => false;
    assert.match(await sent("/codex", codex), /unsaved text/);
    await prompt(sessionId, "/codex");
    assert.doesNotMatch(await sent("/claude", claude), /unsaved text/);
  });

  it("closing the session closes the conversations of both engines", async () => {
    const { prompt, sessionId, editor, claude, codex } = await duo({ route: "duet" });
    await prompt(sessionId, "hi");
    await editor.call("session/close", { sessionId });
    for (const engine of [claude, codex]) assert.ok(only(engine).calls.includes("close"));
  });
});
