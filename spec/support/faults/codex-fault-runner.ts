/**
 * Replays a recording of Codex through the whole agent with a fault at one place
 * (fault-runner.ts).
 */
import assert from "node:assert/strict";
import { createAgent } from "../../../lib/agent/index.ts";
import { codexEngine } from "../../../lib/codex/index.ts";
import type { Link } from "../../../lib/wire/index.ts";
import { FakeCodex } from "../codex/fake-app-server.ts";
import { recordedRows } from "../codex/recording.ts";
import type { JsonObject } from "../json.ts";
import { openCallFaults } from "../replay/invariants.ts";
import { FaultRunner, type Row } from "./fault-runner.ts";
import type { Fault } from "./faulty-link.ts";
import { RecordedAppServer } from "./recorded-app-server.ts";

export type CodexRow = Row<JsonObject>;

export function codexScript(name: string): readonly CodexRow[] {
  return recordedRows(name).flatMap(({ dir, msg }): readonly CodexRow[] => {
    if (msg === undefined) return [];
    return dir === "out" ? [{ said: msg }] : dir === "in" ? [{ heard: msg }] : [];
  });
}

export class CodexFaultRunner extends FaultRunner<JsonObject, RecordedAppServer> {
  readonly #recovered = new FakeCodex();
  #launches = 0;

  constructor(rows: readonly CodexRow[], fault?: Fault) {
    super(rows, new RecordedAppServer(fault));
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
  }

  protected override startAgent(link: Link): void {
    const { onBug, time } = this;
    const engine = codexEngine({
      env: {},
      version: "0.0.0",
      after: time.after,
      launcher: () => {
        if (this.#launches++ === 0) return this.cli;
        this.#recovered.saved.add(this.sessionId);
        return this.#recovered.launcher();
      },
      onBug,
    });
    createAgent(link, {
      route: "codex",
      engine,
      env: {},
      after: time.after,
      prewarms: false,
      textOf: () => undefined,
      program: { command: "bowline", args: [] },
      onBug,
    });
  }

  protected override async follow(heard: JsonObject): Promise<void> {
    const { cli, sessionId } = this;
    const { id, method } = heard;
    if (method === undefined) {
      this.answerRequests(heard);
      await this.waitFor(() => cli.sent.find((one) => one["method"] === undefined && one["id"] === id));
      return;
    }
    const before = cli.sent.length;
    if (method === "turn/start") {
      if (sessionId === "" || this.isPrompting) return;
      this.prompt("go on");
    } else if (method === "turn/interrupt") this.client.notify("session/cancel", { sessionId });
    // Our host starts the thread while the recorded one is still being initialized.
    const from = method === "turn/start" || method === "turn/interrupt" ? before : 0;
    const own = await this.waitFor(() => cli.sent.slice(from).find((one) => one["method"] === method));
    if (own !== undefined) cli.meet(heard, own);
  }

  protected override isRejection(recorded: JsonObject | undefined): boolean {
    return /decline|cancel/.test(JSON.stringify(recorded?.["result"] ?? {}));
  }

  protected override assertEngineSound(): void {
    assert.deepEqual(openCallFaults(this.wire, new Set()), []);
    assert.ok(
      this.#recovered.processes.every(({ isClosed }) => isClosed),
      "no app-server is left",
    );
  }
}
