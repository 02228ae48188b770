/**
 * What an editor holds after a sequence of updates, and what was wrong with the
 * sequence.
 *
 * A model of an editor written from the protocol alone, independent of how the updates
 * are made.
 */
import { SessionUpdate } from "../../../lib/acp/index.ts";
import { Fault } from "../../../lib/schema/index.ts";

export class ShownState {
  readonly faults: string[] = [];
  readonly #calls = new Map<string, "open" | "ended">();
  /** Text and thoughts, by message. */
  readonly #words = new Map<string, string>();
  #shown = "";

  take(update: SessionUpdate): void {
    const read = SessionUpdate.read(update);
    if (read instanceof Fault) this.faults.push(`an update that is none: ${read.describe()}`);
    else if (read !== update) this.faults.push(`an update that had to be repaired: ${JSON.stringify(update)}`);
    this.#shown += `${JSON.stringify(update)}\n`;
    if (update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk") {
      const key = `${update.sessionUpdate} ${update.messageId ?? ""}`;
      const text = update.content.type === "text" ? update.content.text : "";
      this.#words.set(key, (this.#words.get(key) ?? "") + text);
    } else if (update.sessionUpdate === "tool_call") {
      if (this.#calls.get(update.toolCallId) === "open") this.faults.push(`${update.toolCallId} is announced twice`);
      this.#calls.set(update.toolCallId, "open");
    } else if (update.sessionUpdate === "tool_call_update") {
      const state = this.#calls.get(update.toolCallId);
      if (state === undefined) this.faults.push(`${update.toolCallId} changes before it is announced`);
      if (state === "ended") this.faults.push(`${update.toolCallId} changes after its end`);
      if (update.status === "completed" || update.status === "failed") this.#calls.set(update.toolCallId, "ended");
    }
  }

  get openCalls(): readonly string[] {
    return [...this.#calls].flatMap(([id, state]) => (state === "open" ? [id] : []));
  }

  get words(): ReadonlyMap<string, string> {
    return this.#words;
  }

  /** The whole state as one text, to compare. */
  get shown(): string {
    return this.#shown;
  }
}
