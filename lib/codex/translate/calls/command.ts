/**
 * A command as a tool call: its title is the command, its output is shown in a terminal or as a
 * console block.
 */
import { location, type ToolCallLocation, type ToolKind } from "../../../acp/index.ts";
import { absolutePath, type ClientView, titleLine } from "../../../display/index.ts";
import type { CommandAction, CommandExecutionItem } from "../../protocol/index.ts";
import type { ItemEnd, CallView } from "./call-view.ts";
import { shownCommand } from "./shell-words.ts";

export function commandView(item: CommandExecutionItem, client: ClientView): CallView {
  const command = shownCommand(item.command);
  const cwd = item.cwd ?? client.cwd;
  const actions = item.commandActions ?? [];
  const locations = readLocation(actions, client);
  return {
    name: "shell",
    kind: commandKind(actions),
    title: titleLine(command === "" ? "Run a command" : command),
    ...(locations.length > 0 && { locations }),
    rawInput: { command, ...(cwd !== client.cwd && { cwd }) },
    terminal: { cwd },
    isPending: item.processId == null && item.source === "agent",
  };
}

export function commandEnd(item: CommandExecutionItem): ItemEnd {
  const output = item.aggregatedOutput ?? "";
  if (item.status === "completed") return { status: "completed", output, exitCode: item.exitCode ?? 0 };
  if (item.status === "declined") return { status: "failed", output, exitCode: null, note: "Rejected." };
  const exitCode = item.exitCode ?? null;
  if (exitCode !== null && exitCode >= 0) return { status: "failed", output, exitCode };
  // Codex reports -1 for a command that was killed, and for one that could not start.
  return { status: "failed", output, exitCode: null, note: item.processId == null ? "It did not run." : "Stopped." };
}

/**
 * Codex's own reading of a command leaves out operators and redirections, so it decides the
 * kind and the location, never the title.
 */
function commandKind(actions: readonly CommandAction[]): ToolKind {
  if (actions.length === 1 && actions[0]?.type === "read") return "read";
  const isSearch = actions.length > 0 && actions.every(({ type }) => type === "listFiles" || type === "search");
  return isSearch ? "search" : "execute";
}

function readLocation(actions: readonly CommandAction[], client: ClientView): readonly ToolCallLocation[] {
  const [action] = actions;
  if (actions.length !== 1 || action?.type !== "read" || action.path == null || action.path === "") return [];
  return [location(absolutePath(action.path, client))];
}
