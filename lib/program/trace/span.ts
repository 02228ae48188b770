/**
 * A span of a trace, and what names it: ids of the W3C Trace Context.
 */
import { createHash } from "node:crypto";
import { textOf } from "../../schema/index.ts";

export type AttributeValue = string | number | boolean | readonly string[];

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** Calls of an agent are `client` spans, everything else is internal. */
  readonly kind: "internal" | "client";
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Why the work failed, in one word; undefined when it did not. */
  readonly error: string | undefined;
}

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** Reads a `traceparent`; undefined when it is none, or has an id of zeros, which is invalid. */
export function readTraceParent(value: unknown): TraceParent | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(textOf(value) ?? "");
  const [, traceId = "", spanId = ""] = match ?? [];
  return match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/** The same id for the same words, so that a tape exported twice gives the same trace. */
export function derivedId(bytes: 8 | 16, ...words: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify(words))
    .digest("hex")
    .slice(0, bytes * 2);
}
