/**
 * Truncates the input or result of a tool call to a size that can be replayed.
 *
 * Long texts are cut and state how many bytes are missing; an image that is too large is
 * replaced by text. Values that are small enough are returned as they are. Pure.
 */
import { isRecord } from "../../schema/index.ts";

export interface TranscriptLimits {
  /** The limit of one text of a tool's input or result. All texts of one value together may have four times as much. */
  readonly maxTextBytes: number;
  /** The limit of one image, in bytes of base64. */
  readonly maxImageBytes: number;
}

export const defaultTranscriptLimits: TranscriptLimits = { maxTextBytes: 256 * 1024, maxImageBytes: 4 * 1024 * 1024 };

export interface Truncated {
  readonly value: unknown;
  readonly leftOutBytes: number;
}

export function truncate(value: unknown, limits: TranscriptLimits): Truncated {
  const walk = new Truncation(limits);
  const kept = walk.visit(value, 0);
  return { value: kept, leftOutBytes: walk.leftOut };
}

class Truncation {
  leftOut = 0;
  readonly #limits: TranscriptLimits;
  #remainingBytes: number;

  constructor(limits: TranscriptLimits) {
    this.#limits = limits;
    this.#remainingBytes = limits.maxTextBytes * totalFactor;
  }

  visit(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#text(value);
    if (depth > maxDepth) return value;
    if (Array.isArray(value)) return this.#list(value, depth);
    if (!isRecord(value)) return value;
    if (value["type"] === "image" || value["type"] === "document") return this.#image(value);
    const kept: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) put(kept, key, this.visit(inner, depth + 1));
    return kept;
  }

  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    const kept: unknown[] = [];
    for (const [i, item] of list.entries()) {
      if (this.#remainingBytes <= 0) {
        const bytes = list.slice(i).reduce<number>((sum, one) => sum + sizeOf(one), 0);
        this.leftOut += bytes;
        // The list may be lines of a patch, where a leading space marks an unchanged line.
        if (typeof list[0] === "string") kept.push(` ${marker(bytes)}`);
        break;
      }
      kept.push(this.visit(item, depth + 1));
    }
    return kept;
  }

  #text(text: string): string {
    const available = Math.max(0, Math.min(this.#limits.maxTextBytes, this.#remainingBytes));
    if (text.length * maxUtf8Bytes <= available || Buffer.byteLength(text) <= available) {
      this.#remainingBytes -= text.length;
      return text;
    }
    const bytes = Buffer.from(text);
    let end = available;
    // Do not cut within a UTF-8 character.
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    this.#remainingBytes -= end;
    this.leftOut += bytes.length - end;
    return `${bytes.toString("utf8", 0, end)}\n${marker(bytes.length - end)}`;
  }

  #image(block: Readonly<Record<string, unknown>>): unknown {
    const bytes = sizeOf(block);
    if (bytes <= this.#limits.maxImageBytes) return block;
    this.leftOut += bytes;
    return { type: "text", text: `[${String(block["type"])}: ${bytes} bytes left out]` };
  }
}

/** Sets `__proto__` as an ordinary key. A result may contain that key. */
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

const totalFactor = 4;
const maxDepth = 64;
const maxUtf8Bytes = 3;
