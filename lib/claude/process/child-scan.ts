/**
 * Lookout: looks what runs below a CLI, a moment after it has called a tool.
 *
 * A tool may start a process, which the CLI's own end would leave to nobody.
 */
import type { Schedule } from "../../wire/index.ts";
import type { ConversationEvent, ClaudeConnection } from "../claude-connection.ts";

/** How long a tool takes to start what it starts; looking costs some milliseconds. */
const childrenMs = 300;

export class ChildScanner {
  readonly #claude: ClaudeConnection;
  readonly #after: Schedule;
  /** There while a look is to come. */
  #cancelTimer: (() => void) | undefined;

  constructor(claude: ClaudeConnection, after: Schedule) {
    this.#claude = claude;
    this.#after = after;
    // Nobody waits for a look at a CLI that is gone.
    void claude.closed.then(() => this.#cancelTimer?.());
  }

  onEvent(event: ConversationEvent): void {
    if (this.#cancelTimer !== undefined || event.type !== "assistant") return;
    if (!event.message.content.some(({ type }) => type === "tool_use")) return;
    this.#cancelTimer = this.#after(childrenMs, () => {
      this.#cancelTimer = undefined;
      this.#claude.scanChildren();
    });
  }
}
