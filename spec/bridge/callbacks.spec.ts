/**
 * Callbacks: permissions, hooks and elicitations, from the CLI's request to its response.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Frame, FakeCli } from "../support/claude/fake-cli.ts";
import { settle } from "../support/wire/link-log.ts";
import { type BridgeHarness, bridgeHarness, toolRequest } from "../support/bridge/bridge-harness.ts";

const { request } = toolRequest;

/** A session whose CLI has sent a callback request, and the callback's id. */
async function asked(one: BridgeHarness, options: Frame = {}, question: Frame = toolRequest) {
  const { id, cli } = await one.create(options);
  cli.say(question);
  const message = await one.next();
  assert.equal(message["type"], "callback.request");
  const answer = (payload: unknown): void =>
    one.send({ type: "callback.response", id: message["id"], session_id: id, payload });
  return { id, cli, message, answer };
}

async function answerTo(cli: FakeCli): Promise<unknown> {
  return (await cli.hear("control_response"))["response"].response;
}

function hookOf(callback_id: string, input: Frame = {}): Frame {
  const hook = { subtype: "hook_callback", callback_id, input, tool_use_id: "toolu_1" };
  return { type: "control_request", request_id: `cli-${callback_id}`, request: hook };
}

describe("callback.request for a tool", () => {
  it("the callback.request for a tool carries every field of the CLI's request", async () => {
    await using one = bridgeHarness();
    const { id, message } = await asked(one);
    assert.deepEqual(message, {
      type: "callback.request",
      id: message["id"],
      session_id: id,
      payload: {
        callback_type: "can_use_tool",
        tool_name: "Bash",
        tool_input: request.input,
        suggestions: request.permission_suggestions,
        blocked_path: "/tmp",
        decision_reason: request.decision_reason,
        tool_use_id: "toolu_1",
        agent_id: "agent-1",
      },
    });
  });

  const suggestions = request.permission_suggestions;
  const other = { command: "ls" };
  const answers: readonly (readonly [string, Frame, Frame])[] = [
    [
      "allow alone runs the requested input and changes no permission rule",
      { behavior: "allow" },
      { behavior: "allow", updatedInput: request.input, updatedPermissions: [], toolUseID: "toolu_1" },
    ],
    [
      "allow with null fields has the effect of allow alone",
      { behavior: "allow", updated_input: null, updated_permissions: null },
      { behavior: "allow", updatedInput: request.input, updatedPermissions: [], toolUseID: "toolu_1" },
    ],
    [
      "allow can replace the input and add permission rules",
      { behavior: "allow", updated_input: other, updated_permissions: suggestions },
      { behavior: "allow", updatedInput: other, updatedPermissions: suggestions, toolUseID: "toolu_1" },
    ],
    [
      "an empty updated_input replaces the input with an empty one",
      { behavior: "allow", updated_input: {} },
      { behavior: "allow", updatedInput: {}, updatedPermissions: [], toolUseID: "toolu_1" },
    ],
    [
      "deny without a message gets the default message",
      { behavior: "deny" },
      { behavior: "deny", message: "Denied", toolUseID: "toolu_1" },
    ],
    [
      "deny can give a reason and end the turn",
      { behavior: "deny", message: "No.", interrupt: true },
      { behavior: "deny", message: "No.", interrupt: true, toolUseID: "toolu_1" },
    ],
  ];
  for (const [name, payload, expected] of answers) {
    it(name, async () => {
      await using one = bridgeHarness();
      const { cli, answer } = await asked(one);
      answer(payload);
      assert.deepEqual(await answerTo(cli), expected);
      assert.deepEqual(await one.rest(), []);
    });
  }

  it("permission suggestions and updates of unknown kinds pass unchanged in both directions", async () => {
    await using one = bridgeHarness();
    const next = { type: "addSpells", spells: ["lumos"], destination: "session" };
    const all = [...suggestions, next];
    const { cli, message, answer } = await asked(
      one,
      {},
      {
        ...toolRequest,
        request: { ...request, permission_suggestions: all },
      },
    );
    assert.deepEqual(message["payload"].suggestions, all);
    answer({ behavior: "allow", updated_permissions: [next] });
    const expected = { behavior: "allow", updatedInput: request.input, updatedPermissions: [next] };
    assert.deepEqual(await answerTo(cli), { ...expected, toolUseID: "toolu_1" });
  });

  it("allow without suggestions sends no updated permissions", async () => {
    await using one = bridgeHarness();
    const { permission_suggestions: _, ...bare } = request;
    const { cli, answer } = await asked(one, {}, { ...toolRequest, request: bare });
    answer({ behavior: "allow" });
    assert.deepEqual(await answerTo(cli), { behavior: "allow", updatedInput: request.input, toolUseID: "toolu_1" });
  });

  it("several callbacks can be answered by id in any order", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    for (const n of [1, 2, 3]) cli.say({ ...toolRequest, request_id: `cli-${n}` });
    const ids = (await one.rest()).map((message) => message["id"]);
    assert.equal(new Set(ids).size, 3);
    for (const [place, message] of [
      [2, "third"],
      [0, "first"],
      [1, "second"],
    ] as const) {
      const payload = { behavior: "deny", message };
      one.send({ type: "callback.response", id: ids[place], session_id: id, payload });
    }
    await settle();
    const told = cli.frames.flatMap(({ response }) =>
      response ? [[response.request_id, response.response.message]] : [],
    );
    assert.deepEqual(told, [
      ["cli-3", "third"],
      ["cli-1", "first"],
      ["cli-2", "second"],
    ]);
  });
});

describe("callback.request for a hook", () => {
  const hooks = { PreToolUse: [{ matcher: "Bash" }, { matcher: "Write|Edit", timeout: 7 }], Stop: [{}] };

  it("each hook is registered with a CLI timeout longer than the bridge's", async () => {
    await using one = bridgeHarness();
    const { cli } = await one.create({ hooks });
    assert.deepEqual((await cli.hear("initialize"))["request"].hooks, {
      PreToolUse: [
        { matcher: "Bash", hookCallbackIds: ["hook_0"], timeout: 305 },
        { matcher: "Write|Edit", hookCallbackIds: ["hook_1"], timeout: 7 },
      ],
      Stop: [{ hookCallbackIds: ["hook_2"], timeout: 305 }],
    });
  });

  it("the callback.request for a hook carries the event, its input and the tool call id", async () => {
    await using one = bridgeHarness();
    const input = { hook_event_name: "Stop", stop_hook_active: false };
    const { id, message } = await asked(one, { hooks }, hookOf("hook_2", input));
    const payload = { callback_type: "hook", hook_event: "Stop", hook_input: input, tool_use_id: "toolu_1" };
    assert.deepEqual(message, { type: "callback.request", id: message["id"], session_id: id, payload });
  });

  const inner = { hookEventName: "PreToolUse", permissionDecision: "allow", some_key: 1 };
  const answers: readonly (readonly [string, Frame, Frame])[] = [
    ["an empty hook answer continues", {}, {}],
    [
      "every field of a hook answer is translated to camelCase, and hook_specific_output passes unchanged",
      {
        continue: false,
        suppress_output: true,
        stop_reason: "enough",
        decision: "block",
        system_message: "hm",
        reason: "why",
        hook_specific_output: inner,
      },
      {
        continue: false,
        suppressOutput: true,
        stopReason: "enough",
        decision: "block",
        systemMessage: "hm",
        reason: "why",
        hookSpecificOutput: inner,
      },
    ],
    [
      "a hook answer may use camelCase, and null fields are left out",
      { systemMessage: "hm", hookSpecificOutput: inner, stopReason: "s", suppressOutput: false, reason: null },
      { suppressOutput: false, stopReason: "s", systemMessage: "hm", hookSpecificOutput: inner },
    ],
  ];
  for (const [name, payload, expected] of answers) {
    it(name, async () => {
      await using one = bridgeHarness();
      const { cli, answer } = await asked(one, { hooks }, hookOf("hook_0"));
      answer(payload);
      assert.deepEqual(await answerTo(cli), expected);
    });
  }

  it("a hook that the CLI calls before it is ready announces the session first", async () => {
    await using one = bridgeHarness();
    one.answer = undefined;
    one.send({ type: "session.create", id: "c", payload: { prompt: "", cwd: "/", options: { hooks } } });
    await settle();
    one.fakeClis[0]?.say(hookOf("hook_2"));
    assert.equal((await one.next())["type"], "session.created");
    assert.equal((await one.next())["type"], "callback.request");
    one.fakeClis[0]?.die("the Claude CLI exited with code 3", 3);
    assert.deepEqual(
      (await one.rest()).map(({ type, payload }) => [type, payload.code]),
      [
        ["callback.cancelled", undefined],
        ["error", "SDK_ERROR"],
      ],
    );
  });
});

describe("callback timeout", () => {
  it("an unanswered permission callback is CALLBACK_TIMEOUT for the client and a denial for the CLI after 300 s", async () => {
    await using one = bridgeHarness();
    const { id, cli, message, answer } = await asked(one);
    one.clock.advance(299_999);
    assert.deepEqual(await one.rest(), []);
    one.clock.advance(1);
    assert.deepEqual(await one.rest(), [
      {
        type: "error",
        id: message["id"],
        session_id: id,
        payload: {
          code: "CALLBACK_TIMEOUT",
          message: "no callback.response within 300000 ms",
          details: { callback_type: "can_use_tool", timeout_ms: 300_000 },
        },
      },
    ]);
    assert.deepEqual(await answerTo(cli), { behavior: "deny", message: "Permission request timed out" });
    answer({ behavior: "allow" });
    assert.equal((await one.next())["payload"].code, "CALLBACK_NOT_FOUND");
  });

  it("an unanswered hook callback continues", async () => {
    await using one = bridgeHarness({ callbackTimeoutMs: 1000 });
    const { cli } = await asked(one, { hooks: { Stop: [{}] } }, hookOf("hook_0"));
    one.clock.advance(1000);
    assert.deepEqual((await one.next())["payload"].details, { callback_type: "hook", timeout_ms: 1000 });
    assert.deepEqual(await answerTo(cli), {});
  });

  it("callback_timeout_ms sets the timeout, and 0 disables it", async () => {
    await using one = bridgeHarness();
    await asked(one, { callback_timeout_ms: 5 });
    one.clock.advance(5);
    assert.equal((await one.next())["payload"].code, "CALLBACK_TIMEOUT");
    const before = one.clock.pending();
    await asked(one, { callback_timeout_ms: 0 });
    assert.equal(one.clock.pending(), before);
    one.clock.advance(10 ** 9);
    assert.deepEqual(await one.rest(), []);
  });
});

describe("callback.cancelled", () => {
  it("a callback that the CLI cancels is reported to the client, and a late answer gets CALLBACK_NOT_FOUND", async () => {
    await using one = bridgeHarness();
    const { id, cli, message, answer } = await asked(one);
    cli.say({ type: "control_cancel_request", request_id: "cli-1" });
    assert.deepEqual(await one.next(), {
      type: "callback.cancelled",
      id: message["id"],
      session_id: id,
      payload: { callback_type: "can_use_tool", reason: "the Claude CLI withdrew its request" },
    });
    answer({ behavior: "allow" });
    assert.equal((await one.next())["payload"].code, "CALLBACK_NOT_FOUND");
    await settle();
    assert.ok(!cli.frames.some((frame) => frame["type"] === "control_response"));
    assert.equal(one.clock.pending(), 0, "no timer is left");
  });
});

describe("elicitation callbacks", () => {
  const question = {
    type: "control_request",
    request_id: "cli-e",
    request: {
      subtype: "elicitation",
      mcp_server_name: "tickets",
      message: "Your name?",
      mode: "form",
      requested_schema: { type: "object", properties: { name: { type: "string" } } },
    },
  };
  const given = { elicitation_callbacks: true };

  it("an elicitation is cancelled when the session has no elicitation_callbacks", async () => {
    await using one = bridgeHarness();
    const { cli } = await one.create();
    cli.say(question);
    assert.deepEqual(await answerTo(cli), { action: "cancel" });
    assert.deepEqual(await one.rest(), []);
  });

  it("an elicitation becomes a callback with elicitation_callbacks, and the client's answer reaches the server", async () => {
    await using one = bridgeHarness();
    const { cli, message, answer } = await asked(one, given, question);
    const { subtype: _, ...said } = question.request;
    assert.deepEqual(message["payload"], { callback_type: "elicitation", ...said });
    answer({ action: "perhaps" });
    assert.equal((await one.next())["payload"].code, "INVALID_MESSAGE");
    answer({ action: "accept", content: { name: "Ada" } });
    assert.deepEqual(await answerTo(cli), { action: "accept", content: { name: "Ada" } });
  });

  it("an unanswered elicitation is cancelled when it times out", async () => {
    await using one = bridgeHarness();
    const { cli } = await asked(one, given, question);
    one.clock.advance(300_000);
    const { payload } = await one.next();
    assert.deepEqual([payload.code, payload.details.callback_type], ["CALLBACK_TIMEOUT", "elicitation"]);
    assert.deepEqual(await answerTo(cli), { action: "cancel" });
  });
});
