/**
 * Encoding of server-sent events: response headers, event frames and keep-alives.
 *
 * Each packet is one event with an id, so that a reconnecting client can name the last
 * event it received. A comment keeps an idle connection open.
 */

export const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  // Tells nginx not to buffer the events.
  "x-accel-buffering": "no",
} as const;

export const keepalive = ": keepalive\n\n";

/** `json` is one line, as `JSON.stringify` writes it. */
export function eventFrame(id: number, json: string): string {
  return `id: ${id}\nevent: message\ndata: ${json}\n\n`;
}

/** The event id in a `Last-Event-ID` header; undefined when the header is missing or no number. */
export function lastEventId(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
