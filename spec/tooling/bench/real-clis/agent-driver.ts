/**
 * Drives one adapter with the real CLI.
 *
 * The same plain client for every adapter: it allows every permission request, shows
 * nothing, and counts what arrives. `rawHost` is the CLI without an adapter.
 */
import { rmSync, readFileSync } from "node:fs";
import { AgentProgram, type WireLine } from "../../../support/live/agent-program.ts";
import { ClaudeHost } from "../../../support/live/claude-host.ts";
import { at, listAt, textAt, type JsonObject } from "../../../support/json.ts";
import type { MessagesApi } from "../../../support/live/api/fake-messages-api.ts";
import { killLeftovers } from "../../../support/processes.ts";
import { claudeExecutable, cleanEnvironment } from "../../../support/live/real-cli.ts";
import { workspace, type Workspace } from "../../../support/live/workspace.ts";
import { clocked } from "../measure.ts";

/** Longer than any step takes on a machine with other work. */
const limitMs = 120_000;

export interface DriverOptions {
  readonly api: MessagesApi;
  /** The adapter's program, run with this node. */
  readonly program: string;
  /** A claude-tap between the adapter and the CLI. */
  readonly tap?: string | undefined;
}

/** A program that drives another CLI than Claude. */
export interface OtherDriverOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: (place: Workspace) => Readonly<Record<string, string>>;
}

/** The response to one prompt. */
export interface Answered {
  readonly bytes: number;
  readonly updates: number;
}

export class AgentDriver {
  readonly place: Workspace = workspace();
  readonly #agent: AgentProgram;
  readonly #times = this.place.path("tap-times");
  #lastId = 0;
  #sessionId = "";
  #updates = 0;
  /** When the first text since the last call arrived, on the clock of claude-tap. */
  #firstWordAt: bigint | undefined;
  #onFirstWord: () => void = () => {};

  constructor(options: DriverOptions | OtherDriverOptions) {
    const { args = [], env } =
      "environment" in options
        ? { args: options.args, env: options.environment(this.place) }
        : { env: this.#claudeEnvironment(options) };
    const { cwd } = this.place;
    this.#agent = new AgentProgram({ command: process.execPath, args: [options.program, ...args], env, cwd });
    this.#agent.wire.follow((line) => this.#take(line));
  }

  get pid(): number {
    return this.#agent.pid;
  }

  async initialize(): Promise<void> {
    const fs = { readTextFile: false, writeTextFile: false };
    await this.call("initialize", { protocolVersion: 1, clientCapabilities: { fs, terminal: false } });
  }

  async newSession(): Promise<void> {
    const result = await this.call("session/new", { cwd: this.place.cwd, mcpServers: [] });
    this.#sessionId = textAt(result, "sessionId");
  }

  async closeSession(): Promise<void> {
    await this.call("session/close", { sessionId: this.#sessionId });
  }

  /** From the start of the program to an idle session that has answered one prompt. */
  async warm(prompt: string): Promise<this> {
    await this.initialize();
    await this.newSession();
    await this.prompt(prompt);
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    return this;
  }

  async prompt(text: string): Promise<Answered> {
    const { bytesOut: bytes } = this.#agent;
    const updates = this.#updates;
    await this.call("session/prompt", { sessionId: this.#sessionId, prompt: [{ type: "text", text }] });
    return { bytes: this.#agent.bytesOut - bytes, updates: this.#updates - updates };
  }

  /** Milliseconds from the CLI's first text of the answer to the client's; needs the tap. */
  async addedBeforeFirstWord(text: string, onFirstWord: () => void): Promise<number> {
    rmSync(this.#times, { force: true });
    this.#firstWordAt = undefined;
    this.#onFirstWord = onFirstWord;
    await this.prompt(text);
    const left = BigInt(readFileSync(this.#times, "utf8").split("\n")[0] ?? "");
    return Number((this.#firstWordAt ?? left) - left) / 1e6;
  }

  /** CPU milliseconds of the adapter alone, user and system. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, "utf8");
    // Counted behind the command's name: state is field 3, utime 14 and stime 15, in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async close(): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
    killLeftovers(this.place.root);
    await this.place.dispose();
  }

  /** Any request; its result. */
  async call(method: string, params: JsonObject): Promise<unknown> {
    const id = ++this.#lastId;
    const { wire } = this.#agent;
    const from = wire.length;
    await this.#agent.send({ jsonrpc: "2.0", id, method, params });
    const isAnswer = ({ from: who, message }: WireLine): boolean =>
      who === "agent" && message?.["id"] === id && message["method"] === undefined;
    const { message } = await wire.waitFor(isAnswer, { from, limitMs, what: method });
    // Past events are dropped, because the next wait would search them.
    wire.items.length = 0;
    if (message?.["error"] !== undefined) throw new Error(`${method}: ${JSON.stringify(message["error"])}`);
    return message?.["result"];
  }

  #claudeEnvironment({ api, tap }: DriverOptions): Record<string, string> {
    const claude = claudeExecutable();
    return cleanEnvironment(api.port, this.place.home, {
      BOWLINE_CLAUDE: tap ?? claude,
      CLAUDE_CODE_EXECUTABLE: tap ?? claude,
      TAPPED_CLAUDE: claude,
      TAPPED_TIMES: this.#times,
    });
  }

  #take({ from, message }: WireLine): void {
    if (from !== "agent" || message === undefined) return;
    if (message["method"] === "session/request_permission") return this.#allow(message);
    if (message["method"] !== "session/update") return;
    this.#updates++;
    if (this.#firstWordAt !== undefined || at(message, "params.update.sessionUpdate") !== "agent_message_chunk") return;
    this.#firstWordAt = process.hrtime.bigint();
    this.#onFirstWord();
  }

  #allow(request: JsonObject): void {
    const option = listAt(request, "params.options").find((one) => at(one, "kind") === "allow_once");
    const outcome = { outcome: "selected", optionId: textAt(option, "optionId") };
    void this.#agent.send({ jsonrpc: "2.0", id: request["id"], result: { outcome } });
  }
}

/** Commands and titles come after a session's first answer. */
const quietMs = 500;

export interface RawHost {
  /** Milliseconds from a prompt to its result. */
  readonly prompt: (text: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The CLI without an adapter, initialized. */
export async function rawHost(api: MessagesApi): Promise<RawHost> {
  const place = workspace();
  const host = new ClaudeHost({ api, workspace: place });
  await host.initialize();
  return {
    prompt: (text) => clocked(() => host.prompt(text, { from: host.lines.length, limitMs })),
    async close() {
      await host.kill();
      killLeftovers(place.root);
      await place.dispose();
    },
  };
}
