/**
 * Lookout: looks what runs below a CLI, a moment after it has called a tool.
 *
 * A tool may start a process, which the CLI's own end would leave to nobody.
 */
import type { After } from "../wire/index.ts";
import type { ConversationEvent, Engine } from "./engine.ts";

/** How long a tool takes to start what it starts; looking costs some milliseconds. */
const childrenMs = 300;

export class Lookout {
  readonly #engine: Engine;
  readonly #after: After;
  #isLooking = false;

  constructor(engine: Engine, after: After) {
    this.#engine = engine;
    this.#after = after;
  }

  heed(event: ConversationEvent): void {
    if (this.#isLooking || event.type !== "assistant") return;
    if (!event.message.content.some(({ type }) => type === "tool_use")) return;
    this.#isLooking = true;
    this.#after(childrenMs, () => {
      this.#isLooking = false;
      if (this.#engine.isOpen) this.#engine.lookAround();
    });
  }
}
