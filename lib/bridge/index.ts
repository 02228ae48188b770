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
export {
  type CallbackAnswer,
  CallbackResponse,
  ClientMessage,
  type Content,
  ElicitationReply,
  HookReply,
  QueryCall,
  SessionCreate,
  SessionInterrupt,
  SessionKill,
  SessionSend,
  ToolAnswer,
} from "./client-message.ts";
export { processLauncher, type BridgeLaunch, type BridgeLaunched, type BridgeLauncher } from "./launcher.ts";
export { AgentDefinition, HookConfig, SandboxSettings, SessionOptions } from "./options.ts";
export {
  BridgeMessage,
  CallbackCancelled,
  CallbackQuestion,
  CallbackRequest,
  ErrorCode,
  ErrorMessage,
  QueryResult,
  SdkMessage,
  SessionCreated,
  SessionInterrupted,
  SessionKilled,
} from "./reply.ts";
export { queryMethods, type QueryMethod } from "./queries.ts";
export { serveBridge, type ServeBridgeOptions } from "./serve.ts";
