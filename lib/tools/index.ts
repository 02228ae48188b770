/**
 * Entry point of the tools that write through the editor.
 */
export { failed, type ToolAnswer } from "./answer.ts";
export { writingToolDefinitions } from "./definitions.ts";
export { EditorTexts } from "./editor-texts.ts";
export { readFileRules } from "./file-rules.ts";
export { McpServer, type ToolCallRequest } from "./mcp.ts";
export { Memory } from "./memory.ts";
export type { Disk, EditorFiles } from "./places.ts";
export { isBelow } from "./protected-paths.ts";
export { unsavedResult } from "./unsaved-text.ts";
export { permitWrite, type WritePermit } from "./write-permit.ts";
export { Writing, type WritingTool, writingTools } from "./writing.ts";
