/**
 * Replays a recording of Codex through the whole agent with a fault at one place, and then
 * tries to go on.
 *
 * The recording is the script for both sides: the simulated user prompts, answers and
 * cancels where the recorded one did. When nothing happens any more, the user cancels and
 * then prompts once again, which a working app-server has to answer.
 */
import assert from "node:assert/strict";
import { createAgent } from "../../../lib/agent/index.ts";
import { codexEngine } from "../../../lib/codex/index.ts";
import { CallFailed } from "../../../lib/rpc/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { callFaults, shapeFaults } from "../../tooling/fuzz/update-faults.ts";
import { FakeCodex } from "../codex/fake-app-server.ts";
import { recordedRows } from "../codex/recording.ts";
import { fakeClock } from "../fake-clock.ts";
import { at, type JsonObject, listAt, textAt } from "../json.ts";
import { type AgentRequest, type Answer, RawClient } from "../acp/raw-client.ts";
import { answerFaults, openCallFaults } from "../replay/invariants.ts";
import { wireFaults } from "../acp/wire-check.ts";
import { RecordedAppServer } from "./recorded-app-server.ts";
import { type Fault, thrown } from "./recorded-cli.ts";

/** What one side sent. */
export type CodexRow = { readonly said: JsonObject } | { readonly heard: JsonObject };

export function codexScript(name: string): readonly CodexRow[] {
  return recordedRows(name).flatMap(({ dir, msg }): readonly CodexRow[] => {
    if (msg === undefined) return [];
    return dir === "out" ? [{ said: msg }] : dir === "in" ? [{ heard: msg }] : [];
  });
}

/** How many idle rounds pass before the script stops waiting for an expected line. */
const patience = 6;

export class CodexFaultRunner {
  readonly #rows: readonly CodexRow[];
  readonly #server: RecordedAppServer;
  readonly #recovered = new FakeCodex();
  readonly #time = fakeClock();
  readonly #bugs: unknown[] = [];
  readonly #client: RawClient;
  readonly #answers: (Answer | undefined)[] = [];
  readonly #asked: AgentRequest[] = [];
  #launches = 0;
  #hasOpened = false;
  #sessionId = "";

  constructor(rows: readonly CodexRow[], fault?: Fault) {
    this.#rows = rows;
    this.#server = new RecordedAppServer(fault);
    const codex = this.#recovered;
    codex.on("turn/start", ({ threadId, clientUserMessageId }) => {
      const id = codex.nextId("turn");
      // The answer comes first.
      setImmediate(() => {
        codex.current.turnStarted(String(threadId), id);
        codex.current.prompted(String(threadId), id, clientUserMessageId);
        codex.current.say(String(threadId), id, "Back.", `msg-${id}`);
        codex.current.completed(String(threadId), id);
      });
      return { result: { turn: { id, status: "inProgress", items: [] } } };
    });
    const [near, far] = memoryPair();
    const onBug = (doing: string, cause: unknown): unknown => isOthersFault(cause) || this.#bugs.push([doing, cause]);
    const engine = codexEngine({
      env: {},
      version: "0.0.0",
      after: this.#time.after,
      launcher: () => (this.#launches++ === 0 ? this.#server : codex.launcher()),
      onBug: (doing, cause) => void onBug(doing, cause),
    });
    createAgent(near, {
      route: "codex",
      engine,
      env: {},
      after: this.#time.after,
      prewarms: false,
      textOf: () => undefined,
      program: { command: "bowline", args: [] },
      onBug: (doing, cause) => void onBug(doing, cause),
    });
    this.#client = new RawClient(far, (request) => this.#asked.push(request));
  }

  /** True when the fault had its place in this play. */
  get hasFaulted(): boolean {
    return this.#server.hasFaulted;
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

  async #perform(): Promise<void> {
    const opened = this.#client.call("session/new", { cwd: "/", mcpServers: [] });
    void opened.then((answer) => {
      this.#hasOpened = true;
      this.#sessionId = "result" in answer ? textAt(answer.result, "sessionId") : "";
    });
    await breath();
    for (const row of this.#rows) {
      if (!this.#server.isOpen) return;
      if ("said" in row) this.#server.say(row.said);
      else await this.#follow(row.heard);
      await breath();
    }
    this.#answerRequests();
  }

  /** What the recorded host did here. */
  async #follow(heard: JsonObject): Promise<void> {
    const { method } = heard;
    if (method === undefined) return this.#followAnswer(heard);
    const sent = this.#server.sent.length;
    const sessionId = this.#sessionId;
    if (method === "turn/start") {
      if (sessionId === "" || this.#answers.includes(undefined)) return;
      this.#prompt("go on");
    } else if (method === "turn/interrupt") this.#client.notify("session/cancel", { sessionId });
    // Our host starts the thread while the recorded one is still being initialized.
    const from = method === "turn/start" || method === "turn/interrupt" ? sent : 0;
    const own = await this.#wait(() => this.#server.sent.slice(from).find((one) => one["method"] === method));
    if (own !== undefined) this.#server.meet(heard, own);
  }

  async #followAnswer(heard: JsonObject): Promise<void> {
    this.#answerRequests(heard);
    const { id } = heard;
    await this.#wait(() => this.#server.sent.find((one) => one["method"] === undefined && one["id"] === id));
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
      const isNo = /decline|cancel/.test(JSON.stringify(recorded?.["result"] ?? {}));
      const options = listAt(request.params, "options");
      const option = options.find((one) => textAt(one, "kind").startsWith(isNo ? "reject" : "allow"));
      request.answer({ outcome: { outcome: "selected", optionId: at(option, "optionId") } });
    }
  }

  async #wait<T>(found: () => T | undefined): Promise<T | undefined> {
    for (let i = 0; i < patience; i++) {
      const one = found();
      if (one !== undefined || !this.#server.isOpen) return one;
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
    // An app-server that has exited is noticed at once, without a clock.
    if (!this.#server.isOpen) {
      assert.ok(this.#hasOpened && !this.#answers.includes(undefined), "nobody waits for it");
    }
    this.#client.notify("session/cancel", { sessionId: this.#sessionId });
    await breath();
    for (const ms of [16, 300, 3000, 60_000]) {
      this.#answerRequests();
      await breath();
      this.#time.advance(ms);
    }
    await breath();
    assert.ok(!this.#answers.includes(undefined), "every prompt is answered once it was cancelled");
  }

  async #goOn(): Promise<void> {
    if (this.#server.isOpen) this.#server.die("Codex was ended by SIGKILL");
    this.#recovered.saved.add(this.#sessionId);
    await breath();
    this.#prompt("and now?");
    for (let i = 0; i < 4; i++) await breath();
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
    assert.deepEqual(openCallFaults(wire, new Set()), []);
    assert.equal(this.#server.isOpen, false, "the recorded app-server is closed");
    assert.ok(
      this.#recovered.processes.every(({ isClosed }) => isClosed),
      "no app-server is left",
    );
    assert.equal(this.#time.pending(), 0, "no timer is left");
  }
}

/** A wrong response of the client, or a link that throws where it must not: reported, and not a bug of the agent. */
function isOthersFault(cause: unknown): boolean {
  return cause instanceof CallFailed || cause === thrown;
}

/** Lets everything that is on its way happen. */
async function breath(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
