/**
 * One run of a Claude CLI process for a bridge session, from its start to its exit.
 *
 * Sends `initialize`, forwards the CLI's messages and reports the exit. A session
 * outlives its runs: after an exit, the next message of the client starts a new run.
 */
import { type Schedule } from "../wire/index.ts";
import {
  type ClaudeExit,
  type ConversationEvent,
  ClaudeConnection,
  awaitInitialize,
  type HostHandlers,
  type InitializeFields,
  ChildScanner,
} from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import type { BridgeLaunched } from "./launcher.ts";
import type { InitializeOffers } from "./queries.ts";

/** Eight CLIs that start at once need about five seconds on two cores. */
const initializeLimitMs = 60_000;

export interface BridgeRunOptions {
  readonly after: Schedule;
  readonly initialize: InitializeFields;
  readonly handlers: HostHandlers;
  /** Every event except control frames and keep-alives, with the unchanged line of the CLI. */
  readonly onMessage: (event: ConversationEvent, line: string) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class BridgeRun {
  readonly claude: ClaudeConnection;
  /** The CLI's response to `initialize`; rejects when the CLI exits before it responds. */
  readonly initialized: Promise<InitializeOffers>;

  constructor(launched: BridgeLaunched, options: BridgeRunOptions) {
    this.claude = new ClaudeConnection(launched.link, {
      after: options.after,
      handlers: options.handlers,
      onEvent: (event, line) => {
        if (isInternal(event)) return;
        childScanner.onEvent(event);
        options.onMessage(event, line);
      },
      onFailure: options.onBug,
    });
    const childScanner = new ChildScanner(this.claude, options.after);
    this.initialized = awaitInitialize(
      launched,
      this.#offers(options.initialize),
      ({ claude_code_version }) => claude_code_version,
    );
    this.initialized.catch(() => {});
    void this.claude.closed.then((exit) => {
      launched.ready();
      options.onClosed(exit);
    });
  }

  /** The response unparsed: a client may know fields of it that Bowline does not. */
  async #offers(fields: InitializeFields): Promise<InitializeOffers> {
    const answer = await this.claude.control.requestRaw("initialize", fields, { limitMs: initializeLimitMs });
    return isRecord(answer) ? answer : {};
  }
}

/** True for events that clients do not receive: keep-alives, and control frames of unknown shape. */
function isInternal(event: ConversationEvent): boolean {
  if (event.type === "keep_alive") return true;
  return event.type === "unknown" && isRecord(event.value) && String(event.value["type"]).startsWith("control_");
}
