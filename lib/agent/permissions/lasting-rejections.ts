/**
 * Keeps the calls that the user has rejected for the rest of a session.
 *
 * A rejection protects the user, so none is ever dropped: when the limit is reached, the
 * option is not offered any more. Keys may be long commands, so their hashes are kept.
 */
import { createHash } from "node:crypto";

/** The most keys of one session. */
export const maxRejectedKeys = 1000;

export class LastingRejections {
  readonly #hashes = new Set<string>();

  /** Whether a call with one of these keys was rejected. */
  has(keys: readonly string[]): boolean {
    return keys.some((key) => this.#hashes.has(hashOf(key)));
  }

  /** Whether `add` has room for these keys. */
  mayAdd(keys: readonly string[]): boolean {
    return keys.length > 0 && this.#hashes.size + keys.length <= maxRejectedKeys;
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#hashes.add(hashOf(key));
  }
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
