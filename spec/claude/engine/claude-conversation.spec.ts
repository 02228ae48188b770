/**
 * Sessions with a fake CLI: prompts, cancels and settings, also when the CLI dies, hangs
 * or refuses. spec/agent has what holds for every engine; spec/live tests with the real CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import { ClaudeNotFound } from "../../../lib/claude/index.ts";
import { agentHarness, ends, emptyStore, says, takes, wants } from "../../support/claude/agent-harness.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { offers } from "../../support/claude/fake-cli.ts";

describe("prompts of a session", () => {
  it("a prompt is answered after all updates of its turn", async () => {
    const { open, prompt, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    assert.equal(frame["message"].content, "hi");
    fakeCli.say(...takes(frame), says("Hello."), ...ends(frame));
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(messageText(updates), "Hello.");
  });

  it("prompts run one at a time, and a late result of the first does not end the second", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const [first, second] = [prompt(sessionId, "1"), prompt(sessionId, "2")];
    const one = await fakeCli.hear("user");
    fakeCli.say(...takes(one), ...ends(one));
    await first;
    const two = await fakeCli.hear("user");
    fakeCli.say(...takes(two), ...ends(one, { stop_reason: "max_tokens" }).slice(0, 1), ...ends(two));
    assert.deepEqual(await second, { stopReason: "end_turn" });
  });

  it("a prompt that a dying CLI did not acknowledge is sent to the next CLI, once", async () => {
    const { open, prompt, cli } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    await fakeCli.hear("user");
    fakeCli.die();
    const next = await cli.run(1);
    assert.deepEqual(next.request.launch.session, { kind: "new", id: sessionId }, "nothing is on disk yet");
    const frame = await next.hear("user");
    assert.equal(frame["message"].content, "hi");
    next.die();
    await assert.rejects(answered, { code: -32603, message: "the Claude CLI was ended by SIGKILL" });
    assert.equal(cli.runs.length, 2);
  });

  it("a cancelled prompt is not sent to the CLI that replaces a dead one", async () => {
    const { open, prompt, cli, editor } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    await fakeCli.hear("user");
    cli.answer = undefined;
    fakeCli.die();
    const next = await cli.run(1);
    const initialize = await next.hear("initialize");
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    next.answer(initialize, offers);
    await new Promise(setImmediate);
    assert.deepEqual(
      next.frames.map((frame) => frame["request"]?.subtype ?? frame["type"]),
      ["initialize"],
    );
  });

  for (const [how, fail] of [
    ["refuses to start", "refuse"],
    ["does not answer when it starts", "wait"],
  ] as const) {
    it(`a prompt fails with the reason when the CLI ${how}, and the next prompt starts another CLI`, async () => {
      const { open, prompt, cli, time, bugs } = await agentHarness();
      const { sessionId, fakeCli } = await open();
      cli.answer = undefined;
      fakeCli.die();
      await new Promise(setImmediate);
      const failed = prompt(sessionId, "1");
      const second = await cli.run(1);
      const { request_id } = await second.hear("initialize");
      if (fail === "refuse") {
        second.say({ type: "control_response", response: { subtype: "error", request_id, error: "not today" } });
        await assert.rejects(failed, { code: -32603, message: "the Claude CLI refused initialize: not today" });
      } else {
        time.advance(60_000);
        await assert.rejects(failed, { code: -32603, message: /does not answer; try again/ });
      }
      cli.answer = offers;
      const answered = prompt(sessionId, "2");
      const third = await cli.run(2);
      const frame = await third.hear("user");
      third.say(...takes(frame), ...ends(frame));
      assert.deepEqual(await answered, { stopReason: "end_turn" });
      assert.equal(second.isOpen, false, "the CLI that failed is stopped");
      assert.deepEqual(bugs, []);
    });
  }

  it("after the CLI dies, the next prompt resumes the conversation by the CLI's own id", async () => {
    const { open, prompt, cli, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const lost = prompt(sessionId, "1");
    const one = await fakeCli.hear("user");
    fakeCli.say(...takes(one, "cli-own-name"), wants("Bash", { command: "ls" }));
    await new Promise(setImmediate);
    fakeCli.die("the Claude CLI exited with code 7", 7, ["first", "second", "third", "fourth"]);
    await assert.rejects(lost, { message: "the Claude CLI exited with code 7: second / third / fourth" });
    assert.ok(updates.some((one) => one.sessionUpdate === "tool_call_update" && one.status === "failed"));
    const found = prompt(sessionId, "2");
    const next = await cli.run(1);
    assert.deepEqual(next.request.launch.session, { kind: "resume", id: "cli-own-name" });
    const two = await next.hear("user");
    next.say(...takes(two), ...ends(two));
    assert.deepEqual(await found, { stopReason: "end_turn" });
  });

  it("a prompt starts a new conversation after the CLI has not found the old one", async () => {
    const { open, prompt, cli } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const lost = prompt(sessionId, "1");
    fakeCli.say(...takes(await fakeCli.hear("user")));
    await new Promise(setImmediate);
    fakeCli.die();
    await assert.rejects(lost);
    cli.answer = undefined;
    const failed = prompt(sessionId, "2");
    (await cli.run(1)).die("the Claude CLI exited with code 1", 1, ["No conversation found with session ID: x"]);
    await assert.rejects(failed, { message: /No conversation found/ });
    cli.answer = offers;
    void prompt(sessionId, "3").catch(() => {});
    assert.equal((await cli.run(2)).request.launch.session?.kind, "new");
  });

  it("a prompt that a dying CLI did not save is sent to the next CLI without a query", async () => {
    const { open, prompt, cli } = await agentHarness({
      store: { ...emptyStore, hasPrompt: async () => "not the prompt" },
    });
    const { sessionId, fakeCli } = await open();
    const lost = prompt(sessionId, "1");
    const one = await fakeCli.hear("user");
    fakeCli.say(...takes(one));
    await new Promise(setImmediate);
    fakeCli.die();
    await assert.rejects(lost);
    const found = prompt(sessionId, "2");
    const next = await cli.run(1);
    assert.equal(next.request.launch.session?.kind, "resume");
    const resent = await next.hear("user");
    assert.deepEqual([resent["message"].content, resent["shouldQuery"], resent["uuid"]], ["1", false, one["uuid"]]);
    const two = await next.hear("user");
    assert.deepEqual([two["message"].content, two["shouldQuery"]], ["2", undefined]);
    // The result of the lost prompt does not answer the second prompt.
    next.say(...takes(resent), ...ends(resent, { stop_reason: null }), ...takes(two), ...ends(two));
    assert.deepEqual(await found, { stopReason: "end_turn" });
    void prompt(sessionId, "3").catch(() => {});
    assert.equal((await next.hear("user"))["message"].content, "3", "and only once");
  });

  it("a prompt starts a new conversation when the dead CLI saved nothing", async () => {
    const { open, prompt, cli } = await agentHarness({ store: { ...emptyStore, hasPrompt: async () => "nothing" } });
    const { sessionId, fakeCli } = await open();
    const lost = prompt(sessionId, "1");
    fakeCli.say(...takes(await fakeCli.hear("user")));
    await new Promise(setImmediate);
    fakeCli.die();
    await assert.rejects(lost);
    void prompt(sessionId, "2").catch(() => {});
    const next = await cli.run(1);
    assert.deepEqual(next.request.launch.session, { kind: "new", id: sessionId });
    assert.equal((await next.hear("user"))["message"].content, "1");
    assert.equal((await next.hear("user"))["message"].content, "2");
  });

  it("a prompt fails at the first refusal of the credentials", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    fakeCli.say(...takes(await fakeCli.hear("user")), {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      error: "authentication_failed",
    });
    await assert.rejects(answered, { code: -32000 });
    await fakeCli.hear("interrupt");
  });

  it("open tool calls are ended before the prompt is answered, also when the credentials are refused", async () => {
    const { open, prompt, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    fakeCli.say(...takes(await fakeCli.hear("user")), wants("Bash", { command: "ls" }), {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      error: "authentication_failed",
    });
    await assert.rejects(answered, { code: -32000 });
    const last = updates.findLast((one) => one.sessionUpdate === "tool_call_update");
    assert.equal(last?.sessionUpdate === "tool_call_update" && last.status, "failed");
  });

  it("a prompt that reaches the account's limit fails with the time of the reset", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(
      ...takes(frame),
      { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 } },
      { ...says("Usage limit reached"), error: "rate_limit" },
      ...ends(frame, { is_error: true, terminal_reason: "api_error", result: "Usage limit reached" }),
    );
    await assert.rejects(answered, { code: -32603, data: { errorKind: "limit", resetsAt: 1_800_000_000 } });
  });
});

describe("session/cancel", () => {
  it("a cancel interrupts the CLI at once and discards it after cancelGraceMs", async () => {
    const { open, prompt, editor, time, cli } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    fakeCli.say(...takes(await fakeCli.hear("user")));
    await new Promise(setImmediate);
    editor.cancel(sessionId);
    const { request } = await fakeCli.hear("interrupt");
    assert.equal(request.cancel_queued, true);
    time.advance(cancelGraceMs - 1);
    await new Promise(setImmediate);
    time.advance(1);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    void prompt(sessionId, "again").catch(() => {});
    // The CLI that did not stop gets no further prompt.
    await (await cli.run(1)).hear("user");
  });

  it("a cancel right after its prompt sends neither prompt nor interrupt to the CLI", async () => {
    const { open, prompt, editor } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "cancelled" });
    assert.deepEqual(
      fakeCli.frames.map((frame) => frame["request"]?.subtype ?? frame["type"]),
      ["initialize"],
    );
  });
});

describe("settings of a session", () => {
  it("a setting that the CLI refuses stays unchanged", async () => {
    const { open, editor, updates } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const changed = editor.call("session/set_mode", { sessionId, modeId: "plan" });
    const { request_id } = await fakeCli.hear("set_permission_mode");
    const refusal = { subtype: "error", request_id, error: "not now", error_code: "busy" };
    fakeCli.say({ type: "control_response", response: refusal });
    await assert.rejects(changed, { code: -32602, message: "not now" });
    const resumes = { sessionId, configId: "auto_resume", value: "true" };
    const { configOptions } = await editor.call("session/set_config_option", resumes);
    assert.equal(configOptions.find(({ id }) => id === "mode")?.currentValue, "default");
    assert.ok(!updates.some((one) => one.sessionUpdate === "current_mode_update"));
  });

  it("a mode change by the CLI is sent to the client once, as the mode and as an option", async () => {
    const { open, updates } = await agentHarness();
    const { fakeCli } = await open();
    const status = { type: "system", subtype: "status", status: null, permissionMode: "plan" };
    fakeCli.say(status, status);
    await new Promise(setImmediate);
    const kinds = updates.map((one) => one.sessionUpdate).filter((kind) => kind !== "available_commands_update");
    assert.deepEqual(kinds, ["current_mode_update", "config_option_update"]);
  });

  it("a setting changed while no CLI runs is used to start the next CLI", async () => {
    const { open, editor, cli, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    fakeCli.die();
    await new Promise(setImmediate);
    await editor.call("session/set_mode", { sessionId, modeId: "acceptEdits" });
    await editor.call("session/set_config_option", { sessionId, configId: "model", value: "haiku" });
    void prompt(sessionId, "hi").catch(() => {});
    const { permissionMode, model } = (await cli.run(1)).request.launch;
    assert.deepEqual({ permissionMode, model }, { permissionMode: "acceptEdits", model: "haiku" });
  });
});

describe("the CLI of a session", () => {
  it("a CLI that exits with code 0 before the result fails the turn", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    fakeCli.say(...takes(await fakeCli.hear("user")), says("Almost"));
    await new Promise(setImmediate);
    fakeCli.die("the Claude CLI exited with code 0", 0);
    await assert.rejects(answered, { code: -32603, message: "the Claude CLI exited with code 0" });
  });

  it("a CLI that becomes idle without a result is replaced by one that resumes the conversation", async () => {
    const { open, prompt, cli } = await agentHarness({ store: { ...emptyStore, hasPrompt: async () => "the prompt" } });
    const { sessionId, fakeCli } = await open();
    const unanswered = prompt(sessionId, "hi");
    fakeCli.say(...takes(await fakeCli.hear("user")));
    fakeCli.say({ type: "system", subtype: "init", session_id: sessionId });
    fakeCli.say({ type: "system", subtype: "session_state_changed", state: "idle" });
    await assert.rejects(unanswered, { code: -32603, message: "the Claude CLI came to rest without an answer." });
    const answered = prompt(sessionId, "again");
    const next = await cli.run(1);
    assert.equal(fakeCli.isOpen, false, "the first CLI is ended");
    assert.deepEqual(next.request.launch.session, { kind: "resume", id: sessionId });
    const frame = await next.hear("user");
    next.say(...takes(frame), says("Here."), ...ends(frame));
    assert.equal((await answered).stopReason, "end_turn");
  });

  it("a CLI that is too old is reported as such, whether it answers initialize or not", async () => {
    const tooOld = new ClaudeNotFound("too-old", "the Claude CLI at /x is 1.0.9; 2.1.197 or newer is needed");
    const { open, cli } = await agentHarness();
    cli.diagnose = () => Promise.reject(tooOld);
    cli.answer = { ...offers, claude_code_version: "1.0.9" };
    await assert.rejects(open(), { code: -32603, message: tooOld.message });
    cli.answer = undefined;
    const refused = open();
    (await cli.run(1)).die("the Claude CLI exited with code 1", 1, ["error: unknown option"]);
    await assert.rejects(refused, { message: tooOld.message });
  });

  it("a CLI without credentials fails session/new with -32000", async () => {
    const { open, cli } = await agentHarness();
    cli.answer = { ...offers, account: { tokenSource: "none", apiProvider: "firstParty" } };
    await assert.rejects(open(), { code: -32000 });
  });

  it("every CLI is stopped when the client closes the connection", async () => {
    const { open, editor, agent, cli } = await agentHarness();
    await open();
    await open();
    editor.close("bye");
    await agent.stop("bye");
    for (const { frames } of cli.runs) assert.equal(frames.at(-1)?.["request"].subtype, "interrupt");
  });
});
