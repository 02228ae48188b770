/**
 * Entry point of the editor tools: reading unsaved text and writing files through the
 * editor. Knows no session: lib/agent/editor-tools connects these tools, and the editor's
 * terminals, to a session and its CLI.
 */
export { failed, type ToolResult } from "./tool-result.ts";
export { inputProblem, writingToolDefinitions } from "./tool-definitions.ts";
export { CurrentTexts } from "./current-text.ts";
export { readFileRules } from "./file-rules.ts";
export { EditorMcpServer, type ToolCallRequest } from "./mcp-server.ts";
export { KnownFiles } from "./known-files.ts";
export type { Disk, EditorFiles } from "./file-access.ts";
export { isBelow } from "./protected-paths.ts";
export { unsavedResult } from "./unsaved-text.ts";
export { permitWrite, type WritePermit } from "./write-permit.ts";
export { WriteTools, type WriteToolName, writeToolNames } from "./write-tools.ts";
