/**
 * Collects what was said in a session, and tells an engine the turns that it did not answer:
 * the user's prompts and the final answers of the other engine.
 *
 * Bounded: the oldest turns are left out first, and a long text is cut.
 */
import type { ContentBlock } from "../../acp/index.ts";
import type { Prompt } from "../../engine/index.ts";
import { sliceWhole } from "../../schema/index.ts";

/** The most characters that an engine gets, and the most of one prompt or answer. */
export const maxContextChars = 24_000;
const maxTextChars = 6000;

/** A prompt of the user, or the final answer of an engine. */
interface SharedMessage {
  /** The id of the engine that took part; undefined for the user. */
  readonly engine: string | undefined;
  readonly name: string;
  readonly text: string;
}

export class SharedContext {
  /** The prompts and answers, oldest first. */
  #messages: SharedMessage[] = [];
  /** How much of `#messages` each engine has taken part in or was told. */
  readonly #known = new Map<string, number>();

  /** The conversation begins anew. */
  clear(): void {
    this.#messages = [];
    this.#known.clear();
  }

  /** A prompt was given to an engine. */
  prompted(engine: string, prompt: string): void {
    this.#messages.push({ engine: undefined, name: "User", text: cut(withoutContext(prompt)) });
    this.#known.set(engine, this.#messages.length);
    this.#forget();
  }

  /** An engine has ended its turn with this answer. */
  answered(engine: string, name: string, text: string): void {
    this.#messages.push({ engine, name, text: cut(text) });
    this.#known.set(engine, this.#messages.length);
    this.#forget();
  }

  /** A text for an engine about what it has missed; undefined when it has missed nothing. */
  missedBy(engine: string): string | undefined {
    const missed = this.#messages.slice(this.#known.get(engine) ?? 0).filter(({ text }) => text !== "");
    // A prompt of the same turn is no answer: there is something to tell only when another engine spoke.
    if (!missed.some((one) => one.engine !== undefined && one.engine !== engine)) return undefined;
    const lines: string[] = [];
    let chars = 0;
    for (const { name, text } of missed.toReversed()) {
      chars += text.length;
      if (chars > maxContextChars) break;
      lines.unshift(`${name}: ${text}`);
    }
    const intro = "Since you last spoke, this was said in the conversation with the user and another coding agent:";
    // The end of the block must not occur within it.
    const said = lines.join("\n\n").replaceAll("</context>", "<\\/context>");
    return `<context ref="conversation">\n${intro}\n\n${said}\n</context>\n`;
  }

  /** Drops messages that every engine has, and those beyond the limit. */
  #forget(): void {
    let chars = 0;
    const first = this.#messages.findLastIndex(({ text }) => (chars += text.length) > 2 * maxContextChars);
    if (first < 0) return;
    const dropped = first + 1;
    this.#messages = this.#messages.slice(dropped);
    for (const [engine, known] of this.#known) this.#known.set(engine, Math.max(0, known - dropped));
  }
}

/** A saved prompt without what was put before it for the engine. */
export function withoutContext(text: string): string {
  return text.replace(/^<context ref="conversation">\n[\s\S]*?\n<\/context>\n/, "");
}

function cut(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= maxTextChars ? trimmed : `${sliceWhole(trimmed, maxTextChars)} [cut]`;
}

/** The text of a prompt that is one text; otherwise empty. */
export function onlyText(content: readonly ContentBlock[]): string {
  const [only, ...more] = content;
  return only?.type === "text" && more.length === 0 ? only.text : "";
}

/** Whether the prompt begins the conversation anew. */
export function isClearing({ content }: Prompt): boolean {
  return /^\/clear\s*$/.test(onlyText(content));
}

/** All text of a prompt. */
export function textOf({ preface = [], content }: Prompt): string {
  return [...preface, ...content.flatMap((block) => (block.type === "text" ? [block.text] : []))].join("\n");
}
