/**
 * Extensions: methods outside the protocol, added to a router.
 */
import type { Call, Route, Router } from "../rpc/index.ts";
import { unknown } from "../schema/index.ts";
import type { ExtensionName } from "./connection.ts";

/** Handlers by name, for requests and notifications alike; params are not read. */
export type Extensions = Readonly<Record<ExtensionName, (params: unknown, call: Call) => unknown>>;

/** The router, and after it the extensions. */
export function withExtensions(router: Router, extensions: Extensions = {}): Router {
  const routes = new Map<string, Route>();
  for (const [method, handle] of Object.entries(extensions)) routes.set(method, { method, params: unknown, handle });
  return {
    request: (method) => router.request(method) ?? routes.get(method),
    notification: (method) => router.notification(method) ?? routes.get(method),
  };
}
