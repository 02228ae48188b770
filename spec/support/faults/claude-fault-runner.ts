/**
 * Replays a recording of the Claude CLI through the whole agent with a fault at one place
 * (fault-runner.ts).
 */
import assert from "node:assert/strict";
import type { Link } from "../../../lib/wire/index.ts";
import { type RandomCli, RandomClis } from "../../tooling/fuzz/random-cli.ts";
import { emptyStore } from "../claude/agent-harness.ts";
import { claudeAgent } from "../claude/claude-agent.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";
import { openCallFaults, shownWords, spokenWords } from "../replay/invariants.ts";
import { FaultRunner, type Row } from "./fault-runner.ts";
import type { Fault } from "./faulty-link.ts";
import { RecordedClaude } from "./recorded-claude.ts";

export type ClaudeRow = Row<string>;

export class ClaudeFaultRunner extends FaultRunner<string, RecordedClaude> {
  readonly #isSpoiled: boolean;
  readonly #recovered = new RandomClis();
  #launches = 0;

  /** `isSpoiled`: the lines are damaged, so what is shown of them cannot be predicted. */
  constructor(rows: readonly ClaudeRow[], fault?: Fault, isSpoiled = false) {
    super(rows, new RecordedClaude(fault));
    this.#isSpoiled = isSpoiled;
    this.#recovered.behave();
  }

  protected override startAgent(link: Link): void {
    claudeAgent(link, {
      launcher: (request) =>
        this.#launches++ === 0 ? { link: this.cli, ready: () => {} } : this.#recovered.launcher(request),
      after: this.time.after,
      env: {},
      program: { command: "bowline", args: [] },
      store: emptyStore,
      prewarms: false,
      onBug: this.onBug,
    });
  }

  protected override async follow(heard: JsonObject): Promise<void> {
    const { cli, sessionId } = this;
    if (heard["type"] === "control_request") {
      const subtype = textAt(heard, "request.subtype");
      if (subtype === "interrupt") this.client.notify("session/cancel", { sessionId });
      if (subtype !== "interrupt" && subtype !== "initialize") return;
      const own = await this.waitFor(() => cli.frames.findLast((one) => one["request"]?.subtype === subtype));
      if (own !== undefined) cli.meetRequest(heard["request_id"], own);
    } else if (heard["type"] === "user" && sessionId !== "") {
      if (this.isPrompting) return;
      const before = cli.frames.length;
      this.prompt("go on");
      const own = await this.waitFor(() => cli.frames.slice(before).find((one) => one["type"] === "user"));
      if (own !== undefined) cli.meetPrompt(heard["uuid"], own);
    } else if (heard["type"] === "control_response") {
      this.answerRequests(heard);
      const id = at(heard, "response.request_id");
      await this.waitFor(() => cli.frames.find((one) => one["response"]?.request_id === id));
    }
  }

  protected override isRejection(recorded: JsonObject | undefined): boolean {
    return at(recorded, "response.response.behavior") === "deny";
  }

  protected override assertInterrupted(): void {
    assert.ok(!this.isPrompting, "a cancel is answered at once, without a clock");
  }

  protected override assertEngineSound(): void {
    if (!this.#isSpoiled) this.#assertShown();
    assert.equal(this.#recovered.runs.filter(({ isOpen }: RandomCli) => isOpen).length, 0, "no CLI is left");
  }

  /** Every word is shown once, and every tool call has ended when its prompt was answered. */
  #assertShown(): void {
    // A session that could not be opened has no updates.
    const said = this.sessionId === "" ? [] : this.cli.said.filter(isJson);
    const tape = { cwd: undefined, rows: said.map((line) => ({ kind: "said", atMs: 0, line }) as const) };
    assert.deepEqual(openCallFaults(this.wire, backgrounded(said)), []);
    for (const [kind, words] of [
      ["agent_message_chunk", spokenWords(tape, "text")],
      ["agent_thought_chunk", spokenWords(tape, "thinking")],
    ] as const) {
      const shown = shownWords(this.wire, kind);
      for (const [id, text] of words) assert.equal(shown.get(id) ?? "", text, `the words of ${id}`);
    }
  }
}

/** Calls that run in the background and may outlast their turn. */
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
