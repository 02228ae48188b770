/**
 * Specs of the live test harness, with the real CLI and without Bowline: what the
 * support files promise, and the facts that the other live tests rely on.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { promptTexts, toolNames, toolResultTexts } from "../../support/live/api/api-request.ts";
import { deny, kindOf, type ClaudeHost } from "../../support/live/claude-host.ts";
import { at, listAt, textAt } from "../../support/json.ts";
import { descendants, killLeftovers, leftovers, waitForCommand, waitUntilGone } from "../../support/processes.ts";
import { claudeVersion } from "../../support/live/real-cli.ts";
import {
  answer,
  answering,
  breaksAfter,
  call,
  fails,
  forever,
  hold,
  say,
  silence,
  think,
  tries,
  words,
} from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

/** The text of the stream's deltas. */
function streamedText(host: ClaudeHost): string {
  return host.lines.items.map((line) => textAt(line, "event.delta.text")).join("");
}

describe("the real CLI against the scripted API", () => {
  it("the real CLI is the pinned version and reports models and commands", () =>
    withEnvironment({}, async ({ host: open, api }) => {
      const host = await open();
      const { response } = host.lines.items[0] ?? {};
      assert.equal(textAt(response, "response.claude_code_version"), claudeVersion);
      assert.ok(listAt(response, "response.models").length > 0);
      assert.ok(listAt(response, "response.commands").length > 0);
      assert.equal(textAt(response, "response.account.apiKeySource"), "ANTHROPIC_API_KEY");
      assert.equal(api.requests.length, 0);
    }));

  it("the real CLI streams text delta by delta and ends with the prompt's own result", () =>
    withEnvironment(
      { text: [answer(think("hm, ", "well"), say("Hello", " there", "."))] },
      async ({ host: open, api }) => {
        const host = await open();
        const result = await host.prompt("[[text]] hi");
        assert.equal(streamedText(host), "Hello there.");
        assert.equal(result["result"], "Hello there.");
        assert.equal(result["terminal_reason"], "completed");
        assert.equal(at(result, "usage.cache_read_input_tokens"), 50);
        assert.equal(textAt(await host.next("system/init"), "session_id"), host.sessionId);
        const [request] = api.requestsOf("text");
        assert.ok(request && promptTexts(request).join("\n").includes("[[text]] hi"));
        assert.ok(toolNames(request).includes("Bash"));
        assert.equal(await request.ended, "answered");
      },
    ));

  it("the scripted API holds a stream until the test opens it", () =>
    withEnvironment({ held: [answer(say("before ", hold("middle"), "after"))] }, async ({ host: open, api }) => {
      const host = await open();
      const uuid = host.tell("[[held]] go");
      await api.gate("middle").reached();
      await host.lines.waitFor((line) => textAt(line, "event.delta.text") === "before ");
      assert.equal(streamedText(host), "before ");
      api.gate("middle").release();
      assert.equal((await host.resultOf(uuid))["result"], "before after");
    }));

  it("the real CLI asks before it edits, runs what was allowed and reports to the model", () =>
    withEnvironment({}, async ({ host: open, api, place }) => {
      const file_path = place.path("hello.txt");
      const edit = { file_path, old_string: "world", new_string: "planet", replace_all: false };
      api.script(
        "edit",
        answer(call("Read", { file_path })),
        answer(call("Edit", edit, { pieces: 7 })),
        answer(say("Edited.")),
      );
      const host = await open();
      const result = await host.prompt("[[edit]] go");
      assert.equal(result["result"], "Edited.");
      const asked = host.lines.items.filter((line) => kindOf(line) === "control_request/can_use_tool");
      assert.deepEqual(
        asked.map((line) => textAt(line, "request.tool_name")),
        ["Edit"],
      );
      assert.deepEqual(at(asked[0], "request.permission_suggestions"), [
        { type: "setMode", mode: "acceptEdits", destination: "session" },
      ]);
      assert.match(place.read("hello.txt"), /^hello planet\n/);
      assert.equal(api.requestsOf("edit").length, 3);
    }));

  it("the real CLI does not run what was refused, and the turn goes on", () =>
    withEnvironment({}, async ({ host: open, api, place }) => {
      const write = { file_path: place.path("new.txt"), content: "x" };
      api.script("write", answer(call("Write", write)), answer(say("Very well.")));
      const host = await open();
      host.answers.push(deny);
      assert.equal((await host.prompt("[[write]] go"))["result"], "Very well.");
      assert.throws(() => place.read("new.txt"));
      const told = toolResultTexts(api.requestsOf("write")[1] ?? assert.fail("no second request"));
      assert.deepEqual(told, ["The user said no."]);
    }));

  it("the real CLI is interrupted in the middle of a word and answers the next prompt", () =>
    withEnvironment(
      { long: [answer(words(3), hold("never"))], text: [answer(say("Still here."))] },
      async ({ host: open, api }) => {
        const host = await open();
        const uuid = host.tell("[[long]] go");
        await api.gate("never").reached();
        await host.lines.waitFor((line) => textAt(line, "event.delta.text") === "w2 ");
        const { response } = await host.control("interrupt", { cancel_queued: true });
        assert.deepEqual(at(response, "still_queued"), []);
        const result = await host.resultOf(uuid);
        assert.equal(result["subtype"], "error_during_execution");
        assert.equal(result["terminal_reason"], "aborted_streaming");
        assert.equal(await api.requestsOf("long")[0]?.ended, "abandoned");
        assert.equal((await host.prompt("[[text]] and now?"))["result"], "Still here.");
      },
    ));

  it("the real CLI withdraws a permission request when it is interrupted", () =>
    withEnvironment({ bash: [answer(call("Bash", { command: "touch made.txt" }))] }, async ({ host: open, place }) => {
      const host = await open();
      host.answers.push("never");
      const uuid = host.tell("[[bash]] go");
      const asked = await host.next("control_request/can_use_tool");
      await host.control("interrupt", { cancel_queued: true });
      const withdrawn = await host.next("control_cancel_request");
      assert.equal(withdrawn["request_id"], asked["request_id"]);
      assert.equal((await host.resultOf(uuid))["terminal_reason"], "aborted_tools");
      assert.throws(() => place.read("made.txt"));
    }));

  it("the real CLI kills a running command on SIGTERM and leaves nothing behind", () =>
    withEnvironment({}, async ({ host: open, api, place }) => {
      api.script("sleep", answer(call("Bash", { command: "touch started && sleep 300" })));
      const host = await open();
      host.tell("[[sleep]] go");
      const { pid } = await waitForCommand(place.root, "sleep 300");
      assert.ok(descendants(host.pid).some((entry) => entry.pid === pid));
      assert.deepEqual(await host.kill("SIGTERM"), { code: 143, signal: null });
      assert.deepEqual(await waitUntilGone(place.root), []);
    }));

  // The CLI refuses a lone "sleep 301", so another command comes first.
  it("the harness finds the command that outlives a killed CLI", () =>
    withEnvironment(
      { sleep: [answer(call("Bash", { command: "touch started && sleep 301" }))] },
      async ({ host: open, place }) => {
        const host = await open();
        host.tell("[[sleep]] go");
        const { pid } = await waitForCommand(place.root, "sleep 301");
        await host.kill("SIGKILL");
        const isOrphan = (entry: { pid: number }): boolean => entry.pid === pid;
        assert.ok(leftovers(place.root).some(isOrphan), "Bash runs in a session of its own and is not reached");
        assert.ok(!descendants(process.pid).some(isOrphan));
        killLeftovers(place.root);
      },
    ));

  it("the real CLI reports an API error as an error result, after its retries", () =>
    withEnvironment({ busy: [fails(529)] }, async ({ host: open, api }) => {
      const host = await open({ env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
      const result = await host.prompt("[[busy]] go");
      assert.deepEqual(
        [result["subtype"], result["is_error"], result["terminal_reason"]],
        ["success", true, "api_error"],
      );
      assert.equal(result["api_error_status"], 529);
      const retry = await host.next("system/api_retry");
      assert.deepEqual([retry["attempt"], retry["max_retries"], retry["error"]], [1, 1, "overloaded"]);
      assert.equal(api.requestsOf("busy").length, 2);
      assert.deepEqual(await host.end(), { code: 1, signal: null });
    }));

  it("the real CLI reports at the first retry that the key is not accepted", () =>
    withEnvironment({ key: [fails(401)] }, async ({ host: open }) => {
      const host = await open();
      const uuid = host.tell("[[key]] go");
      assert.equal((await host.next("system/api_retry"))["error"], "authentication_failed");
      await host.control("interrupt");
      await host.resultOf(uuid);
    }));

  it("the real CLI recovers when a later retry succeeds", () =>
    withEnvironment({ later: [tries(fails(500), answer(say("Second try.")))] }, async ({ host: open }) => {
      const host = await open();
      assert.equal((await host.prompt("[[later]] go"))["result"], "Second try.");
    }));

  it("the real CLI retries without a stream when the stream breaks", () =>
    withEnvironment({ broken: [breaksAfter(say("half a "))] }, async ({ host: open, api }) => {
      const host = await open({ env: { CLAUDE_CODE_MAX_RETRIES: "2" } });
      await host.prompt("[[broken]] go");
      const [first, ...rest] = api.requestsOf("broken");
      assert.equal(await first?.ended, "broken");
      assert.ok(rest.some(({ body }) => body.stream !== true));
    }));

  it("the real CLI waits for an API that sends nothing, and can be interrupted there", () =>
    withEnvironment({ silent: [silence("headers")] }, async ({ host: open, api }) => {
      const host = await open();
      const uuid = host.tell("[[silent]] go");
      await api.gate("headers").reached();
      await host.control("interrupt");
      assert.equal((await host.resultOf(uuid))["terminal_reason"], "aborted_streaming");
      assert.equal(await api.requestsOf("silent")[0]?.ended, "abandoned");
    }));

  it("the real CLI runs two subagents, each with a script of its own", () =>
    withEnvironment(
      {
        main: [
          answer(
            call("Agent", { description: "One", subagent_type: "general-purpose", prompt: "[[one]] look" }),
            call("Agent", { description: "Two", subagent_type: "general-purpose", prompt: "[[two]] look" }),
          ),
          answer(say("Both back.")),
        ],
        one: [answer(call("Bash", { command: "echo one" })), answer(say("I am one."))],
        two: [answer(say("I am two."))],
      },
      async ({ host: open, api }) => {
        const host = await open({ env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } });
        assert.equal((await host.prompt("[[main]] go"))["result"], "Both back.");
        const told = toolResultTexts(api.requestsOf("main")[1] ?? assert.fail("no second request"));
        // The agents run concurrently: the first to finish is reported first.
        for (const said of [/I am one\./, /I am two\./]) assert.equal(told.filter((text) => said.test(text)).length, 1);
      },
    ));

  it("the real CLI ends a refusal with the recorded events", () =>
    withEnvironment(
      { no: [forever(answering({ stopReason: "refusal" }, say("I will not.")))] },
      async ({ host: open }) => {
        const host = await open();
        const result = await host.prompt("[[no]] go");
        assert.deepEqual([result["is_error"], result["stop_reason"]], [true, "refusal"]);
      },
    ));
});
