/**
 * Replays a recording through the whole agent with a fault at one place, and then tries
 * to go on.
 *
 * The recording is the script for both sides: the simulated user prompts, answers and
 * cancels where the recorded one did. When nothing happens any more, the user cancels
 * and then prompts once again, which a working CLI has to answer.
 */
import assert from "node:assert/strict";
import { claudeAgent } from "../claude/claude-agent.ts";
import { CallFailed } from "../../../lib/rpc/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { emptyStore } from "../claude/agent-harness.ts";
import { fakeClock } from "../fake-clock.ts";
import { callFaults, shapeFaults } from "../../tooling/fuzz/update-faults.ts";
import { type RandomCli, RandomClis } from "../../tooling/fuzz/random-cli.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";
import type { WireLine } from "../live/agent-program.ts";
import { wireFaults } from "../acp/wire-check.ts";
import { answerFaults, openCallFaults, shownWords, spokenWords } from "../replay/invariants.ts";
import { type AgentRequest, type Answer, RawClient } from "../acp/raw-client.ts";
import { type Fault, RecordedCli, thrown } from "./recorded-cli.ts";

/** What one side sent: a line of the CLI, or a frame of its host. */
export type Row = { readonly said: string } | { readonly heard: JsonObject };

/** How many idle rounds pass before the script stops waiting for an expected line. */
const patience = 6;

export class FaultRunner {
  readonly #rows: readonly Row[];
  readonly #isSpoiled: boolean;
  readonly #cli: RecordedCli;
  readonly #recovered = new RandomClis();
  readonly #time = fakeClock();
  readonly #bugs: unknown[] = [];
  readonly #client: RawClient;
  readonly #answers: (Answer | undefined)[] = [];
  readonly #asked: AgentRequest[] = [];
  #launches = 0;
  #hasOpened = false;
  #sessionId = "";

  /** `isSpoiled`: the lines are damaged, so what is shown of them cannot be predicted. */
  constructor(rows: readonly Row[], fault?: Fault, isSpoiled = false) {
    this.#rows = rows;
    this.#isSpoiled = isSpoiled;
    this.#cli = new RecordedCli(fault);
    this.#recovered.behave();
    const [near, far] = memoryPair();
    claudeAgent(near, {
      launcher: (request) =>
        this.#launches++ === 0 ? { link: this.#cli, ready: () => {} } : this.#recovered.launcher(request),
      after: this.#time.after,
      env: {},
      program: { command: "bowline", args: [] },
      store: emptyStore,
      prewarms: false,
      onBug: (doing, cause) => isOthersFault(cause) || this.#bugs.push([doing, cause]),
    });
    this.#client = new RawClient(far, (request) => this.#asked.push(request));
  }

  /** Plays the whole script; throws when an invariant does not hold. */
  async play(): Promise<void> {
    const rejections: unknown[] = [];
    const onRejection = (cause: unknown): unknown => rejections.push(cause);
    process.on("unhandledRejection", onRejection);
    try {
      await this.#client.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
      await this.#perform();
      await this.#giveUp();
      if (this.#sessionId !== "") await this.#goOn();
      this.#client.close();
      await breath();
      this.#time.advance(3_600_000);
      await breath();
      this.#time.advance(3_600_000);
      this.#assertSound();
      assert.deepEqual(rejections, []);
    } finally {
      process.off("unhandledRejection", onRejection);
    }
  }

  /** True when the fault had its place in this play. */
  get hasFaulted(): boolean {
    return this.#cli.hasFaulted;
  }

  get wire(): readonly WireLine[] {
    return this.#client.wire;
  }

  async #perform(): Promise<void> {
    const opened = this.#client.call("session/new", { cwd: "/", mcpServers: [] });
    void opened.then((answer) => {
      this.#hasOpened = true;
      this.#sessionId = "result" in answer ? textAt(answer.result, "sessionId") : "";
    });
    await breath();
    for (const row of this.#rows) {
      if (!this.#cli.isOpen) return;
      if ("said" in row) this.#cli.say(row.said);
      else await this.#follow(row.heard);
      await breath();
      this.#answerRequests();
    }
  }

  /** What the recorded host did here, if the user caused it. */
  async #follow(heard: JsonObject): Promise<void> {
    const sessionId = this.#sessionId;
    if (heard["type"] === "control_request") {
      const subtype = textAt(heard, "request.subtype");
      if (subtype === "interrupt") this.#client.notify("session/cancel", { sessionId });
      if (subtype !== "interrupt" && subtype !== "initialize") return;
      const own = await this.#wait(() => this.#cli.frames.findLast((one) => one["request"]?.subtype === subtype));
      if (own !== undefined) this.#cli.meetRequest(heard["request_id"], own);
    } else if (heard["type"] === "user" && sessionId !== "") {
      if (this.#answers.includes(undefined)) return;
      const before = this.#cli.frames.length;
      this.#prompt("go on");
      const own = await this.#wait(() => this.#cli.frames.slice(before).find((one) => one["type"] === "user"));
      if (own !== undefined) this.#cli.meetPrompt(heard["uuid"], own);
    } else if (heard["type"] === "control_response") {
      this.#answerRequests(heard);
      const id = at(heard, "response.request_id");
      await this.#wait(() => this.#cli.frames.find((one) => one["response"]?.request_id === id));
    }
  }

  #prompt(text: string): void {
    const nth = this.#answers.push(undefined) - 1;
    const params = { sessionId: this.#sessionId, prompt: [{ type: "text", text }] };
    void this.#client.call("session/prompt", params).then((answer) => (this.#answers[nth] = answer));
  }

  /** Answers permission requests: rejects where the recorded user did, and allows otherwise. */
  #answerRequests(recorded?: JsonObject): void {
    for (const request of this.#asked.splice(0)) {
      if (request.method !== "session/request_permission") {
        request.answer({ action: "decline" });
        continue;
      }
      const isNo = at(recorded, "response.response.behavior") === "deny";
      const options = listAt(request.params, "options");
      const option = options.find((one) => textAt(one, "kind").startsWith(isNo ? "reject" : "allow"));
      request.answer({ outcome: { outcome: "selected", optionId: at(option, "optionId") } });
    }
  }

  async #wait<T>(found: () => T | undefined): Promise<T | undefined> {
    for (let i = 0; i < patience; i++) {
      const one = found();
      if (one !== undefined || !this.#cli.isOpen) return one;
      await breath();
    }
    return undefined;
  }

  /** The user gives up and cancels. */
  async #giveUp(): Promise<void> {
    await breath();
    this.#answerRequests();
    await breath();
    await breath();
    // A CLI that has exited is noticed at once, without a clock.
    if (!this.#cli.isOpen) assert.ok(this.#hasOpened && !this.#answers.includes(undefined), "nobody waits for it");
    this.#client.notify("session/cancel", { sessionId: this.#sessionId });
    await breath();
    // A CLI that stops when it is interrupted needs no clock either.
    if (this.#cli.isObedient) assert.ok(!this.#answers.includes(undefined), "a cancel is answered at once");
    for (const ms of [16, 3000, 60_000]) {
      await breath();
      this.#time.advance(ms);
    }
    await breath();
    // Whatever the CLI still sends comes too late for those prompts.
    assert.ok(!this.#answers.includes(undefined), "every prompt is answered once it was cancelled");
  }

  async #goOn(): Promise<void> {
    if (this.#cli.isOpen) this.#cli.die("the Claude CLI was ended by SIGKILL");
    await breath();
    this.#prompt("and now?");
    await breath();
    this.#time.advance(16);
    await breath();
    assert.match(JSON.stringify(this.#answers.at(-1)), /"stopReason":"end_turn"/, "the next prompt works");
    const close = this.#client.call("session/close", { sessionId: this.#sessionId });
    await breath();
    assert.deepEqual(await close, { result: {} });
  }

  #assertSound(): void {
    const { wire } = this.#client;
    assert.deepEqual(this.#bugs, []);
    assert.deepEqual(answerFaults(wire), []);
    assert.deepEqual(wireFaults(wire, { mayBeOpen: true }), []);
    assert.deepEqual([...shapeFaults(wire), ...callFaults(wire)], []);
    if (!this.#isSpoiled) this.#assertTold();
    assert.equal(this.#recovered.runs.filter(({ isOpen }: RandomCli) => isOpen).length, 0, "no CLI is left");
    assert.equal(this.#cli.isOpen, false, "nor is this one");
    assert.equal(this.#time.pending(), 0, "no timer is left");
  }

  /** Every word is shown once, and every tool call has ended when its prompt was answered. */
  #assertTold(): void {
    const { wire } = this.#client;
    // A session that could not be opened has no updates.
    const said = this.#sessionId === "" ? [] : this.#cli.said.filter(isJson);
    const tape = { cwd: undefined, rows: said.map((line) => ({ kind: "said", atMs: 0, line }) as const) };
    assert.deepEqual(openCallFaults(wire, backgrounded(said)), []);
    for (const [kind, words] of [
      ["agent_message_chunk", spokenWords(tape, "text")],
      ["agent_thought_chunk", spokenWords(tape, "thinking")],
    ] as const) {
      const shown = shownWords(wire, kind);
      for (const [id, text] of words) assert.equal(shown.get(id) ?? "", text, `the words of ${id}`);
    }
  }
}

/** A wrong response of the client, or a link that throws where it must not: reported, and not a bug of the agent. */
function isOthersFault(cause: unknown): boolean {
  return cause instanceof CallFailed || cause === thrown;
}

/** Calls whose work goes on behind the turn's back. */
function backgrounded(lines: readonly string[]): ReadonlySet<string> {
  const asynchronous = lines.filter((line) => line.includes('"isAsync":true')).map((line): unknown => JSON.parse(line));
  return new Set(
    asynchronous
      .filter(isObject)
      .flatMap((line) => listAt(line, "message.content").map((one) => textAt(one, "tool_use_id"))),
  );
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Lets everything that is on its way happen. */
async function breath(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
