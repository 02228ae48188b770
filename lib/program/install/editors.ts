/**
 * The setup of each client: an entry in its JSON settings, or lines for a configuration that is a
 * program (Lua, Emacs Lisp).
 *
 * Functions of values; reads and writes nothing.
 */
import { join } from "node:path";
import type { Environment } from "../../process/index.ts";
import { settingsFile } from "../zed/settings.ts";

/** The command line that starts the agent. */
export type AgentCommand = readonly [command: string, ...args: string[]];

export interface Machine {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

export type EditorSetup =
  /** An entry in a JSON file, which may have comments. */
  | {
      readonly kind: "file";
      readonly title: string;
      readonly file: (machine: Machine) => string;
      readonly path: (name: string) => readonly string[];
      readonly entry: (command: AgentCommand) => Readonly<Record<string, unknown>>;
      readonly next: string;
    }
  /** Lines for a configuration that is a program: Bowline does not change programs of the user. */
  | { readonly kind: "lines"; readonly title: string; readonly lines: (command: AgentCommand) => string };

export const editorSetups = {
  zed: {
    kind: "file",
    title: "Zed",
    file: ({ env, platform, home }) => settingsFile(env, platform, home),
    path: (name) => ["agent_servers", name],
    entry: ([command, ...args]) => ({ type: "custom", command, args }),
    next: "Zed reads it at once: start a new thread in the agent panel",
  },
  jetbrains: {
    kind: "file",
    title: "JetBrains IDEs",
    file: ({ home }) => join(home, ".jetbrains", "acp.json"),
    path: (name) => ["agent_servers", name],
    entry: ([command, ...args]) => ({ command, args }),
    next: "choose it in the AI Chat of the IDE",
  },
  acpx: {
    kind: "file",
    title: "acpx",
    file: ({ home }) => join(home, ".acpx", "config.json"),
    path: () => ["agents", "bowline"],
    entry: (command) => ({ argv: command }),
    next: "run acpx bowline",
  },
  nvim: { kind: "lines", title: "Neovim", lines: nvimLines },
  emacs: { kind: "lines", title: "Emacs", lines: emacsLines },
} as const satisfies Readonly<Record<string, EditorSetup>>;

export type EditorName = keyof typeof editorSetups;

export const editorNames: readonly string[] = Object.keys(editorSetups);

export function isEditorName(name: string): name is EditorName {
  return editorNames.includes(name);
}

function nvimLines(command: AgentCommand): string {
  const [program, ...args] = command;
  const list = (words: readonly string[]): string => `{ ${words.map(quoted).join(", ")} }`;
  return `-- codecompanion.nvim
require("codecompanion").setup({
  adapters = { acp = { bowline = function()
    return require("codecompanion.adapters").extend("claude_code", {
      name = "bowline",
      formatted_name = "Bowline",
      commands = { default = ${list(command)} },
    })
  end } },
  interactions = { chat = { adapter = "bowline" } },
})

-- agentic.nvim
require("agentic").setup({
  provider = "claude-agent-acp",
  acp_providers = { ["claude-agent-acp"] = { name = "Bowline", command = ${quoted(program)}, args = ${list(args)} } },
})

-- avante.nvim
require("avante").setup({
  provider = "bowline",
  acp_providers = { bowline = { command = ${quoted(program)}, args = ${list(args)} } },
})
`;
}

function emacsLines(command: AgentCommand): string {
  return `;; agent-shell
(setq agent-shell-anthropic-claude-acp-command '(${command.map(quoted).join(" ")}))
`;
}

/** A string of Lua and of Emacs Lisp: both know these escapes, and neither interprets anything else in it. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
