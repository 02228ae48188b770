/**
 * Keeps the cookies of one server, so that a load balancer sends a client that reconnects
 * to the same server again.
 *
 * Only names and values are kept: all requests go to one address.
 */

/** Cookies that are kept; the oldest are dropped. */
const maxCookies = 32;
const maxCookieChars = 4096;

export class CookieJar {
  readonly #values = new Map<string, string>();

  /** Takes the `Set-Cookie` headers of a response. */
  store(headers: readonly string[] | undefined): void {
    for (const header of headers ?? []) {
      const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(header.slice(0, maxCookieChars)) ?? [];
      if (name === undefined || value === undefined) continue;
      this.#values.delete(name);
      if (!/;\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)/i.test(header)) this.#values.set(name, value.trim());
      for (const oldest of this.#values.keys()) {
        if (this.#values.size <= maxCookies) break;
        this.#values.delete(oldest);
      }
    }
  }

  /** The value of the `Cookie` header; undefined without cookies. */
  header(): string | undefined {
    if (this.#values.size === 0) return undefined;
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join("; ");
  }
}
