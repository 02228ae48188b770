/**
 * Starts, replaces and stops the CLI of one conversation.
 *
 * A conversation outlives its CLI. At most one CLI of a conversation runs at a time: a
 * discarded CLI has exited before the next one starts, because two would write to the
 * same transcript. The agent and the bridge use it alike.
 */
import type { ClaudeExit, ConversationEvent, HostHandlers, InitializeFields, LaunchedCli } from "../../index.ts";
import type { Schedule } from "../../../wire/index.ts";
import { ClaudeRun } from "./claude-run.ts";

/** A started CLI, and how the host talks to it. */
export interface RunLaunch {
  readonly launched: LaunchedCli;
  readonly initialize: InitializeFields;
  readonly handlers: HostHandlers;
}

export interface ClaudeSupervisorOptions {
  readonly after: Schedule;
  /** Starts a CLI. Throws when it cannot be started. */
  readonly launch: () => RunLaunch;
  /** The current CLI emitted an event. */
  readonly onEvent: (run: ClaudeRun, event: ConversationEvent, line: string) => void;
  /** The current CLI exited on its own. */
  readonly onClosed: (run: ClaudeRun, exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class ClaudeSupervisor {
  readonly #options: ClaudeSupervisorOptions;
  #current: ClaudeRun | undefined;
  /** Resolves when every discarded CLI has exited. */
  #exiting: Promise<unknown> | undefined;

  constructor(options: ClaudeSupervisorOptions) {
    this.#options = options;
  }

  /** The CLI that runs or is being started. */
  get current(): ClaudeRun | undefined {
    return this.#current;
  }

  /** Resolves when every discarded CLI has exited; undefined when there is none. */
  get exiting(): Promise<unknown> | undefined {
    return this.#exiting;
  }

  /** Starts a CLI. Throws when the CLI cannot be started. */
  launch(): ClaudeRun {
    const { after, launch, onEvent, onClosed, onBug } = this.#options;
    const { launched, initialize, handlers } = launch();
    const run: ClaudeRun = new ClaudeRun(launched, {
      after,
      initialize,
      handlers,
      onEvent: (event, line) => {
        if (run === this.#current) onEvent(run, event, line);
      },
      onClosed: (exit) => {
        if (run !== this.#current) return;
        this.#current = undefined;
        onClosed(run, exit);
      },
      onBug,
    });
    this.#current = run;
    return run;
  }

  /** The current CLI, started if necessary; undefined when `isWanted` has become false. */
  async ready(isWanted: () => boolean): Promise<ClaudeRun | undefined> {
    if (this.#exiting !== undefined) await this.#exiting;
    return isWanted() ? (this.#current ?? this.launch()) : undefined;
  }

  /** Stops the CLI unless it works or has background tasks. Returns false when the CLI keeps running. */
  releaseIfIdle(why: string): boolean {
    const run = this.#current;
    if (run === undefined) return true;
    if (run.isBusy || run.hasTasks) return false;
    void this.discard(why);
    return true;
  }

  /** Stops the CLI and ignores everything it still sends. Returns its exit; undefined when none runs. */
  discard(why: string): Promise<ClaudeExit> | undefined {
    const run = this.#current;
    this.#current = undefined;
    const exit = run?.claude.stop(why);
    if (exit !== undefined) this.#exiting = Promise.all([this.#exiting, exit]);
    return exit;
  }

  /** Stops the CLI. Resolves when every CLI has exited. */
  async close(reason: string): Promise<void> {
    void this.discard(reason);
    await this.#exiting;
  }
}
