/**
 * CLI: one run of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next prompt starts another.
 */
import {
  type After,
  type ClaudeExit,
  type ConversationEvent,
  Engine,
  greeted,
  type HostHandlers,
  type InitializeAnswer,
  type InitializeFields,
  type Launched,
  Lookout,
} from "../claude/index.ts";

export interface CliEnds {
  readonly after: After;
  readonly handlers: HostHandlers;
  /** Which tools it is started for, see `EditorTools.kind`. */
  readonly tools: string;
  /** What is asked for at the start. */
  readonly initialize: InitializeFields;
  readonly onEvent: (event: ConversationEvent) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class Cli {
  readonly engine: Engine;
  readonly tools: string;
  /** What the CLI offers; rejects when it ends before it says so. */
  readonly offers: Promise<InitializeAnswer>;
  /** It says when it comes to rest; older ones do not. */
  tellsState = false;
  /** It works, perhaps on something nobody prompted. */
  isBusy = false;
  /** Something it started runs in the background. */
  hasTasks = false;

  constructor(launched: Launched, ends: CliEnds) {
    this.tools = ends.tools;
    this.engine = new Engine(launched.link, {
      after: ends.after,
      handlers: ends.handlers,
      onEvent: (event) => {
        if (event.type === "system" && event.subtype === "session_state_changed") {
          this.tellsState = true;
          this.isBusy = event.state !== "idle";
        }
        if (event.type === "system" && event.subtype === "background_tasks_changed") {
          this.hasTasks = event.tasks.length > 0;
        }
        lookout.heed(event);
        ends.onEvent(event);
      },
      onFailure: ends.onBug,
    });
    const lookout = new Lookout(this.engine, ends.after);
    const answer = this.engine.control.request("initialize", ends.initialize);
    this.offers = greeted(launched, answer, ({ claude_code_version }) => claude_code_version);
    this.offers.catch(() => {});
    void this.engine.closed.then((exit) => {
      launched.ready();
      ends.onClosed(exit);
    });
  }

  /** Stops what runs without ending the CLI. A CLI that is gone has stopped already. */
  interrupt(): void {
    this.engine.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }
}
