/**
 * The bridge room's door.
 */
export { bridge, type Bridge, type BridgeOptions } from "./bridge.ts";
export {
  bridgeClient,
  BridgeClient,
  BridgeClosed,
  BridgeFailure,
  type BridgeClientOptions,
  type BridgeSession,
  type BridgeSessionHandlers,
} from "./client.ts";
export { type CallbackAnswer, ClientMessage } from "./client-message.ts";
export { processLauncher, type BridgeLaunch, type BridgeLaunched, type BridgeLauncher } from "./launcher.ts";
export { SessionOptions } from "./options.ts";
export { BridgeMessage, CallbackQuestion, ErrorCode } from "./reply.ts";
export { queryMethods } from "./queries.ts";
export { serveBridge } from "./serve.ts";
