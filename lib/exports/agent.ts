/**
 * `bowline/agent`: the Claude agent inside another Node program, on any link.
 *
 * `localAgent` uses this machine's Claude CLI, files and clock; `claudeAgent` takes them
 * as options.
 */
export {
  type ClaudeAgent,
  claudeAgent,
  type ClaudeAgentOptions,
  emptyStore,
  type Launcher,
  localAgent,
  type LocalOptions,
  type Settings,
} from "../agent/index.ts";
