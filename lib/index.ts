/**
 * Bowline: a runtime for the Agent Client Protocol, in both roles.
 *
 * `agent` and `client` serve a role on a link; `update`, `block` and their
 * siblings write the protocol's values; every protocol type is a schema and a
 * TypeScript type of the same name.
 */
export * from "./acp/index.ts";
export {
  bridge,
  type Bridge,
  bridgeClient,
  type BridgeClient,
  type BridgeClientOptions,
  BridgeClosed,
  BridgeFailure,
  type BridgeLaunch,
  type BridgeLaunched,
  type BridgeLauncher,
  BridgeMessage,
  type BridgeOptions,
  type BridgeSession,
  type BridgeSessionHandlers,
  type CallbackAnswer,
  type CallbackQuestion,
  ClientMessage,
  processLauncher,
  SessionOptions,
} from "./bridge/index.ts";
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
