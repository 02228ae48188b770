/**
 * Entry point of the tools that write through the editor.
 */
export { failed, type ToolResult } from "./answer.ts";
export { writingToolDefinitions } from "./definitions.ts";
export { CurrentTexts } from "./editor-texts.ts";
export { readFileRules } from "./file-rules.ts";
export { EditorMcpServer, type ToolCallRequest } from "./mcp.ts";
export { KnownFiles } from "./memory.ts";
export type { Disk, EditorFiles } from "./places.ts";
export { isBelow } from "./protected-paths.ts";
export { unsavedResult } from "./unsaved-text.ts";
export { permitWrite, type WritePermit } from "./write-permit.ts";
export { WriteTools, type WriteToolName, writeToolNames } from "./writing.ts";
