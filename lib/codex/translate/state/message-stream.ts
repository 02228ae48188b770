/**
 * Emits the model's text and reasoning, each part exactly once, as messages of their own.
 *
 * Text comes from deltas; whole items add what the deltas left out. When a stream breaks,
 * Codex asks the API again and the text comes again under other ids: what repeats the text
 * already shown is held back, and what follows it continues the first message.
 */
import { type SessionUpdate, update } from "../../../acp/index.ts";

export type CodexMessageKind = "text" | "thought";

interface OpenMessage {
  readonly kind: CodexMessageKind;
  /** The id that the client sees. */
  shownAs: string;
  text: string;
  /** A blank line is due before the next text. */
  isBreakDue: boolean;
  /** The message of the broken stream that this one may repeat. */
  repeats: { readonly id: string; left: string; held: string } | undefined;
}

export class CodexMessages {
  readonly #messages = new Map<string, OpenMessage>();
  /** The messages of the current response of the API, in order. */
  #ofResponse: OpenMessage[] = [];
  /** The messages of a broken response, which the next messages may repeat. */
  #broken: OpenMessage[] = [];
  /** The message that the client saw last, unless something else came after it. */
  #last: { readonly kind: CodexMessageKind; readonly id: string; readonly tail: string } | undefined;

  started(kind: CodexMessageKind, id: string, text: string): readonly SessionUpdate[] {
    const message = this.#of(kind, id);
    return this.#append(id, message, text.slice(message.text.length));
  }

  delta(kind: CodexMessageKind, id: string, text: string): readonly SessionUpdate[] {
    return this.#append(id, this.#of(kind, id), text);
  }

  /** A new part of the same message begins. */
  nextPart(kind: CodexMessageKind, id: string): void {
    const message = this.#of(kind, id);
    message.isBreakDue = message.text !== "";
  }

  /** The whole text of a message: what was not shown of it is shown now. */
  whole(kind: CodexMessageKind, id: string, text: string): readonly SessionUpdate[] {
    const message = this.#of(kind, id);
    return text.startsWith(message.text) ? this.#append(id, message, text.slice(message.text.length)) : [];
  }

  /** The stream of the API broke, and Codex asks again. */
  broke(): void {
    this.#broken = this.#ofResponse.filter(({ text }) => text !== "");
    this.#ofResponse = [];
  }

  /** The API has answered to the end: what follows is not a repetition. */
  responded(): void {
    this.#broken = [];
    this.#ofResponse = [];
  }

  /** Something that is not text was shown, which separates the text before it from the text after it. */
  separated(): void {
    this.#last = undefined;
  }

  turnEnded(): void {
    this.#messages.clear();
    this.responded();
    this.separated();
  }

  #of(kind: CodexMessageKind, id: string): OpenMessage {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const at = this.#broken.findIndex((one) => one.kind === kind);
    const [old] = at < 0 ? [] : this.#broken.splice(at, 1);
    const repeats = old && { id: old.shownAs, left: old.text, held: "" };
    const message: OpenMessage = { kind, shownAs: id, text: "", isBreakDue: false, repeats };
    this.#messages.set(id, message);
    this.#ofResponse.push(message);
    return message;
  }

  #append(id: string, message: OpenMessage, added: string): readonly SessionUpdate[] {
    if (added === "") return [];
    const text = message.isBreakDue ? `\n\n${added}` : added;
    message.isBreakDue = false;
    message.text += text;
    const fresh = this.#fresh(id, message, text);
    if (fresh === "") return [];
    const { kind, shownAs } = message;
    const shown = this.#break(kind, shownAs) + fresh;
    this.#last = { kind, id: shownAs, tail: shown.slice(-2) };
    return [kind === "text" ? update.agentMessage(shown, shownAs) : update.agentThought(shown, shownAs)];
  }

  /** The part of the text that does not repeat a broken stream. */
  #fresh(id: string, message: OpenMessage, text: string): string {
    const { repeats } = message;
    if (repeats === undefined) return text;
    if (repeats.left.length > text.length && repeats.left.startsWith(text)) {
      repeats.left = repeats.left.slice(text.length);
      repeats.held += text;
      return "";
    }
    message.repeats = undefined;
    if (!text.startsWith(repeats.left)) {
      message.shownAs = id;
      return repeats.held + text;
    }
    message.shownAs = repeats.id;
    return text.slice(repeats.left.length);
  }

  /** The blank line between two messages, for clients that join them. */
  #break(kind: CodexMessageKind, id: string): string {
    const last = this.#last;
    if (last === undefined || last.kind !== kind || last.id === id || last.tail === "\n\n") return "";
    return last.tail.endsWith("\n") ? "\n" : "\n\n";
  }
}
