/**
 * Replays a recording through the whole agent with a fault at one place, and then tries
 * to go on: what the runs with Claude and with Codex have in common.
 *
 * The recording is the script for both sides: the simulated user prompts, answers and
 * cancels where the recorded one did. When nothing happens any more, the user cancels
 * and then prompts once again, which a working CLI has to answer.
 */
import assert from "node:assert/strict";
import { CallFailed } from "../../../lib/rpc/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { callFaults, shapeFaults } from "../../tooling/fuzz/update-faults.ts";
import { type AgentRequest, type Answer, RawClient } from "../acp/raw-client.ts";
import { wireFaults } from "../acp/wire-check.ts";
import { fakeClock } from "../fake-clock.ts";
import { at, type JsonObject, listAt, textAt } from "../json.ts";
import type { WireLine } from "../live/agent-program.ts";
import { answerFaults } from "../replay/invariants.ts";
import { type FaultyLink, thrown } from "./faulty-link.ts";

/** What one side sent: a message of the CLI, or a message of its host. */
export type Row<Said> = { readonly said: Said } | { readonly heard: JsonObject };

/** A fake CLI that plays a recording. */
export interface RecordedCli<Said> extends FaultyLink {
  say(recorded: Said): void;
}

/** How many idle rounds pass before the script stops waiting for an expected line. */
const patience = 6;

export abstract class FaultRunner<Said, Cli extends RecordedCli<Said>> {
  protected readonly cli: Cli;
  protected readonly time = fakeClock();
  protected readonly client: RawClient;
  protected sessionId = "";
  readonly #rows: readonly Row<Said>[];
  readonly #agentLink: Link;
  readonly #bugs: unknown[] = [];
  readonly #answers: (Answer | undefined)[] = [];
  readonly #asked: AgentRequest[] = [];
  #hasOpened = false;

  constructor(rows: readonly Row<Said>[], cli: Cli) {
    this.#rows = rows;
    this.cli = cli;
    const [near, far] = memoryPair();
    this.#agentLink = near;
    this.client = new RawClient(far, (request) => this.#asked.push(request));
  }

  /** Starts the agent on the link. Its first CLI is the recorded one; the later ones answer every prompt. */
  protected abstract startAgent(link: Link): void;

  /** Does what the recorded host did here, if the user caused it. */
  protected abstract follow(heard: JsonObject): Promise<void>;

  /** Whether the recorded user rejected the call, by the recorded answer. */
  protected abstract isRejection(recorded: JsonObject | undefined): boolean;

  /** Throws when the agent has not noticed that the CLI ended an interrupted turn. */
  protected assertInterrupted(): void {}

  /** Throws when an invariant of this engine does not hold at the end. */
  protected abstract assertEngineSound(): void;

  /** Plays the whole script; throws when an invariant does not hold. */
  async play(): Promise<void> {
    const rejections: unknown[] = [];
    const onRejection = (cause: unknown): unknown => rejections.push(cause);
    process.on("unhandledRejection", onRejection);
    try {
      this.startAgent(this.#agentLink);
      await this.client.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
      await this.#perform();
      await this.#giveUp();
      if (this.sessionId !== "") await this.#goOn();
      this.client.close();
      await settle();
      this.time.advance(3_600_000);
      await settle();
      this.time.advance(3_600_000);
      this.#assertSound();
      assert.deepEqual(rejections, []);
    } finally {
      process.off("unhandledRejection", onRejection);
    }
  }

  /** True when the recording reached the place of the fault. */
  get hasFaulted(): boolean {
    return this.cli.hasFaulted;
  }

  get wire(): readonly WireLine[] {
    return this.client.wire;
  }

  protected get isPrompting(): boolean {
    return this.#answers.includes(undefined);
  }

  protected readonly onBug = (doing: string, cause: unknown): void => {
    // A wrong response of the client, or a link that throws: reported, and not a bug of the agent.
    if (!(cause instanceof CallFailed) && cause !== thrown) this.#bugs.push([doing, cause]);
  };

  protected prompt(text: string): void {
    const nth = this.#answers.push(undefined) - 1;
    const params = { sessionId: this.sessionId, prompt: [{ type: "text", text }] };
    void this.client.call("session/prompt", params).then((answer) => (this.#answers[nth] = answer));
  }

  /** Answers permission requests: rejects where the recorded user did, and allows otherwise. */
  protected answerRequests(recorded?: JsonObject): void {
    for (const request of this.#asked.splice(0)) {
      if (request.method !== "session/request_permission") {
        request.answer({ action: "decline" });
        continue;
      }
      const kind = this.isRejection(recorded) ? "reject" : "allow";
      const option = listAt(request.params, "options").find((one) => textAt(one, "kind").startsWith(kind));
      request.answer({ outcome: { outcome: "selected", optionId: at(option, "optionId") } });
    }
  }

  protected async waitFor<T>(found: () => T | undefined): Promise<T | undefined> {
    for (let i = 0; i < patience; i++) {
      const one = found();
      if (one !== undefined || !this.cli.isOpen) return one;
      await settle();
    }
    return undefined;
  }

  async #perform(): Promise<void> {
    const opened = this.client.call("session/new", { cwd: "/", mcpServers: [] });
    void opened.then((answer) => {
      this.#hasOpened = true;
      this.sessionId = "result" in answer ? textAt(answer.result, "sessionId") : "";
    });
    await settle();
    for (const row of this.#rows) {
      if (!this.cli.isOpen) return;
      if ("said" in row) this.cli.say(row.said);
      else await this.follow(row.heard);
      await settle();
    }
    this.answerRequests();
  }

  /** The user gives up and cancels. */
  async #giveUp(): Promise<void> {
    await settle();
    this.answerRequests();
    await settle();
    await settle();
    // The agent notices a CLI that has exited at once, without a clock.
    if (!this.cli.isOpen) assert.ok(this.#hasOpened && !this.isPrompting, "every request is answered at once");
    this.client.notify("session/cancel", { sessionId: this.sessionId });
    await settle();
    if (this.cli.isObedient) this.assertInterrupted();
    for (const ms of [16, 300, 3000, 60_000]) {
      this.answerRequests();
      await settle();
      this.time.advance(ms);
    }
    await settle();
    assert.ok(!this.isPrompting, "every prompt is answered once it was cancelled");
  }

  async #goOn(): Promise<void> {
    if (this.cli.isOpen) this.cli.dieBySignal();
    await settle();
    this.prompt("and now?");
    for (let i = 0; i < 4; i++) await settle();
    this.time.advance(16);
    await settle();
    assert.match(JSON.stringify(this.#answers.at(-1)), /"stopReason":"end_turn"/, "the next prompt works");
    const close = this.client.call("session/close", { sessionId: this.sessionId });
    await settle();
    assert.deepEqual(await close, { result: {} });
  }

  #assertSound(): void {
    assert.deepEqual(this.#bugs, []);
    assert.deepEqual(answerFaults(this.wire), []);
    assert.deepEqual(wireFaults(this.wire, { mayBeOpen: true }), []);
    assert.deepEqual([...shapeFaults(this.wire), ...callFaults(this.wire)], []);
    this.assertEngineSound();
    assert.equal(this.cli.isOpen, false, "the recorded CLI is closed");
    assert.equal(this.time.pending(), 0, "no timer is left");
  }
}

/** Plays a script with a fault and names the fault when it fails; false when the script does not reach the fault. */
export async function playWith<Said, Cli extends RecordedCli<Said>>(
  runner: FaultRunner<Said, Cli>,
  fault: unknown,
): Promise<boolean> {
  try {
    await runner.play();
  } catch (cause) {
    throw new Error(`${JSON.stringify(fault)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return runner.hasFaulted;
}

/** Runs the event loop until every message in flight has arrived. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
