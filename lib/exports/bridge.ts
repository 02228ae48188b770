/**
 * `bowline/bridge`: many Claude sessions over one stream of JSON lines, and a client for it.
 */
export {
  bridge,
  type Bridge,
  bridgeClient,
  type BridgeClient,
  type BridgeClientOptions,
  BridgeClosed,
  BridgeFailure,
  type Launcher,
  type LaunchRequest,
  BridgeMessage,
  type BridgeOptions,
  type BridgeSession,
  type BridgeCliMessage,
  type BridgeSessionHandlers,
  type CallbackAnswer,
  type CallbackQuestion,
  ClientMessage,
  processLauncher,
  SessionOptions,
} from "../bridge/index.ts";
