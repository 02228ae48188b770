/**
 * Turns the model's text and thinking into updates, each part exactly once.
 *
 * The CLI sends a message as stream deltas and then again as finished blocks. A block is emitted
 * only if its message was not streamed. When a stream is abandoned, the next stream may repeat
 * its text: what was already shown is not emitted again.
 */
import { type SessionUpdate, update } from "../../../acp/index.ts";
import type { AbandonedBlocks, Block, BlockDelta } from "../../index.ts";
import { commandOutput, visibleText } from "../cli-markup.ts";
import { RepeatFilter } from "./repeat-filter.ts";

/** How many streams are remembered until their whole messages arrive. */
const maxStreams = 16;

type MessageKind = "text" | "thinking";

interface StreamedText {
  readonly id: string;
  /** The text emitted so far, by block index. */
  readonly shown: Map<number, { readonly kind: MessageKind; text: string }>;
}

export class MessageStream {
  readonly #streams = new Map<string, StreamedText>();
  #current: StreamedText | undefined;
  #repeatFilter: Readonly<Record<MessageKind, RepeatFilter>> = {
    text: new RepeatFilter(""),
    thinking: new RepeatFilter(""),
  };
  #hasSpoken = false;

  /** Whether any text was emitted since the last `turnEnded`. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  started(id: string): void {
    this.#current = { id, shown: new Map() };
    this.#streams.set(id, this.#current);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > maxStreams && oldest !== undefined) this.#streams.delete(oldest);
  }

  delta(index: number, delta: BlockDelta): SessionUpdate | undefined {
    switch (delta.type) {
      case "text_delta":
        return this.#stream(index, "text", delta.text);
      case "thinking_delta":
        return this.#stream(index, "thinking", delta.thinking);
      case "input_json_delta":
      case "signature_delta":
      case "citations_delta":
        return undefined;
    }
  }

  /** A stream has ended. Its abandoned blocks may be repeated in the next stream. */
  stopped(abandoned: AbandonedBlocks | undefined): void {
    const stream = this.#current;
    this.#current = undefined;
    if (stream === undefined || abandoned === undefined) return;
    const from = abandoned.from_block_index ?? 0;
    const shownText = (kind: MessageKind): string =>
      [...stream.shown].flatMap(([index, one]) => (index >= from && one.kind === kind ? [one.text] : [])).join("");
    this.#repeatFilter = {
      text: new RepeatFilter(shownText("text")),
      thinking: new RepeatFilter(shownText("thinking")),
    };
  }

  /** A finished block of a whole message. Emitted only if the message was not streamed. */
  whole(id: string | undefined, block: Block): SessionUpdate | undefined {
    const isStreamed = id === undefined ? this.#current !== undefined : this.#streams.has(id);
    if (isStreamed) return undefined;
    if (block.type === "text") {
      return this.#emit(
        "text",
        this.#repeatFilter.text.novel(commandOutput(block.text) ?? visibleText(block.text)),
        id,
      );
    }
    return block.type === "thinking"
      ? this.#emit("thinking", this.#repeatFilter.thinking.novel(block.thinking), id)
      : undefined;
  }

  turnEnded(): void {
    this.#hasSpoken = false;
    this.#repeatFilter = { text: new RepeatFilter(""), thinking: new RepeatFilter("") };
  }

  #stream(index: number, kind: MessageKind, text: string): SessionUpdate | undefined {
    const stream = this.#current;
    if (stream === undefined) return this.#emit(kind, text, undefined);
    const fresh = this.#repeatFilter[kind].novel(text);
    const shown = stream.shown.get(index);
    if (shown === undefined) stream.shown.set(index, { kind, text });
    else shown.text += text;
    return this.#emit(kind, fresh, stream.id);
  }

  #emit(kind: MessageKind, text: string, id: string | undefined): SessionUpdate | undefined {
    if (text === "") return undefined;
    this.#hasSpoken = true;
    return kind === "text" ? update.agentMessage(text, id) : update.agentThought(text, id);
  }
}
