/**
 * Types shared by the parsers of conversation lines: what a line becomes, or why it
 * cannot be parsed.
 */
import type { Packet } from "../../packets/index.ts";

/** A packet and the session it belongs to; "" until a session id is known. */
export interface SessionPacket {
  readonly sessionId: string;
  readonly packet: Packet;
}

/** `in`: to the agent; `out`: from the agent; undefined when the line does not say. */
export type LineDirection = "in" | "out" | undefined;

export interface LineOptions {
  readonly now: () => number;
  readonly isStrict: boolean;
  /** The session's directory, used when the conversation does not name it. */
  readonly cwd: string | undefined;
}

/** A line that cannot be parsed, and why. */
export class BadLine {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Sessions tracked at once; beyond this the oldest is dropped. */
export const maxSessions = 1000;

export function dropOldest(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
