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
  type HostHandlers,
  type InitializeAnswer,
} from "../claude/index.ts";
import type { Launched } from "./launcher.ts";

export interface CliEnds {
  readonly after: After;
  readonly handlers: HostHandlers;
  readonly onEvent: (event: ConversationEvent) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class Cli {
  readonly engine: Engine;
  /** What the CLI offers; rejects when it ends before it says so. */
  readonly offers: Promise<InitializeAnswer>;
  /** It says when it comes to rest; older ones do not. */
  tellsState = false;

  constructor({ link, ready }: Launched, ends: CliEnds) {
    this.engine = new Engine(link, {
      after: ends.after,
      handlers: ends.handlers,
      onEvent: (event) => {
        if (event.type === "system" && event.subtype === "session_state_changed") this.tellsState = true;
        ends.onEvent(event);
      },
      onFailure: ends.onBug,
    });
    this.offers = this.engine.control.request("initialize", {}).finally(ready);
    this.offers.catch(() => {});
    void this.engine.closed.then((exit) => {
      ready();
      ends.onClosed(exit);
    });
  }

  /** Stops what runs without ending the CLI. A CLI that is gone has stopped already. */
  interrupt(): void {
    this.engine.control.request("interrupt", { cancel_queued: true }).catch(() => {});
  }
}
