/**
 * The library's bridge client, connected to a bridge with fake CLIs.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bridge, bridgeClient, BridgeClosed, BridgeFailure, type CallbackQuestion } from "../../lib/exports/bridge.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { type Frame, offers, FakeCli } from "../support/claude/fake-cli.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { settle } from "../support/wire/link-log.ts";
import { cwd, result, toolRequest } from "../support/bridge/bridge-harness.ts";

function connect() {
  const [near, far] = memoryPair();
  const time = fakeClock();
  const fakeClis: FakeCli[] = [];
  const strays: string[] = [];
  const host = bridge(near, {
    launcher: (request) => {
      const fakeCli = new FakeCli(request, offers);
      fakeClis.push(fakeCli);
      return { link: fakeCli.link, ready: () => {} };
    },
    after: time.after,
  });
  const client = bridgeClient(far, { onStray: (why) => strays.push(why) });
  return { host, client, fakeClis, strays, time };
}

describe("bridgeClient", () => {
  it("the client runs a session with messages, a permission, a query, an interrupt and a kill", async () => {
    const { client, fakeClis, strays, host } = connect();
    const messages: Frame[] = [];
    const asked: CallbackQuestion[] = [];
    const session = await client.create(
      { prompt: "hello", cwd, options: { model: "opus" } },
      {
        onMessage: (message) => messages.push(message),
        onCallback: (question) => {
          asked.push(question);
          return { behavior: "deny", message: "no" };
        },
      },
    );
    const [cli] = fakeClis;
    assert.ok(cli);
    assert.equal(session.sdkSessionId, cli.request.launch.session?.id);
    cli.say({ type: "system", subtype: "init", session_id: session.sdkSessionId }, toolRequest);
    const { response } = await cli.hear("control_response");
    assert.equal(response.response.message, "no");
    assert.equal(asked[0]?.callback_type, "can_use_tool");
    const uuid = session.send("more");
    const prompts = [await cli.hear("user")];
    assert.equal(prompts[0]?.["uuid"], uuid);
    cli.say(result);
    await settle();
    assert.deepEqual(
      messages.map((message) => message["type"]),
      ["system", "result"],
    );
    assert.deepEqual(await session.query("supportedModels"), offers["models"]);
    const interrupted = session.interrupt();
    cli.answer(await cli.hear("interrupt"), {});
    await interrupted;
    await session.kill();
    assert.equal(await client.close(), "the client is done");
    await host.closed;
    assert.deepEqual(strays, []);
  });

  it("requests reject with the bridge's error code, and other errors go to onError", async () => {
    const { client, fakeClis } = connect();
    const errors: BridgeFailure[] = [];
    await assert.rejects(client.create({ prompt: "", cwd, options: { fork_session: true } }), {
      name: "BridgeFailure",
      code: "SESSION_CREATE_FAILED",
    });
    const session = await client.create({ prompt: "", cwd }, { onError: (error) => errors.push(error) });
    await assert.rejects(session.query("setModel", 5), { code: "QUERY_METHOD_FAILED" });
    fakeClis[0]?.die("the Claude CLI exited with code 9", 9, ["words"]);
    await settle();
    assert.deepEqual(
      errors.map(({ code, details }) => [code, details?.["exit_code"]]),
      [["SDK_ERROR", 9]],
    );
    await client.close();
    await assert.rejects(session.interrupt(), BridgeClosed);
    await assert.rejects(client.create({ prompt: "", cwd }), BridgeClosed);
  });

  it("the signal of a cancelled or timed-out callback aborts, and no answer is sent", async () => {
    const { client, fakeClis, time, strays } = connect();
    const signals: AbortSignal[] = [];
    const codes: string[] = [];
    await client.create(
      { prompt: "", cwd },
      {
        onCallback: (_, signal) => {
          signals.push(signal);
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ behavior: "allow" })));
        },
        onError: ({ code }) => codes.push(code),
      },
    );
    fakeClis[0]?.say(toolRequest, { ...toolRequest, request_id: "cli-2" });
    await settle();
    fakeClis[0]?.say({ type: "control_cancel_request", request_id: "cli-1" });
    await settle();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
    time.advance(300_000);
    await settle();
    assert.deepEqual([signals[1]?.aborted, codes, strays], [true, ["CALLBACK_TIMEOUT"], []]);
    await client.close();
  });

  it("without onCallback tools are denied and hooks continue", async () => {
    const { client, fakeClis } = connect();
    await client.create({ prompt: "", cwd, options: { hooks: { Stop: [{}] } } });
    const hook = { subtype: "hook_callback", callback_id: "hook_0", input: {} };
    fakeClis[0]?.say({ type: "control_request", request_id: "h", request: hook }, toolRequest);
    assert.deepEqual((await fakeClis[0]?.hear("control_response"))?.["response"].response, {});
    const { behavior, message } = (await fakeClis[0]?.hear("control_response"))?.["response"].response ?? {};
    assert.deepEqual([behavior, message], ["deny", "the bridge client answers no permission requests"]);
    await client.close();
  });
});
