/**
 * Event stream: packets as the bytes of server-sent events.
 *
 * One event a packet, its id first, so that a reader who comes back can say where
 * it stopped. A comment keeps a quiet line open.
 */

export const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  // Proxies of this kind would hold the events back.
  "x-accel-buffering": "no",
} as const;

export const keepalive = ": keepalive\n\n";

/** `json` is one line, as `JSON.stringify` writes it. */
export function eventFrame(id: number, json: string): string {
  return `id: ${id}\nevent: message\ndata: ${json}\n\n`;
}

/** The id a reader came as far as; undefined when it says nothing we could have told it. */
export function lastEventId(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
