/**
 * Scene: what the rules share, so that an agent is started and prompted as seldom
 * as can be.
 *
 * One initialized agent, one session with one turn, and a second session that is
 * cancelled. Each is made when the first rule asks for it, and a rule that cannot
 * have it is not run.
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
  /** Starts the agent. */
  readonly start: () => Link;
  /** A directory for the sessions, which is empty. */
  readonly cwd: string;
  /** How long an answer may take; a turn may take `turnFactor` times that. */
  readonly limitMs: number;
  /** What is sent as a prompt, shortly and at length; undefined sends none. */
  readonly prompts: Prompts | undefined;
  /** How to sign in; undefined does not. */
  readonly authMethod: string | undefined;
  /** An MCP server for an agent to start, and whether one did. */
  readonly mcp: { readonly server: McpServer; readonly wasStarted: () => boolean };
}

export interface Prompts {
  readonly short: string;
  readonly long: string;
}

export interface OpenedSession {
  readonly agent: AgentUnderTest;
  readonly sessionId: string;
  readonly state: NewSessionResponse;
}

/** How a turn went. */
export interface CheckedTurn extends OpenedSession {
  readonly answer: RawAnswer;
  /** Where in the log it begins. */
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
  /** The sessions that were made, to tell whose updates are whose. */
  readonly sessionIds = new Set<string>();
  /** Why there is no session with an MCP server. */
  mcpFailure: string | undefined;
  readonly #runs: AgentUnderTest[] = [];
  #greeting: Promise<RawAnswer> | undefined;
  #agent: AgentUnderTest | undefined;
  #first: Promise<OpenedSession> | undefined;
  #second: Promise<OpenedSession> | undefined;
  #turns: Promise<Turns> | undefined;

  constructor(options: CheckContextOptions) {
    this.options = options;
  }

  /** The agent just started, with nothing said to it. */
  fresh(): AgentUnderTest {
    const subject = new AgentUnderTest(this.#runs.length, this.options.start(), this.log, this.options.limitMs);
    this.#runs.push(subject);
    return subject;
  }

  /** A run for one rule. */
  async alone<T>(act: (agent: AgentUnderTest) => Promise<T>): Promise<T> {
    const agent = this.fresh();
    try {
      return await act(agent);
    } finally {
      void agent.close();
    }
  }

  async greet(subject: AgentUnderTest, protocolVersion: unknown = 1): Promise<RawAnswer> {
    const clientInfo = { name: "bowline-check", version };
    const answer = await subject.ask("initialize", { protocolVersion, clientCapabilities, clientInfo });
    const { authMethod: methodId } = this.options;
    if (methodId !== undefined && answer.error === undefined) await subject.ask("authenticate", { methodId });
    return answer;
  }

  /** What `initialize` was answered with, by the agent the rules share. */
  greeting(): Promise<RawAnswer> {
    if (this.#greeting === undefined || this.#agent?.isGone === true) {
      this.#agent = this.fresh();
      this.#greeting = this.greet(this.#agent);
      // Sessions of an agent that is gone are gone.
      this.#first = this.#second = undefined;
    }
    return this.#greeting;
  }

  /** The agent the rules share, initialized; a new one when a rule has ended it. */
  async ready(): Promise<AgentUnderTest> {
    const { error } = await this.greeting().catch(asSkipped);
    need(error === undefined && this.#agent !== undefined, "initialize fails");
    return this.#agent;
  }

  async capabilities(): Promise<AgentCapabilities> {
    await this.ready();
    const read = InitializeResponse.read((await this.greeting()).result);
    return read instanceof Fault ? {} : (read.agentCapabilities ?? {});
  }

  /** A session of its own. */
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

  /** Another session, with an MCP server where the agent takes it. */
  async second(): Promise<OpenedSession> {
    await this.session();
    return (this.#second ??= this.open([this.options.mcp.server]).catch((cause: RuleSkipped) => {
      this.mcpFailure = cause.message;
      return this.open();
    }));
  }

  /** A turn in the first session and, meanwhile, one in the second that is cancelled at once. */
  turns(): Promise<Turns> {
    return (this.#turns ??= this.#play());
  }

  /** The first turn, for the rules it does not belong to. */
  async turn(): Promise<CheckedTurn> {
    const { first } = await this.turns();
    const turn = await first.catch(asSkipped);
    need(turn.answer.error === undefined, "the prompt fails");
    return turn;
  }

  /** Prompts may be sent; even one that has to be refused is one. */
  prompts(): Prompts {
    const { prompts } = this.options;
    need(prompts !== undefined, "prompts are left out");
    return prompts;
  }

  /** Sends a prompt; `during` begins once it is on its way. */
  async prompt(
    opened: OpenedSession,
    length: keyof Prompts | "empty",
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

  /** Ends every run, and forgets the sessions where the agent can. */
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

  async #play(): Promise<Turns> {
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

/** The rule that a failed preparation belongs to says so itself; for the others it is no fault. */
export function asSkipped(cause: unknown): never {
  throw cause instanceof RuleViolation ? new RuleSkipped(cause.message) : cause;
}
