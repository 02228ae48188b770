/**
 * Run: one life of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next message starts another.
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

/** Eight that start at once take five seconds. */
const initializeLimitMs = 60_000;

export interface BridgeRunOptions {
  readonly after: Schedule;
  readonly initialize: InitializeFields;
  readonly handlers: HostHandlers;
  /** All but control frames and signs of life, with the line as the CLI wrote it. */
  readonly onMessage: (event: ConversationEvent, line: string) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class BridgeRun {
  readonly claude: ClaudeConnection;
  /** What the CLI offers; rejects when it ends before it says so. */
  readonly initialized: Promise<InitializeOffers>;

  constructor(launched: BridgeLaunched, options: BridgeRunOptions) {
    this.claude = new ClaudeConnection(launched.link, {
      after: options.after,
      handlers: options.handlers,
      onEvent: (event, line) => {
        if (isQuiet(event)) return;
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

  /** As the CLI wrote it: a client may know more of it than we do. */
  async #offers(fields: InitializeFields): Promise<InitializeOffers> {
    const answer = await this.claude.control.requestRaw("initialize", fields, { limitMs: initializeLimitMs });
    return isRecord(answer) ? answer : {};
  }
}

/** A control frame that could not be read is no message either. */
function isQuiet(event: ConversationEvent): boolean {
  if (event.type === "keep_alive") return true;
  return event.type === "unknown" && isRecord(event.value) && String(event.value["type"]).startsWith("control_");
}
