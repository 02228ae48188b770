/**
 * One tool call to compare: what the model calls, in which project, under which settings.
 *
 * Texts may name `{project}`, `{outside}`, `{home}`, `{root}` and `{tag}`; the worker that runs the
 * call puts its own directories there, so that the same call can be recorded on one machine
 * and compared on another.
 */
import type { JsonObject } from "../../support/json.ts";

export const kinds = ["commands", "paths", "rules"] as const;
export type Kind = (typeof kinds)[number];

export const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"] as const;
export type Mode = (typeof modes)[number];

export const shells = ["bash", "dash", "zsh"] as const;
export type Shell = (typeof shells)[number];

export type ToolName = "Bash" | "Read" | "Write" | "Edit";

export interface ToolInput {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, string>>;
}

export interface ComparedCall extends ToolInput {
  readonly kind: Kind;
  /** What it tries, or the rule that matches it. */
  readonly group: string;
  /** Unique, and stable from run to run: the key of the recorded outcome. */
  readonly id: string;
  /** Calls of the same turn that are allowed when asked about: a file has to be read before it is changed. */
  readonly before: readonly ToolInput[];
  readonly settings: readonly SettingsFile[];
  /** A subagent makes the call. */
  readonly isFromSubagent?: boolean | undefined;
}

/** A settings file of the CLI that exists before the session starts. */
export interface SettingsFile {
  readonly path: "project/.claude/settings.json" | "project/.claude/settings.local.json" | "home/.claude/settings.json";
  readonly content: JsonObject;
}

/** Where the directories of one worker are. */
export interface Places {
  /** Holds `project`, `outside` and `home`, and nothing else. */
  readonly root: string;
  /** A word that no other worker has, for files in directories that all share. */
  readonly tag: string;
}

export function withPlaces(text: string, { root, tag }: Places): string {
  return text
    .replaceAll("{tag}", tag)
    .replaceAll("{project}", `${root}/project`)
    .replaceAll("{outside}", `${root}/outside`)
    .replaceAll("{home}", `${root}/home`)
    .replaceAll("{root}", root);
}

/** The input with the worker's directories in place. */
export function inputAt({ input }: ToolInput, places: Places): Record<string, string> {
  return Object.fromEntries(Object.entries(input).map(([key, text]) => [key, withPlaces(text, places)]));
}
