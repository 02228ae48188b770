/**
 * `ServerRequest`: schemas of the requests that `codex app-server` sends to Bowline, and types of
 * the answers.
 *
 * A request about a tool call names the item of the call and carries little of it. The diff of a
 * file change is only in the item.
 */
import {
  array,
  boolean,
  errorTo,
  items,
  literal,
  number,
  object,
  open,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { orUnknownMessage, type UnknownMessage } from "../unknown.ts";
import { maybe } from "./maybe.ts";
import { CommandAction } from "./thread-item.ts";

const ofItem = { threadId: string, turnId: maybe(string), itemId: string } as const;

const networkContext = object({ host: maybe(string), protocol: maybe(string) });
const commandApproval = object({
  method: literal("item/commandExecution/requestApproval"),
  params: object({
    ...ofItem,
    kind: maybe(string),
    approvalId: maybe(string),
    /** The model's question to the user. */
    reason: maybe(string),
    command: maybe(string),
    cwd: maybe(string),
    commandActions: maybe(items(CommandAction)),
    networkApprovalContext: maybe(networkContext),
    additionalPermissions: maybe(record(unknown)),
  }),
});
export interface CommandApproval extends Static<typeof commandApproval> {}
export const CommandApproval: Schema<CommandApproval> = commandApproval;

/** Its paths and its diff are in the item. */
const fileChangeApproval = object({
  method: literal("item/fileChange/requestApproval"),
  params: object({ ...ofItem, reason: maybe(string), grantRoot: maybe(string) }),
});
export interface FileChangeApproval extends Static<typeof fileChangeApproval> {}
export const FileChangeApproval: Schema<FileChangeApproval> = fileChangeApproval;

const permissionsApproval = object({
  method: literal("item/permissions/requestApproval"),
  params: object({
    ...ofItem,
    cwd: maybe(string),
    reason: maybe(string),
    /** What is asked for; granted by sending it back. */
    permissions: record(unknown),
  }),
});
export interface PermissionsApproval extends Static<typeof permissionsApproval> {}
export const PermissionsApproval: Schema<PermissionsApproval> = permissionsApproval;

const inputOption = object({ label: string, description: maybe(string) });
const inputQuestion = object({
  id: string,
  header: maybe(string),
  question: string,
  isOther: maybe(boolean),
  isSecret: maybe(boolean),
  options: maybe(items(inputOption)),
});
export interface InputQuestion extends Static<typeof inputQuestion> {}
export const InputQuestion: Schema<InputQuestion> = inputQuestion;

const userInputRequest = object({
  method: literal("item/tool/requestUserInput"),
  params: object({ ...ofItem, questions: array(InputQuestion), autoResolutionMs: maybe(number) }),
});
export interface UserInputRequest extends Static<typeof userInputRequest> {}
export const UserInputRequest: Schema<UserInputRequest> = userInputRequest;

/** Codex asks for the approval of an MCP tool call by an elicitation with this `_meta`. */
const elicitationMeta = object({
  codex_approval_kind: maybe(open("mcp_tool_call")),
  persist: maybe(errorTo(items(string), () => [])),
  tool_description: maybe(string),
  tool_params: maybe(unknown),
});

const elicitation = object({
  method: literal("mcpServer/elicitation/request"),
  params: object({
    threadId: string,
    turnId: maybe(string),
    serverName: string,
    mode: open("form", "url"),
    message: errorTo(string, () => ""),
    requestedSchema: maybe(unknown),
    url: maybe(string),
    elicitationId: maybe(string),
    _meta: maybe(elicitationMeta),
  }),
});
export interface ElicitationRequest extends Static<typeof elicitation> {}
export const ElicitationRequest: Schema<ElicitationRequest> = elicitation;

export type KnownServerRequest =
  | CommandApproval
  | FileChangeApproval
  | PermissionsApproval
  | UserInputRequest
  | ElicitationRequest;

export type ServerRequest = KnownServerRequest | UnknownMessage;
export const ServerRequest: Schema<ServerRequest> = orUnknownMessage<KnownServerRequest>(
  tagged("method", {
    "item/commandExecution/requestApproval": commandApproval,
    "item/fileChange/requestApproval": fileChangeApproval,
    "item/permissions/requestApproval": permissionsApproval,
    "item/tool/requestUserInput": userInputRequest,
    "mcpServer/elicitation/request": elicitation,
  }),
);

/** The answer to the approval of a command or of a file change. `cancel` also ends the turn. */
export interface ApprovalAnswer {
  readonly decision: "accept" | "acceptForSession" | "decline" | "cancel";
}

/** The answer to a request for permissions: the part that is granted. */
export interface PermissionsAnswer {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly scope: "turn" | "session";
}

export interface ElicitationResponse {
  readonly action: "accept" | "decline" | "cancel";
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly _meta: { readonly persist: "session" } | null;
}

/** The answers by the id of the question; a skipped question is left out. */
export interface UserInputAnswer {
  readonly answers: Readonly<Record<string, { readonly answers: readonly string[] }>>;
}
