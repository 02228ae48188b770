/**
 * Line: what a line of a conversation becomes, or why it becomes nothing.
 */
import type { Packet } from "../../packets/index.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A packet and the session it is of; "" while none is named. */
export interface SessionPacket {
  readonly sessionId: string;
  readonly packet: Packet;
}

/** Who said it: `in` to the agent, `out` from it; undefined when the line does not tell. */
export type Direction = "in" | "out" | undefined;

export interface LineOptions {
  readonly now: () => number;
  readonly isStrict: boolean;
  /** The session's directory, where the conversation does not name it. */
  readonly cwd: string | undefined;
}

/** A line that cannot be read, and what is wrong with it. */
export class BadLine {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Sessions followed at once; the oldest is forgotten first. */
export const maxSessions = 1000;

export function dropOldest(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
