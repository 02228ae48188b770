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
  /** There while a look is to come. */
  #callOff: (() => void) | undefined;

  constructor(engine: Engine, after: After) {
    this.#engine = engine;
    this.#after = after;
    // Nobody waits for a look at a CLI that is gone.
    void engine.closed.then(() => this.#callOff?.());
  }

  heed(event: ConversationEvent): void {
    if (this.#callOff !== undefined || event.type !== "assistant") return;
    if (!event.message.content.some(({ type }) => type === "tool_use")) return;
    this.#callOff = this.#after(childrenMs, () => {
      this.#callOff = undefined;
      this.#engine.lookAround();
    });
  }
}
