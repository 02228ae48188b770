/**
 * Every message of the protocol, with its envelope and fields.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeExit } from "../../lib/claude/index.ts";
import { settle } from "../support/wire/link-log.ts";
import { cwd, bridgeHarness, result, toolRequest } from "../support/bridge/bridge-harness.ts";

const uuid = "6f1b3f9e-8c1d-4a55-9d3b-0d3a6a1c2b4e";

describe("session.create", () => {
  it("session.create is answered with session.created and the CLI's session id, then the prompt is sent", async () => {
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

  it("a session with an empty prompt waits for session.send", async () => {
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

  it("content blocks with images are sent unchanged, instead of the prompt", async () => {
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

  it("session.created precedes every other message of the session, also those the CLI sent with its first response", async () => {
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

  it("unknown options are reported and the session is created", async () => {
    await using one = bridgeHarness();
    await one.create({ colour: "red", model: null });
    assert.deepEqual(one.remarks, ['session.create: unknown options "colour"']);
    assert.equal(one.launches[0]?.launch.model, undefined);
  });

  it("resume, resume_session_at and fork_session give session.created the right conversation id", async () => {
    await using one = bridgeHarness();
    one.send({ type: "session.create", id: "c", payload: { prompt: "", cwd, options: { resume: uuid } } });
    assert.equal((await one.next())["payload"].sdk_session_id, uuid);
    assert.deepEqual(one.launches[0]?.launch.session, { kind: "resume", id: uuid });
    const options = { resume: uuid, fork_session: true, resume_session_at: "m1" };
    one.send({ type: "session.create", id: "d", payload: { prompt: "", cwd, options } });
    const { sdk_session_id } = (await one.next())["payload"];
    assert.notEqual(sdk_session_id, uuid);
    assert.deepEqual(one.launches[1]?.launch.session, { kind: "resume", id: uuid, forkTo: sdk_session_id, at: "m1" });
  });
});

describe("session.send", () => {
  it("session.send writes to the live CLI in order and has no answer of its own", async () => {
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

  it("session.send after the CLI died starts one that resumes with the changed settings, and no message is lost", async () => {
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

  it("session.send after the CLI died before its first turn starts a new conversation", async () => {
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
  it("unknown messages of the CLI are passed on, control frames and keep-alives are not", async () => {
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
  it("session.interrupt is answered when the CLI confirms, and does not overtake the message sent before it", async () => {
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

  it("session.interrupt is answered at once when no CLI runs", async () => {
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
  it("session.kill stops the CLI, is answered with session.killed, and the session sends nothing more", async () => {
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
  it("supportedModels, supportedCommands and accountInfo are answered from the CLI's initialize response", async () => {
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
    it(`query.call ${method}(${JSON.stringify(args).slice(1, -1)}) sends a control request to the CLI`, async () => {
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

describe("exit of a CLI", () => {
  it("an unexpected exit is reported once with the last lines of stderr and does not affect other sessions", async () => {
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
    it(`an exit with code ${code} after a result with is_error ${isError} is not reported`, async () => {
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
