/**
 * Writes spans as an OTLP request in JSON, the body of `POST /v1/traces`.
 */
import { version } from "../../version.ts";
import type { AttributeValue, Span } from "./span.ts";

const spanKinds = { internal: 1, client: 3 } as const;
const failed = 2;

export function otlpRequest(spans: readonly Span[], service: string): string {
  const resource = { attributes: attributeList({ "service.name": service }) };
  const scope = { name: "bowline", version };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }] });
}

function otlpSpan({ parentSpanId, kind, startMs, endMs, attributes, error, ...rest }: Span): object {
  return {
    ...rest,
    ...(parentSpanId !== undefined && { parentSpanId }),
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributeList(attributes),
    ...(error !== undefined && { status: { code: failed, message: error } }),
  };
}

/** The last time that a date of JavaScript can have; a tape may have any number. */
const maxMs = 8.64e15;

/** Nanoseconds since 1970 have more digits than a number of JavaScript. */
function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(Math.min(Math.max(ms, 0), maxMs) * 1000)) * 1000n}`;
}

function attributeList(attributes: Readonly<Record<string, AttributeValue>>): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}
