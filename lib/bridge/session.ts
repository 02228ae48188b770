/**
 * Session: one conversation of the bridge, over as many CLIs as it takes.
 *
 * Says nothing before it is announced and nothing after it was stopped. Every
 * request is answered once. While the client lags its CLI waits too.
 */
import { type Schedule } from "../wire/index.ts";
import {
  type ClaudeExit,
  ControlTimeout,
  type ConversationEvent,
  type HostHandlers,
  type PromptFrame,
} from "../claude/index.ts";
import type { Fault } from "../schema/index.ts";
import { Callbacks } from "./callbacks.ts";
import type { Content } from "./client-message.ts";
import { ResumeState } from "./resume-state.ts";
import type { BridgeLauncher } from "./launcher.ts";
import type { SessionOptions } from "./session-options.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { isQueryMethod, type InitializeOffers, query, unknownMethod } from "./queries.ts";
import { type BridgeMessage, failureOf, reasonOf } from "./bridge-message.ts";
import { BridgeRun } from "./bridge-run.ts";
import type { Semaphore } from "./semaphore.ts";

export interface HostedSessionOptions {
  readonly send: (message: BridgeMessage) => void;
  /** A message that is already text. */
  readonly sendLine: (line: string) => void;
  readonly launcher: BridgeLauncher;
  readonly starts: Semaphore;
  /** Resolves when this session may end its CLI; see `paced`. */
  readonly mayStop: () => Promise<void>;
  readonly after: Schedule;
  readonly newId: () => string;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface HostedSessionParams {
  /** The id of the `session.create`. */
  readonly id: string;
  readonly cwd: string;
  readonly options: SessionOptions;
  readonly plan: LaunchPlan;
}

interface Live {
  readonly run: BridgeRun;
  readonly offers: InitializeOffers;
}

export class HostedSession {
  readonly id: string;
  readonly #params: HostedSessionParams;
  readonly #options: HostedSessionOptions;
  readonly #resumeState: ResumeState;
  readonly #callbacks: Callbacks;
  readonly #prefix: string;
  readonly #tasks = new Set<Promise<void>>();
  /** Messages that came before the client knows of the session. */
  #held: string[] | undefined = [];
  #live: Live | undefined;
  #starting: Promise<Live> | undefined;
  /** The one that starts, or lives. */
  #run: BridgeRun | undefined;
  /** One that hung, until it is gone: no two CLIs write to the same conversation. */
  #leaving: { readonly run: BridgeRun; readonly gone: Promise<unknown> } | undefined;
  #isPaused = false;
  #isStopped = false;

  constructor(params: HostedSessionParams, callbacks: HostedSessionOptions) {
    this.id = callbacks.newId();
    this.#params = params;
    this.#options = callbacks;
    this.#resumeState = new ResumeState(params.options, callbacks.newId);
    this.#prefix = `{"type":"sdk.message","session_id":${JSON.stringify(this.id)},"payload":`;
    this.#callbacks = new Callbacks({
      session_id: this.id,
      send: (message) => this.#say(message),
      after: callbacks.after,
      newId: callbacks.newId,
      limitMs: params.plan.callbackTimeoutMs,
    });
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isAnnounced(): boolean {
    return this.#held === undefined;
  }

  /** Starts the first CLI, tells the client, and sends the first prompt. Rejects when it cannot start. */
  async open(content: Content | undefined): Promise<void> {
    const live = await this.#wake();
    this.#announce();
    if (content !== undefined) this.#prompt(live, content, this.#params.id);
  }

  send(content: Content, id: string): void {
    // At once where it can be: an interrupt that follows must not overtake it.
    if (this.#live !== undefined) return this.#prompt(this.#live, content, id);
    this.#track(
      this.#wake().then(
        (live) => this.#prompt(live, content, id),
        (cause: unknown) => this.#say(failureOf("SDK_ERROR", cause, { id, session_id: this.id })),
      ),
    );
  }

  interrupt(id: string): void {
    const interrupted = { type: "session.interrupted", id, session_id: this.id, payload: {} } as const;
    const ask = async ({ run }: Live): Promise<void> => {
      try {
        await run.claude.control.request("interrupt", {});
        this.#options.send(interrupted);
      } catch (cause) {
        this.#options.send(failureOf("SDK_ERROR", cause, { id, session_id: this.id }));
        // Output that we do not read may hold the answer.
        if (cause instanceof ControlTimeout && !run.claude.isPaused) this.#giveUp(run);
      }
    };
    if (this.#live !== undefined) this.#track(ask(this.#live));
    else if (this.#starting !== undefined) this.#track(this.#starting.then(ask, () => this.#options.send(interrupted)));
    // Nothing runs.
    else this.#options.send(interrupted);
  }

  query(id: string, method: string, args: readonly unknown[]): void {
    const refuse = (cause: unknown): void => {
      const payload = { success: false, result: null, error: reasonOf(cause), code: "QUERY_METHOD_FAILED" } as const;
      this.#options.send({ type: "query.result", id, session_id: this.id, payload });
    };
    // An unknown method is no reason to start anything.
    if (!isQueryMethod(method)) return refuse(unknownMethod());
    const ask = async ({ run, offers }: Live): Promise<void> => {
      const result = await query(method, args, { control: run.claude.control, offers });
      this.#resumeState.noteQuery(method, args);
      this.#options.send({ type: "query.result", id, session_id: this.id, payload: { success: true, result } });
    };
    this.#track((this.#live === undefined ? this.#wake().then(ask) : ask(this.#live)).catch(refuse));
  }

  /** See `Callbacks.answer`. */
  answer(id: string, payload: unknown): boolean | Fault {
    return this.#callbacks.answer(id, payload);
  }

  pause(): void {
    this.#isPaused = true;
    // One that starts has nothing to say but what is waited for.
    this.#live?.run.claude.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#live?.run.claude.resume();
  }

  /** Ends the CLI; resolves when it is gone and every request is answered. */
  async stop(reason: string): Promise<void> {
    this.#isStopped = true;
    await this.#options.mayStop();
    await this.#run?.claude.stop(reason);
    await this.#leaving?.gone;
    await this.#starting?.catch(() => {});
    await Promise.all(this.#tasks);
  }

  /** The CLI that lives, or a new one that carries on. */
  #wake(): Promise<Live> {
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #start(): Promise<Live> {
    const { starts, launcher, after, onBug } = this.#options;
    const { cwd, plan } = this.#params;
    await this.#leaving?.gone;
    const leave = await starts.acquire();
    try {
      if (this.#isStopped) throw new Error("the session was ended");
      const launch = { ...plan.launch, ...this.#resumeState.launch() };
      const run = new BridgeRun(launcher({ ...plan, cwd, launch }), {
        after,
        initialize: plan.initialize,
        handlers: this.#handlers(),
        onMessage: (event, line) => this.#forward(event, line),
        onClosed: (exit) => this.#ended(run, exit),
        onBug,
      });
      this.#run = run;
      try {
        const live = { run, offers: await run.initialized };
        if (!run.claude.isOpen) throw await run.claude.closed;
        this.#live = live;
        if (this.#isPaused) run.claude.pause();
        return live;
      } catch (cause) {
        await run.claude.stop("the Claude CLI did not start");
        throw cause;
      }
    } finally {
      leave();
    }
  }

  /** Ends a CLI that hangs; the next message starts another with the conversation. */
  #giveUp(run: BridgeRun): void {
    if (this.#live?.run !== run) return;
    this.#live = undefined;
    this.#run = undefined;
    this.#leaving = { run, gone: run.claude.stop("the Claude CLI did not answer an interrupt") };
  }

  #handlers(): HostHandlers {
    return {
      can_use_tool: (asked, signal, said) => {
        // Nobody would answer.
        if (this.#isStopped) return { behavior: "deny", message: "the session was ended" };
        this.#announce();
        return this.#callbacks.askTool(asked, signal, said);
      },
      hook_callback: (asked, signal) => {
        if (this.#isStopped) return {};
        // Some are asked before the CLI says that it is ready, and it waits for them.
        this.#announce();
        const event = this.#params.plan.hooks.get(asked.callback_id) ?? "";
        return this.#callbacks.askHook(event, asked, signal);
      },
      elicitation: (asked, signal) => {
        // The original protocol has no word for it, and a client of it no answer.
        if (this.#isStopped || this.#params.options.elicitation_callbacks !== true) return { action: "cancel" };
        this.#announce();
        return this.#callbacks.askElicitation(asked, signal);
      },
    };
  }

  #announce(): void {
    const held = this.#held;
    if (held === undefined || this.#isStopped) return;
    this.#held = undefined;
    const payload = { sdk_session_id: this.#resumeState.sdkSessionId };
    this.#options.send({ type: "session.created", id: this.#params.id, session_id: this.id, payload });
    for (const line of held) this.#options.sendLine(line);
  }

  #prompt({ run }: Live, content: Content, id: string): void {
    run.claude.prompt({
      type: "user",
      // Blocks are the client's own; those of a kind not known here are for the CLI to read.
      message: { role: "user", content: content as PromptFrame["message"]["content"] },
      parent_tool_use_id: null,
      session_id: this.#resumeState.sdkSessionId,
      uuid: this.#resumeState.promptId(id, this.#options.newId),
      origin: { kind: "human" },
    });
  }

  #forward(event: ConversationEvent, line: string): void {
    this.#resumeState.note(event);
    if (this.#isStopped) return;
    const message = `${this.#prefix}${line}}`;
    if (this.#held === undefined) this.#options.sendLine(message);
    else this.#held.push(message);
  }

  #ended(run: BridgeRun, exit: ClaudeExit): void {
    if (this.#run === run) this.#run = undefined;
    const isAllSaid = this.#resumeState.ended(exit);
    // One that never came to life is told to those who wait for it.
    if (this.#live?.run === run) this.#live = undefined;
    else if (this.#leaving?.run === run) this.#leaving = undefined;
    else return;
    if (!isAllSaid) this.#say(failureOf("SDK_ERROR", exit, { session_id: this.id }));
  }

  /** For what nobody asked for by an id of its own. */
  #say(message: BridgeMessage): void {
    if (!this.#isStopped) this.#options.send(message);
  }

  #track(task: Promise<void>): void {
    const tracked = task.catch((cause: unknown) => this.#options.onBug("session", cause));
    this.#tasks.add(tracked);
    void tracked.then(() => this.#tasks.delete(tracked));
  }
}
