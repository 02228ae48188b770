/**
 * Runs a session with two engines under random moves: prompts, switches, duets, cancels,
 * questions and exits, and checks what must hold during the run and at its end.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Agent, createAgent } from "../../../lib/agent/index.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { emptyIndex } from "../../../lib/agent/routes/session-index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { at, textAt } from "../../support/json.ts";
import type { WireLine } from "../../support/live/agent-program.ts";
import { RandomClient } from "./random-client.ts";
import { type EngineMove, engineMoves, RandomClaude, RandomCodex } from "./random-engines.ts";
import { callFaults, shapeFaults } from "./update-faults.ts";

const prompts = ["go", "/claude", "/codex", "/duet", "/claude you", "/codex you", "/duet you", "/nudge on", "/clear"];
const settings = [
  ["route", "claude"],
  ["route", "codex"],
  ["route", "duet"],
  ["primary_agent", "codex"],
  ["primary_agent", "claude"],
  ["duet_review", "true"],
  ["share_context", "false"],
  ["mode", "plan"],
  ["mode", "default"],
] as const;
const answers = ["allow_once", "allow_always", "reject_once", "cancelled", "nonsense"] as const;

const move = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("prompt" as const), text: fc.constantFrom(...prompts) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("set" as const), nth: fc.nat(settings.length - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("cancel", "steer") }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("answer" as const), ask: fc.nat(3), how: fc.constantFrom(...answers) }),
  },
  {
    weight: 24,
    arbitrary: fc.record({
      do: fc.constant("engine" as const),
      engine: fc.constantFrom("claude", "codex"),
      move: fc.constantFrom<EngineMove>(...engineMoves, "takes", "says", "calls", "ends", "ends"),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("breathe" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(16, 300, 3000, 60_000) }) },
);

export type TwoEngineMove = typeof move extends fc.Arbitrary<infer M> ? M : never;

export const twoEngineRuns: fc.Arbitrary<readonly TwoEngineMove[]> = fc.array(move, {
  minLength: 1,
  maxLength: 120,
  size: "max",
});

export class TwoEngineDriver {
  readonly #time = fakeClock();
  readonly #bugs: string[] = [];
  readonly #agent: Agent;
  readonly #client: RandomClient;
  readonly #claude: RandomClaude;
  readonly #codex: RandomCodex;
  #lastNumber = 0;
  #sessionId = "";

  constructor() {
    const next = (): number => ++this.#lastNumber;
    this.#claude = new RandomClaude(next);
    this.#codex = new RandomCodex(next, this.#time.after);
    const [near, far] = memoryPair();
    this.#agent = createAgent(near, {
      engine: routedEngine({
        engines: { claude: this.#claude.engine, codex: this.#codex.engine },
        settings: { route: "claude", primary: "claude", isReview: false, sharesContext: true },
        index: emptyIndex,
      }),
      env: {},
      program: { command: "bowline", args: [] },
      textOf: () => undefined,
      openTasks: async () => [],
      prewarms: false,
      after: this.#time.after,
      onBug: (doing, cause) => {
        this.#bugs.push(`${doing}: ${cause instanceof Error ? cause.stack : String(cause)}`);
      },
    });
    this.#client = new RandomClient(far);
  }

  /** Plays the moves; throws when something does not hold. */
  async run(moves: readonly TwoEngineMove[]): Promise<void> {
    const client = this.#client;
    client.ask("initialize", { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } });
    client.ask("session/new", { cwd: "/", mcpServers: [] });
    await breath();
    [this.#sessionId = ""] = client.sessions;
    assert.notEqual(this.#sessionId, "", "the session is open");
    for (const one of moves) await this.#play(one);
    await this.#settle();
    const unanswered = client.waiting.map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
    assert.deepEqual(unanswered, [], "every request is answered");
    await this.#assertUsable();
    await this.#assertGone();
    assert.deepEqual(client.faults, []);
    assert.deepEqual(this.#bugs, []);
    assert.deepEqual(twoEngineFaults(client.wire), []);
  }

  async #play(one: TwoEngineMove): Promise<void> {
    const sessionId = this.#sessionId;
    const client = this.#client;
    switch (one.do) {
      case "prompt":
        return void client.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: one.text }] });
      case "set": {
        const [configId, value] = settings[one.nth] ?? settings[0];
        const boolean =
          value === "true" || value === "false" ? { type: "boolean", value: value === "true" } : { value };
        return void client.ask("session/set_config_option", { sessionId, configId, ...boolean });
      }
      case "cancel":
        return client.say(JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } }));
      case "steer":
        return void client.ask("_session/steer", { sessionId, prompt: [{ type: "text", text: "also this" }] });
      case "answer": {
        const open = client.asks.filter((asked) => asked.answers === 0);
        const asked = open[one.ask % Math.max(1, open.length)];
        if (asked === undefined) return;
        const options = at(asked.params, "options");
        const option = Array.isArray(options) ? options.find(({ kind }) => kind === one.how) : undefined;
        const outcome =
          option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
        return client.answer(asked, { result: one.how === "nonsense" ? { outcome: 7 } : { outcome } });
      }
      case "engine":
        return (one.engine === "claude" ? this.#claude : this.#codex).play(one.move);
      case "breathe":
        return breath();
      case "wait":
        this.#time.advance(one.ms);
        return breath();
    }
  }

  /** The client gives up and the engines behave; then time passes. */
  async #settle(): Promise<void> {
    await breath();
    await this.#play({ do: "cancel" });
    this.#claude.behave();
    this.#codex.behave();
    for (const ms of [16, 3000, 3000, 10_000, 60_000, 60_000]) {
      for (const asked of this.#client.asks) {
        if (asked.answers === 0) this.#client.answer(asked, { result: { outcome: { outcome: "cancelled" } } });
      }
      await breath();
      this.#time.advance(ms);
      await breath();
    }
  }

  /** Both engines answer a further prompt. */
  async #assertUsable(): Promise<void> {
    const prompt = [{ type: "text", text: "/duet still?" }];
    const asked = this.#client.ask("session/prompt", { sessionId: this.#sessionId, prompt });
    for (let i = 0; i < 10 && asked.answers.length === 0; i++) {
      // An engine may have been able to change files.
      for (const open of this.#client.asks.filter((one) => one.answers === 0))
        this.#client.answer(open, { result: { outcome: { outcome: "selected", optionId: "share_directory" } } });
      await breath();
      this.#time.advance(16);
    }
    assert.equal(textAt(asked.answers[0], "result.stopReason"), "end_turn", JSON.stringify(asked.answers));
  }

  /** With the client everything goes. */
  async #assertGone(): Promise<void> {
    this.#client.close();
    let isSettled = false;
    void Promise.all([this.#agent.connection.settled, this.#agent.stop("over")]).then(() => (isSettled = true));
    for (let i = 0; i < 20 && !(isSettled && i > 4); i++) {
      this.#time.advance(3_600_000);
      await breath();
    }
    assert.ok(isSettled, "the connection has settled");
    assert.equal(this.#claude.runningCount + this.#codex.runningCount, 0, "no process is left");
    assert.equal(this.#time.pending(), 0, "no timer is left");
  }
}

/** Lets everything that is on its way happen. */
async function breath(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
}

const shownUpdates = /^(?:agent_message_chunk|agent_thought_chunk|tool_call|tool_call_update|plan)$/;

/** What is wrong with the wire of a session of two engines that speak only while they have a prompt. */
export function twoEngineFaults(wire: readonly WireLine[]): readonly string[] {
  const faults = [...shapeFaults(wire), ...callFaults(wire)];
  const prompted = new Set<string>();
  const announced = new Set<string>();
  const open = new Set<string>();
  const words = new Set<string>();
  for (const { from, message } of wire) {
    const id = JSON.stringify(message?.["id"]);
    if (from === "client") {
      if (message?.["method"] === "session/prompt") prompted.add(id);
      continue;
    }
    if (message?.["method"] === undefined) {
      if (prompted.delete(id) && prompted.size === 0) {
        for (const call of open) faults.push(`${call} is open after the answer`);
      }
      continue;
    }
    if (message["method"] !== "session/update") continue;
    const update = at(message, "params.update");
    const kind = textAt(update, "sessionUpdate");
    const call = textAt(update, "toolCallId");
    if (prompted.size === 0 && shownUpdates.test(kind))
      faults.push(`${kind} without a prompt: ${JSON.stringify(update)}`);
    if (kind === "tool_call") {
      if (announced.has(call)) faults.push(`${call} is announced again`);
      announced.add(call);
      open.add(call);
    } else if (kind === "tool_call_update") {
      if (!announced.has(call)) faults.push(`${call} changes before it is announced`);
      if (/^(?:completed|failed)$/.test(textAt(update, "status"))) open.delete(call);
    }
    for (const [one, engine] of textAt(update, "content.text").matchAll(/⟦(\w+) \d+⟧/g)) {
      if (words.has(one)) faults.push(`${one} is shown twice`);
      words.add(one);
      const marked = textAt(update, "_meta.engine");
      if (marked !== "" && marked !== engine) faults.push(`${one} is shown as a word of ${marked}`);
    }
  }
  return faults;
}
