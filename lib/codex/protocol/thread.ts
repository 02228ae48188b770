/**
 * Schemas of threads and their settings, as in `thread/start`, `thread/list` and
 * `thread/settings/updated`.
 */
import {
  boolean,
  either,
  errorTo,
  items,
  literal,
  number,
  object,
  oneOf,
  open,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { orUnknownPart, type UnknownPart } from "../unknown.ts";
import { maybe } from "./maybe.ts";
import { CodexTurn } from "./turn.ts";

/** A name, or the user's own mix of rules: `{"granular":{…}}`. */
export type ApprovalPolicy = "untrusted" | "on-request" | "never" | (string & {}) | Readonly<Record<string, unknown>>;
export const ApprovalPolicy: Schema<ApprovalPolicy> = either(
  "a name or an object",
  open("untrusted", "on-request", "never"),
  record(unknown),
);

export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";
export const SandboxMode: Schema<SandboxMode> = oneOf("read-only", "workspace-write", "danger-full-access");

const readOnly = object({ type: literal("readOnly"), networkAccess: maybe(boolean) });
const workspaceWrite = object({
  type: literal("workspaceWrite"),
  writableRoots: maybe(items(string)),
  networkAccess: maybe(boolean),
  excludeTmpdirEnvVar: maybe(boolean),
  excludeSlashTmp: maybe(boolean),
});
const dangerFullAccess = object({ type: literal("dangerFullAccess") });
const externalSandbox = object({ type: literal("externalSandbox"), networkAccess: maybe(unknown) });
export interface ReadOnlySandbox extends Static<typeof readOnly> {}
export interface WorkspaceWriteSandbox extends Static<typeof workspaceWrite> {}
export interface FullAccessSandbox extends Static<typeof dangerFullAccess> {}
export interface ExternalSandbox extends Static<typeof externalSandbox> {}

export type KnownSandbox = ReadOnlySandbox | WorkspaceWriteSandbox | FullAccessSandbox | ExternalSandbox;
export type SandboxPolicy = KnownSandbox | UnknownPart;
export const SandboxPolicy: Schema<SandboxPolicy> = orUnknownPart<KnownSandbox>(
  tagged("type", { readOnly, workspaceWrite, dangerFullAccess, externalSandbox }),
);

export type ApprovalsReviewer = "user" | "auto_review" | (string & {});
const approvalsReviewer: Schema<ApprovalsReviewer> = open("user", "auto_review");

const collaborationMode = object({ mode: open("default", "plan"), settings: maybe(record(unknown)) });
export interface CollaborationMode extends Static<typeof collaborationMode> {}
export const CollaborationMode: Schema<CollaborationMode> = collaborationMode;

const threadSettings = object({
  cwd: maybe(string),
  approvalPolicy: maybe(ApprovalPolicy),
  approvalsReviewer: maybe(approvalsReviewer),
  sandboxPolicy: maybe(SandboxPolicy),
  model: maybe(string),
  modelProvider: maybe(string),
  serviceTier: maybe(string),
  effort: maybe(string),
  collaborationMode: maybe(CollaborationMode),
});
export interface ThreadSettings extends Static<typeof threadSettings> {}
export const ThreadSettings: Schema<ThreadSettings> = threadSettings;

const thread = object({
  id: string,
  name: maybe(string),
  /** The text of the first prompt. */
  preview: maybe(string),
  cwd: maybe(string),
  model: maybe(string),
  /** Seconds since the epoch. */
  createdAt: maybe(number),
  updatedAt: maybe(number),
  recencyAt: maybe(number),
  cliVersion: maybe(string),
  forkedFromId: maybe(string),
  parentThreadId: maybe(string),
  ephemeral: maybe(boolean),
  turns: maybe(items(CodexTurn)),
});
export interface Thread extends Static<typeof thread> {}
export const Thread: Schema<Thread> = thread;

/** The answer to `thread/start`, `thread/resume` and `thread/fork`. */
const openedThread = object({
  thread: Thread,
  model: maybe(string),
  modelProvider: maybe(string),
  serviceTier: maybe(string),
  cwd: maybe(string),
  approvalPolicy: maybe(ApprovalPolicy),
  approvalsReviewer: maybe(approvalsReviewer),
  sandbox: maybe(SandboxPolicy),
  reasoningEffort: maybe(string),
  collaborationMode: maybe(CollaborationMode),
  instructionSources: maybe(items(string)),
});
export interface OpenedThread extends Static<typeof openedThread> {}
export const OpenedThread: Schema<OpenedThread> = openedThread;

const startedTurn = object({ turn: CodexTurn, reviewThreadId: maybe(string) });
/** The answer to `turn/start` and `review/start`. */
export interface StartedTurn extends Static<typeof startedTurn> {}
export const StartedTurn: Schema<StartedTurn> = startedTurn;

const threadPage = object({ data: errorTo(items(Thread), () => []), nextCursor: maybe(string) });
/** The answer to `thread/list`. */
export interface ThreadPage extends Static<typeof threadPage> {}
export const ThreadPage: Schema<ThreadPage> = threadPage;

const readThread = object({ thread: Thread });
/** The answer to `thread/read`. */
export interface ReadThread extends Static<typeof readThread> {}
export const ReadThread: Schema<ReadThread> = readThread;

const turnPage = object({ data: errorTo(items(CodexTurn), () => []), nextCursor: maybe(string) });
/** The answer to `thread/turns/list`. */
export interface TurnPage extends Static<typeof turnPage> {}
export const TurnPage: Schema<TurnPage> = turnPage;
