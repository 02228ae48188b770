/**
 * `ClaudeConnection` over a link in memory. The spec plays the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ClaudeExit,
  type ConversationEvent,
  ControlRefused,
  ControlTimeout,
  ClaudeConnection,
  type HostHandlers,
  HostFrame,
} from "../../lib/claude/index.ts";
import { isRecord } from "../../lib/schema/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { saidByCli } from "../support/claude-recording.ts";

interface Timer {
  readonly delayMs: number;
  readonly run: () => void;
}

/** A connection, and the far end of its link: the frames it received, and a way to send lines as the CLI. */
function harness(handlers: HostHandlers = {}, onEvent?: (event: ConversationEvent) => void) {
  const [near, far] = memoryPair();
  const heard: Record<string, unknown>[] = [];
  const events: ConversationEvent[] = [];
  const failures: string[] = [];
  const timers = new Set<Timer>();
  let wake: (() => void) | undefined;
  far.open({
    onLine(line) {
      const frame: unknown = JSON.parse(line);
      assert.ok(isRecord(frame));
      assert.equal(HostFrame.read(frame), frame, "the host wrote a frame of the protocol");
      heard.push({ ...frame });
      wake?.();
    },
    onFault: () => assert.fail("a fault on the way to the CLI"),
    onDrain() {},
    onEnd: () => wake?.(),
    onClose() {},
  });
  const claude = new ClaudeConnection(near, {
    handlers,
    after(delayMs, run) {
      const timer = { delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    onEvent: (event) => (onEvent ? onEvent(event) : void events.push(event)),
    onFailure: (doing) => failures.push(doing),
  });
  const say = (value: unknown): void => void far.send(typeof value === "string" ? value : JSON.stringify(value));
  return {
    claude,
    events,
    failures,
    timers,
    heard,
    say,
    far,
    /** Resolves with the n-th frame the host wrote. */
    async frame(n: number): Promise<any> {
      while (heard[n] === undefined) await new Promise<void>((resolve) => (wake = resolve));
      return heard[n];
    },
    /** Resolves when every line sent so far has been read: a request and its answer follow them. */
    async settled(): Promise<void> {
      const before = heard.length;
      const asked = claude.control.requestRaw("settled", {});
      while (heard[before] === undefined) await new Promise<void>((resolve) => (wake = resolve));
      say(answer(String(heard[before]?.["request_id"])));
      await asked;
    },
  };
}

function answer(request_id: string, response?: unknown): object {
  return { type: "control_response", response: { subtype: "success", request_id, response } };
}

function ask(request_id: string, request: object): object {
  return { type: "control_request", request_id, request };
}

const toolQuestion = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1" };

describe("ClaudeConnection", () => {
  it("the connection passes the events of a recorded turn to onEvent in order, without control frames", async () => {
    const { events, say, settled } = harness({ can_use_tool: () => ({ behavior: "allow" }) });
    const said = saidByCli("write");
    for (const value of said) say(value);
    await settled();
    const spoken = said.filter((value) => isRecord(value) && !String(value["type"]).startsWith("control_"));
    assert.deepEqual(events, spoken);
  });

  it("the connection skips a line that is not a JSON object and reads the next one", async () => {
    const { events, say, settled } = harness();
    for (const line of ["Warning: something", "null", "[]", "7", '{"type":', '""']) say(line);
    say({ type: "keep_alive" });
    await settled();
    assert.deepEqual(events, [{ type: "keep_alive" }]);
  });

  it("the connection passes an unknown event to onEvent under its name", async () => {
    const { events, say, settled } = harness();
    say({ type: "brand_new" });
    say({ type: "system", subtype: "brand_new" });
    await settled();
    assert.deepEqual(
      events.map((event) => event.type === "unknown" && event.named),
      ["brand_new", "system/brand_new"],
    );
  });

  it("the connection reads the next event after onEvent has thrown", async () => {
    const seen: string[] = [];
    const { failures, say, settled } = harness({}, (event) => {
      seen.push(event.type);
      throw new Error("a bug");
    });
    say({ type: "keep_alive" });
    say({ type: "keep_alive" });
    await settled();
    assert.deepEqual(
      [seen, failures],
      [
        ["keep_alive", "keep_alive"],
        ["onEvent", "onEvent"],
      ],
    );
  });

  it("the connection sends a prompt as one line", async () => {
    const { claude, frame } = harness();
    const prompt = { type: "user", message: { role: "user", content: "two\nlines" }, uuid: "u1" } as const;
    claude.prompt(prompt);
    assert.deepEqual(await frame(0), prompt);
  });

  it("stop sends an interrupt before it closes the link, and the exit carries the reason", async () => {
    const { claude, frame } = harness();
    const exit = await claude.stop("the session was closed");
    assert.deepEqual((await frame(0)).request, { subtype: "interrupt", cancel_queued: true });
    assert.ok(exit instanceof ClaudeExit);
    assert.equal(exit.message, "the session was closed");
    assert.equal(await claude.stop("again"), exit);
    assert.equal(claude.isOpen, false);
  });

  it("the connection closes when the CLI ends its output", async () => {
    const { claude, far } = harness();
    far.close("gone");
    assert.equal((await claude.closed).message, "the Claude CLI ended its output");
    assert.equal(claude.prompt({ type: "user", message: { role: "user", content: "x" } }), false);
  });
});

describe("OutgoingControlRequests", () => {
  it("a control request carries its fields and resolves with the answer", async () => {
    const { claude, frame, say, timers } = harness();
    const asked = claude.control.request("set_model", { model: "haiku" });
    const { request_id, request } = await frame(0);
    assert.deepEqual(request, { subtype: "set_model", model: "haiku" });
    say(answer(request_id, { model: "claude-haiku" }));
    assert.deepEqual(await asked, { model: "claude-haiku" });
    assert.equal(timers.size, 0, "the time limit is called off");
  });

  it("a control request accepts an answer without content", async () => {
    const { claude, frame, say } = harness();
    const asked = claude.control.request("apply_flag_settings", { settings: { effortLevel: "high" } });
    say(answer((await frame(0)).request_id));
    assert.deepEqual(await asked, {});
  });

  it("a refused control request rejects with the CLI's error code", async () => {
    const { claude, frame, say } = harness();
    const asked = claude.control.request("set_permission_mode", { mode: "bypassPermissions" });
    const { request_id } = await frame(0);
    const response = { subtype: "error", request_id, error: "Cannot", error_code: "bypass_not_launched" };
    say({ type: "control_response", response });
    await assert.rejects(asked, (error) => error instanceof ControlRefused && error.code === "bypass_not_launched");
  });

  it("a control request rejects after the method's time limit and ignores a late answer", async () => {
    const { claude, frame, say, settled, timers } = harness();
    const asked = claude.control.request("mcp_status", {});
    const { request_id } = await frame(0);
    const [timer] = timers;
    assert.equal(timer?.delayMs, 10_000);
    timer?.run();
    await assert.rejects(asked, ControlTimeout);
    say(answer(request_id, { mcpServers: [] }));
    await settled();
  });

  it("a control request rejects when its caller aborts", async () => {
    const { claude, timers } = harness();
    const caller = new AbortController();
    const asked = claude.control.request("interrupt", {}, { signal: caller.signal });
    caller.abort(new Error("changed my mind"));
    await assert.rejects(asked, /changed my mind/);
    assert.equal(timers.size, 0, "the time limit is cancelled");
  });

  it("waiting and later control requests reject when the CLI has exited", async () => {
    const { claude, far } = harness();
    const waiting = [claude.control.request("get_settings", {}), claude.control.request("interrupt", {})];
    far.close("gone");
    for (const asked of waiting) await assert.rejects(asked, ClaudeExit);
    await assert.rejects(claude.control.request("interrupt", {}), ClaudeExit);
  });

  it("a control request rejects an answer that does not match its schema", async () => {
    const { claude, frame, say } = harness();
    const asked = claude.control.request("mcp_status", {});
    say(answer((await frame(0)).request_id, { mcpServers: "none" }));
    await assert.rejects(asked, (error) => error instanceof ControlRefused && error.code === "unreadable");
  });

  it("a field named subtype does not replace the subtype of a control request", async () => {
    const { claude, frame, far } = harness();
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

describe("IncomingControlRequests", () => {
  it("a can_use_tool request is answered with the handler's decision", async () => {
    const { frame, say } = harness({
      can_use_tool: async (request) => ({ behavior: "deny", message: `no ${request.tool_name}` }),
    });
    say(ask("r1", toolQuestion));
    const response = { behavior: "deny", message: "no Bash" };
    assert.deepEqual((await frame(0)).response, { subtype: "success", request_id: "r1", response });
  });

  it("an allowing decision without an input is completed with the requested input", async () => {
    const { frame, say } = harness({ can_use_tool: () => ({ behavior: "allow" }) });
    say(ask("r1", toolQuestion));
    assert.deepEqual((await frame(0)).response.response, { behavior: "allow", updatedInput: { command: "ls" } });
  });

  it("an allowing decision with an input keeps that input", async () => {
    const { frame, say } = harness({ can_use_tool: () => ({ behavior: "allow", updatedInput: {} }) });
    say(ask("r1", toolQuestion));
    assert.deepEqual((await frame(0)).response.response, { behavior: "allow", updatedInput: {} });
  });

  it("concurrent requests of the CLI are answered by id in any order", async () => {
    const open = new Map<string, (text: string) => void>();
    const { frame, say, settled } = harness({
      can_use_tool: (request) =>
        new Promise((resolve) =>
          open.set(request.tool_use_id ?? "", (message) => resolve({ behavior: "deny", message })),
        ),
    });
    say(ask("r1", { ...toolQuestion, tool_use_id: "a" }));
    say(ask("r2", { ...toolQuestion, tool_use_id: "b" }));
    await settled();
    open.get("b")?.("second");
    assert.equal((await frame(1)).response.request_id, "r2");
    open.get("a")?.("first");
    assert.equal((await frame(2)).response.response.message, "first");
  });

  it("a request the CLI withdraws is aborted and its late answer is dropped", async () => {
    let finish: (() => void) | undefined;
    let signal: AbortSignal | undefined;
    const { heard, say, settled } = harness({
      can_use_tool: (_request, given) => {
        signal = given;
        return new Promise((resolve) => (finish = () => resolve({ behavior: "allow" })));
      },
    });
    say(ask("r1", toolQuestion));
    say({ type: "control_cancel_request", request_id: "r1" });
    await settled();
    assert.equal(signal?.aborted, true);
    finish?.();
    await settled();
    assert.deepEqual(
      heard.map((frame) => frame["type"]),
      ["control_request", "control_request"],
      "nothing but our own requests was sent",
    );
  });

  it("a request with a repeated id is answered once", async () => {
    let calls = 0;
    let finish: (() => void) | undefined;
    const { heard, frame, say, settled } = harness({
      elicitation: () => {
        calls++;
        return new Promise((resolve) => (finish = () => resolve({ action: "decline" })));
      },
    });
    const question = { subtype: "elicitation", mcp_server_name: "s", message: "?" };
    say(ask("r1", question));
    say(ask("r1", question));
    await settled();
    finish?.();
    await frame(1);
    await settled();
    assert.equal(calls, 1);
    assert.equal(heard.filter((given) => given["type"] === "control_response").length, 1);
  });

  const refused: readonly (readonly [string, HostHandlers, object, string])[] = [
    ["an unknown subtype", {}, ask("r1", { subtype: "brand_new" }), "unsupported_request"],
    ["a subtype named like a property of Object", {}, ask("r1", { subtype: "constructor" }), "unsupported_request"],
    ["a request without a handler", {}, ask("r1", toolQuestion), "unsupported_request"],
    [
      "a request that cannot be read",
      { can_use_tool: () => ({ behavior: "allow" }) },
      ask("r1", { subtype: "can_use_tool", tool_name: "Bash" }),
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
      ask("r1", toolQuestion),
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
      ask("r1", { subtype: "hook_callback", callback_id: "h", input: {} }),
      "host_failed",
    ],
  ];
  for (const [what, handlers, question, code] of refused) {
    it(`${what} is answered with an error`, async () => {
      const { frame, say, settled, heard } = harness(handlers);
      say(question);
      const { response } = await frame(0);
      assert.deepEqual([response.subtype, response.request_id, response.error_code], ["error", "r1", code]);
      assert.ok(!response.error.includes("secret"));
      await settled();
      assert.equal(heard.filter((given) => given["type"] === "control_response").length, 1);
    });
  }

  it("open requests of the CLI are aborted when the CLI exits", async () => {
    let signal: AbortSignal | undefined;
    const { claude, far, say, settled } = harness({
      can_use_tool: (_request, given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    say(ask("r1", toolQuestion));
    await settled();
    far.close("gone");
    await claude.closed;
    assert.ok(signal?.aborted === true && signal.reason instanceof ClaudeExit);
  });
});
