/**
 * Gate: a request's head in, the reason to turn it away out.
 *
 * A page of another site can make a browser send requests here, and a name of its
 * own can point to this machine: so Host has to be a name of ours, Origin has to be
 * the page that Host serves or one that was allowed, and all but the page itself
 * needs the token.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { HttpError } from "./http-error.ts";

export interface AccessControlOptions {
  readonly token: string;
  /** The address that is listened on. */
  readonly host: string;
  /** More names this server is reached by, e.g. behind a proxy. */
  readonly names?: readonly string[] | undefined;
  /** Pages of other sites that may read us, e.g. `http://localhost:5173`. */
  readonly origins?: readonly string[] | undefined;
}

export interface AccessControl {
  /** Throws a `HttpError`. Gives back the foreign origin that may read the answer, if it is one. */
  readonly admit: (headers: IncomingHttpHeaders) => string | undefined;
  readonly checkToken: (headers: IncomingHttpHeaders) => void;
}

/**
 * Headers that decide who a request is from or how it is read. Node takes the first of two, a proxy
 * in front may take the last: neither is right when they differ.
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
]);

/** Throws a `HttpError` when one of these headers is given twice. `rawHeaders` alternates names and values. */
export function checkSingleHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) throw new HttpError("bad_request", `the header ${name} must be given once`);
    seen.add(name);
  }
}

/** The URL of a request target, which has to be a path as a browser writes it. Throws a `HttpError`. */
export function urlOf(target: string): URL {
  // Only the path and the query are looked at.
  const text = `http://localhost${target}`;
  const url = target.startsWith("/") && URL.canParse(text) ? new URL(text) : undefined;
  // Where the path changes on the way through the parser (`..`, `%2e`, `\`), a proxy in front may have read another path.
  if (url === undefined || target.includes("#") || url.pathname !== target.replace(/\?[^]*$/, ""))
    throw new HttpError("bad_request", "the path cannot be read");
  return url;
}

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export function accessControl({ token, host, names = [], origins = [] }: AccessControlOptions): AccessControl {
  const expected = digest(token);
  const known = new Set(["localhost", "127.0.0.1", "[::1]", inUrl(host), ...names.map((name) => name.toLowerCase())]);
  // A name can be made to point here, an address cannot: it is one of ours when everything is listened on.
  const isOpen = host === "0.0.0.0" || host === "::";
  return {
    admit: ({ host: given, origin }) => {
      const name = hostName(given);
      if (name === undefined || !(known.has(name) || (isOpen && isIP(name.replace(/^\[|\]$/g, "")) !== 0)))
        throw new HttpError("forbidden", "this name is not one the server goes by: see --allow-host");
      if (origin === undefined || hostOf(origin) === given?.toLowerCase()) return undefined;
      if (origins.includes(origin)) return origin;
      throw new HttpError("forbidden", "pages of this origin may not use the server: see --allow-origin");
    },
    checkToken: ({ authorization = "" }) => {
      const [, given] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
      if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
      const why = given === undefined ? "the request needs the header Authorization: Bearer <token>" : "wrong token";
      throw new HttpError("unauthorized", why, { "www-authenticate": "Bearer" });
    },
  };
}

/** An address as it stands in a URL. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

/** Compared by their digests, tokens of any length take the same time. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The name in a Host header, without its port. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^:/@\s]+)(?::\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase();
}

/** The host of an origin, as a Host header of the same site has it. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/@\s]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
