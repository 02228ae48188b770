/**
 * Public names of the bridge module: many Claude CLI sessions over one stream of JSON
 * lines, and a client for that protocol.
 */
export { bridge, type Bridge, type BridgeOptions } from "./bridge.ts";
export {
  bridgeClient,
  BridgeClient,
  BridgeClosed,
  BridgeFailure,
  type BridgeClientOptions,
  type BridgeSession,
  type BridgeCliMessage,
  type BridgeSessionHandlers,
} from "./client.ts";
export { type CallbackAnswer, ClientMessage } from "./client-message.ts";
export type { LaunchRequest, Launcher } from "../claude/engine/index.ts";
export { processLauncher } from "./launcher.ts";
export { SessionOptions } from "./session-options.ts";
export { BridgeMessage, CallbackQuestion, ErrorCode } from "./bridge-message.ts";
export { queryMethods } from "./queries.ts";
export { serveBridge } from "./serve-stdio.ts";
