/**
 * One run of the Claude CLI for a session, from its start to its exit.
 *
 * Sends `initialize` and tracks from the events whether the CLI is busy and whether
 * it has background tasks. When a run ends, `ClaudeSupervisor` starts the next one.
 */
import { type Schedule } from "../../wire/index.ts";
import {
  type ClaudeExit,
  type ConversationEvent,
  ClaudeConnection,
  awaitInitialize,
  type HostHandlers,
  type InitializeAnswer,
  type InitializeFields,
  type Launched,
  ChildScanner,
} from "../../claude/index.ts";

export interface ClaudeRunOptions {
  readonly after: Schedule;
  readonly handlers: HostHandlers;
  /** The tools that the editor serves for this run, see `EditorTools.kind`. */
  readonly tools: string;
  /** The fields of the `initialize` request. */
  readonly initialize: InitializeFields;
  readonly onEvent: (event: ConversationEvent) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class ClaudeRun {
  readonly claude: ClaudeConnection;
  readonly tools: string;
  /** The answer to `initialize`; rejects when the CLI exits without an answer. */
  readonly initialized: Promise<InitializeAnswer>;
  /** The CLI sends `session_state_changed`; older versions do not. */
  reportsIdle = false;
  /** The CLI works, perhaps without a prompt, for example on the result of a background task. */
  isBusy = false;
  /** A background task of the CLI runs. */
  hasTasks = false;

  constructor(launched: Launched, options: ClaudeRunOptions) {
    this.tools = options.tools;
    this.claude = new ClaudeConnection(launched.link, {
      after: options.after,
      handlers: options.handlers,
      onEvent: (event) => {
        if (event.type === "system" && event.subtype === "session_state_changed") {
          this.reportsIdle = true;
          this.isBusy = event.state !== "idle";
        }
        if (event.type === "system" && event.subtype === "background_tasks_changed") {
          this.hasTasks = event.tasks.length > 0;
        }
        childScanner.onEvent(event);
        options.onEvent(event);
      },
      onFailure: options.onBug,
    });
    const childScanner = new ChildScanner(this.claude, options.after);
    const answer = this.claude.control.request("initialize", options.initialize);
    this.initialized = awaitInitialize(launched, answer, ({ claude_code_version }) => claude_code_version);
    this.initialized.catch(() => {});
    void this.claude.closed.then((exit) => {
      launched.ready();
      options.onClosed(exit);
    });
  }

  /** Stops the current work of the CLI, not the CLI. Does nothing when the CLI has exited. */
  interrupt(): void {
    this.claude.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }
}
