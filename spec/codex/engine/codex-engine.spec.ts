/**
 * Specs of the Codex engine with the fake app-server.
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { codexEngine } from "../../../lib/codex/index.ts";
import { type Engine, EngineFailure } from "../../../lib/engine/index.ts";
import { ConversationDriver, type DriverOptions } from "../../support/codex/conversation-driver.ts";
import { FakeCodex } from "../../support/codex/fake-app-server.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const cwd = tmpdir();
const endTurn = { kind: "stopped", stopReason: "end_turn" };
const cancelled = { kind: "stopped", stopReason: "cancelled" };

interface Setup {
  readonly codex: FakeCodex;
  readonly engine: Engine;
  readonly clock: FakeClock;
  readonly bugs: string[];
  readonly open: (options?: Partial<DriverOptions>) => ConversationDriver;
  readonly start: (options?: Partial<DriverOptions>) => Promise<ConversationDriver>;
}

function setup(): Setup {
  const codex = new FakeCodex();
  const clock = fakeClock();
  const bugs: string[] = [];
  const engine = codexEngine({
    env: {},
    version: "0.0.0",
    after: clock.after,
    launcher: codex.launcher,
    onBug: (doing, cause) => bugs.push(`${doing}: ${String(cause)}`),
  });
  const open = (options: Partial<DriverOptions> = {}): ConversationDriver =>
    new ConversationDriver(engine, { cwd, after: clock.after, ...options });
  const start = async (options?: Partial<DriverOptions>): Promise<ConversationDriver> => {
    const driver = open(options);
    await driver.conversation.start();
    return driver;
  };
  return { codex, engine, clock, bugs, open, start };
}

/** Submits a prompt and waits until the engine knows that Codex has taken it. Returns the id of the turn. */
async function submitted(driver: ConversationDriver, codex: FakeCodex, text = "hi"): Promise<string> {
  await driver.conversation.ready(() => true);
  const count = codex.current.paramsOf("turn/start").length;
  const acknowledged = driver.events.filter(({ type }) => type === "acknowledged").length;
  await driver.submit(text);
  const { threadId, clientUserMessageId } = await codex.current.request("turn/start", count);
  const turnId = codex.lastTurnId;
  codex.current.prompted(String(threadId), turnId, clientUserMessageId);
  await driver.until(() => driver.events.filter(({ type }) => type === "acknowledged").length > acknowledged);
  return turnId;
}

/** Resolves when all lines that were sent have arrived: links in memory deliver in microtasks. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

describe("the Codex engine", () => {
  it("a session from which the client takes tools is refused, because Codex has no such lists", () => {
    const { open } = setup();
    for (const requestedOptions of [{ tools: [] }, { tools: ["Read"] }, { disallowedTools: ["Bash"] }])
      assert.throws(() => open({ request: { requestedOptions } }), {
        kind: "invalid",
        message: /cannot leave out tools/,
      });
    assert.doesNotThrow(() => open({ request: { requestedOptions: { disallowedTools: [], maxTurns: 3 } } }));
  });

  it("text that the user did not write mentions no skill, also when Codex does not list its skills", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const attached = { type: "resource", resource: { uri: "file:///a.sh", text: "$pdf $HOME" } } as const;
    const prompt = { content: [{ type: "text", text: "$pdf " }, attached], preface: ["$pdf says "] } as const;
    const sent = async (id: string): Promise<unknown> => {
      const count = codex.current.paramsOf("turn/start").length;
      await driver.conversation.ready(() => true);
      driver.conversation.submit({ id, ...prompt });
      const { threadId, input } = await codex.current.request("turn/start", count);
      codex.current.prompted(String(threadId), codex.lastTurnId, id);
      codex.current.completed(String(threadId), codex.lastTurnId);
      await driver.until(() => driver.ends.length > count);
      return input;
    };
    const text = (said: string, inside: string): unknown => [
      { type: "text", text: `${said} says $pdf \n<context ref="/a.sh">\n${inside}\n</context>\n`, text_elements: [] },
    ];
    codex.on("skills/list", () => ({ result: { data: [{ cwd, skills: [{ name: "pdf" }], errors: [] }] } }));
    assert.deepEqual(await sent("p1"), text("${pdf}", "${pdf} $HOME"));
    for (const answer of [{ error: { code: -32600, message: "unknown" } }, { result: { data: [] } }, { result: {} }]) {
      codex.on("skills/list", () => answer);
      assert.deepEqual(await sent(JSON.stringify(answer)), text("${pdf}", "${pdf} ${HOME}"));
    }
  });

  it("a prompt that is cancelled or abandoned while Codex lists its skills starts no turn", async () => {
    for (const stop of ["interrupt", "abandon"] as const) {
      const { codex, start } = setup();
      const driver = await start();
      codex.on("skills/list", () => {
        driver.conversation[stop]("the user");
        return { result: { data: [] } };
      });
      await driver.conversation.ready(() => true);
      driver.conversation.submit({ id: "p", content: [{ type: "text", text: "x" }], preface: ["$pdf"] });
      await codex.current.request("skills/list");
      await settled();
      await driver.conversation.ready(() => true);
      assert.deepEqual(driver.ends, stop === "interrupt" ? [cancelled] : []);
      assert.deepEqual(codex.current.paramsOf("turn/start"), []);
    }
  });

  it("a conversation is started with the user's own settings and the id of its thread", async () => {
    const { codex, start } = setup();
    const driver = await start();
    assert.equal(driver.conversation.id, "thread-1");
    const [params] = codex.current.paramsOf("thread/start");
    assert.equal(params?.["cwd"], cwd);
    for (const key of ["sandbox", "approvalPolicy", "permissions", "model"]) assert.ok(!(key in (params ?? {})), key);
    assert.equal(codex.current.paramsOf("thread/settings/update").length, 0);
    const { mode, model, effort, efforts } = driver.conversation.settingsState;
    assert.deepEqual(
      [mode, model, effort, efforts.map(({ value }) => value)],
      ["default", "gpt-a", "low", ["low", "high"]],
    );
    const commands = driver.events.find((event) => event.type === "commands_changed");
    assert.ok(commands?.type === "commands_changed" && commands.commands.some(({ name }) => name === "compact"));
  });

  it("all conversations share one app-server, which is started for the first and stopped after the last", async () => {
    const { codex, clock, start } = setup();
    const first = await start();
    const second = await start();
    assert.equal(codex.processes.length, 1);
    assert.equal(first.conversation.release("idle"), true);
    clock.advance(60_000);
    assert.equal(codex.current.isClosed, false);
    assert.equal(second.conversation.release("idle"), true);
    clock.advance(60_000);
    await codex.current.until(() => codex.current.isClosed);
  });

  it("a turn belongs to the trace that the client gave to the session, and to none otherwise", async () => {
    const { codex, start } = setup();
    const traceContext = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    for (const request of [{ requestedOptions: { traceContext } }, {}])
      await submitted(await start({ request }), codex);
    const turns = codex.current.requests.filter(({ method }) => method === "turn/start");
    assert.deepEqual(
      turns.map(({ trace }) => trace),
      [traceContext, undefined],
    );
  });

  it("a text turn is acknowledged, reported and ended", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.say("thread-1", turn, "Hello.");
    codex.current.completed("thread-1", turn);
    assert.deepEqual(await driver.end(0), endTurn);
    assert.equal(driver.text, "Hello.");
    assert.deepEqual(
      driver.events.map(({ type }) => type).filter((type) => type !== "commands_changed"),
      ["acknowledged", "updates", "turn_ended"],
    );
    const [params] = codex.current.paramsOf("turn/start");
    assert.equal(params?.["clientUserMessageId"], "prompt-1");
  });

  it("a turn that Codex completes in the same read as its answer is ended", async () => {
    const { codex, start } = setup();
    const driver = await start();
    codex.on("turn/start", () => {
      // Before the answer, which the fake sends after this function.
      codex.current.turnStarted("thread-1", "fast");
      codex.current.completed("thread-1", "fast", "failed", { error: { message: "no", codexErrorInfo: "other" } });
      return { result: { turn: { id: "fast", status: "inProgress", items: [] } } };
    });
    const end = await driver.tell("hi");
    assert.equal(end.kind, "failed");
  });

  it("the end of another turn does not end the prompt", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.completed("thread-1", "another");
    codex.current.completed("thread-9", turn);
    codex.current.say("thread-1", turn, "Still here.");
    await driver.until(() => driver.text !== "");
    assert.equal(driver.ends.length, 0);
    codex.current.completed("thread-1", turn);
    assert.deepEqual(await driver.end(0), endTurn);
  });

  it("an approval goes to the user and its answer to Codex, also with the id 0", async () => {
    const { codex, start } = setup();
    const driver = await start({ answer: () => "allow" });
    const turn = await submitted(driver, codex);
    codex.current.command("thread-1", turn, "call");
    codex.current.ask(0, "item/commandExecution/requestApproval", {
      threadId: "thread-1",
      turnId: turn,
      itemId: "call",
      command: "/bin/bash -lc 'sleep 9'",
      reason: "May I sleep?",
    });
    await codex.current.until(() => codex.current.answers.has(0));
    assert.deepEqual(codex.current.answers.get(0), { id: 0, result: { decision: "accept" } });
    assert.match(JSON.stringify(driver.asked[0]), /May I sleep/);
  });

  it("an approval that Codex withdraws is aborted and not answered", async () => {
    const { codex, start } = setup();
    let isAborted = false;
    const driver = await start({
      answer: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            isAborted = true;
            resolve("allow");
          });
        }),
    });
    const turn = await submitted(driver, codex);
    codex.current.command("thread-1", turn, "call");
    codex.current.ask(7, "item/commandExecution/requestApproval", {
      threadId: "thread-1",
      turnId: turn,
      itemId: "call",
      command: "x",
    });
    await driver.until(() => driver.asked.length === 1);
    codex.current.notify("serverRequest/resolved", { threadId: "thread-1", requestId: 7 });
    codex.current.completed("thread-1", turn);
    await driver.end(0);
    assert.ok(isAborted);
    assert.equal(codex.current.answers.size, 0);
  });

  it("a request that is unknown or of an unknown thread is refused, so that Codex does not wait for ever", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    codex.current.ask(1, "item/tool/newThing", { threadId: "thread-1" });
    codex.current.ask(2, "attestation/generate", {});
    codex.current.ask(3, "item/commandExecution/requestApproval", { threadId: "nobody", itemId: "x" });
    await codex.current.until(() => codex.current.answers.size === 2);
    clock.advance(10_000);
    await codex.current.until(() => codex.current.answers.size === 3);
    for (const answer of codex.current.answers.values()) assert.match(JSON.stringify(answer), /-32601/);
    assert.equal(driver.asked.length, 0);
  });

  it("cancelling interrupts the turn, stops its commands, and waits for their ends", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    driver.conversation.interrupt();
    assert.deepEqual(await codex.current.request("turn/interrupt"), { threadId: "thread-1", turnId: turn });
    assert.deepEqual(await codex.current.request("thread/backgroundTerminals/clean"), { threadId: "thread-1" });
    codex.current.completed("thread-1", turn, "interrupted");
    codex.current.command("thread-1", turn, "call", "failed");
    assert.deepEqual(await driver.end(0), cancelled);
    assert.deepEqual(driver.calls, ["sleep 9: failed"]);
    assert.equal(driver.events.at(-1)?.type, "turn_ended");
  });

  it("a cancelled turn ends although its command does not", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    driver.conversation.interrupt();
    codex.current.completed("thread-1", turn, "interrupted");
    await codex.current.request("thread/backgroundTerminals/clean", 1);
    assert.equal(driver.ends.length, 0);
    clock.advance(300);
    assert.deepEqual(await driver.end(0), cancelled);
    assert.deepEqual(driver.calls, ["sleep 9: failed"]);
  });

  it("a prompt that is cancelled before Codex has named its turn is interrupted by the empty id", async () => {
    const { codex, start } = setup();
    const driver = await start();
    codex.on("turn/start", () => undefined);
    await driver.submit("hi");
    driver.conversation.interrupt();
    assert.equal((await codex.current.request("turn/interrupt"))["turnId"], "");
  });

  it("nothing of an abandoned turn is reported, and the next prompt waits for its end", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    driver.conversation.interrupt();
    driver.conversation.abandon("Cancelled.");
    assert.deepEqual(driver.calls, ["sleep 9: failed"]);
    const seen = driver.events.length;
    codex.current.say("thread-1", turn, "late");
    const next = driver.submit("next");
    codex.current.completed("thread-1", turn, "interrupted");
    clock.advance(300);
    await next;
    await codex.current.request("turn/start", 1);
    codex.current.prompted("thread-1", codex.lastTurnId, "prompt-2");
    await driver.until(() => driver.events.length > seen);
    assert.deepEqual(driver.events[seen], { type: "acknowledged" });
    assert.equal(codex.processes.length, 1);
  });

  it("a call of an abandoned turn is shown as cancelled, whatever the reason", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    driver.conversation.abandon("it did not stop when the turn was cancelled");
    assert.match(JSON.stringify(driver.updates.at(-1)), /Cancelled\./);
  });

  it("closing a conversation ends the calls of its turn before it waits for Codex", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    const closing = driver.conversation.close("the session was closed");
    assert.deepEqual(driver.calls, ["sleep 9: failed"]);
    assert.match(JSON.stringify(driver.updates.at(-1)), /The session was closed\./);
    await closing;
  });

  it("closing a conversation withdraws its open question", async () => {
    const { codex, start } = setup();
    let isWithdrawn = false;
    const driver = await start({
      answer: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            isWithdrawn = true;
            resolve("unanswered");
          });
        }),
    });
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    codex.current.ask(0, "item/commandExecution/requestApproval", {
      threadId: "thread-1",
      turnId: turn,
      itemId: "call",
      command: "sleep 9",
    });
    await driver.until(() => driver.asked.length === 1);
    await driver.conversation.close("the session was closed");
    assert.ok(isWithdrawn);
  });

  it("an app-server that does not end an abandoned turn is replaced", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    await submitted(driver, codex);
    driver.conversation.abandon("Cancelled.");
    const ready = driver.conversation.ready(() => true);
    clock.advance(5000);
    await ready;
    assert.equal(codex.processes.length, 2);
    assert.deepEqual(
      codex.current.paramsOf("thread/resume").map(({ threadId }) => threadId),
      ["thread-1"],
    );
  });

  it("an app-server that dies before it took the prompt loses the turn unacknowledged", async () => {
    const { codex, start } = setup();
    const driver = await start();
    codex.on("turn/start", () => undefined);
    await driver.submit("hi");
    await codex.current.request("turn/start");
    codex.current.crash();
    const end = await driver.end(0);
    assert.equal(end.kind, "lost");
    assert.ok(!driver.events.some(({ type }) => type === "acknowledged"));
  });

  it("an app-server that dies after its answer but before it has saved the prompt loses the turn unacknowledged", async () => {
    const { codex, start } = setup();
    const driver = await start();
    await driver.submit("hi");
    await codex.current.request("turn/start");
    codex.current.turnStarted("thread-1", codex.lastTurnId);
    await settled();
    codex.current.crash();
    assert.equal((await driver.end(0)).kind, "lost");
    assert.ok(!driver.events.some(({ type }) => type === "acknowledged"));
  });

  it("an app-server that dies in a turn ends its calls and loses the turn; the next prompt resumes with the settings", async () => {
    const { codex, start } = setup();
    const driver = await start();
    await driver.conversation.change("mode", "acceptEdits");
    await driver.conversation.change("model", "gpt-b");
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    codex.current.command("thread-1", turn, "call");
    await driver.until(() => driver.calls.length === 1);
    codex.current.crash();
    const end = await driver.end(0);
    assert.ok(end.kind === "lost" && end.failure instanceof EngineFailure && end.failure.kind === "exited");
    assert.deepEqual(driver.calls, ["sleep 9: failed"]);
    assert.equal(driver.conversation.isRunning, false);
    const next = await submitted(driver, codex);
    assert.equal(codex.processes.length, 2);
    const [resumed] = codex.current.paramsOf("thread/resume");
    assert.equal(resumed?.["threadId"], "thread-1");
    const [settings] = codex.current.paramsOf("thread/settings/update");
    assert.equal(settings?.["model"], "gpt-b");
    assert.match(JSON.stringify(settings?.["sandboxPolicy"]), /workspaceWrite/);
    assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
    codex.current.completed("thread-1", next);
    assert.deepEqual(await driver.end(1), endTurn);
  });

  it("a conversation that was never prompted gets a new thread and keeps its id when its app-server dies", async () => {
    const { codex, start } = setup();
    const driver = await start();
    codex.current.crash();
    await settled();
    assert.equal(driver.conversation.isRunning, false);
    await submitted(driver, codex);
    assert.equal(driver.conversation.id, "thread-1");
    assert.equal(driver.conversation.savedId, "thread-2");
  });

  it("an app-server that hangs in a turn is found out after two probes and replaced", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    await submitted(driver, codex);
    codex.current.isHung = true;
    clock.advance(29_000);
    assert.equal(driver.ends.length, 0);
    clock.advance(11_000);
    const end = await driver.end(0);
    assert.ok(end.kind === "lost" && end.failure instanceof EngineFailure && end.failure.kind === "hung");
    await submitted(driver, codex);
    assert.equal(codex.processes.length, 2);
  });

  it("an app-server that answers probes may be silent for as long as the model thinks", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    for (let i = 0; i < 30; i++) {
      clock.advance(10_000);
      await settled();
    }
    assert.ok(codex.current.paramsOf("thread/loaded/list").length >= 10);
    assert.equal(driver.ends.length, 0);
    codex.current.completed("thread-1", turn);
    assert.deepEqual(await driver.end(0), endTurn);
  });

  it("nothing is read from Codex while a client does not keep up, and silence then is no hang", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    driver.conversation.pause();
    assert.ok(codex.current.isPaused);
    codex.current.say("thread-1", turn, "Hello.");
    clock.advance(60_000);
    assert.equal(driver.text, "");
    driver.conversation.resume();
    await driver.until(() => driver.text === "Hello.");
    assert.equal(driver.ends.length, 0);
    assert.ok(!codex.current.isPaused);
  });

  it("an overloaded app-server gets the request again", async () => {
    const { codex, clock, start } = setup();
    const driver = await start();
    let times = 0;
    codex.on("turn/start", () =>
      ++times < 3
        ? { error: { code: -32001, message: "overloaded" } }
        : { result: { turn: { id: "turn-x", status: "inProgress", items: [] } } },
    );
    await driver.submit("hi");
    for (let i = 0; i < 3; i++) {
      await codex.current.request("turn/start", i);
      await settled();
      clock.advance(1000);
    }
    codex.current.completed("thread-1", "turn-x");
    assert.deepEqual(await driver.end(0), endTurn);
  });

  it("hostile lines and unknown messages change nothing", async () => {
    const { codex, bugs, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    const lines = [
      "no json",
      "[]",
      "null",
      "{}",
      '{"id":null}',
      '{"id":{},"result":1}',
      '{"id":99999,"result":{}}',
      '{"id":"x","error":null}',
      '{"id":5,"error":"text"}',
      '{"method":5}',
      '{"method":"turn/completed"}',
      '{"method":"turn/completed","params":{"threadId":"thread-1","turn":null}}',
      '{"method":"item/started","params":{"threadId":"thread-1","item":{"type":"__proto__"}}}',
      '{"method":"item/completed","params":{"threadId":"thread-1","item":[]}}',
      '{"method":"some/newThing","params":{"threadId":"thread-1"}}',
      '{"method":"thread/settings/updated","params":{"threadId":"thread-1","threadSettings":7}}',
      '{"method":"thread/goal/updated","params":{"threadId":"thread-1","goal":[]}}',
      '{"method":"serverRequest/resolved","params":{"threadId":"thread-1","requestId":{}}}',
    ];
    for (const line of lines) codex.current.line(line);
    codex.current.say("thread-1", turn, "Hello.");
    codex.current.completed("thread-1", turn);
    assert.deepEqual(await driver.end(0), endTurn);
    assert.equal(driver.text, "Hello.");
    assert.deepEqual(bugs, []);
  });

  it("two conversations get only what belongs to them", async () => {
    const { codex, start } = setup();
    const first = await start();
    const second = await start();
    const [one, two] = [await submitted(first, codex), await submitted(second, codex)];
    codex.current.say("thread-2", two, "second");
    codex.current.say("thread-1", one, "first");
    codex.current.completed("thread-2", two);
    codex.current.completed("thread-1", one);
    await Promise.all([first.end(0), second.end(0)]);
    assert.deepEqual([first.text, second.text], ["first", "second"]);
  });

  it("a released conversation is resumed by its next prompt", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    assert.equal(driver.conversation.release("idle"), false);
    codex.current.completed("thread-1", turn);
    await driver.end(0);
    assert.equal(driver.conversation.release("idle"), true);
    await codex.current.request("thread/unsubscribe");
    assert.equal(driver.conversation.isRunning, false);
    await submitted(driver, codex);
    assert.equal(codex.processes.length, 1);
    assert.equal(codex.current.paramsOf("thread/resume").length, 1);
  });

  it("a setting that Codex changes is reported, and a choice that is not offered is refused", async () => {
    const { codex, start } = setup();
    const driver = await start();
    codex.current.notify("thread/settings/updated", { threadId: "thread-1", threadSettings: { model: "gpt-b" } });
    await driver.until(() => driver.events.some(({ type }) => type === "settings_changed"));
    assert.equal(driver.conversation.settingsState.model, "gpt-b");
    assert.deepEqual(
      driver.conversation.settingsState.efforts.map(({ value }) => value),
      ["high"],
    );
    for (const [id, value] of [
      ["mode", "nonsense"],
      ["effort", "low"],
      ["model", ""],
      ["other", "x"],
    ] as const) {
      await assert.rejects(
        driver.conversation.change(id, value),
        (cause) => cause instanceof EngineFailure && cause.kind === "invalid",
      );
    }
  });

  it("a conversation is not started without a sign-in, an existing directory or Codex", async () => {
    const { codex, open } = setup();
    const kindOf = (kind: string) => (cause: unknown) => cause instanceof EngineFailure && cause.kind === kind;
    codex.on("account/read", () => ({ result: { account: null, requiresOpenaiAuth: true } }));
    await assert.rejects(open().conversation.start(), kindOf("not_signed_in"));
    codex.on("account/read", () => ({ result: { account: null, requiresOpenaiAuth: false } }));
    await assert.rejects(open({ cwd: "/no/such/directory" }).conversation.start(), kindOf("invalid"));
    const missing = codexEngine({ env: { CODEX_EXECUTABLE: "/no/such/codex" }, version: "0" });
    const driver = new ConversationDriver(missing, { cwd });
    await assert.rejects(driver.conversation.start(), kindOf("not_found"));
    await missing.close("done");
  });

  it("MCP servers that Codex cannot use are refused when the conversation is opened", () => {
    const { open } = setup();
    const stdio = { name: "a", command: "x", args: [], env: [] };
    const wrong = [
      [{ type: "sse" as const, name: "a", url: "http://x", headers: [] }],
      [{ ...stdio, name: "with space" }],
      [stdio, stdio],
    ];
    for (const mcpServers of wrong) {
      assert.throws(
        () => open({ request: { mcpServers } }),
        (cause) => cause instanceof EngineFailure && cause.kind === "invalid",
      );
    }
  });

  it("MCP servers go into the thread's configuration, and a name of the user's own is not taken", async () => {
    const { codex, start } = setup();
    codex.on("config/read", () => ({ result: { config: { mcp_servers: { taken: { command: "y" } } } } }));
    await start({
      request: {
        mcpServers: [
          { name: "taken", command: "x", args: ["1"], env: [{ name: "K", value: "V" }] },
          { type: "http", name: "web", url: "http://x", headers: [{ name: "H", value: "V" }] },
        ],
      },
    });
    const config = codex.current.paramsOf("thread/start")[0]?.["config"] as Record<string, unknown>;
    assert.deepEqual(config["mcp_servers"], {
      taken_editor: { command: "x", args: ["1"], env: { K: "V" } },
      web: { url: "http://x", http_headers: { H: "V" } },
    });
  });

  it("a sandbox of the configuration that can write is set after the start, so that the directory is not saved as trusted", async () => {
    const { codex, start } = setup();
    const config = { sandbox_mode: "workspace-write", sandbox_workspace_write: { network_access: true } };
    codex.on("config/read", () => ({ result: { config } }));
    const driver = await start();
    assert.equal(codex.current.paramsOf("thread/start")[0]?.["sandbox"], "read-only");
    const [update] = codex.current.paramsOf("thread/settings/update");
    assert.match(JSON.stringify(update?.["sandboxPolicy"]), /"workspaceWrite".*"networkAccess":true/);
    assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
  });

  it("a permission profile of the configuration is set after the start too, and comes before its sandbox", async () => {
    const profiles = [
      [":workspace", "acceptEdits"],
      [":danger-full-access", "custom"],
      ["mine", "custom"],
    ] as const;
    for (const [permissions, mode] of profiles) {
      const { codex, start } = setup();
      const config = { default_permissions: permissions, sandbox_mode: "danger-full-access" };
      codex.on("config/read", () => ({ result: { config } }));
      const driver = await start();
      assert.equal(codex.current.paramsOf("thread/start")[0]?.["sandbox"], "read-only");
      assert.deepEqual(codex.current.paramsOf("thread/settings/update"), [{ threadId: "thread-1", permissions }]);
      assert.equal(driver.conversation.settingsState.mode, mode);
    }
    const { codex, start } = setup();
    const config = { default_permissions: ":read-only", sandbox_mode: "danger-full-access" };
    codex.on("config/read", () => ({ result: { config } }));
    await start();
    assert.deepEqual(codex.current.paramsOf("thread/settings/update"), []);
  });

  it("a subagent's question is asked, and cancelling stops the subagent", async () => {
    const { codex, start } = setup();
    const driver = await start({ answer: () => "allow" });
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    // The messages of the child may come before the item that names it.
    codex.current.command("child", "turn-c", "call");
    codex.current.ask(4, "item/commandExecution/requestApproval", { threadId: "child", itemId: "call", command: "x" });
    await settled();
    assert.equal(driver.asked.length, 0);
    const item = {
      type: "subAgentActivity",
      id: "agent",
      kind: "started",
      agentThreadId: "child",
      agentPath: "/root/a",
    };
    codex.current.notify("item/started", { threadId: "thread-1", turnId: turn, item });
    await codex.current.until(() => codex.current.answers.has(4));
    assert.deepEqual(codex.current.answers.get(4)?.["result"], { decision: "accept" });
    assert.equal(driver.calls.length, 2);
    driver.conversation.interrupt();
    await codex.current.request("thread/backgroundTerminals/clean", 1);
    assert.deepEqual(codex.current.paramsOf("turn/interrupt"), [
      { threadId: "thread-1", turnId: turn },
      { threadId: "child", turnId: "" },
    ]);
    assert.deepEqual(
      codex.current.paramsOf("thread/backgroundTerminals/clean").map(({ threadId }) => threadId),
      ["thread-1", "child"],
    );
  });

  it("a lost turn that is submitted again contains the prompts that were added to it", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const added = [{ id: "b", content: [{ type: "text" as const, text: "second" }] }];
    driver.conversation.submit({ id: "a", content: [{ type: "text", text: "first" }] }, added);
    const { input } = await codex.current.request("turn/start");
    assert.match(JSON.stringify(input), /"first".*"second"/);
  });

  it("a goal is one prompt until it is no longer active", async () => {
    const { codex, start } = setup();
    const driver = await start();
    await driver.submit("/goal make it green");
    assert.equal((await codex.current.request("thread/goal/set"))["objective"], "make it green");
    for (const turn of ["g1", "g2"]) {
      codex.current.turnStarted("thread-1", turn);
      codex.current.say("thread-1", turn, turn, turn);
      codex.current.completed("thread-1", turn);
    }
    await driver.until(() => driver.text.includes("g2"));
    await settled();
    assert.equal(driver.ends.length, 0);
    codex.current.turnStarted("thread-1", "g3");
    codex.current.notify("thread/goal/updated", { threadId: "thread-1", goal: { status: "complete" } });
    codex.current.completed("thread-1", "g3");
    assert.deepEqual(await driver.end(0), endTurn);
    assert.equal(driver.conversation.isBusy, false);
  });

  it("a goal that the model sets in a prompt keeps the prompt open until the goal is no longer active", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    const goal = (status: string): void =>
      codex.current.notify("thread/goal/updated", { threadId: "thread-1", goal: { status } });
    goal("active");
    codex.current.completed("thread-1", turn);
    codex.current.turnStarted("thread-1", "g1");
    codex.current.say("thread-1", "g1", "More.");
    await driver.until(() => driver.text.includes("More."));
    await settled();
    assert.equal(driver.ends.length, 0);
    goal("complete");
    codex.current.completed("thread-1", "g1");
    await driver.end(0);
    assert.deepEqual(driver.events.at(-1), { type: "turn_ended", end: { ...endTurn, isGoal: true } });
  });

  it("in plan mode, in which Codex pursues no goals, /goal says so and a goal of the model does not hold the prompt", async () => {
    const { codex, start } = setup();
    const driver = await start({ request: { settings: { mode: "plan" } } });
    assert.deepEqual(await driver.tell("/goal make it green"), endTurn);
    assert.match(driver.text, /plan mode/);
    assert.equal(codex.current.paramsOf("thread/goal/set").length, 0);
    const turn = await submitted(driver, codex);
    codex.current.notify("thread/goal/updated", { threadId: "thread-1", goal: { status: "active" } });
    codex.current.completed("thread-1", turn);
    assert.deepEqual(await driver.end(1), endTurn);
  });

  it("a turn of a goal that fails ends the prompt with the failure", async () => {
    const { codex, start } = setup();
    const driver = await start();
    await driver.submit("/goal make it green");
    await codex.current.request("thread/goal/set");
    codex.current.turnStarted("thread-1", "g1");
    codex.current.completed("thread-1", "g1", "failed", {
      error: { message: "no", codexErrorInfo: "serverOverloaded" },
    });
    assert.equal((await driver.end(0)).kind, "failed");
    assert.equal((await codex.current.request("thread/goal/set", 1))["status"], "paused");
    assert.equal(driver.conversation.isBusy, false);
  });

  it("a command of ours is acknowledged and ended without a turn of Codex", async () => {
    const { codex, start } = setup();
    const driver = await start();
    assert.deepEqual(await driver.tell("/status"), endTurn);
    assert.match(driver.text, /gpt-a/);
    codex.on("skills/list", () => ({ error: { code: -32600, message: "Invalid request: unknown variant" } }));
    const end = await driver.tell("/skills");
    assert.ok(end.kind === "failed" && end.failure.kind === "refused");
    assert.equal(codex.current.paramsOf("turn/start").length, 0);
  });

  it("MCP servers and background commands are listed, and one command is stopped", async () => {
    const { codex, start } = setup();
    const { controls } = (await start()).conversation;
    const data = [
      { name: "files", runtimeStatus: "connected", tools: { read: {} } },
      { name: "drive", runtimeStatus: null, authStatus: "notLoggedIn", tools: {} },
      { name: "broken", runtimeStatus: "cancelled" },
      { name: "quiet", runtimeStatus: "disabled" },
    ];
    codex.on("mcpServerStatus/list", () => ({ result: { data } }));
    assert.deepEqual(
      (await controls?.mcp?.servers())?.map(({ name, status, tools }) => `${name} ${status} ${tools.join()}`),
      ["files connected read", "drive needs_sign_in ", "broken failed ", "quiet off "],
    );
    codex.on("mcpServer/oauth/login", () => ({ result: { authorizationUrl: "https://auth.example" } }));
    assert.equal(await controls?.mcp?.signIn?.("drive"), "https://auth.example");
    const running = [{ itemId: "i-1", processId: "7", command: "npm run dev", cwd: "/" }];
    codex.on("thread/backgroundTerminals/list", () => ({ result: { data: running } }));
    codex.on("thread/backgroundTerminals/terminate", () => ({ result: { terminated: true } }));
    const task = { id: "7", kind: "command", title: "npm run dev", toolCallId: "i-1" };
    assert.deepEqual(await controls?.tasks?.list(), [task]);
    await controls?.tasks?.stop("7");
    const stopped = codex.current.paramsOf("thread/backgroundTerminals/terminate");
    assert.deepEqual(stopped, [{ threadId: "thread-1", processId: "7" }]);
    await assert.rejects(controls?.tasks?.stop("8") ?? assert.fail("no tasks"), { kind: "invalid" });
    codex.on("mcpServerStatus/list", () => ({ error: { code: -32600, message: "Invalid request: unknown variant" } }));
    await assert.rejects(controls?.mcp?.servers() ?? assert.fail("no servers"), { kind: "refused" });
  });

  it("a question about a plan is withdrawn when the prompt is cancelled", async () => {
    const { codex, start } = setup();
    const driver = await start({
      answer: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("unanswered"))),
    });
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    const item = { type: "plan", id: "p", text: "1. Do it" };
    codex.current.notify("item/completed", { threadId: "thread-1", turnId: turn, item });
    codex.current.completed("thread-1", turn);
    await driver.until(() => driver.asked.length === 1);
    driver.conversation.interrupt();
    assert.deepEqual(await driver.end(0), cancelled);
    assert.equal(codex.current.paramsOf("turn/start").length, 1);
  });

  it("a plan is carried out to its end, also when Codex completes the turn before its answer is handled", async () => {
    const { codex, start } = setup();
    const driver = await start({ answer: () => "accept_edits" });
    const turn = await submitted(driver, codex);
    codex.current.turnStarted("thread-1", turn);
    const item = { type: "plan", id: "p", text: "1. Do it" };
    codex.current.notify("item/completed", { threadId: "thread-1", turnId: turn, item });
    codex.on("turn/start", () => {
      codex.current.turnStarted("thread-1", "turn-of-the-plan");
      codex.current.completed("thread-1", "turn-of-the-plan");
      return { result: { turn: { id: "turn-of-the-plan", status: "inProgress", items: [] } } };
    });
    codex.current.completed("thread-1", turn);
    await codex.current.request("turn/start", 1);
    await settled();
    assert.deepEqual(driver.ends, [endTurn]);
    assert.equal(driver.conversation.isBusy, false);
  });

  it("a closed engine leaves no app-server, also one that is just being started", async () => {
    const { codex, engine, open } = setup();
    const starting = open().conversation.start();
    starting.catch(() => {});
    await engine.close("done");
    await assert.rejects(starting, (cause) => cause instanceof EngineFailure);
    assert.ok(codex.processes.every(({ isClosed }) => isClosed));
    await assert.rejects(engine.checkSignIn(), (cause) => cause instanceof EngineFailure);
  });

  it("a warning about the configuration is shown once, in the first conversation that is prompted", async () => {
    const { codex, start } = setup();
    codex.on("account/read", () => {
      codex.current.notify("configWarning", { summary: "the file is odd", details: null });
      return { result: { account: { type: "apiKey" }, requiresOpenaiAuth: true } };
    });
    const first = await start();
    codex.on("account/read", () => ({ result: { account: { type: "apiKey" } } }));
    const second = await start();
    assert.equal(first.updates.length, 0);
    await submitted(second, codex);
    await submitted(first, codex);
    assert.match(JSON.stringify(second.updates), /the file is odd/);
    assert.doesNotMatch(JSON.stringify(first.updates), /the file is odd/);
  });

  it("a thread that Codex closes without a request is resumed by the next prompt", async () => {
    const { codex, start } = setup();
    const driver = await start();
    const turn = await submitted(driver, codex);
    codex.current.completed("thread-1", turn);
    await driver.end(0);
    codex.current.notify("thread/closed", { threadId: "thread-1" });
    await settled();
    assert.equal(driver.conversation.isRunning, false);
    await submitted(driver, codex);
    assert.equal(codex.current.paramsOf("thread/resume").length, 1);
    assert.equal(driver.ends.length, 1);
  });
});
