/**
 * Decides from a request's headers whether the server accepts it.
 *
 * Protects against cross-site requests and DNS rebinding: Host must be a known name of
 * this server, Origin must be the server's own page or an allowed origin, and every
 * request except those for the page's files needs the token.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { AcpRole } from "./acp/acp-connection.ts";
import { HttpError } from "./http-error.ts";

export interface AccessControlOptions {
  readonly token: string;
  /** A second token, whose holders may only watch. */
  readonly observerToken?: string | undefined;
  /** The address the server listens on. */
  readonly host: string;
  /** Further host names of this server, for example behind a proxy. */
  readonly names?: readonly string[] | undefined;
  /** Origins whose pages may use the server, for example `http://localhost:5173`. */
  readonly origins?: readonly string[] | undefined;
}

export interface AccessControl {
  /** Throws an `HttpError` for a wrong Host or Origin. Returns the origin if it is an allowed foreign one. */
  readonly admit: (headers: IncomingHttpHeaders) => string | undefined;
  /** Throws an `HttpError` without a right token. Returns what the token allows. */
  readonly checkToken: (headers: IncomingHttpHeaders) => AcpRole;
}

/**
 * Headers that identify the sender or determine how the request is parsed. When one is given twice,
 * Node takes the first and a proxy in front may take the last, so such a request is rejected.
 */
const singleHeaders: ReadonlySet<string> = new Set([
  "host",
  "authorization",
  "origin",
  "content-type",
  "content-length",
  "transfer-encoding",
  "expect",
  "last-event-id",
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "acp-connection-id",
  "acp-session-id",
]);

/** More headers than any browser or proxy sends. */
const maxHeaders = 200;

/**
 * Throws an `HttpError` when one of these headers is given twice, or there are too many. `rawHeaders`
 * alternates names and values; the server's `maxHeadersCount` must be 0, so that no header is missing.
 */
export function checkSingleHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length / 2 > maxHeaders) throw new HttpError("bad_request", `more than ${maxHeaders} headers`);
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) throw new HttpError("bad_request", `the header ${name} must be given once`);
    seen.add(name);
  }
}

/** The URL of a request target, which must be a normalised path. Throws an `HttpError`. */
export function urlOf(target: string): URL {
  // The host is a placeholder: callers use only the path and the query.
  const text = `http://localhost${target}`;
  const url = target.startsWith("/") && URL.canParse(text) ? new URL(text) : undefined;
  // If normalisation changes the path (`..`, `%2e`, `\`), a proxy in front may have seen another path.
  if (url === undefined || target.includes("#") || url.pathname !== target.replace(/\?[^]*$/, ""))
    throw new HttpError("bad_request", "the path cannot be read");
  return url;
}

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export function accessControl(options: AccessControlOptions): AccessControl {
  const { token, observerToken, host, names = [], origins = [] } = options;
  const ownerDigest = digest(token);
  const observerDigest = observerToken === undefined ? undefined : digest(observerToken);
  const known = new Set(["localhost", "127.0.0.1", "[::1]", inUrl(host), ...names.map((name) => name.toLowerCase())]);
  // DNS rebinding needs a name, so IP addresses are safe when the server listens on all interfaces.
  const listensOnAll = host === "0.0.0.0" || host === "::";
  return {
    admit: ({ host: given, origin }) => {
      const name = hostName(given);
      if (name === undefined || !(known.has(name) || (listensOnAll && isIP(name.replace(/^\[|\]$/g, "")) !== 0)))
        throw new HttpError("forbidden", "this name is not one the server goes by: see --allow-host");
      if (origin === undefined || hostOf(origin) === given?.toLowerCase()) return undefined;
      if (origins.includes(origin)) return origin;
      throw new HttpError("forbidden", "pages of this origin may not use the server: see --allow-origin");
    },
    checkToken: ({ authorization = "" }) => {
      const [, given] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
      const givenDigest = digest(given ?? "");
      const isOwner = timingSafeEqual(givenDigest, ownerDigest);
      const isObserver = observerDigest !== undefined && timingSafeEqual(givenDigest, observerDigest);
      if (given !== undefined && isOwner) return "owner";
      if (given !== undefined && isObserver) return "observer";
      const why = given === undefined ? "the request needs the header Authorization: Bearer <token>" : "wrong token";
      throw new HttpError("unauthorized", why, { "www-authenticate": "Bearer" });
    },
  };
}

/** The host as it is written in a URL: IPv6 addresses in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

/** Tokens are compared by digest, so the comparison takes the same time for any length. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The host name in a Host header, without the port. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^:/@\s]+)(?::\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase();
}

/** The host and port of an origin, in the form of a Host header. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/@\s]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
