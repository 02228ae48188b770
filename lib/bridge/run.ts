/**
 * Run: one life of the Claude CLI for a session, from its start to its end.
 *
 * A session outlives its runs: when one is lost the next message starts another.
 */
import {
  type After,
  ClaudeExit,
  ControlTimeout,
  type ConversationEvent,
  Engine,
  type HostHandlers,
  type InitializeFields,
  isOlder,
  oldestVersion,
  readVersion,
} from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import type { BridgeLaunched } from "./launcher.ts";
import type { Offers } from "./queries.ts";

/** Eight that start at once take five seconds. */
const greetLimitMs = 60_000;
/** How long a tool takes to start what it starts; looking costs some milliseconds. */
const childrenMs = 300;

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
  readonly #after: After;
  #isLooking = false;

  constructor(launched: BridgeLaunched, ends: RunEnds) {
    this.#after = ends.after;
    this.engine = new Engine(launched.link, {
      after: ends.after,
      handlers: ends.handlers,
      onEvent: (event, line) => {
        if (isQuiet(event)) return;
        this.#expectChildren(event);
        ends.onMessage(event, line);
      },
      onFailure: ends.onBug,
    });
    this.greeted = this.#greet(launched, ends.initialize);
    this.greeted.catch(() => {});
    void this.engine.closed.then((exit) => {
      launched.ready();
      ends.onClosed(exit);
    });
  }

  /** A CLI that is too old may answer, refuse our flags or say nothing; each is told for what it is. */
  async #greet({ ready, examine }: BridgeLaunched, fields: InitializeFields): Promise<Offers> {
    try {
      const answer = await this.engine.control.requestRaw("initialize", fields, { limitMs: greetLimitMs });
      const offers = isRecord(answer) ? answer : {};
      const { claude_code_version: told } = offers;
      const version = typeof told === "string" ? readVersion(told) : undefined;
      if (version !== undefined && isOlder(version, oldestVersion)) await examine?.();
      return offers;
    } catch (cause) {
      const hasFailed = cause instanceof ControlTimeout || (cause instanceof ClaudeExit && (cause.code ?? 0) !== 0);
      if (hasFailed) await examine?.();
      throw cause;
    } finally {
      ready();
    }
  }

  /** A tool may start a process, which the CLI's own end would leave to nobody. */
  #expectChildren(event: ConversationEvent): void {
    if (this.#isLooking || event.type !== "assistant") return;
    if (!event.message.content.some(({ type }) => type === "tool_use")) return;
    this.#isLooking = true;
    this.#after(childrenMs, () => {
      this.#isLooking = false;
      if (this.engine.isOpen) this.engine.lookAround();
    });
  }
}

/** A control frame that could not be read is no message either. */
function isQuiet(event: ConversationEvent): boolean {
  if (event.type === "keep_alive") return true;
  return event.type === "unknown" && isRecord(event.value) && String(event.value["type"]).startsWith("control_");
}
