/**
 * Control requests to the CLI: answers, refusals, time limits and the end of the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClaudeConnection, ClaudeExit, ControlRefused, ControlTimeout } from "../../../lib/claude/index.ts";
import { connectionHarness, controlAnswer } from "../../support/claude/connection-harness.ts";

describe("OutgoingControlRequests", () => {
  it("a control request carries its fields and resolves with the answer", async () => {
    const { claude, frame, say, timers } = connectionHarness();
    const asked = claude.control.request("set_model", { model: "haiku" });
    const { request_id, request } = await frame(0);
    assert.deepEqual(request, { subtype: "set_model", model: "haiku" });
    say(controlAnswer(request_id, { model: "claude-haiku" }));
    assert.deepEqual(await asked, { model: "claude-haiku" });
    assert.equal(timers.size, 0, "the time limit is called off");
  });

  it("a control request accepts an answer without content", async () => {
    const { claude, frame, say } = connectionHarness();
    const asked = claude.control.request("apply_flag_settings", { settings: { effortLevel: "high" } });
    say(controlAnswer((await frame(0)).request_id));
    assert.deepEqual(await asked, {});
  });

  it("a refused control request rejects with the CLI's error code", async () => {
    const { claude, frame, say } = connectionHarness();
    const asked = claude.control.request("set_permission_mode", { mode: "bypassPermissions" });
    const { request_id } = await frame(0);
    const response = { subtype: "error", request_id, error: "Cannot", error_code: "bypass_not_launched" };
    say({ type: "control_response", response });
    await assert.rejects(asked, (error) => error instanceof ControlRefused && error.code === "bypass_not_launched");
  });

  it("a control request rejects after the method's time limit and ignores a late answer", async () => {
    const { claude, frame, say, settled, timers } = connectionHarness();
    const asked = claude.control.request("mcp_status", {});
    const { request_id } = await frame(0);
    const [timer] = timers;
    assert.equal(timer?.delayMs, 10_000);
    timer?.run();
    await assert.rejects(asked, ControlTimeout);
    say(controlAnswer(request_id, { mcpServers: [] }));
    await settled();
  });

  it("a control request rejects when its caller aborts", async () => {
    const { claude, timers } = connectionHarness();
    const caller = new AbortController();
    const asked = claude.control.request("interrupt", {}, { signal: caller.signal });
    caller.abort(new Error("changed my mind"));
    await assert.rejects(asked, /changed my mind/);
    assert.equal(timers.size, 0, "the time limit is cancelled");
  });

  it("waiting and later control requests reject when the CLI has exited", async () => {
    const { claude, far } = connectionHarness();
    const waiting = [claude.control.request("get_settings", {}), claude.control.request("interrupt", {})];
    far.close("gone");
    for (const asked of waiting) await assert.rejects(asked, ClaudeExit);
    await assert.rejects(claude.control.request("interrupt", {}), ClaudeExit);
  });

  it("a control request rejects an answer that does not match its schema", async () => {
    const { claude, frame, say } = connectionHarness();
    const asked = claude.control.request("mcp_status", {});
    say(controlAnswer((await frame(0)).request_id, { mcpServers: "none" }));
    await assert.rejects(asked, (error) => error instanceof ControlRefused && error.code === "unreadable");
  });

  it("a field named subtype does not replace the subtype of a control request", async () => {
    const { claude, frame, far } = connectionHarness();
    const asked = claude.control.requestRaw("get_plan", { subtype: "end_session" });
    assert.equal((await frame(0)).request.subtype, "get_plan");
    far.close("done");
    await assert.rejects(asked, ClaudeExit);
  });

  it("the compiler checks the fields and answers of control requests", () => {
    const check = async (claude: ClaudeConnection): Promise<void> => {
      // @ts-expect-error the mode is missing
      await claude.control.request("set_permission_mode", {});
      // @ts-expect-error no such request
      await claude.control.request("no_such_request", {});
      const { added } = await claude.control.request("mcp_set_servers", { servers: {} });
      // @ts-expect-error a list, not a number
      added satisfies number | undefined;
    };
    assert.equal(check.length, 1);
  });
});
