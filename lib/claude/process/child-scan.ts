/**
 * Lists the CLI's child processes shortly after the CLI has called a tool.
 *
 * A tool may start processes of its own. They must be known before the CLI dies, because
 * the children of a dead process can no longer be found through it.
 */
import type { Schedule } from "../../wire/index.ts";
import type { ConversationEvent, ClaudeConnection } from "../claude-connection.ts";

/** The delay from a tool call to the scan, in which the tool starts its processes. A scan takes some milliseconds. */
const scanDelayMs = 300;

export class ChildScanner {
  readonly #claude: ClaudeConnection;
  readonly #after: Schedule;
  /** Set while a scan is scheduled. */
  #cancelTimer: (() => void) | undefined;

  constructor(claude: ClaudeConnection, after: Schedule) {
    this.#claude = claude;
    this.#after = after;
    // A CLI that has exited needs no scan.
    void claude.closed.then(() => this.#cancelTimer?.());
  }

  onEvent(event: ConversationEvent): void {
    if (this.#cancelTimer !== undefined || event.type !== "assistant") return;
    if (!event.message.content.some(({ type }) => type === "tool_use")) return;
    this.#cancelTimer = this.#after(scanDelayMs, () => {
      this.#cancelTimer = undefined;
      this.#claude.scanChildren();
    });
  }
}
