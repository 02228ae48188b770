/**
 * The roles of clients: which methods a client may call, by the token it connected with.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";

/** An observer sees sessions, and can neither prompt nor answer. */
export type ClientRole = "owner" | "observer";

/** Everything else is refused to an observer, also methods that this version does not know. */
const observerMethods: ReadonlySet<string> = new Set([
  "initialize",
  "session/list",
  "session/load",
  "session/resume",
  "session/close",
  "session/status",
]);

/** Throws an `RpcError` when a client of this role may not call the method. */
export function checkRole(role: ClientRole, method: string): void {
  if (role === "observer" && !observerMethods.has(method)) throw onlyWatches(method);
}

export function onlyWatches(method: string): RpcError {
  const data = { bowline: { reason: "observer" } };
  return new RpcError(errorCodes.invalidRequest, `${method}: this connection may only watch`, data);
}
