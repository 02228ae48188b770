/**
 * Bowline: a runtime for the Agent Client Protocol, in both roles.
 *
 * `agent` and `client` serve a role on a link; `update`, `block` and their
 * siblings write the protocol's values; every protocol type is a schema and a
 * TypeScript type of the same name.
 */
export * from "./acp/index.ts";
export {
  type Call,
  type CallOptions,
  CallFailed,
  ConnectionClosed,
  errorCodes,
  type Handlers,
  type Id,
  type MethodTable,
  Peer,
  type PeerOptions,
  route,
  type Router,
  RpcError,
  type RpcErrorObject,
} from "./rpc/index.ts";
export { Fault, type Schema, type Static } from "./schema/index.ts";
export {
  childLink,
  type ChildLink,
  type ChildLinkOptions,
  lineReader,
  type LineFault,
  type LineReader,
  type Link,
  type LinkEnds,
  type LinkLimits,
  memoryPair,
  stdioLink,
  streamLink,
  webLink,
  webMessageLink,
  type WebStreams,
} from "./wire/index.ts";
