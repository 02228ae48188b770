/**
 * Turns the CLI's `can_use_tool` request into the question the client shows.
 *
 * Each option carries its decision, so an answer can only be one that was
 * offered. "Always" and "Never" apply to the session only, and their labels name what they
 * change. "Never" comes with the rule that makes the CLI deny it in every mode.
 */
import {
  type PermissionOption,
  permissionOption,
  type ToolCallContent,
  toolContent,
  type ToolCallUpdate,
} from "../../../acp/index.ts";
import type { AllowTool, CanUseTool, PermissionUpdate, ToolDecision } from "../../index.ts";
import { clearedPlanLabel, type PermissionChoice, type RejectedScope } from "../../../engine/index.ts";
import { markInvisible, textIn } from "../../../schema/index.ts";
import { toolTitle } from "../tools/other.ts";
import { type CallStart, familyOf, rawInputOf, type ToolFamily, visibleStart } from "../tools/index.ts";
import {
  absolutePath,
  askedContent,
  type ClientView,
  fenced,
  normalizedPath,
  oneLine,
  pathKey,
  shownPath,
  titleLine,
  unshownInput,
} from "../../../display/index.ts";
import { lastingChanges } from "./lasting-changes.ts";

/** How much of the command a label shows, where the question shows all of it. */
const maxCommandChars = 60;

type ToolChoice = PermissionChoice<ToolDecision>;

export interface ClaudeRejectedScope extends RejectedScope {
  /** Denies exactly this in the CLI; undefined where no rule can say it. */
  readonly rule: string | undefined;
}

/** The decision when the user rejects the call. The model reads the message. */
export const rejection: ToolDecision = { behavior: "deny", message: "The user rejected this tool call." };
/** The decision when the user has rejected this for the rest of the session. */
export const lastingRejection: ToolDecision = {
  behavior: "deny",
  message: "The user does not allow this in this session. Do not try it again.",
};
/** The decision when the user rejects the call and says why. The turn goes on. */
function rejectionWith(reason: string): ToolDecision {
  return { behavior: "deny", message: `The user rejected this tool call and said: ${reason}` };
}
/** The decision when the question was not answered. It ends the turn. */
export const unanswered: ToolDecision = { behavior: "deny", message: "The user did not answer.", interrupt: true };

/** The decision when the plan is to be carried out in a cleared conversation. It ends the turn in this one. */
export const clearedPlan: ToolDecision = {
  behavior: "deny",
  message: "The user approved the plan and has it carried out in a cleared conversation.",
  interrupt: true,
};

/** The tool call as the question shows it. */
export function askedToolCall(request: CanUseTool, toolCallId: string, view: ClientView): ToolCallUpdate {
  const { tool_name: name, input } = request;
  const family = familyOf(name);
  const start = visibleStart(family.open(input, view, name), input);
  const isOutsideSandbox = family.kind === "execute" && input["dangerouslyDisableSandbox"] === true;
  const content: ToolCallContent[] = [
    ...(start.isTerminal && view.showsTerminals ? [toolContent.terminal(toolCallId)] : (start.content ?? [])),
    ...wholeCommand(request, family),
    ...wholeInput(request, family, start),
    ...cutTexts(request, family, start),
    ...(isOutsideSandbox ? [toolContent.block(outsideSandbox)] : []),
    ...(request.decision_reason === undefined ? [] : [toolContent.block(request.decision_reason)]),
  ];
  return {
    toolCallId,
    title: start.title,
    kind: family.kind,
    status: "pending",
    ...(content.length > 0 && { content: askedContent(content) }),
    ...(start.locations !== undefined && start.locations.length > 0 && { locations: start.locations }),
    ...rawInputOf(start, input, view),
  };
}

export function permissionChoices(request: CanUseTool, view: ClientView): readonly ToolChoice[] {
  if (request.tool_name === "ExitPlanMode") return planChoices(textIn(request.input, "plan") !== undefined);
  const allow = choice("allow_once", "allow", "Allow", { behavior: "allow" });
  const reject = { ...choice("reject_once", "reject", "Reject", rejection), withReason: rejectionWith };
  const always = alwaysChoice(request, view);
  const allows = always === undefined ? [allow] : [allow, always];
  return request.default_to_no === true ? [reject, ...allows] : [...allows, reject];
}

/**
 * What "Never allow … in this session" concerns: a command, a file, the pages of a host, or a tool. Undefined where
 * the user is asked for something else than a permission.
 */
export function rejectedScope(request: CanUseTool, view: ClientView): ClaudeRejectedScope | undefined {
  const { tool_name: name, input } = request;
  if (name === "ExitPlanMode" || request.requires_user_interaction === true) return undefined;
  const { kind } = familyOf(name);
  const command = textIn(input, "command");
  if (kind === "execute" && command !== undefined) {
    return { keys: [`run ${command}`], what: "this command", rule: exactRule(name, command) };
  }
  const file = textIn(input, "file_path") ?? textIn(input, "notebook_path");
  const path = file === undefined ? undefined : normalizedPath(absolutePath(file, view));
  if (kind === "edit" && path !== undefined) {
    const what = `changes to ${shownPath(path, view)}`;
    return { keys: [`change ${pathKey(path)}`], what, rule: fileRule("Edit", path) };
  }
  if (kind === "read" && path !== undefined) {
    const what = `reading ${shownPath(path, view)}`;
    return { keys: [`read ${pathKey(path)}`], what, rule: fileRule("Read", path) };
  }
  const host = hostOf(textIn(input, "url"));
  if (kind === "fetch" && host !== undefined) {
    return { keys: [`pages ${host}`], what: `pages of ${host}`, rule: exactRule(name, `domain:${host}`) };
  }
  return { keys: [`tool ${name}`], what: toolTitle(name), rule: /^[\w-]+$/.test(name) ? name : undefined };
}

/** A plan whose text is known can be carried out in a cleared conversation. */
function planChoices(hasText: boolean): readonly ToolChoice[] {
  return [
    choice("allow_always", "accept_edits", "Yes, and accept edits without asking", leavingPlan("acceptEdits")),
    choice("allow_once", "ask_each", "Yes, and ask before each edit", leavingPlan("default")),
    ...(hasText ? [choice("allow_always", "clear_context", clearedPlanLabel, clearedPlan)] : []),
    choice("reject_once", "keep_planning", "No, keep planning", {
      behavior: "deny",
      message: "The user wants to keep planning and will say what to change.",
      interrupt: true,
    }),
  ];
}

function leavingPlan(mode: "acceptEdits" | "default"): AllowTool {
  return { behavior: "allow", updatedPermissions: [{ type: "setMode", mode, destination: "session" }] };
}

function alwaysChoice(request: CanUseTool, view: ClientView): ToolChoice | undefined {
  const updatedPermissions = lastingChanges(request, view);
  if (updatedPermissions.length === 0) return undefined;
  const name = alwaysLabel(request, updatedPermissions, view);
  if (name === undefined) return undefined;
  return choice("allow_always", "allow_always", name, { behavior: "allow", updatedPermissions });
}

/**
 * The label of the "always" option: all that it will allow. Undefined when that does not fit
 * into a label. Only the one command that the question itself shows may be cut.
 */
function alwaysLabel(request: CanUseTool, changes: readonly PermissionUpdate[], view: ClientView): string | undefined {
  const rules = changes.flatMap((change) => (change.type === "addRules" ? change.rules : []));
  const [only] = rules.length === 1 && changes.length === 1 ? rules : [];
  const command = only?.ruleContent;
  if (command !== undefined && command === textIn(request.input, "command"))
    return `Always allow "${titleLine(command, maxCommandChars)}" in this session`;
  const parts = changes.flatMap((change): readonly string[] => {
    switch (change.type) {
      case "addRules":
        return change.rules.map(({ toolName, ruleContent }) => ruleLabel(toolName, ruleContent, view));
      case "addDirectories":
        return change.directories.map((directory) => `access to ${shownPath(directory, view)}`);
      case "setMode":
        return change.mode === "acceptEdits" ? ["all edits"] : [`everything the mode ${change.mode} allows`];
      case "replaceRules":
      case "removeRules":
      case "removeDirectories":
        return ["other rules"];
    }
  });
  // Access to the session's own directory is allowed anyway.
  const labels = [...new Set(parts)].filter((part) => part !== "access to .");
  const what = labels.length === 0 ? toolTitle(request.tool_name) : labels.join(" and ");
  const label = `Always allow ${markInvisible(what)} in this session`;
  return label === oneLine(label) ? label : undefined;
}

function ruleLabel(toolName: string, ruleContent: string | undefined, view: ClientView): string {
  if (ruleContent === undefined) return toolTitle(toolName);
  const [, domain] = /^domain:(.+)$/.exec(ruleContent) ?? [];
  if (domain !== undefined) return `pages of ${domain}`;
  // The rule of a directory has two slashes before its absolute path.
  const [, directory] = toolName === "Read" ? (/^\/(\/.+)\/\*\*$/.exec(ruleContent) ?? []) : [];
  return directory === undefined ? `"${ruleContent}"` : `reading ${shownPath(directory, view)}`;
}

/** A rule about one command or host. The CLI reads every `*` of a rule as a pattern and has no escape for it. */
function exactRule(tool: string, content: string): string | undefined {
  if (content.trim() !== content || content === "" || /[*\r]/.test(content)) return undefined;
  return `${tool}(${content.replaceAll(/[\\()]/g, "\\$&")})`;
}

/** A rule about one file, by its absolute path; undefined where the CLI would read a pattern. */
function fileRule(tool: "Edit" | "Read", path: string): string | undefined {
  if (!path.startsWith("/") || /[?\\\n\r]|\s$/.test(path)) return undefined;
  return `${tool}(/${path.replaceAll(/[*[\]()]/g, "\\$&")})`;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}

const outsideSandbox = "The model asks to run this outside of the sandbox.";

/**
 * The whole input of a tool that shows no content, such as one of an MCP server: its title has one value at most. Of a
 * command and of a subagent, what is not shown yet.
 */
function wholeInput(
  { input }: CanUseTool,
  { kind }: ToolFamily,
  { title, content = [] }: CallStart,
): readonly ToolCallContent[] {
  const asJson = (value: unknown): readonly ToolCallContent[] => [
    toolContent.block(fenced(JSON.stringify(value, undefined, 2), "json")),
  ];
  const shown = shownFields[kind];
  if (shown !== undefined) {
    const rest = Object.entries(input).filter(([field]) => !shown.has(field));
    const unshown = rest.length === 0 ? undefined : unshownInput(Object.fromEntries(rest), [title]);
    return unshown === undefined ? [] : asJson(unshown);
  }
  if (content.length > 0 || !kindsWithoutContent.has(kind)) return [];
  const [[field, value] = [], ...more] = Object.entries(input);
  const isInTitle = more.length === 0 && typeof value === "string" && title.includes(value);
  if (field === undefined || (isInTitle && plainFields.has(field))) return [];
  return asJson(input);
}

/** Fields of commands and subagents that are shown elsewhere, or do not change what they do. */
const shownFields: Readonly<Partial<Record<string, ReadonlySet<string>>>> = {
  execute: new Set(["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"]),
  think: new Set(["prompt", "description"]),
};
/** Fields whose value says all there is to say. The name of another field may be what matters. */
const plainFields: ReadonlySet<string> = new Set([
  "query",
  "url",
  "path",
  "file_path",
  "pattern",
  "text",
  "name",
  "id",
]);

const kindsWithoutContent: ReadonlySet<string> = new Set(["other", "delete", "move"]);

/** The whole command, when it is too long for the title. */
function wholeCommand({ input }: CanUseTool, { kind }: ToolFamily): readonly ToolCallContent[] {
  const command = kind === "execute" ? textIn(input, "command") : undefined;
  const shown = command === undefined ? "" : markInvisible(command);
  return shown === oneLine(shown) ? [] : [toolContent.block(fenced(shown, "sh"))];
}

/** The texts that the title is made of, when it is cut: the end of an address may be what matters. */
function cutTexts(
  { input }: CanUseTool,
  { kind, titleFields }: ToolFamily,
  { title }: CallStart,
): readonly ToolCallContent[] {
  if (!title.endsWith("…") || kind === "execute" || kindsWithoutContent.has(kind)) return [];
  return (titleFields ?? []).flatMap((field) => {
    const text = textIn(input, field);
    return text === undefined ? [] : [toolContent.block(fenced(markInvisible(text)))];
  });
}

function choice(kind: PermissionOption["kind"], optionId: string, name: string, decision: ToolDecision): ToolChoice {
  return { option: permissionOption(kind, optionId, name), decision };
}
