/**
 * Claude and Codex for a random run: each has a prompt or none, and does what a move says.
 *
 * Behind both are the real engines of lib, each with a fake process in memory. An engine
 * speaks only while it has a prompt, so everything that reaches the client without one is
 * a fault of the agent. Every word, call and question has an id that occurs once.
 */
import { claudeEngine } from "../../../lib/claude/engine/index.ts";
import { codexEngine } from "../../../lib/codex/index.ts";
import { EditorTools } from "../../../lib/editor-tools/index.ts";
import type { Engine } from "../../../lib/engine/index.ts";
import type { Schedule } from "../../../lib/wire/index.ts";
import { ends, mayI, says, takes, wants } from "../../support/claude/agent-harness.ts";
import { FakeCodex, type FakeProcess } from "../../support/codex/fake-app-server.ts";
import type { Frame } from "../../support/claude/fake-cli.ts";
import { memoryStore } from "../../support/claude/memory-store.ts";
import { type RandomCli, RandomClis } from "./random-cli.ts";

/** What an engine can do with a prompt. */
export const engineMoves = [
  "takes",
  "says",
  "calls",
  "returns",
  "asks",
  "withdraws",
  "ends",
  "fails",
  "obeys",
  "exits",
] as const;
export type EngineMove = (typeof engineMoves)[number];

export interface RandomEngine {
  readonly engine: Engine;
  play(move: EngineMove): void;
  /** Answers what it has not answered, and from now on every prompt at once. */
  behave(): void;
  /** How many of its processes run. */
  readonly runningCount: number;
}

/** Numbers for words, calls and questions, which occur once in a run. */
export type NextNumber = () => number;

/** A word of an engine, which shows whose it is. */
export function word(engine: "claude" | "codex", n: number): string {
  return `⟦${engine} ${n}⟧`;
}

export class RandomClaude implements RandomEngine {
  readonly engine: Engine;
  readonly #clis = new RandomClis();
  readonly #next: NextNumber;
  /** How many prompts of each CLI have ended. */
  readonly #ended = new Map<RandomCli, number>();
  #calls: number[] = [];
  #question = 0;

  constructor(next: NextNumber) {
    this.#next = next;
    this.engine = claudeEngine({
      env: {},
      launcher: this.#clis.launcher,
      store: memoryStore(),
      createTools: (given) => new EditorTools(given),
      mayBypass: false,
    });
  }

  get runningCount(): number {
    return this.#clis.runs.filter(({ isOpen }) => isOpen).length;
  }

  behave(): void {
    // A CLI that begins to behave answers its last prompt, which must not have ended.
    for (const cli of this.#clis.runs) if (this.#promptOf(cli) === undefined) cli.prompts.splice(0);
    this.#clis.behave();
  }

  play(move: EngineMove): void {
    for (const cli of this.#clis.runs) answerSettings(cli);
    const cli = this.#clis.runs.findLast((one) => one.isOpen && this.#promptOf(one) !== undefined);
    const prompt = cli && this.#promptOf(cli);
    if (cli === undefined || prompt === undefined) return;
    const call = this.#calls.at(-1);
    switch (move) {
      case "takes":
        return cli.say(...takes(prompt));
      case "says":
        return cli.say(says(word("claude", this.#next()), `msg_${this.#next()}`));
      case "calls":
        this.#calls.push(this.#next());
        return cli.say(wants("Bash", { command: "ls" }, `call-${this.#calls.at(-1)}`));
      case "returns": {
        if (this.#calls.pop() === undefined) return;
        const content = [{ type: "tool_result", tool_use_id: `call-${call}`, content: "done" }];
        return cli.say({ type: "user", message: { role: "user", content } });
      }
      case "asks":
        if (call === undefined) return;
        this.#question = this.#next();
        return cli.say({
          ...mayI("Bash", { command: "ls" }, { tool_use_id: `call-${call}` }),
          request_id: `ask-${this.#question}`,
        });
      case "withdraws":
        return cli.say({ type: "control_cancel_request", request_id: `ask-${this.#question}` });
      case "ends":
        return this.#end(cli, ends(prompt));
      case "fails":
        return this.#end(cli, ends(prompt, { is_error: true, terminal_reason: "api_error", result: "API Error" }));
      case "obeys": {
        const interrupt = cli.requests.find((one) => one["request"]?.subtype === "interrupt");
        if (interrupt === undefined) return;
        cli.requests.splice(0);
        cli.answer(interrupt, {});
        const cancelled = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" };
        return this.#end(cli, ends(prompt, cancelled));
      }
      case "exits":
        this.#calls = [];
        return cli.die(1);
    }
  }

  #end(cli: RandomCli, events: readonly Frame[]): void {
    this.#calls = [];
    this.#ended.set(cli, cli.prompts.length);
    cli.say(...events);
  }

  #promptOf(cli: RandomCli): Frame | undefined {
    return cli.prompts[this.#ended.get(cli) ?? 0];
  }
}

interface CodexTurn {
  readonly process: FakeProcess;
  readonly threadId: string;
  readonly id: string;
  readonly promptId: unknown;
  isInterrupted: boolean;
}

export class RandomCodex implements RandomEngine {
  readonly engine: Engine;
  readonly #codex = new FakeCodex();
  readonly #next: NextNumber;
  #turn: CodexTurn | undefined;
  #calls: number[] = [];
  #question = 0;
  #isWellBehaved = false;

  constructor(next: NextNumber, after: Schedule) {
    this.#next = next;
    this.engine = codexEngine({ env: {}, version: "0", after, launcher: this.#codex.launcher });
    this.#codex.on("turn/start", ({ threadId, clientUserMessageId: promptId }) => {
      const id = `turn-${next()}`;
      this.#codex.saved.add(String(threadId));
      const { current: process } = this.#codex;
      this.#turn = { process, threadId: String(threadId), id, promptId, isInterrupted: false };
      if (this.#isWellBehaved) queueMicrotask(() => this.#answer());
      return { result: { turn: { id, status: "inProgress", items: [] } } };
    });
    this.#codex.on("turn/interrupt", () => {
      if (this.#turn !== undefined) this.#turn.isInterrupted = true;
      if (this.#isWellBehaved) queueMicrotask(() => this.play("obeys"));
      return { result: {} };
    });
  }

  get runningCount(): number {
    return this.#codex.processes.filter(({ isClosed }) => !isClosed).length;
  }

  behave(): void {
    this.#isWellBehaved = true;
    this.#answer();
  }

  play(move: EngineMove): void {
    const turn = this.#turn;
    if (turn === undefined || turn.process.isClosed) return;
    const { process, threadId, id } = turn;
    const call = this.#calls.at(-1);
    switch (move) {
      case "takes":
        process.turnStarted(threadId, id);
        return process.prompted(threadId, id, turn.promptId);
      case "says":
        return process.say(threadId, id, word("codex", this.#next()), `msg-${this.#next()}`);
      case "calls":
        this.#calls.push(this.#next());
        return process.command(threadId, id, `call-${this.#calls.at(-1)}`);
      case "returns":
        if (this.#calls.pop() === undefined) return;
        return process.command(threadId, id, `call-${call}`, "completed");
      case "asks":
        if (call === undefined) return;
        this.#question = this.#next();
        return process.ask(this.#question, "item/commandExecution/requestApproval", {
          threadId,
          turnId: id,
          itemId: `call-${call}`,
          command: "/bin/bash -lc 'sleep 9'",
        });
      case "withdraws":
        return process.notify("serverRequest/resolved", { threadId, requestId: this.#question });
      case "ends":
        return this.#end(turn, "completed");
      case "fails":
        return this.#end(turn, "failed", { error: { message: "no", codexErrorInfo: "serverOverloaded" } });
      case "obeys":
        if (turn.isInterrupted) this.#complete(turn, "interrupted");
        return;
      case "exits":
        this.#turn = undefined;
        this.#calls = [];
        return process.crash();
    }
  }

  /** What still runs would go on in the background, so it ends first. */
  #end(turn: CodexTurn, status: string, more: Readonly<Record<string, unknown>> = {}): void {
    while (this.#calls.length > 0) this.play("returns");
    this.#complete(turn, status, more);
  }

  #complete({ process, threadId, id }: CodexTurn, status: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.#turn = undefined;
    this.#calls = [];
    process.completed(threadId, id, status, more);
  }

  #answer(): void {
    for (const move of ["takes", "says", "ends"] as const) this.play(move);
  }
}

/** The CLI answers everything but an interrupt, which is a move of its own. */
function answerSettings(cli: RandomCli): void {
  for (const frame of cli.requests.splice(0)) {
    if (frame["request"]?.subtype === "interrupt") cli.requests.push(frame);
    else cli.answer(frame, {});
  }
}
