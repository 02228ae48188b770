/**
 * CLI: one run of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next prompt starts another.
 */
import {
  type After,
  type Assistant,
  ClaudeExit,
  ControlTimeout,
  type ConversationEvent,
  Engine,
  type HostHandlers,
  type InitializeAnswer,
  type InitializeFields,
  isOlder,
  oldestVersion,
  readVersion,
} from "../claude/index.ts";
import type { Launched } from "./launcher.ts";

/** How long a tool takes to start what it starts; looking costs some milliseconds. */
const childrenMs = 300;

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
  /** Calls off the look at what its tools have started, while there is to be one. */
  #callOff: (() => void) | undefined;

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
        if (event.type === "assistant") this.#expectChildren(event, ends.after);
        ends.onEvent(event);
      },
      onFailure: ends.onBug,
    });
    this.offers = this.#greet(launched, ends.initialize);
    this.offers.catch(() => {});
    void this.engine.closed.then((exit) => {
      this.#callOff?.();
      launched.ready();
      ends.onClosed(exit);
    });
  }

  /** Stops what runs without ending the CLI. A CLI that is gone has stopped already. */
  interrupt(): void {
    this.engine.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }

  /** A tool may start a process, which the CLI's own end would leave to nobody. */
  #expectChildren({ message }: Assistant, after: After): void {
    if (this.#callOff !== undefined || !message.content.some(({ type }) => type === "tool_use")) return;
    this.#callOff = after(childrenMs, () => {
      this.#callOff = undefined;
      if (this.engine.isOpen) this.engine.lookAround();
    });
  }

  /** A CLI that is too old may answer, refuse our flags or say nothing; each is told for what it is. */
  async #greet({ ready, examine }: Launched, fields: InitializeFields): Promise<InitializeAnswer> {
    try {
      const answer = await this.engine.control.request("initialize", fields);
      const version = readVersion(answer.claude_code_version ?? "");
      if (version !== undefined && isOlder(version, oldestVersion)) await examine?.();
      return answer;
    } catch (cause) {
      const hasFailed = cause instanceof ControlTimeout || (cause instanceof ClaudeExit && (cause.code ?? 0) !== 0);
      if (hasFailed) await examine?.();
      throw cause;
    } finally {
      ready();
    }
  }
}
