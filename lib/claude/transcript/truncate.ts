/**
 * Transcript cap: what a tool took or gave, in a size that can be shown again.
 *
 * Long texts are cut and say how much is missing; a picture that is too large is
 * replaced by words. Whatever is small enough is handed back as it is. Pure.
 */
import { isRecord } from "../../schema/index.ts";

export interface TranscriptLimits {
  /** The most of one text of a tool's input or result. The whole of one result has four times as much. */
  readonly maxTextBytes: number;
  /** The largest picture, in base64. */
  readonly maxImageBytes: number;
}

export const defaultTranscriptLimits: TranscriptLimits = { maxTextBytes: 256 * 1024, maxImageBytes: 4 * 1024 * 1024 };

export interface Capped {
  readonly value: unknown;
  readonly leftOutBytes: number;
}

export function cap(value: unknown, limits: TranscriptLimits): Capped {
  const walk = new Truncation(limits);
  const kept = walk.of(value, 0);
  return { value: kept, leftOutBytes: walk.leftOut };
}

class Truncation {
  leftOut = 0;
  readonly #limits: TranscriptLimits;
  #rest: number;

  constructor(limits: TranscriptLimits) {
    this.#limits = limits;
    this.#rest = limits.maxTextBytes * wholeFactor;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#text(value);
    if (depth > maxDepth) return value;
    if (Array.isArray(value)) return this.#list(value, depth);
    if (!isRecord(value)) return value;
    if (value["type"] === "image" || value["type"] === "document") return this.#picture(value);
    const kept: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) put(kept, key, this.of(inner, depth + 1));
    return kept;
  }

  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    const kept: unknown[] = [];
    for (const [i, item] of list.entries()) {
      if (this.#rest <= 0) {
        const bytes = list.slice(i).reduce<number>((sum, one) => sum + sizeOf(one), 0);
        this.leftOut += bytes;
        // A line of a patch begins with its mark, and a space is no change.
        if (typeof list[0] === "string") kept.push(` ${marker(bytes)}`);
        break;
      }
      kept.push(this.of(item, depth + 1));
    }
    return kept;
  }

  #text(text: string): string {
    const available = Math.max(0, Math.min(this.#limits.maxTextBytes, this.#rest));
    if (text.length * maxUtf8Bytes <= available || Buffer.byteLength(text) <= available) {
      this.#rest -= text.length;
      return text;
    }
    const bytes = Buffer.from(text);
    let end = available;
    // Never in the middle of a character.
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    this.#rest -= end;
    this.leftOut += bytes.length - end;
    return `${bytes.toString("utf8", 0, end)}\n${marker(bytes.length - end)}`;
  }

  #picture(block: Readonly<Record<string, unknown>>): unknown {
    const bytes = sizeOf(block);
    if (bytes <= this.#limits.maxImageBytes) return block;
    this.leftOut += bytes;
    return { type: "text", text: `[${String(block["type"])}: ${bytes} bytes left out]` };
  }
}

/** `__proto__` in somebody's result is a key like any other. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true });
  else target[key] = value;
}

function marker(bytes: number): string {
  return `[${bytes} bytes left out]`;
}

function sizeOf(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : Buffer.byteLength(JSON.stringify(value) ?? "");
}

const wholeFactor = 4;
const maxDepth = 64;
const maxUtf8Bytes = 3;
