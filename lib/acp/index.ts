/**
 * Entry point of the acp module: the Agent Client Protocol's types and both its roles.
 */
export { agent, type AgentDefinition, type AgentHandlers } from "./agent.ts";
export { AgentConnection } from "./agent-connection.ts";
export { block, configOption, location, permissionOption, planEntry, toolContent, update } from "./builders.ts";
export * from "./capabilities.ts";
export { client, type ClientDefinition, type ClientHandlers } from "./client.ts";
export { ClientConnection } from "./client-connection.ts";
export * from "./config-option.ts";
export {
  CancelRequestNotification,
  type EmptyResponse,
  isAbsolutePath,
  type Marker,
  type Meta,
  RequestId,
} from "./common.ts";
export { Connection, type ConnectionOptions, type ExtensionName, type Extensions } from "./connection.ts";
export * from "./content.ts";
export * from "./elicitation.ts";
export * from "./elicitation-form.ts";
export * from "./text-file.ts";
export { type AgentProfile, initializeResponse } from "./initialize-response.ts";
export * from "./initialize.ts";
export * from "./mcp-server.ts";
export { type AgentMethods, agentMethods, type ClientMethods, clientMethods } from "./methods.ts";
export * from "./mode.ts";
export * from "./permission.ts";
export * from "./plan.ts";
export * from "./prompt.ts";
export * from "./session.ts";
export * from "./terminal.ts";
export {
  Content,
  Diff,
  Terminal,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "./tool-call.ts";
export * from "./update.ts";
