/**
 * Entry point of the rpc module: JSON-RPC 2.0 over a link, in both directions.
 */
export { Call } from "./incoming-requests.ts";
export { CallFailed, ConnectionClosed, errorCodes, RpcError, type RpcErrorObject } from "./errors.ts";
export {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  type Id,
  type Incoming,
  readMessage,
  type RpcResponse,
} from "./message.ts";
export { readResult } from "./pending-calls.ts";
export { type CallOptions, Peer, type PeerOptions } from "./peer.ts";
export {
  type Answer,
  type Handlers,
  type MethodEntry,
  type MethodTable,
  type NotificationName,
  type ParamsOf,
  type RequestName,
  type ResultOf,
  route,
  type MethodRoute,
  type Router,
  routeSome,
  type SomeHandlers,
} from "./router.ts";
export type { Link } from "../wire/index.ts";
