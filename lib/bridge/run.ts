/**
 * Run: one life of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next message starts another.
 */
import {
  type After,
  type ClaudeExit,
  type ConversationEvent,
  Engine,
  greeted,
  type HostHandlers,
  type InitializeFields,
  Lookout,
} from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import type { BridgeLaunched } from "./launcher.ts";
import type { Offers } from "./queries.ts";

/** Eight that start at once take five seconds. */
const greetLimitMs = 60_000;

export interface RunEnds {
  readonly after: After;
  readonly initialize: InitializeFields;
  readonly handlers: HostHandlers;
  /** All but control frames and signs of life, with the line as the CLI wrote it. */
  readonly onMessage: (event: ConversationEvent, line: string) => void;
  readonly onClosed: (exit: ClaudeExit) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class Run {
  readonly engine: Engine;
  /** What the CLI offers; rejects when it ends before it says so. */
  readonly greeted: Promise<Offers>;

  constructor(launched: BridgeLaunched, ends: RunEnds) {
    this.engine = new Engine(launched.link, {
      after: ends.after,
      handlers: ends.handlers,
      onEvent: (event, line) => {
        if (isQuiet(event)) return;
        lookout.heed(event);
        ends.onMessage(event, line);
      },
      onFailure: ends.onBug,
    });
    const lookout = new Lookout(this.engine, ends.after);
    this.greeted = greeted(launched, this.#offers(ends.initialize), ({ claude_code_version }) => claude_code_version);
    this.greeted.catch(() => {});
    void this.engine.closed.then((exit) => {
      launched.ready();
      ends.onClosed(exit);
    });
  }

  /** As the CLI wrote it: a client may know more of it than we do. */
  async #offers(fields: InitializeFields): Promise<Offers> {
    const answer = await this.engine.control.requestRaw("initialize", fields, { limitMs: greetLimitMs });
    return isRecord(answer) ? answer : {};
  }
}

/** A control frame that could not be read is no message either. */
function isQuiet(event: ConversationEvent): boolean {
  if (event.type === "keep_alive") return true;
  return event.type === "unknown" && isRecord(event.value) && String(event.value["type"]).startsWith("control_");
}
