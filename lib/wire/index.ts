/**
 * Entry point of the wire module: links that carry lines of text over streams,
 * processes and memory, and helpers for the processes at both ends.
 */
export { childLink, type ChildLink, type ChildLinkOptions } from "./child-process/child-link.ts";
export { type Schedule, realTimer } from "./clock.ts";
export { CookieJar } from "./http/cookie-jar.ts";
export { httpLink, type HttpLinkOptions } from "./http/http-link.ts";
export { Shutdown } from "./shutdown.ts";
export { codeOf, describeBug } from "./error-text.ts";
export { StderrTail } from "./child-process/stderr-tail.ts";
export {
  defaultMaxLineBytes,
  lineReader,
  type LineFault,
  type LineReader,
  parseBoundedJson,
  parseJson,
} from "./line-reader.ts";
export type { Link, LinkCallbacks, LinkLimits } from "./link.ts";
export { memoryPair } from "./memory-pair.ts";
export { defaultLagChars, defaultMaxQueuedChars, Outbox, type OutboxLimits } from "./outbox.ts";
export { paced } from "./paced.ts";
export { isSingleExecutable, nodeProgram } from "./child-process/node-program.ts";
export { onParentGone } from "./parent-watch.ts";
export { spawnProgram } from "./child-process/spawn-program.ts";
export { stdioLink } from "./stdio-link.ts";
export { streamLink } from "./stream-link.ts";
export { escapeControls, replaceControls } from "./terminal-text.ts";
export { webLink, webMessageLink, type WebStreams } from "./web-link.ts";
export {
  endWindowsDescendants,
  endWindowsTree,
  processListings,
  windowsProcesses,
} from "./child-process/windows-processes.ts";
export { isBatchFile, shimCommand, systemDirectory, variable, windowsNames } from "./child-process/windows-program.ts";
export { closeCodes, type CloseStatus } from "./websocket/close-codes.ts";
export { webSocketLink, type WebSocketClientOptions } from "./websocket/client-link.ts";
export { type UpgradeRequest, webSocketServerLink, type WebSocketServerOptions } from "./websocket/server-link.ts";
export type { WebSocketLink, WebSocketOptions } from "./websocket/websocket.ts";
