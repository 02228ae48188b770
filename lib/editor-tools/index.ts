/**
 * Entry point of the editor tools: the editor's files and terminals as tools for the
 * Claude CLI.
 */
export { relayDirectory } from "./commands/relay-directory.ts";
export { EditorTools } from "./editor-tools.ts";
export { writeToolNames } from "./write-tools.ts";
