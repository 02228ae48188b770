/**
 * Every message of the protocol, with its envelope and fields.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeExit } from "../../lib/claude/index.ts";
import { settle } from "../support/link-log.ts";
import { cwd, bridgeHarness, result, toolRequest } from "../support/bridge/bridge-harness.ts";

const uuid = "6f1b3f9e-8c1d-4a55-9d3b-0d3a6a1c2b4e";

describe("session.create", () => {
  it("answers session.created with the id the CLI was given, then sends the prompt", async () => {
    await using one = bridgeHarness();
    one.send({ type: "session.create", id: uuid, payload: { prompt: "hello", cwd } });
    const created = await one.next();
    const sdk_session_id = one.launches[0]?.launch.session?.id;
    assert.deepEqual(created, {
      type: "session.created",
      id: uuid,
      session_id: created["session_id"],
      payload: { sdk_session_id },
    });
    assert.notEqual(created["session_id"], sdk_session_id);
    assert.equal(one.launches[0]?.cwd, cwd);
    assert.deepEqual(await one.fakeClis[0]?.hear("user"), {
      type: "user",
      message: { role: "user", content: "hello" },
      parent_tool_use_id: null,
      session_id: sdk_session_id,
      uuid,
      origin: { kind: "human" },
    });
  });

  it("waits for session.send when the prompt is empty", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create({}, " ");
    await settle();
    assert.deepEqual(
      cli.frames.map((frame) => frame["type"]),
      ["control_request"],
    );
    one.send({ type: "session.send", id: "s", session_id: id, payload: { message: "now" } });
    assert.equal((await cli.hear("user"))["message"].content, "now");
  });

  it("sends content blocks with images as they are, instead of the prompt", async () => {
    await using one = bridgeHarness();
    const content = [
      { type: "text", text: "what is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    ];
    one.send({ type: "session.create", id: "c", payload: { content, cwd } });
    const { session_id } = await one.next();
    assert.deepEqual((await one.fakeClis[0]?.hear("user"))?.["message"].content, content);
    one.send({ type: "session.send", id: "s", session_id, payload: { message: "ignored", content } });
    assert.deepEqual((await one.fakeClis[0]?.hear("user"))?.["message"].content, content);
  });

  it("announces a session before anything of it, also what came with the first answer", async () => {
    await using one = bridgeHarness();
    one.answer = undefined;
    one.send({ type: "session.create", id: "c", payload: { prompt: "", cwd } });
    const init = await (await until(() => one.fakeClis[0])).hear("initialize");
    one.fakeClis[0]?.say({ type: "system", subtype: "early" });
    await settle();
    assert.deepEqual(await one.rest(), []);
    one.fakeClis[0]?.answer(init, {});
    one.fakeClis[0]?.say({ type: "system", subtype: "late" });
    const types = (await one.rest()).map(({ type, payload }) => [type, payload.subtype]);
    assert.deepEqual(types, [
      ["session.created", undefined],
      ["sdk.message", "early"],
      ["sdk.message", "late"],
    ]);
  });

  it("says which options mean nothing, and goes on", async () => {
    await using one = bridgeHarness();
    await one.create({ colour: "red", model: null });
    assert.deepEqual(one.remarks, ['session.create: unknown options "colour"']);
    assert.equal(one.launches[0]?.launch.model, undefined);
  });

  it("resumes, rewinds and forks a conversation under its true id", async () => {
    await using one = bridgeHarness();
    one.send({ type: "session.create", id: "c", payload: { prompt: "", cwd, options: { resume: uuid } } });
    assert.equal((await one.next())["payload"].sdk_session_id, uuid);
    assert.deepEqual(one.launches[0]?.launch.session, { kind: "resume", id: uuid, forkTo: undefined, at: undefined });
    const options = { resume: uuid, fork_session: true, resume_session_at: "m1" };
    one.send({ type: "session.create", id: "d", payload: { prompt: "", cwd, options } });
    const { sdk_session_id } = (await one.next())["payload"];
    assert.notEqual(sdk_session_id, uuid);
    assert.deepEqual(one.launches[1]?.launch.session, { kind: "resume", id: uuid, forkTo: sdk_session_id, at: "m1" });
  });
});

describe("session.send", () => {
  it("goes to the same live process, in order, without an answer of its own", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create({}, "one");
    for (const message of ["two", "three"]) {
      one.send({ type: "session.send", id: message, session_id: id, payload: { message } });
    }
    await settle();
    const prompts = cli.frames.filter((frame) => frame["type"] === "user");
    assert.deepEqual(
      prompts.map((frame) => frame["message"].content),
      ["one", "two", "three"],
    );
    assert.equal(new Set(prompts.map((frame) => frame["uuid"])).size, 3);
    assert.equal(one.launches.length, 1);
    assert.deepEqual(await one.rest(), []);
  });

  it("resumes a dead CLI with what was changed since, and loses no message", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create({ model: "opus" }, "one");
    const sdk = one.launches[0]?.launch.session?.id;
    cli.say({ type: "system", subtype: "init", session_id: sdk });
    cli.say({ type: "system", subtype: "status", status: null, permissionMode: "plan" });
    one.send({ type: "query.call", id: "q", session_id: id, payload: { method: "setModel", args: ["haiku"] } });
    cli.answer(await cli.hear("set_model"), {});
    await settle();
    cli.die("the Claude CLI was ended by SIGKILL");
    await settle();
    for (const message of ["two", "three"]) {
      one.send({ type: "session.send", id: message, session_id: id, payload: { message } });
    }
    await settle();
    assert.equal(one.launches.length, 2);
    const { session, model, permissionMode } = one.launches[1]?.launch ?? {};
    assert.deepEqual([session, model, permissionMode], [{ kind: "resume", id: sdk }, "haiku", "plan"]);
    const prompts = one.fakeClis[1]?.frames.filter((frame) => frame["type"] === "user");
    assert.deepEqual(
      prompts?.map((frame) => frame["message"].content),
      ["two", "three"],
    );
  });

  it("starts a CLI that died before its first turn anew, for there is nothing to resume", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    cli.die();
    await one.next();
    one.send({ type: "session.send", id: "s", session_id: id, payload: { message: "hi" } });
    await settle();
    assert.deepEqual(one.launches[1]?.launch.session, one.launches[0]?.launch.session);
  });
});

describe("sdk.message", () => {
  it("passes on what no version knows, and neither control frames nor signs of life", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    const known = { type: "assistant", message: { content: "wrong on purpose" }, big: 2 ** 53, deep: { a: [null] } };
    cli.say({ type: "keep_alive" }, { type: "control_response", response: 1 }, { type: "control_request" });
    cli.say({ type: "never_heard_of", extra: 1 }, known);
    const said = (await one.rest()).map((message) => message);
    assert.deepEqual(said, [
      { type: "sdk.message", session_id: id, payload: { type: "never_heard_of", extra: 1 } },
      { type: "sdk.message", session_id: id, payload: known },
    ]);
  });
});

describe("session.interrupt", () => {
  it("answers session.interrupted when the CLI confirms, after the message sent before it", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    one.send({ type: "session.send", id: "s", session_id: id, payload: { message: "go" } });
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    const asked = await cli.hear("interrupt");
    assert.deepEqual(
      cli.frames.map((frame) => frame["request"]?.subtype ?? frame["type"]),
      ["initialize", "user", "interrupt"],
    );
    assert.deepEqual(await one.rest(), []);
    cli.answer(asked, { still_queued: [] });
    assert.deepEqual(await one.next(), { type: "session.interrupted", id: "i", session_id: id, payload: {} });
  });

  it("answers at once when no CLI runs", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    cli.die();
    await one.next();
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    assert.equal((await one.next())["type"], "session.interrupted");
    assert.equal(one.launches.length, 1);
  });
});

describe("session.kill", () => {
  it("ends the CLI, answers session.killed, and nothing more comes of the session", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create({}, "go");
    cli.say(toolRequest);
    assert.equal((await one.next())["type"], "callback.request");
    one.send({ type: "query.call", id: "q", session_id: id, payload: { method: "mcpServerStatus", args: [] } });
    one.send({ type: "session.kill", id: "k", session_id: id, payload: {} });
    cli.say(result);
    const said = await one.rest();
    assert.deepEqual(
      said.map((message) => [message["type"], message["id"]]),
      [
        ["query.result", "q"],
        ["session.killed", "k"],
      ],
    );
    assert.deepEqual(said[1], { type: "session.killed", id: "k", session_id: id, payload: {} });
    one.send({ type: "session.kill", id: "k2", session_id: id, payload: {} });
    assert.equal((await one.next())["payload"].code, "SESSION_NOT_FOUND");
  });
});

describe("query.call", () => {
  it("answers supportedModels, supportedCommands and accountInfo with what the CLI offered", async () => {
    await using one = bridgeHarness();
    one.answer = { models: [{ value: "m", novel: 1 }], commands: [{ name: "compact" }], account: { email: "a@b" } };
    const { id } = await one.create();
    const rows = { supportedModels: "models", supportedCommands: "commands", accountInfo: "account" } as const;
    for (const [method, key] of Object.entries(rows)) {
      one.send({ type: "query.call", id: method, session_id: id, payload: { method, args: [] } });
      assert.deepEqual(await one.next(), {
        type: "query.result",
        id: method,
        session_id: id,
        payload: { success: true, result: one.answer[key] },
      });
    }
  });

  const asks = [
    ["mcpServerStatus", [], { subtype: "mcp_status" }, { mcpServers: [{ name: "x", status: "failed" }] }, "mcpServers"],
    ["setModel", ["haiku"], { subtype: "set_model", model: "haiku" }, { model: "h" }, null],
    ["setModel", [], { subtype: "set_model", model: null }, { model: "h" }, null],
    ["setPermissionMode", ["plan"], { subtype: "set_permission_mode", mode: "plan" }, { mode: "plan" }, null],
    ["setMaxThinkingTokens", [0], { subtype: "set_max_thinking_tokens", max_thinking_tokens: 0 }, undefined, null],
    ["setMaxThinkingTokens", [null], { subtype: "set_max_thinking_tokens", max_thinking_tokens: null }, {}, null],
    ["rewindFiles", ["u"], { subtype: "rewind_files", user_message_id: "u" }, { canRewind: true }, undefined],
    [
      "rewindFiles",
      ["u", { dry_run: true }],
      { subtype: "rewind_files", user_message_id: "u", dry_run: true },
      { canRewind: false, error: "no" },
      undefined,
    ],
  ] as const;
  for (const [method, args, request, answer, key] of asks) {
    it(`asks the CLI for ${method}(${JSON.stringify(args).slice(1, -1)})`, async () => {
      await using one = bridgeHarness();
      const { id, cli } = await one.create();
      one.send({ type: "query.call", id: "q", session_id: id, payload: { method, args } });
      const asked = await cli.hear(request.subtype);
      assert.deepEqual(asked["request"], request);
      cli.answer(asked, answer as never);
      const expected = key === null ? null : key === undefined ? answer : Object.values(answer)[0];
      const { payload } = await one.next();
      assert.deepEqual(payload, { success: true, result: expected });
    });
  }
});

describe("the end of a CLI", () => {
  it("is told once, with its last words, and leaves the other sessions alone", async () => {
    await using one = bridgeHarness();
    const first = await one.create({}, "go");
    const second = await one.create({}, "go");
    first.cli.exit = new ClaudeExit("the Claude CLI exited with code 7", {
      code: 7,
      signal: null,
      stderr: ["out of", "luck"],
    });
    first.cli.die("the Claude CLI exited with code 7", 7, ["out of", "luck"]);
    assert.deepEqual(await one.rest(), [
      {
        type: "error",
        session_id: first.id,
        payload: {
          code: "SDK_ERROR",
          message: "the Claude CLI exited with code 7: luck",
          details: {
            reason: "the Claude CLI exited with code 7",
            exit_code: 7,
            signal: null,
            stderr: ["out of", "luck"],
          },
        },
      },
    ]);
    second.cli.say(result);
    assert.equal((await one.next())["session_id"], second.id);
  });

  for (const [code, isError] of [
    [0, false],
    [1, true],
  ] as const) {
    it(`is not told when all was said: code ${code} after a result with is_error ${isError}`, async () => {
      await using one = bridgeHarness();
      const { id, cli } = await one.create({}, "go");
      const { uuid: sent } = await cli.hear("user");
      cli.say({ type: "system", subtype: "init", session_id: "x" });
      cli.say({ ...result, is_error: isError, user_message_uuids: [sent] });
      await one.rest();
      cli.die(`the Claude CLI exited with code ${code}`, code);
      assert.deepEqual(await one.rest(), []);
      one.send({ type: "session.send", id: "s", session_id: id, payload: { message: "again" } });
      await settle();
      assert.deepEqual(one.launches[1]?.launch.session, { kind: "resume", id: "x" });
    });
  }
});

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await settle();
  }
}
