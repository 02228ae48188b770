/**
 * Tally: what came from the CLI that could not be used, by name and number.
 *
 * Holds names and counts, never what was said.
 */
import type { Block } from "./protocol/content.ts";
import type { ClaudeEvent } from "./protocol/event.ts";

/** Names kept apart; a CLI that invents more is counted under "". */
const maxNames = 256;

export class Tally {
  /** Lines that were not a JSON object, not UTF-8 or too long. */
  malformed = 0;
  /** Answers to requests we do not wait for. */
  stray = 0;
  readonly #unknown = new Map<string, number>();

  /** How often each unknown type, subtype or block was met. */
  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  count(event: ClaudeEvent): void {
    switch (event.type) {
      case "unknown":
        return this.#add(event.named);
      case "assistant":
      case "user": {
        const { content } = event.message;
        if (typeof content !== "string") this.#countBlocks(event.type, content);
        return;
      }
      case "stream_event": {
        const inner = event.event;
        if (inner.type === "content_block_start" && inner.content_block.type === "unknown")
          this.#add(`stream_event/${inner.content_block.named}`);
        return;
      }
      case "result":
      case "system":
      case "command_lifecycle":
      case "tool_progress":
      case "rate_limit_event":
      case "conversation_reset":
      case "auth_status":
      case "prompt_suggestion":
      case "tool_use_summary":
      case "keep_alive":
      case "active_goal":
      case "autocompact_state":
      case "transcript_mirror":
      case "control_request":
      case "control_response":
      case "control_cancel_request":
        return;
    }
  }

  #countBlocks(owner: string, blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type === "unknown") this.#add(`${owner}/${block.named}`);
      else if (block.type === "tool_result" && Array.isArray(block.content)) {
        for (const part of block.content) if (part.type === "unknown") this.#add(`${owner}/tool_result/${part.named}`);
      }
    }
  }

  #add(named: string): void {
    const name = this.#unknown.size < maxNames || this.#unknown.has(named) ? named : "";
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1);
  }
}
