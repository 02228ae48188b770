/**
 * The tools room's door.
 */
export { type DocumentPart, failed, type FullAnswer, type ToolAnswer } from "./answer.ts";
export { Commands, maxTimeoutMs } from "./commands.ts";
export { commandTools, fileTools } from "./definitions.ts";
export { EditorTexts } from "./editor-texts.ts";
export { McpServer, type ToolCallRequest, type ToolDefinition } from "./mcp.ts";
export { Memory } from "./memory.ts";
export { type Asked, permitOf } from "./permit.ts";
export type { Disk, EditorFiles } from "./places.ts";
export { Reading } from "./reading.ts";
export { readRules, type Rule } from "./rules.ts";
export type { Terminals } from "./terminals.ts";
export type { Note } from "./working-directory.ts";
export { Writing, type WritingTool, writingTools } from "./writing.ts";
