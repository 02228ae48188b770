/**
 * Runs the whole agent between a random client and random CLIs, and checks what must
 * hold during the run and at its end.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallFailed, errorCodes, RpcError } from "../../../lib/rpc/index.ts";
import type { Agent } from "../../../lib/agent/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { ends, mayI, says, takes, wants } from "../../support/claude/agent-harness.ts";
import { type Frame } from "../../support/claude/fake-cli.ts";
import { claudeAgent } from "../../support/claude/claude-agent.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { memoryStore } from "../../support/claude/memory-store.ts";
import type { WireLine } from "../../support/live/agent-program.ts";
import { at, textAt } from "../../support/json.ts";
import { wireFaults } from "../../support/acp/wire-check.ts";
import { garbage } from "./damage.ts";
import { type RandomMove, ownInputs, requests, rudeLines, type Scenario } from "./random-moves.ts";
import { recordedLines } from "./recordings.ts";
import { type Ask, type Asked, RandomClient } from "./random-client.ts";
import { updateFaults } from "./update-faults.ts";
import { type RandomCli, RandomClis } from "./random-cli.ts";

/** A conversation that is saved. */
const savedId = "11111111-1111-4111-8111-111111111111";

/** Tools of ours read and write there, and nowhere else. */
const here = realpathSync(mkdtempSync(join(tmpdir(), "bowline-fuzz-")));
process.on("exit", () => rmSync(here, { recursive: true, force: true }));

const everything = {
  session: { notices: {} },
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
};

export class RandomDriver {
  readonly #cli = new RandomClis();
  readonly #time = fakeClock();
  readonly #bugs: string[] = [];
  readonly #rejections: unknown[] = [];
  readonly #agent: Agent;
  readonly #client: RandomClient;
  #words = 0;
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    const [near, far] = memoryPair();
    this.#agent = claudeAgent(near, {
      launcher: this.#cli.launcher,
      after: this.#time.after,
      env: {},
      program: { command: "bowline", args: [] },
      store: memoryStore(savedId),
      ...(scenario.throughEditor && { settings: { edits: true, commands: true } }),
      onBug: (doing, cause) => {
        if (!isPeersFault(cause)) this.#bugs.push(`${doing}: ${cause instanceof Error ? cause.stack : String(cause)}`);
      },
    });
    this.#client = new RandomClient(far);
    this.#cli.onPrompt = ({ message }) => this.#client.note({ taken: message.content });
  }

  /**
   * Plays the moves; throws when something does not hold. `isAbrupt`: the client goes
   * in the middle of it all.
   */
  async run(isAbrupt = false): Promise<void> {
    const onRejection = (cause: unknown): unknown => this.#rejections.push(cause);
    process.on("unhandledRejection", onRejection);
    try {
      const { throughEditor, moves } = this.#scenario;
      const clientCapabilities = throughEditor ? everything : { session: { notices: {} } };
      this.#client.ask("initialize", { protocolVersion: 1, clientCapabilities });
      // Most runs need a session.
      this.#client.ask("session/new", { cwd: here, mcpServers: [] });
      await breath();
      for (const move of moves) await this.#play(move);
      if (!isAbrupt) {
        await this.#settle();
        this.#assertAnswered();
        await this.#assertUsable();
      }
      await this.#assertGone();
      assert.deepEqual(this.#cli.faults, []);
      assert.deepEqual(this.#bugs, []);
      assert.deepEqual(this.#rejections, []);
      assert.deepEqual(this.#client.faults, []);
      assert.deepEqual(schemaFaults(this.#client.wire), []);
      assert.deepEqual(updateFaults(this.#client.wire, this.#cli.runs), []);
    } finally {
      process.off("unhandledRejection", onRejection);
    }
  }

  /** The client gives everything up and the CLIs behave; then time passes. */
  async #settle(): Promise<void> {
    this.#client.resume();
    await breath();
    this.#cli.greeting = "well";
    this.#cli.behave();
    await breath();
    for (const ask of this.#client.asks) {
      if (ask.answers === 0) this.#client.answer(ask, { result: { outcome: { outcome: "cancelled" } } });
    }
    await breath();
    for (const sessionId of new Set(this.#client.sessions)) this.#notify("session/cancel", { sessionId });
    await breath();
    // The cancel's grace, the limits of requests, and their like.
    for (const ms of [16, 3000, 3000, 60_000, 60_000, 600_000]) {
      this.#time.advance(ms);
      await breath();
    }
    // Only a real disk takes real time.
    for (let i = 0; i < 200 && this.#client.waiting.length > 0; i++) {
      for (const ask of this.#client.asks) if (ask.answers === 0) this.#client.answer(ask, { result: null });
      this.#time.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #assertAnswered(): void {
    assert.deepEqual(
      this.#client.waiting.map(({ method }) => `${method} was never answered`),
      [],
    );
  }

  /** Old sessions and a new session still work. */
  async #assertUsable(): Promise<void> {
    const opened = this.#client.ask("session/new", { cwd: here, mcpServers: [] });
    await breath();
    assert.ok(textAt(opened.answers[0], "result.sessionId") !== "", `a new session: ${JSON.stringify(opened.answers)}`);
    const status = [...new Set(this.#client.sessions)].map(
      (sessionId) => [sessionId, this.#client.ask("session/status", { sessionId })] as const,
    );
    await breath();
    for (const [sessionId, { answers }] of status) {
      if (at(answers[0], "result.status") !== "open") continue;
      const prompted = this.#client.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "still?" }] });
      await breath();
      this.#time.advance(16);
      await breath();
      assert.deepEqual(at(prompted.answers[0], "result"), { stopReason: "end_turn" }, JSON.stringify(prompted.answers));
      const said = this.#client.wire.findLast(
        ({ text }) => text.includes("agent_message_chunk") && text.includes(sessionId) && text.includes("tame "),
      );
      assert.ok(said !== undefined, "and is heard");
    }
  }

  /** With the client everything goes. */
  async #assertGone(): Promise<void> {
    this.#client.close();
    await breath();
    let isSettled = false;
    void Promise.all([this.#agent.connection.settled, this.#agent.stop("over")]).then(() => (isSettled = true));
    for (let i = 0; i < 5 || (!isSettled && i < 200); i++) {
      this.#time.advance(3_600_000);
      await breath();
      if (i > 5) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(isSettled, "the connection has settled");
    assert.equal(this.#cli.runs.filter(({ isOpen }) => isOpen).length, 0, "no CLI is left");
    assert.equal(this.#time.pending(), 0, "no timer is left");
  }

  async #play(move: RandomMove): Promise<void> {
    const client = this.#client;
    if ("cli" in move) {
      const cli = this.#cli.runs[move.cli % Math.max(1, this.#cli.runs.length)];
      return cli && this.#playCli(cli, move);
    }
    switch (move.do) {
      case "open":
        return void this.#ask("session/new", move.isBad ? { cwd: "nowhere" } : { cwd: here, mcpServers: [] }, move.id);
      case "prompt":
        return void this.#ask(
          "session/prompt",
          { sessionId: this.#session(move.session), prompt: [{ type: "text", text: `prompt ${++this.#words}` }] },
          move.id,
        );
      case "ask": {
        const [method, all] = requests[move.method] ?? ["session/list", [{}]];
        const params = all[move.params % all.length] ?? {};
        return void this.#ask(method, { sessionId: this.#anySession(move.session), ...params }, move.id);
      }
      case "ask badly": {
        const [method] = requests[move.method] ?? ["session/list"];
        return void this.#ask(method, move.value, move.id);
      }
      case "cancel":
        return this.#notify("session/cancel", { sessionId: this.#session(move.session) });
      case "cancel request":
        return this.#notify("$/cancel_request", { requestId: move.id });
      case "answer": {
        const ask = client.asks[move.ask % Math.max(1, client.asks.length)];
        return ask && client.answer(ask, answerOf(ask, move.how));
      }
      case "rude": {
        const [line, ...ids] = rudeLines[move.line] ?? [""];
        for (const id of ids) client.expect(id);
        return client.say(line);
      }
      case "client pauses":
        return client.pause();
      case "client resumes":
        return client.resume();
      case "breathe":
        return breath();
      case "wait":
        this.#time.advance(move.ms);
        return breath();
      case "next greets":
        this.#cli.greeting = move.greeting;
        return;
      case "cli missing":
      case "cli there":
        this.#cli.isMissing = move.do === "cli missing";
        return;
    }
  }

  #playCli(cli: RandomCli, move: Extract<RandomMove, { readonly cli: number }>): void {
    const prompt: Frame = cli.prompts.at(-1) ?? { uuid: "none" };
    const name = `cli of ${cli.request.launch.session?.id}`;
    switch (move.do) {
      case "takes":
        return cli.say(...takes(prompt, name));
      case "says":
        return cli.say(says(this.#word(), `msg_${move.message}`));
      case "streams":
        return cli.say(...this.#stream(`msg_${move.message}-${++this.#words}`, move.pieces, move.isCut));
      case "calls":
        if (move.isStreamed) cli.say(...streamedCall(move.tool, move.call));
        return cli.say({
          ...wants(move.tool, { command: "ls", file_path: "/a" }, move.call),
          parent_tool_use_id: move.parent,
        });
      case "returns":
        return cli.say({
          type: "user",
          message: {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: move.call, content: "done", is_error: move.isError }],
          },
          tool_use_result: { isAsync: move.isAsync },
        });
      case "may I":
        return cli.say({
          ...mayI(move.tool, { command: "ls", questions: [] }, { tool_use_id: move.call }),
          request_id: `ask-${move.question}`,
        });
      case "elicits":
        return cli.say({
          type: "control_request",
          request_id: `ask-${move.question}`,
          request: { subtype: "elicitation", mcp_server_name: "x", message: "Name?", mode: "form" },
        });
      case "calls own": {
        const params = {
          name: move.tool,
          arguments: inputOf(move.input),
          _meta: { "claudecode/toolUseId": move.call },
        };
        return cli.say(mcpMessage(move.question, { id: move.question, method: "tools/call", params }));
      }
      case "mcp": {
        const id = move.method.startsWith("notifications/") ? undefined : move.question;
        return cli.say(mcpMessage(move.question, { id, method: move.method, params: { requestId: move.question } }));
      }
      case "hook": {
        const input = {
          hook_event_name: "PreToolUse",
          tool_name: move.tool,
          tool_input: inputOf(move.input),
          tool_use_id: move.call,
          permission_mode: "default",
          transcript_path: `${here}/config/projects/x/y.jsonl`,
          cwd: here,
        };
        const request = { subtype: "hook_callback", callback_id: "own-tools", input };
        return cli.say({ type: "control_request", request_id: `hook-${move.question}`, request });
      }
      case "withdraws":
        return cli.say({ type: "control_cancel_request", request_id: `ask-${move.question}` });
      case "ends":
        return cli.say(...endings[move.how](prompt));
      case "notifies":
        return cli.say(notifications[move.what](move.call));
      case "answers host":
        return answerHost(cli, move.how);
      case "recorded":
        return cli.sayLine(recordedLines[move.line] ?? "");
      case "garbage":
        return cli.sayLine(garbage[move.line] ?? "");
      case "dies":
        return cli.die(move.code);
    }
  }

  #ask(method: string, params: unknown, id: unknown): Asked {
    return id === undefined ? this.#client.ask(method, params) : this.#client.ask(method, params, id);
  }

  #notify(method: string, params: unknown): void {
    this.#client.say(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  #session(nth: number): string {
    const { sessions } = this.#client;
    return sessions[nth % Math.max(1, sessions.length)] ?? "none";
  }

  /** The id of an open session, of a saved one, or of none. */
  #anySession(nth: number): unknown {
    const others = [savedId, "../../etc/passwd", "__proto__", 7];
    return nth < 5 ? this.#session(nth) : others[nth - 5];
  }

  #word(): string {
    return `⟦${++this.#words}⟧`;
  }

  #stream(id: string, pieces: number, isCut: boolean): readonly Frame[] {
    const words = Array.from({ length: pieces }, () => this.#word());
    const delta = (text: string): Frame =>
      stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    return [
      stream({ type: "message_start", message: { id, model: "opus-5", usage: {} } }),
      stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      ...words.map(delta),
      ...(isCut ? [] : [says(words.join(""), id), stream({ type: "message_stop" })]),
    ];
  }
}

/** Lets everything that is on its way happen. */
async function breath(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Errors caused by a peer are not bugs of ours. */
function isPeersFault(cause: unknown): boolean {
  return cause instanceof CallFailed || (cause instanceof RpcError && cause.code === errorCodes.invalidParams);
}

/** Lines that the official schema refuses. Responses to an id that was used twice cannot be attributed. */
function schemaFaults(wire: readonly WireLine[]): readonly object[] {
  const used = new Map<string, number>();
  for (const { from, message } of wire) {
    const id = from === "client" && message?.["method"] !== undefined ? JSON.stringify(message["id"]) : "";
    used.set(id, (used.get(id) ?? 0) + 1);
  }
  return wireFaults(wire, { agentOnly: true, mayBeOpen: true }).filter(({ line, why }) => {
    const { from, message } = wire[line] ?? {};
    const isAnswer = from === "agent" && message?.["method"] === undefined;
    // The client counts requests and responses; messages of the older dialect are in no schema.
    if (from !== "agent" || /^answers nothing|is not in the schema/.test(why)) return false;
    return !isAnswer || used.get(JSON.stringify(message?.["id"])) === 1;
  });
}

function stream(event: Frame): Frame {
  return { type: "stream_event", parent_tool_use_id: null, event };
}

function streamedCall(name: string, id: string): readonly Frame[] {
  return [
    stream({ type: "message_start", message: { id: `msg-${id}`, model: "opus-5", usage: {} } }),
    stream({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id, name, input: {} } }),
    stream({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: '{"command":"ls"' },
    }),
  ];
}

const rest: Frame = { type: "system", subtype: "session_state_changed", state: "idle" };

const endings: Readonly<
  Record<Extract<RandomMove, { readonly do: "ends" }>["how"], (prompt: Frame) => readonly Frame[]>
> = {
  well: (prompt) => ends(prompt),
  cancelled: (prompt) =>
    ends(prompt, { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" }),
  "api error": (prompt) => ends(prompt, { is_error: true, terminal_reason: "api_error", result: "API Error" }),
  nameless: (prompt) => ends(prompt, { user_message_uuids: undefined }),
  "otherwise named": () => ends({ uuid: "somebody else" }),
  "without rest": (prompt) => ends(prompt).slice(0, 1),
  "only rest": () => [rest],
};

const notifications: Readonly<
  Record<Extract<RandomMove, { readonly do: "notifies" }>["what"], (call: string) => Frame>
> = {
  "task started": (tool_use_id) => ({
    type: "system",
    subtype: "task_started",
    task_id: `task-${tool_use_id}`,
    tool_use_id,
  }),
  "task over": (id) => ({
    type: "system",
    subtype: "task_notification",
    task_id: `task-${id}`,
    status: "completed",
    summary: "Done",
  }),
  "task failed": (tool_use_id) => ({
    type: "system",
    subtype: "task_notification",
    task_id: "x",
    tool_use_id,
    status: "failed",
  }),
  busy: () => ({ ...rest, state: "running" }),
  background: () => ({ type: "system", subtype: "background_tasks_changed", tasks: [{ task_id: "x" }] }),
  "refused key": () => ({ type: "system", subtype: "api_retry", attempt: 1, error: "authentication_failed" }),
  cleared: () => ({ type: "conversation_reset", new_conversation_id: "x" }),
  limit: () => ({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 } }),
  status: () => ({ type: "system", subtype: "status", status: "compacting", permissionMode: "plan" }),
};

function inputOf(nth: number): object {
  return JSON.parse(JSON.stringify(ownInputs[nth] ?? {}).replaceAll("HERE", here));
}

function mcpMessage(question: number, message: object): Frame {
  const request = { subtype: "mcp_message", server_name: "bowline", message: { jsonrpc: "2.0", ...message } };
  return { type: "control_request", request_id: `mcp-${question}`, request };
}

function answerHost(cli: RandomCli, how: Extract<RandomMove, { readonly do: "answers host" }>["how"]): void {
  const frame = how === "twice" ? cli.requests[0] : cli.requests.shift();
  if (frame === undefined) return;
  switch (how) {
    case "well":
    case "twice":
      return cli.answer(frame, {});
    case "no":
      return cli.refuse(frame);
    case "nonsense":
      return cli.say({
        type: "control_response",
        response: { subtype: "success", request_id: frame["request_id"], response: 7 },
      });
  }
}

/** How an editor answers its own methods. */
const editorAnswers: Readonly<Record<string, object>> = {
  "fs/read_text_file": { content: "some text\n" },
  "fs/write_text_file": {},
  "terminal/create": { terminalId: "terminal-1" },
  "terminal/output": { output: "out\n", truncated: false, exitStatus: { exitCode: 0 } },
  "terminal/wait_for_exit": { exitCode: 0 },
  "terminal/kill": {},
  "terminal/release": {},
};

function answerOf({ method, params }: Ask, how: Extract<RandomMove, { readonly do: "answer" }>["how"]): object {
  const usual = editorAnswers[method];
  if (usual !== undefined && /^(?:allow|allow_always|accept)$/.test(how)) return { result: usual };
  const selected = (optionId: unknown): object => ({ result: { outcome: { outcome: "selected", optionId } } });
  const offered = (kind: string): unknown => at(params, "options.0.optionId") ?? kind;
  switch (how) {
    case "allow":
      return selected(offered(how));
    case "allow_always":
    case "reject":
      return selected(how);
    case "cancelled":
      return { result: { outcome: { outcome: "cancelled" } } };
    case "unoffered":
      return selected("__proto__");
    case "error":
      return { error: { code: -32603, message: "the client failed" } };
    case "nonsense":
      return { result: { outcome: 7, method } };
    case "null":
      return { result: null };
    case "accept":
      return { result: { action: "accept", content: { question_1: 5 } } };
  }
}
