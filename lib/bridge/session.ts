/**
 * One session of the bridge: a conversation that may outlive several CLI processes.
 *
 * Sends nothing before `session.created`, and after `stop` only the answers to pending
 * requests. Every request is answered once. While the client reads too slowly, the CLI
 * is paused. When the CLI has exited, the next message starts one that resumes.
 */
import { type Schedule } from "../wire/index.ts";
import {
  type ClaudeExit,
  ControlTimeout,
  type ConversationEvent,
  type HostHandlers,
  type PromptFrame,
} from "../claude/index.ts";
import { type ClaudeRun, ClaudeSupervisor, type Launcher } from "../claude/engine/index.ts";
import { type Fault, isRecord } from "../schema/index.ts";
import { Callbacks } from "./callbacks.ts";
import type { PromptContent } from "./client-message.ts";
import { ResumeState } from "./resume-state.ts";
import type { SessionOptions } from "./session-options.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { isQueryMethod, query, unknownMethod } from "./queries.ts";
import { type BridgeMessage, failureOf, reasonOf } from "./bridge-message.ts";
import type { Semaphore } from "./semaphore.ts";

export interface HostedSessionOptions {
  readonly send: (message: BridgeMessage) => void;
  /** Sends a message that is already serialised. */
  readonly sendLine: (line: string) => void;
  readonly launcher: Launcher;
  readonly starts: Semaphore;
  /** Resolves when this session may stop its CLI; see `paced`. */
  readonly mayStop: () => Promise<void>;
  readonly after: Schedule;
  readonly newId: () => string;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface HostedSessionParams {
  /** The id of the client's `session.create` message. */
  readonly id: string;
  readonly cwd: string;
  readonly options: SessionOptions;
  readonly plan: LaunchPlan;
}

export class HostedSession {
  readonly id: string;
  readonly #params: HostedSessionParams;
  readonly #options: HostedSessionOptions;
  readonly #resumeState: ResumeState;
  readonly #callbacks: Callbacks;
  readonly #prefix: string;
  readonly #tasks = new Set<Promise<void>>();
  /** Lines buffered until `session.created` is sent; undefined afterwards. */
  #buffered: string[] | undefined = [];
  readonly #supervisor: ClaudeSupervisor;
  #starting: Promise<ClaudeRun> | undefined;
  #isPaused = false;
  #isStopped = false;

  constructor(params: HostedSessionParams, options: HostedSessionOptions) {
    this.id = options.newId();
    this.#params = params;
    this.#options = options;
    this.#resumeState = new ResumeState(params.options, options.newId);
    this.#prefix = `{"type":"sdk.message","session_id":${JSON.stringify(this.id)},"payload":`;
    this.#callbacks = new Callbacks({
      session_id: this.id,
      send: (message) => this.#sendUnlessStopped(message),
      after: options.after,
      newId: options.newId,
      limitMs: params.plan.callbackTimeoutMs,
    });
    const { cwd, plan } = params;
    this.#supervisor = new ClaudeSupervisor({
      after: options.after,
      launch: () => {
        const launch = { ...plan.launch, ...this.#resumeState.launch() };
        const launched = options.launcher({ ...plan, sessionId: this.id, cwd, launch });
        return { launched, initialize: plan.initialize, handlers: this.#handlers() };
      },
      onEvent: (_, event, line) => this.#forward(event, line),
      onClosed: (run, exit) => this.#onExit(exit, run.wasInitialized),
      onBug: options.onBug,
    });
  }

  /** The CLI that has answered `initialize` and still runs. */
  get #live(): ClaudeRun | undefined {
    const { current } = this.#supervisor;
    return current?.answer === undefined ? undefined : current;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isAnnounced(): boolean {
    return this.#buffered === undefined;
  }

  /** Starts the first CLI, sends `session.created`, then the first prompt. Rejects when the CLI cannot start. */
  async open(content: PromptContent | undefined): Promise<void> {
    const live = await this.#ensureLive();
    this.#announce();
    if (content !== undefined) this.#prompt(live, content, this.#params.id);
  }

  send(content: PromptContent, id: string): void {
    // Synchronously when a CLI is live, so that an interrupt sent next does not overtake the prompt.
    if (this.#live !== undefined) return this.#prompt(this.#live, content, id);
    this.#track(
      this.#ensureLive().then(
        (live) => this.#prompt(live, content, id),
        (cause: unknown) => this.#sendUnlessStopped(failureOf("SDK_ERROR", cause, { id, session_id: this.id })),
      ),
    );
  }

  interrupt(id: string): void {
    const interrupted = { type: "session.interrupted", id, session_id: this.id, payload: {} } as const;
    const ask = async (run: ClaudeRun): Promise<void> => {
      try {
        await run.claude.control.request("interrupt", {});
        this.#options.send(interrupted);
      } catch (cause) {
        this.#options.send(failureOf("SDK_ERROR", cause, { id, session_id: this.id }));
        // While the CLI is paused its response may wait unread, so a timeout proves nothing then.
        if (cause instanceof ControlTimeout && !run.claude.isPaused) this.#replaceHung(run);
      }
    };
    if (this.#live !== undefined) this.#track(ask(this.#live));
    else if (this.#starting !== undefined) this.#track(this.#starting.then(ask, () => this.#options.send(interrupted)));
    // No CLI runs, so there is nothing to interrupt.
    else this.#options.send(interrupted);
  }

  query(id: string, method: string, args: readonly unknown[]): void {
    const refuse = (cause: unknown): void => {
      const payload = { success: false, result: null, error: reasonOf(cause), code: "QUERY_METHOD_FAILED" } as const;
      this.#options.send({ type: "query.result", id, session_id: this.id, payload });
    };
    // Checked first, so that an unknown method starts no CLI.
    if (!isQueryMethod(method)) return refuse(unknownMethod());
    const ask = async (run: ClaudeRun): Promise<void> => {
      const result = await query(method, args, { control: run.claude.control, offers: run.answer ?? {} });
      this.#resumeState.noteQuery(method, args);
      this.#options.send({ type: "query.result", id, session_id: this.id, payload: { success: true, result } });
    };
    this.#track((this.#live === undefined ? this.#ensureLive().then(ask) : ask(this.#live)).catch(refuse));
  }

  /** See `Callbacks.answer`. */
  answer(id: string, payload: unknown): boolean | Fault {
    return this.#callbacks.answer(id, payload);
  }

  pause(): void {
    this.#isPaused = true;
    // A starting CLI is not paused: its response to `initialize` is awaited.
    this.#live?.claude.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#live?.claude.resume();
  }

  /** Stops the CLI; resolves when it has exited and every request is answered. */
  async stop(reason: string): Promise<void> {
    this.#isStopped = true;
    await this.#options.mayStop();
    await this.#supervisor.close(reason);
    await this.#starting?.catch(() => {});
    await Promise.all(this.#tasks);
  }

  /** The live CLI, or a new one that resumes the conversation. */
  #ensureLive(): Promise<ClaudeRun> {
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #start(): Promise<ClaudeRun> {
    await this.#supervisor.exiting;
    const release = await this.#options.starts.acquire();
    try {
      if (this.#isStopped) throw new Error("the session was ended");
      const run = this.#supervisor.launch();
      try {
        await run.initialized;
        if (!run.claude.isOpen) throw await run.claude.closed;
        if (this.#isPaused) run.claude.pause();
        return run;
      } catch (cause) {
        await this.#supervisor.discard("the Claude CLI did not start");
        throw cause;
      }
    } finally {
      release();
    }
  }

  /** Stops a hung CLI; the next message starts another one that resumes the conversation. */
  #replaceHung(run: ClaudeRun): void {
    if (this.#supervisor.current !== run) return;
    void this.#supervisor
      .discard("the Claude CLI did not answer an interrupt")
      ?.then((exit) => this.#onExit(exit, true));
  }

  #handlers(): HostHandlers {
    return {
      can_use_tool: (asked, signal, said) => {
        // The client no longer receives callbacks of a stopped session.
        if (this.#isStopped) return { behavior: "deny", message: "the session was ended" };
        this.#announce();
        return this.#callbacks.askTool(asked, signal, said);
      },
      hook_callback: (asked, signal) => {
        if (this.#isStopped) return {};
        // The CLI calls some hooks before it answers `initialize`, and waits for their results.
        this.#announce();
        const event = this.#params.plan.hooks.get(asked.callback_id) ?? "";
        return this.#callbacks.askHook(event, asked, signal);
      },
      elicitation: (asked, signal) => {
        // Elicitation is an extension: clients of the original protocol could not answer it.
        if (this.#isStopped || this.#params.options.elicitation_callbacks !== true) return { action: "cancel" };
        this.#announce();
        return this.#callbacks.askElicitation(asked, signal);
      },
    };
  }

  #announce(): void {
    const buffered = this.#buffered;
    if (buffered === undefined || this.#isStopped) return;
    this.#buffered = undefined;
    const payload = { sdk_session_id: this.#resumeState.sdkSessionId };
    this.#options.send({ type: "session.created", id: this.#params.id, session_id: this.id, payload });
    for (const line of buffered) this.#options.sendLine(line);
  }

  #prompt(run: ClaudeRun, content: PromptContent, id: string): void {
    run.claude.prompt({
      type: "user",
      // The client's content blocks pass unchanged; block types unknown here are left to the CLI.
      message: { role: "user", content: content as PromptFrame["message"]["content"] },
      parent_tool_use_id: null,
      session_id: this.#resumeState.sdkSessionId,
      uuid: this.#resumeState.promptId(id, this.#options.newId),
      origin: { kind: "human" },
    });
  }

  #forward(event: ConversationEvent, line: string): void {
    if (isInternal(event)) return;
    this.#resumeState.note(event);
    if (this.#isStopped) return;
    const message = `${this.#prefix}${line}}`;
    if (this.#buffered === undefined) this.#options.sendLine(message);
    else this.#buffered.push(message);
  }

  /** `wasLive`: the CLI had answered `initialize`. Otherwise the requests that wait for it report its exit. */
  #onExit(exit: ClaudeExit, wasLive: boolean): void {
    const lostNothing = this.#resumeState.ended(exit);
    if (!wasLive || lostNothing) return;
    this.#sendUnlessStopped(failureOf("SDK_ERROR", exit, { session_id: this.id }));
  }

  /** For messages that answer no pending request of the client. */
  #sendUnlessStopped(message: BridgeMessage): void {
    if (!this.#isStopped) this.#options.send(message);
  }

  #track(task: Promise<void>): void {
    const tracked = task.catch((cause: unknown) => this.#options.onBug("session", cause));
    this.#tasks.add(tracked);
    void tracked.then(() => this.#tasks.delete(tracked));
  }
}

/** True for events that clients do not receive: keep-alives, and control frames of unknown shape. */
function isInternal(event: ConversationEvent): boolean {
  if (event.type === "keep_alive") return true;
  return event.type === "unknown" && isRecord(event.value) && String(event.value["type"]).startsWith("control_");
}
