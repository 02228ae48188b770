/**
 * One run of the Claude CLI, from its start to its exit.
 *
 * Sends `initialize` and tracks from the events whether the CLI is busy and whether
 * it has background tasks. When a run ends, `ClaudeSupervisor` starts the next one.
 * The agent and the bridge use it alike.
 */
import { Fault, isRecord } from "../../../schema/index.ts";
import { type Schedule } from "../../../wire/index.ts";
import {
  type ClaudeExit,
  type ConversationEvent,
  ClaudeConnection,
  ControlRefused,
  InitializeAnswer,
  awaitInitialize,
  type HostHandlers,
  type InitializeFields,
  type LaunchedCli,
  ChildScanner,
} from "../../index.ts";

/** Eight CLIs that start at once need about five seconds on two cores. */
const initializeLimitMs = 60_000;

export interface ClaudeRunOptions {
  readonly after: Schedule;
  readonly handlers: HostHandlers;
  /** The fields of the `initialize` request. */
  readonly initialize: InitializeFields;
  /** `line` is the raw line of the event. */
  readonly onEvent: (event: ConversationEvent, line: string) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

/** The CLI's answer to `initialize`, unread: a bridge client may know fields of it that Bowline does not. */
export type RawInitializeAnswer = Readonly<Record<string, unknown>>;

export class ClaudeRun {
  readonly claude: ClaudeConnection;
  /** The answer to `initialize`; rejects when the CLI exits without an answer. */
  readonly initialized: Promise<RawInitializeAnswer>;
  /** The CLI sends `session_state_changed`; older versions do not. */
  reportsIdle = false;
  /** The CLI works, perhaps without a prompt, for example on the result of a background task. */
  isBusy = false;
  /** A background task of the CLI runs. */
  hasTasks = false;
  #answer: RawInitializeAnswer | undefined;

  constructor(launched: LaunchedCli, options: ClaudeRunOptions) {
    this.claude = new ClaudeConnection(launched.link, {
      after: options.after,
      handlers: options.handlers,
      onEvent: (event, line) => {
        this.#track(event);
        if (event.type === "assistant") childScanner.onEvent(event);
        options.onEvent(event, line);
      },
      onFailure: options.onBug,
    });
    const childScanner = new ChildScanner(this.claude, options.after);
    const versionIn = ({ claude_code_version }: RawInitializeAnswer): unknown => claude_code_version;
    this.initialized = awaitInitialize(launched, this.#initialize(options.initialize), versionIn).then(
      (answer) => (this.#answer = answer),
    );
    this.initialized.catch(() => {});
    void this.claude.closed.then((exit) => {
      launched.ready();
      options.onClosed(exit);
    });
  }

  /** The CLI has answered `initialize`. */
  get wasInitialized(): boolean {
    return this.#answer !== undefined;
  }

  /** The answer to `initialize`, once the CLI has given it and while it runs. */
  get answer(): RawInitializeAnswer | undefined {
    return this.claude.isOpen ? this.#answer : undefined;
  }

  /** Stops the current work of the CLI, not the CLI. Does nothing when the CLI has exited. */
  interrupt(): void {
    this.claude.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }

  async #initialize(fields: InitializeFields): Promise<RawInitializeAnswer> {
    const answer = await this.claude.control.requestRaw("initialize", fields, { limitMs: initializeLimitMs });
    return isRecord(answer) ? answer : {};
  }

  #track(event: ConversationEvent): void {
    if (event.type !== "system") return;
    if (event.subtype === "session_state_changed") {
      this.reportsIdle = true;
      this.isBusy = event.state !== "idle";
    } else if (event.subtype === "background_tasks_changed") {
      this.hasTasks = event.tasks.length > 0;
    }
  }
}

/** The fields of the answer that the agent reads. */
export function readInitializeAnswer(raw: RawInitializeAnswer): InitializeAnswer {
  const answer = InitializeAnswer.read(raw);
  if (!(answer instanceof Fault)) return answer;
  throw new ControlRefused("initialize", `initialize: ${answer.describe("the answer")}`, "unreadable");
}
