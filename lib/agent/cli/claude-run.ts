/**
 * CLI: one run of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next prompt starts another.
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
  /** Which tools it is started for, see `EditorTools.kind`. */
  readonly tools: string;
  /** What is asked for at the start. */
  readonly initialize: InitializeFields;
  readonly onEvent: (event: ConversationEvent) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class ClaudeRun {
  readonly claude: ClaudeConnection;
  readonly tools: string;
  /** What the CLI offers; rejects when it ends before it says so. */
  readonly initialized: Promise<InitializeAnswer>;
  /** It says when it comes to rest; older ones do not. */
  reportsIdle = false;
  /** It works, perhaps on something nobody prompted. */
  isBusy = false;
  /** Something it started runs in the background. */
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

  /** Stops what runs without ending the CLI. A CLI that is gone has stopped already. */
  interrupt(): void {
    this.claude.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }
}
