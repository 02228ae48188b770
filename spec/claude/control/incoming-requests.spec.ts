/**
 * Control requests of the CLI: each is answered exactly once.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeExit, type HostHandlers } from "../../../lib/claude/index.ts";
import { connectionHarness, controlRequest } from "../../support/claude/connection-harness.ts";

const toolQuestion = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1" };

describe("IncomingControlRequests", () => {
  it("a can_use_tool request is answered with the handler's decision", async () => {
    const { frame, say } = connectionHarness({
      can_use_tool: async (request) => ({ behavior: "deny", message: `no ${request.tool_name}` }),
    });
    say(controlRequest("r1", toolQuestion));
    const response = { behavior: "deny", message: "no Bash" };
    assert.deepEqual((await frame(0)).response, { subtype: "success", request_id: "r1", response });
  });

  it("an allowing decision without an input is completed with the requested input", async () => {
    const { frame, say } = connectionHarness({ can_use_tool: () => ({ behavior: "allow" }) });
    say(controlRequest("r1", toolQuestion));
    assert.deepEqual((await frame(0)).response.response, { behavior: "allow", updatedInput: { command: "ls" } });
  });

  it("an allowing decision with an input keeps that input", async () => {
    const { frame, say } = connectionHarness({ can_use_tool: () => ({ behavior: "allow", updatedInput: {} }) });
    say(controlRequest("r1", toolQuestion));
    assert.deepEqual((await frame(0)).response.response, { behavior: "allow", updatedInput: {} });
  });

  it("concurrent requests of the CLI are answered by id in any order", async () => {
    const open = new Map<string, (text: string) => void>();
    const { frame, say, settled } = connectionHarness({
      can_use_tool: (request) =>
        new Promise((resolve) =>
          open.set(request.tool_use_id ?? "", (message) => resolve({ behavior: "deny", message })),
        ),
    });
    say(controlRequest("r1", { ...toolQuestion, tool_use_id: "a" }));
    say(controlRequest("r2", { ...toolQuestion, tool_use_id: "b" }));
    await settled();
    open.get("b")?.("second");
    assert.equal((await frame(1)).response.request_id, "r2");
    open.get("a")?.("first");
    assert.equal((await frame(2)).response.response.message, "first");
  });

  it("a request the CLI withdraws is aborted and its late answer is dropped", async () => {
    let finish: (() => void) | undefined;
    let signal: AbortSignal | undefined;
    const { hostFrames, say, settled } = connectionHarness({
      can_use_tool: (_request, given) => {
        signal = given;
        return new Promise((resolve) => (finish = () => resolve({ behavior: "allow" })));
      },
    });
    say(controlRequest("r1", toolQuestion));
    say({ type: "control_cancel_request", request_id: "r1" });
    await settled();
    assert.equal(signal?.aborted, true);
    finish?.();
    await settled();
    assert.deepEqual(
      hostFrames.map((frame) => frame["type"]),
      ["control_request", "control_request"],
      "nothing but our own requests was sent",
    );
  });

  it("a request with a repeated id is answered once", async () => {
    let calls = 0;
    let finish: (() => void) | undefined;
    const { hostFrames, frame, say, settled } = connectionHarness({
      elicitation: () => {
        calls++;
        return new Promise((resolve) => (finish = () => resolve({ action: "decline" })));
      },
    });
    const question = { subtype: "elicitation", mcp_server_name: "s", message: "?" };
    say(controlRequest("r1", question));
    say(controlRequest("r1", question));
    await settled();
    finish?.();
    await frame(1);
    await settled();
    assert.equal(calls, 1);
    assert.equal(hostFrames.filter((given) => given["type"] === "control_response").length, 1);
  });

  const refused: readonly (readonly [string, HostHandlers, object, string])[] = [
    ["an unknown subtype", {}, controlRequest("r1", { subtype: "brand_new" }), "unsupported_request"],
    [
      "a subtype named like a property of Object",
      {},
      controlRequest("r1", { subtype: "constructor" }),
      "unsupported_request",
    ],
    ["a request without a handler", {}, controlRequest("r1", toolQuestion), "unsupported_request"],
    [
      "a request that cannot be read",
      { can_use_tool: () => ({ behavior: "allow" }) },
      controlRequest("r1", { subtype: "can_use_tool", tool_name: "Bash" }),
      "invalid_request",
    ],
    ["a request without a body", {}, { type: "control_request", request_id: "r1" }, "invalid_request"],
    [
      "a request whose handler throws",
      {
        can_use_tool: () => {
          throw new Error("secret detail");
        },
      },
      controlRequest("r1", toolQuestion),
      "host_failed",
    ],
    [
      "a request whose answer cannot be written",
      {
        hook_callback: () => {
          const loop: Record<string, unknown> = {};
          loop["loop"] = loop;
          return loop;
        },
      },
      controlRequest("r1", { subtype: "hook_callback", callback_id: "h", input: {} }),
      "host_failed",
    ],
  ];
  for (const [what, handlers, question, code] of refused) {
    it(`${what} is answered with an error`, async () => {
      const { frame, say, settled, hostFrames } = connectionHarness(handlers);
      say(question);
      const { response } = await frame(0);
      assert.deepEqual([response.subtype, response.request_id, response.error_code], ["error", "r1", code]);
      assert.ok(!response.error.includes("secret"));
      await settled();
      assert.equal(hostFrames.filter((given) => given["type"] === "control_response").length, 1);
    });
  }

  it("open requests of the CLI are aborted when the CLI exits", async () => {
    let signal: AbortSignal | undefined;
    const { claude, far, say, settled } = connectionHarness({
      can_use_tool: (_request, given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    say(controlRequest("r1", toolQuestion));
    await settled();
    far.close("gone");
    await claude.closed;
    assert.ok(signal?.aborted === true && signal.reason instanceof ClaudeExit);
  });
});
