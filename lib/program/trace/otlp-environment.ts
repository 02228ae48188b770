/**
 * Reads OpenTelemetry's own environment variables for the export of spans.
 */
import type { Environment } from "../../process/index.ts";
import { WrongUsage } from "../argv.ts";

/** The address for spans; undefined when none is given. Throws `WrongUsage` for one that is no http address. */
export function tracesUrl(endpoint: string | undefined, env: Environment): string | undefined {
  const whole = endpoint === undefined ? env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] : undefined;
  const base = endpoint ?? env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const given = whole || base;
  if (given === undefined || given === "") return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new WrongUsage("the endpoint must be an address that begins with http:// or https://");
  if (!whole && !url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** Pairs `name=value`, separated by commas, with values as in a URL; what is no pair is left out. */
export function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").flatMap((pair): (readonly [string, string])[] => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [];
    const value = decoded(pair.slice(at + 1).trim());
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
