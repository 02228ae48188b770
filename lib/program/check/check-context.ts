/**
 * The agent process, sessions and turns that the rules of `bowline check` share, so that
 * an agent is started and prompted as rarely as possible.
 *
 * One initialized agent, one session with one turn, and a second session whose turn is
 * cancelled. Each is created when the first rule needs it; a rule whose preparation
 * fails is skipped.
 */
import { type AgentCapabilities, InitializeResponse, type McpServer, NewSessionResponse } from "../../acp/index.ts";
import { errorCodes } from "../../rpc/index.ts";
import { Fault } from "../../schema/index.ts";
import { version } from "../../version.ts";
import type { Link } from "../../wire/index.ts";
import { WireLog } from "./wire-log.ts";
import { codeOf, RuleViolation, RuleSkipped, need } from "./rule.ts";
import { type RawAnswer, AgentUnderTest } from "./agent-under-test.ts";

export interface CheckContextOptions {
  /** Starts the agent under test. */
  readonly start: () => Link;
  /** An empty directory for the sessions. */
  readonly cwd: string;
  /** How long a response may take; a turn may take `turnFactor` times that. */
  readonly limitMs: number;
  /** Prompts with a short and a long reply; undefined sends no prompts. */
  readonly prompts: CheckPrompts | undefined;
  /** The authentication method to use; undefined: no sign-in. */
  readonly authMethod: string | undefined;
  /** An MCP server for the agent to start, and whether it was started. */
  readonly mcp: { readonly server: McpServer; readonly wasStarted: () => boolean };
}

export interface CheckPrompts {
  readonly short: string;
  readonly long: string;
}

export interface OpenedSession {
  readonly agent: AgentUnderTest;
  readonly sessionId: string;
  readonly state: NewSessionResponse;
}

/** A finished turn. */
export interface CheckedTurn extends OpenedSession {
  readonly answer: RawAnswer;
  /** The index in the log where the turn begins. */
  readonly from: number;
  readonly tookMs: number;
}

interface Turns {
  readonly first: Promise<CheckedTurn>;
  readonly second: Promise<CheckedTurn>;
}

const turnFactor = 4;
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

export class CheckContext {
  readonly log = new WireLog();
  readonly options: CheckContextOptions;
  /** The ids of all sessions that were opened. */
  readonly sessionIds = new Set<string>();
  /** Why no session with an MCP server could be opened. */
  mcpFailure: string | undefined;
  readonly #runs: AgentUnderTest[] = [];
  #initializeResponse: Promise<RawAnswer> | undefined;
  #agent: AgentUnderTest | undefined;
  #first: Promise<OpenedSession> | undefined;
  #second: Promise<OpenedSession> | undefined;
  #turns: Promise<Turns> | undefined;

  constructor(options: CheckContextOptions) {
    this.options = options;
  }

  /** Starts a new process of the agent and sends nothing. */
  fresh(): AgentUnderTest {
    const agent = new AgentUnderTest(this.#runs.length, this.options.start(), this.log, this.options.limitMs);
    this.#runs.push(agent);
    return agent;
  }

  /** Runs `act` with an agent process of its own. */
  async alone<T>(act: (agent: AgentUnderTest) => Promise<T>): Promise<T> {
    const agent = this.fresh();
    try {
      return await act(agent);
    } finally {
      void agent.close();
    }
  }

  async initialize(agent: AgentUnderTest, protocolVersion: unknown = 1): Promise<RawAnswer> {
    const clientInfo = { name: "bowline-check", version };
    const answer = await agent.ask("initialize", { protocolVersion, clientCapabilities, clientInfo });
    const { authMethod: methodId } = this.options;
    if (methodId !== undefined && answer.error === undefined) await agent.ask("authenticate", { methodId });
    return answer;
  }

  /** The response to `initialize` of the shared agent; starts a new one when a rule has ended it. */
  initializeResponse(): Promise<RawAnswer> {
    if (this.#initializeResponse === undefined || this.#agent?.isGone === true) {
      this.#agent = this.fresh();
      this.#initializeResponse = this.initialize(this.#agent);
      // The sessions ended with their agent.
      this.#first = this.#second = undefined;
    }
    return this.#initializeResponse;
  }

  /** The shared agent, initialized. */
  async ready(): Promise<AgentUnderTest> {
    const { error } = await this.initializeResponse().catch(asSkipped);
    need(error === undefined && this.#agent !== undefined, "initialize fails");
    return this.#agent;
  }

  async capabilities(): Promise<AgentCapabilities> {
    await this.ready();
    const read = InitializeResponse.read((await this.initializeResponse()).result);
    return read instanceof Fault ? {} : (read.agentCapabilities ?? {});
  }

  /** Opens a session for one rule. */
  async open(mcpServers: readonly McpServer[] = []): Promise<OpenedSession> {
    const agent = await this.ready();
    const answer = await agent.ask("session/new", { cwd: this.options.cwd, mcpServers }).catch(asSkipped);
    need(codeOf(answer) !== errorCodes.authRequired, signInNeeded);
    const state = NewSessionResponse.read(answer.result);
    need(answer.error === undefined && !(state instanceof Fault), `session/new fails`);
    this.sessionIds.add(state.sessionId);
    return { agent, sessionId: state.sessionId, state };
  }

  async session(): Promise<OpenedSession> {
    await this.ready();
    return (this.#first ??= this.open());
  }

  /** The second shared session, with an MCP server if the agent accepts one. */
  async second(): Promise<OpenedSession> {
    await this.session();
    return (this.#second ??= this.open([this.options.mcp.server]).catch((cause: RuleSkipped) => {
      this.mcpFailure = cause.message;
      return this.open();
    }));
  }

  /** Two turns at the same time: one in the first session, and one in the second that is cancelled at once. */
  turns(): Promise<Turns> {
    return (this.#turns ??= this.#startTurns());
  }

  /** The first turn, for rules that need one but are not about it; skips the rule when the turn failed. */
  async turn(): Promise<CheckedTurn> {
    const { first } = await this.turns();
    const turn = await first.catch(asSkipped);
    need(turn.answer.error === undefined, "the prompt fails");
    return turn;
  }

  /** Skips the rule when no prompts may be sent, even prompts that must be refused. */
  prompts(): CheckPrompts {
    const { prompts } = this.options;
    need(prompts !== undefined, "prompts are left out");
    return prompts;
  }

  /** Sends a prompt; `during` runs once it is sent. */
  async prompt(
    opened: OpenedSession,
    length: keyof CheckPrompts | "empty",
    during: () => Promise<void> | void = () => {},
  ): Promise<CheckedTurn> {
    const prompts = this.prompts();
    const { agent, sessionId } = opened;
    const from = this.log.rows.length;
    const startedMs = performance.now();
    const prompt = length === "empty" ? [] : [{ type: "text", text: prompts[length] }];
    const asked = agent.ask("session/prompt", { sessionId, prompt }, this.options.limitMs * turnFactor);
    const [answer] = await Promise.all([asked, during()]);
    need(codeOf(answer) !== errorCodes.authRequired, signInNeeded);
    return { ...opened, answer, from, tookMs: performance.now() - startedMs };
  }

  /** Ends every agent process, and deletes the sessions if the agent supports it. */
  async close(): Promise<void> {
    const agent = this.#agent;
    if (this.sessionIds.size > 0 && agent?.isGone === false) {
      const { sessionCapabilities } = await this.capabilities();
      for (const sessionId of sessionCapabilities?.delete == null ? [] : this.sessionIds) {
        await agent.ask("session/delete", { sessionId }).catch(() => {});
      }
    }
    await Promise.all(this.#runs.map((run) => run.close()));
  }

  async #startTurns(): Promise<Turns> {
    this.prompts();
    const opened = await this.session();
    const other = await this.second();
    const first = this.prompt(opened, "short");
    const second = this.prompt(other, "long", () =>
      other.agent.notify("session/cancel", { sessionId: other.sessionId }),
    );
    for (const turn of [first, second]) turn.catch(() => {});
    return { first, second };
  }
}

export const signInNeeded = "sign-in needed";

/** Converts a violation during preparation to a skip: another rule reports it. */
export function asSkipped(cause: unknown): never {
  throw cause instanceof RuleViolation ? new RuleSkipped(cause.message) : cause;
}
