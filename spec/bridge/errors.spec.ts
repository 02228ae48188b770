/**
 * The seven error codes of the bridge, and hostile input.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "node:test";
import { ClientMessage, ErrorCode } from "../../lib/bridge/index.ts";
import { ClaudeNotFound } from "../../lib/claude/index.ts";
import { Fault } from "../../lib/schema/index.ts";
import type { Frame } from "../support/claude/fake-cli.ts";
import { hostileValues } from "../support/hostile-values.ts";
import { settle } from "../support/wire/link-log.ts";
import { cwd, bridgeHarness, result, toolRequest } from "../support/bridge/bridge-harness.ts";

const create = { prompt: "", cwd };
const stranger = { id: "x", session_id: "nobody" };

describe("INVALID_MESSAGE", () => {
  const rows: readonly (readonly [string, unknown, string | undefined, RegExp])[] = [
    ["an unknown type", { type: "session.dance", id: "a" }, "a", /^type must be one of session\.create, /],
    ["no type", { id: "a", payload: {} }, "a", /^type must be given$/],
    ["a list", [1], undefined, /^the line must be a JSON object$/],
    ["a number", 5, undefined, /^the line must be a JSON object$/],
    ["no payload", { type: "session.create", id: "a" }, "a", /^session\.create: payload must be given$/],
    ["no id", { type: "session.create", payload: create }, undefined, /^session\.create: id must be given$/],
    ["an id of another type", { type: "session.create", id: 7, payload: create }, undefined, /id must be/],
    ["no cwd", { type: "session.create", id: "a", payload: { prompt: "" } }, "a", /payload\.cwd must be given$/],
    ["no prompt", { type: "session.create", id: "a", payload: { cwd } }, "a", /payload must be an object with prompt/],
    [
      "a prompt of another type",
      { type: "session.create", id: "a", payload: { prompt: 1, cwd } },
      "a",
      /prompt must be/,
    ],
    [
      "no content in content",
      { type: "session.create", id: "a", payload: { content: [], cwd } },
      "a",
      /content must be/,
    ],
    ["no session_id", { type: "session.send", id: "a", payload: { message: "x" } }, "a", /session_id must be given$/],
    ["no message", { type: "session.send", ...stranger, payload: {} }, "x", /with a message that is not empty/],
    ["an empty message", { type: "session.send", ...stranger, payload: { message: "" } }, "x", /not empty/],
    ["no method", { type: "query.call", ...stranger, payload: { args: [] } }, "x", /payload\.method must be given$/],
    ["no args", { type: "query.call", ...stranger, payload: { method: "setModel" } }, "x", /args must be given$/],
    ["no answer", { type: "callback.response", ...stranger }, "x", /payload must be given$/],
  ];
  for (const [name, line, id, why] of rows) {
    it(`a line with ${name} gets INVALID_MESSAGE and the id it carried`, async () => {
      await using one = bridgeHarness();
      one.client.send(JSON.stringify(line));
      const error = await one.next();
      assert.deepEqual([error["type"], error["payload"].code, error["id"]], ["error", "INVALID_MESSAGE", id]);
      assert.match(error["payload"].message, why);
      assert.equal(one.launches.length, 0);
    });
  }

  const options: readonly (readonly [string, unknown])[] = [
    ["model", 5],
    ["model", ""],
    ["allowed_tools", "Bash"],
    ["max_turns", -1],
    ["max_turns", 1.5],
    ["max_budget_usd", "1"],
    ["include_partial_messages", 1],
    ["mcp_servers", { x: { type: "sdk", name: "x" } }],
    ["mcp_servers", { x: { type: "http" } }],
    ["agents", { x: { prompt: "p" } }],
    ["hooks", { Stop: {} }],
    ["sandbox", { network: { allow_local_binding: "yes" } }],
    ["output_format", { type: "text" }],
    ["system_prompt", { type: "preset", preset: "other" }],
    ["resume", "--dangerous"],
    ["plugins", [{ type: "remote", path: "x" }]],
    ["callback_timeout_ms", -1],
  ];
  for (const [name, value] of options) {
    it(`the option ${name}: ${JSON.stringify(value)} is rejected and starts no CLI`, async () => {
      await using one = bridgeHarness();
      one.send({ type: "session.create", id: "a", payload: { ...create, options: { [name]: value } } });
      const { id, payload } = await one.next();
      assert.deepEqual([id, payload.code], ["a", "INVALID_MESSAGE"]);
      assert.match(payload.message, new RegExp(`payload\\.options\\.${name}`));
      assert.equal(one.launches.length, 0);
    });
  }

  it("an invalid callback answer leaves the callback pending", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    cli.say(toolRequest);
    const { id: callback } = await one.next();
    for (const payload of [{}, { behavior: "perhaps" }, { behavior: "allow", updated_input: [] }]) {
      one.send({ type: "callback.response", id: callback, session_id: id, payload });
      const error = await one.next();
      assert.deepEqual([error["id"], error["payload"].code], [callback, "INVALID_MESSAGE"]);
    }
    one.send({ type: "callback.response", id: callback, session_id: id, payload: { behavior: "deny" } });
    assert.equal((await cli.hear("control_response"))["response"].response.message, "Denied");
  });

  it("the error message does not contain the rejected value", async () => {
    await using one = bridgeHarness();
    one.send({ type: "session.create", id: "a", payload: { ...create, prompt: { secret: "hunter2" } } });
    assert.doesNotMatch(JSON.stringify(await one.next()), /hunter2/);
  });
});

describe("SESSION_NOT_FOUND", () => {
  for (const [type, payload] of [
    ["session.send", { message: "x" }],
    ["session.interrupt", {}],
    ["session.kill", {}],
    ["callback.response", { behavior: "allow" }],
    ["query.call", { method: "supportedModels", args: [] }],
  ] as const) {
    it(`${type} for an unknown session gets SESSION_NOT_FOUND`, async () => {
      await using one = bridgeHarness();
      one.send({ type, ...stranger, payload });
      assert.deepEqual(await one.next(), {
        type: "error",
        ...stranger,
        payload: { code: "SESSION_NOT_FOUND", message: "no session has this session_id" },
      });
    });
  }
});

describe("SESSION_CREATE_FAILED", () => {
  it("a CLI that exits during startup gives SESSION_CREATE_FAILED with the last lines of stderr", async () => {
    await using one = bridgeHarness();
    one.answer = undefined;
    one.send({ type: "session.create", id: "a", payload: create });
    await settle();
    one.fakeClis[0]?.die("the Claude CLI exited with code 1", 1, ["error: unknown option"]);
    assert.deepEqual(await one.rest(), [
      {
        type: "error",
        id: "a",
        payload: {
          code: "SESSION_CREATE_FAILED",
          message: "the Claude CLI exited with code 1: error: unknown option",
          details: {
            reason: "the Claude CLI exited with code 1",
            exit_code: 1,
            signal: null,
            stderr: ["error: unknown option"],
          },
        },
      },
    ]);
  });

  it("a launcher that throws gives SESSION_CREATE_FAILED", async () => {
    const launcher = (): never => {
      throw new ClaudeNotFound("missing", "the Claude CLI was not found");
    };
    await using one = bridgeHarness({ launcher });
    one.send({ type: "session.create", id: "a", payload: create });
    const { id, payload } = await one.next();
    assert.deepEqual(
      [id, payload.code, payload.message],
      ["a", "SESSION_CREATE_FAILED", "the Claude CLI was not found"],
    );
  });

  it("a CLI that does not answer initialize gives SESSION_CREATE_FAILED", async () => {
    await using one = bridgeHarness();
    one.answer = undefined;
    one.send({ type: "session.create", id: "a", payload: create });
    await settle();
    one.clock.advance(60_000);
    assert.equal((await one.next())["payload"].code, "SESSION_CREATE_FAILED");
  });

  for (const options of [
    { model: "opus", fallback_model: "opus" },
    { fork_session: true },
    { resume_session_at: "u" },
  ]) {
    it(`the options ${JSON.stringify(options)} give SESSION_CREATE_FAILED`, async () => {
      await using one = bridgeHarness();
      one.send({ type: "session.create", id: "a", payload: { ...create, options } });
      assert.equal((await one.next())["payload"].code, "SESSION_CREATE_FAILED");
      assert.equal(one.launches.length, 0);
    });
  }

  it("a session beyond maxSessions gives SESSION_CREATE_FAILED", async () => {
    await using one = bridgeHarness({ maxSessions: 1 });
    await one.create();
    one.send({ type: "session.create", id: "a", payload: create });
    assert.equal((await one.next())["payload"].code, "SESSION_CREATE_FAILED");
  });
});

describe("CALLBACK_NOT_FOUND", () => {
  it("an answer to an unknown or already answered callback gets CALLBACK_NOT_FOUND", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    cli.say(toolRequest);
    const { id: callback } = await one.next();
    const answer = { type: "callback.response", id: callback, session_id: id, payload: { behavior: "allow" } };
    one.send(answer);
    one.send(answer);
    one.send({ ...answer, id: "never" });
    const payload = { code: "CALLBACK_NOT_FOUND", message: "no callback with this id is open" };
    assert.deepEqual(await one.rest(), [
      { type: "error", id: callback, session_id: id, payload },
      { type: "error", id: "never", session_id: id, payload },
    ]);
  });
});

describe("QUERY_METHOD_FAILED", () => {
  for (const [method, args, why] of [
    ["selfDestruct", [], /^method must be one of supportedModels, /],
    ["constructor", [], /^method must be one of/],
    ["setPermissionMode", [], /^args\.0 must be/],
    ["setModel", [5], /^args\.0 must be/],
    ["setMaxThinkingTokens", ["many"], /^args\.0 must be/],
    ["rewindFiles", [], /^args\.0 must be/],
    ["rewindFiles", ["u", { dry_run: 1 }], /^args\.1\.dry_run must be/],
  ] as const) {
    it(`query.call ${method}(${JSON.stringify(args).slice(1, -1)}) gets one failed query.result`, async () => {
      await using one = bridgeHarness();
      const { id, cli } = await one.create();
      one.send({ type: "query.call", id: "q", session_id: id, payload: { method, args } });
      const [answer, ...more] = await one.rest();
      assert.deepEqual([answer?.["type"], answer?.["id"], more], ["query.result", "q", []]);
      const { success, result, error, code } = answer?.["payload"] ?? {};
      assert.deepEqual([success, result, code], [false, null, "QUERY_METHOD_FAILED"]);
      assert.match(error, why);
      assert.equal(cli.frames.length, 1, "the CLI was not asked");
    });
  }

  it("a query that the CLI refuses, or during which it exits, gets a failed query.result", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    const ask = (): void =>
      one.send({ type: "query.call", id: "q", session_id: id, payload: { method: "setModel", args: ["m"] } });
    ask();
    const { request_id } = await cli.hear("set_model");
    const refusal = { subtype: "error", request_id, error: "no such model" };
    cli.say({ type: "control_response", response: refusal });
    assert.equal((await one.next())["payload"].error, "no such model");
    ask();
    await cli.hear("set_model");
    cli.die();
    assert.deepEqual((await one.rest()).map(({ type }) => type).sort(), ["error", "query.result"]);
  });

  it("a query fails when the CLI does not answer within 60 seconds", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    one.send({ type: "query.call", id: "q", session_id: id, payload: { method: "mcpServerStatus", args: [] } });
    await cli.hear("mcp_status");
    one.clock.advance(60_000);
    assert.match((await one.next())["payload"].error, /no answer within 60000 ms/);
  });
});

describe("SDK_ERROR", () => {
  it("an interrupt that the CLI refuses or does not confirm within 10 seconds gets SDK_ERROR", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    await cli.hear("interrupt");
    one.clock.advance(10_000);
    const error = await one.next();
    assert.deepEqual([error["id"], error["session_id"], error["payload"].code], ["i", id, "SDK_ERROR"]);
    assert.match(error["payload"].details.reason, /no answer within 10000 ms/);
  });

  it("an interrupt that a hung CLI does not confirm gets SDK_ERROR, and the next message goes to another CLI that resumes the conversation", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create({}, "go");
    cli.say({ type: "system", subtype: "init", session_id: "conversation" });
    await one.rest();
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    await cli.hear("interrupt");
    one.clock.advance(10_000);
    const [refused, lost] = await one.rest();
    assert.deepEqual([refused?.["id"], refused?.["payload"].code], ["i", "SDK_ERROR"]);
    assert.deepEqual([lost?.["id"], lost?.["payload"].code], [undefined, "SDK_ERROR"]);
    assert.equal(cli.isOpen, false, "the hung CLI is ended");
    one.send({ type: "session.send", id: "s", session_id: id, payload: { message: "hi" } });
    await settle();
    assert.deepEqual(one.launches[1]?.launch.session, { kind: "resume", id: "conversation" });
    one.fakeClis[1]?.say(result);
    assert.deepEqual((await one.next())["payload"], result);
  });

  it("an interrupt that is not confirmed because the client does not read keeps the CLI", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    one.client.pause();
    for (let i = 0; i < 400; i++) cli.say({ type: "filler", text: "x".repeat(10_000) });
    await settle();
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    await cli.hear("interrupt");
    one.clock.advance(10_000);
    await settle();
    one.client.resume();
    await one.rest();
    assert.equal(cli.isOpen, true);
    assert.equal(one.launches.length, 1);
  });

  it("each message that could not be delivered gets SDK_ERROR, and a later one can succeed", async () => {
    await using one = bridgeHarness();
    const { id, cli } = await one.create();
    cli.die();
    await one.next();
    one.answer = undefined;
    for (const name of ["a", "b"]) {
      one.send({ type: "session.send", id: name, session_id: id, payload: { message: "hi" } });
    }
    await settle();
    one.fakeClis[1]?.die("the Claude CLI exited with code 1", 1, ["no"]);
    assert.deepEqual(
      (await one.rest()).map((message) => [message["id"], message["payload"].code]),
      [
        ["a", "SDK_ERROR"],
        ["b", "SDK_ERROR"],
      ],
    );
    one.answer = {};
    one.send({ type: "session.send", id: "c", session_id: id, payload: { message: "hi" } });
    await settle();
    assert.equal(one.fakeClis[2]?.frames.at(-1)?.["uuid"].length, 36);
  });
});

describe("bridge with hostile input", () => {
  it("each invalid line gets an error and the bridge keeps running", async () => {
    await using one = bridgeHarness();
    const { id } = await one.create();
    const lines = [
      "{",
      "null",
      '"x"',
      "{}",
      '{"type":{}}',
      "[".repeat(50_000),
      "\ud800",
      '{"__proto__":{"type":"session.kill"}}',
    ];
    for (const line of lines) one.client.send(line);
    const said = await one.rest();
    assert.deepEqual(
      said.map((message) => message["payload"].code),
      lines.map(() => "INVALID_MESSAGE"),
    );
    one.send({ type: "session.interrupt", id: "i", session_id: id, payload: {} });
    await one.fakeClis[0]?.hear("interrupt");
  });

  it("a line nested too deeply to be forwarded is rejected", async () => {
    await using one = bridgeHarness();
    const { id } = await one.create();
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    one.client.send(
      `{"type":"callback.response","id":"deep","session_id":"${id}","payload":{"behavior":"allow","updated_input":${deep}}}`,
    );
    const { id: echoed, payload } = await one.next();
    assert.deepEqual([echoed, payload.code], ["deep", "INVALID_MESSAGE"]);
  });

  it("hostile values in every field of a client message do not throw", () => {
    for (const [name, value] of hostileValues) {
      for (const key of ["type", "id", "session_id", "payload"]) {
        const message = { type: "session.send", id: "a", session_id: "s", payload: { message: "x" }, [key]: value };
        const got = ClientMessage.read(message);
        if (!(got instanceof Fault)) assert.equal(got, message, `${key}: ${name}`);
      }
    }
  });

  it("random JSON gets a protocol error and starts no CLI", async () => {
    const types = fc.constantFrom(
      "session.create",
      "session.send",
      "session.interrupt",
      "session.kill",
      "query.call",
      "callback.response",
    );
    const message = fc.record(
      { type: fc.oneof(types, fc.string()), id: fc.jsonValue(), session_id: fc.jsonValue(), payload: fc.jsonValue() },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(message, fc.jsonValue()), { maxLength: 5 }), async (values) => {
        await using one = bridgeHarness();
        for (const value of values) one.client.send(JSON.stringify(value));
        const said = await one.rest();
        assert.equal(said.length, values.length);
        for (const [i, { type, id, payload }] of said.entries()) {
          assert.equal(type, "error");
          assert.equal(ErrorCode.read(payload.code), payload.code);
          const sent = values[i] as Frame | null;
          if (typeof sent?.["id"] === "string" && !Array.isArray(sent)) assert.equal(id, sent["id"]);
        }
        assert.equal(one.launches.length, 0);
      }),
      { numRuns: 200 },
    );
  });
});
