/**
 * Turns the approval requests of Codex into questions: commands, file changes, permissions
 * and MCP tool calls.
 *
 * The question shows the whole call: the command and the model's reason, or the diff, which
 * the request does not carry. "Always" holds for the session only and writes no file of
 * the user.
 */
import { type ToolCallContent, toolContent, type ToolCallUpdate } from "../../../acp/index.ts";
import {
  absolutePath,
  askedContent,
  type ClientView,
  fenced,
  oneLine,
  pathKey,
  titleLine,
} from "../../../display/index.ts";
import { isRecord, markInvisible } from "../../../schema/index.ts";
import type {
  CommandApproval,
  ElicitationRequest,
  FileChangeApproval,
  FileChangeItem,
  McpToolCallItem,
  PermissionsApproval,
} from "../../protocol/index.ts";
import { type CallView, jsonText } from "../calls/call-view.ts";
import { patchFiles } from "../calls/file-change.ts";
import { mcpToolTitle } from "../calls/other.ts";
import { shownCommand } from "../calls/shell-words.ts";
import type { CodexState } from "../state/codex-state.ts";
import {
  allowing,
  allowingAlways,
  type AskedPermission,
  type CodexDecision,
  permissionQuestion,
} from "./codex-question.ts";

const accept = { decision: "accept" } as const;
const acceptForSession = { decision: "acceptForSession" } as const;
/** Without an answer the turn ends too. */
const refusals = { rejected: { decision: "decline" }, unanswered: { decision: "cancel" } } as const;

export function commandQuestion({ params }: CommandApproval, state: CodexState): AskedPermission {
  const { itemId, reason, networkApprovalContext: network } = params;
  const item = state.calls.itemOf(itemId);
  const line = params.command ?? (item?.type === "commandExecution" ? item.command : "");
  const command = shownCommand(line);
  const host = network?.host == null ? undefined : `Network access to ${network.host}`;
  const title = titleLine(command === "" ? (host ?? "Run a command") : command);
  // Codex asks about the host: what is allowed for the session then holds for every command.
  const scope = host === undefined ? "this command" : `network access to ${network?.host} for every command`;
  const key = host !== undefined ? `reach ${network?.host}` : command === "" ? undefined : `run ${command}`;
  const content = [
    ...wholeCommand(command),
    ...textBlocks(reason, host, ...additionalTexts(params.additionalPermissions)),
    ...directory(params.cwd, state.view),
  ];
  state.calls.asked(itemId, reason ?? undefined);
  const question = permissionQuestion(
    {
      toolCallId: itemId,
      title,
      kind: "execute",
      status: "pending",
      content: askedContent(content),
      // Programs between the agent and the user, such as `bowline guard`, read what is asked for here.
      rawInput: {
        command,
        ...(params.cwd != null && params.cwd !== state.view.cwd && { cwd: params.cwd }),
        ...(network?.host != null && { host: network.host }),
        ...(params.additionalPermissions != null && { additionalPermissions: params.additionalPermissions }),
      },
    },
    [allowing("allow_once", "Allow", accept), ...allowingAlways(scope, acceptForSession)],
    { ...refusals, ...(key !== undefined && { never: { keys: [key], what: scope } }) },
  );
  return { kind: "permission", announced: [], question, settled: runsWhenAllowed(itemId, state) };
}

export function fileChangeQuestion({ params }: FileChangeApproval, state: CodexState): AskedPermission {
  const { itemId, reason, grantRoot } = params;
  const item = state.calls.itemOf(itemId);
  const view = state.calls.viewOf(itemId);
  const settled = runsWhenAllowed(itemId, state);
  if (item?.type !== "fileChange" || view === undefined || item.changes.length === 0) {
    // The user cannot judge a change that is not shown.
    const content = textBlocks("Codex did not say what it wants to change.", reason);
    const toolCall = { toolCallId: itemId, title: "Change files", kind: "edit", status: "pending", content } as const;
    return { kind: "permission", announced: [], question: permissionQuestion(toolCall, [], refusals), settled };
  }
  const files = patchFiles(item.changes, state.view);
  const scope = files.length === 1 ? (files[0] ?? "this file") : "these files";
  const always = grantRoot == null ? `changes to ${scope}` : `changes below ${grantRoot}`;
  state.calls.asked(itemId, reason ?? undefined);
  const question = permissionQuestion(
    questionCall(itemId, view, textBlocks(reason)),
    [allowing("allow_once", "Allow", accept), ...allowingAlways(always, acceptForSession)],
    { ...refusals, never: { keys: changedFiles(item, state.view), what: `changes to ${scope}` } },
  );
  return { kind: "permission", announced: [], question, settled };
}

/** A key for each file that a patch touches. */
function changedFiles({ changes }: FileChangeItem, view: ClientView): readonly string[] {
  const paths = changes.flatMap(({ path, kind }) => (kind.move_path == null ? [path] : [path, kind.move_path]));
  return paths.map((path) => `change ${pathKey(absolutePath(path, view))}`);
}

const nothing = { permissions: {}, scope: "turn" } as const;

/** The request has no item: its call begins and ends with the question. */
export function permissionsQuestion({ params }: PermissionsApproval, state: CodexState): AskedPermission {
  const { itemId, threadId, reason, permissions } = params;
  const wanted = permissionTexts(permissions);
  const view: CallView = {
    name: "request_permissions",
    kind: "other",
    title: titleLine(wanted.length === 0 ? "More permissions" : `More permissions: ${wanted.join(", ")}`),
    content: [...textBlocks(reason), toolContent.block(fenced(jsonText(permissions), "json"))],
    isPending: true,
  };
  const announced = state.calls.begin(itemId, view, { threadId, parent: state.agents.get(threadId) });
  const question = permissionQuestion(
    questionCall(itemId, view, []),
    [
      allowing("allow_once", "Allow for this turn", { permissions, scope: "turn" }),
      allowing("allow_always", "Allow for this session", { permissions, scope: "session" }),
    ],
    { rejected: nothing, unanswered: nothing, never: { keys: [`permissions ${sorted(permissions)}`], what: "this" } },
  );
  return { kind: "permission", announced, question, settled: endsWithAnswer(itemId, state) };
}

/** Codex asks about an MCP tool call by an elicitation that does not name the item. */
export function mcpToolQuestion({ params }: ElicitationRequest, state: CodexState): AskedPermission {
  const { serverName, threadId, message, _meta: meta } = params;
  const item = calledTool(state, serverName, meta?.tool_params, message);
  const view = item === undefined ? undefined : state.calls.viewOf(item.id);
  const input = jsonText(meta?.tool_params ?? item?.arguments ?? {});
  const more = textBlocks(meta?.tool_description, input === "{}" ? undefined : fenced(input, "json"));
  const tool = item?.tool ?? /run tool "([^"]+)"/.exec(message)?.[1];
  const name = tool === undefined ? `tools of ${serverName}` : mcpToolTitle(serverName, tool);
  const own: CallView = { name: "mcp", kind: "other", title: titleLine(name), isPending: true };
  const id = item?.id ?? `${serverName}-${state.nextQuestion()}`;
  const announced =
    item === undefined ? state.calls.begin(id, own, { threadId, parent: state.agents.get(threadId) }) : [];
  state.calls.asked(id, undefined);
  const reply = (persist: boolean): CodexDecision["result"] => ({
    action: "accept",
    content: null,
    _meta: persist ? { persist: "session" } : null,
  });
  const mayPersist = meta?.persist?.includes("session") === true;
  const question = permissionQuestion(
    questionCall(id, view ?? own, more),
    [allowing("allow_once", "Allow", reply(false)), ...(mayPersist ? allowingAlways(name, reply(true)) : [])],
    {
      rejected: { action: "decline", content: null, _meta: null },
      unanswered: { action: "cancel", content: null, _meta: null },
      ...(tool !== undefined && { never: { keys: [`tool mcp__${serverName}__${tool}`], what: name } }),
    },
  );
  const settled = item === undefined ? endsWithAnswer(id, state) : runsWhenAllowed(id, state);
  return { kind: "permission", announced, question, settled };
}

/** The open call of this server with these arguments. */
function calledTool(state: CodexState, server: string, input: unknown, message: string): McpToolCallItem | undefined {
  const calls = state.calls.openItems.filter(
    (item): item is McpToolCallItem => item.type === "mcpToolCall" && item.server === server,
  );
  const same = calls.filter((item) => sorted(item.arguments ?? {}) === sorted(input ?? {}));
  return same.find(({ tool }) => message.includes(`"${tool}"`)) ?? same[0];
}

/** JSON with sorted keys, to compare values. */
function sorted(value: unknown): string {
  return jsonText(sortedKeys(value, maxComparedDepth));
}

const maxComparedDepth = 100;

function sortedKeys(value: unknown, depth: number): unknown {
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((part) => sortedKeys(part, depth - 1));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key], depth - 1)]));
}

function runsWhenAllowed(id: string, state: CodexState): AskedPermission["settled"] {
  return ({ isAllowed }) => (isAllowed ? state.calls.running(id) : []);
}

function endsWithAnswer(id: string, state: CodexState): AskedPermission["settled"] {
  return ({ isAllowed }) =>
    state.calls.end(
      id,
      isAllowed ? { status: "completed" } : { status: "failed", content: [toolContent.block("Rejected.")] },
    );
}

function questionCall(toolCallId: string, view: CallView, more: readonly ToolCallContent[]): ToolCallUpdate {
  const content = [...(view.content ?? []), ...more];
  return {
    toolCallId,
    title: view.title,
    kind: view.kind,
    status: "pending",
    ...(content.length > 0 && { content: askedContent(content) }),
    ...(view.locations !== undefined && { locations: view.locations }),
    ...(view.rawInput !== undefined && { rawInput: view.rawInput }),
  };
}

/** The whole command, when it is too long for the title. */
function wholeCommand(command: string): readonly ToolCallContent[] {
  const shown = markInvisible(command);
  return shown === oneLine(shown) ? [] : [toolContent.block(fenced(shown, "sh"))];
}

function directory(cwd: string | null | undefined, view: ClientView): readonly ToolCallContent[] {
  return cwd == null || cwd === view.cwd ? [] : textBlocks(`In ${cwd}`);
}

function textBlocks(...texts: readonly (string | null | undefined)[]): readonly ToolCallContent[] {
  return texts.flatMap((text) => (text == null || text.trim() === "" ? [] : [toolContent.block(text)]));
}

/** In words, and whole. */
function additionalTexts(permissions: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  if (permissions == null || Object.keys(permissions).length === 0) return [];
  const texts = permissionTexts(permissions);
  return [`With ${texts.length === 0 ? "more permissions" : texts.join(", ")}:`, fenced(jsonText(permissions), "json")];
}

/** `network access`, `write access to /a, /b`. */
function permissionTexts(permissions: Readonly<Record<string, unknown>>): readonly string[] {
  const { network, fileSystem } = permissions;
  const texts = isRecord(network) && network["enabled"] === true ? ["network access"] : [];
  if (!isRecord(fileSystem)) return texts;
  for (const access of ["read", "write"]) {
    const paths = fileSystem[access];
    if (Array.isArray(paths) && paths.length > 0) texts.push(`${access} access to ${paths.join(", ")}`);
  }
  return texts;
}
