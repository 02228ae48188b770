/**
 * Schemas of the methods that open, list, load, resume, close and delete sessions.
 */
import {
  absentTo,
  array,
  errorTo,
  items,
  lenient,
  nullable,
  nullTo,
  open,
  optional,
  type Schema,
  type Static,
  string,
} from "../../schema/index.ts";
import { SessionConfigOption } from "./config-option.ts";
import { AbsolutePath, emptyResponse, type EmptyResponse, withMeta } from "./common.ts";
import { McpServer } from "./mcp-server.ts";
import { SessionModeState } from "./mode.ts";

const mcpServers = nullTo(array(McpServer), () => []);
const noServers = (): readonly McpServer[] => [];
const additionalDirectories = optional(nullTo(array(AbsolutePath), () => []));

/** The state of a session, in every response that opens one. */
const state = {
  modes: lenient(nullable(SessionModeState)),
  configOptions: lenient(nullable(items(SessionConfigOption))),
};

const newSessionRequest = withMeta({ cwd: AbsolutePath, additionalDirectories, mcpServers });
export interface NewSessionRequest extends Static<typeof newSessionRequest> {}
/** Clients of 2025 leave `mcpServers` out; a client of ours must send it, as the official schema says. */
export const NewSessionRequest: Schema<NewSessionRequest> = absentTo(newSessionRequest, "mcpServers", noServers);

const newSessionResponse = withMeta({ sessionId: string, ...state });
export interface NewSessionResponse extends Static<typeof newSessionResponse> {}
export const NewSessionResponse: Schema<NewSessionResponse> = newSessionResponse;

const loadSessionRequest = withMeta({ sessionId: string, cwd: AbsolutePath, additionalDirectories, mcpServers });
export interface LoadSessionRequest extends Static<typeof loadSessionRequest> {}
export const LoadSessionRequest: Schema<LoadSessionRequest> = absentTo(loadSessionRequest, "mcpServers", noServers);

const sessionState = withMeta(state);
export interface LoadSessionResponse extends Static<typeof sessionState> {}
export const LoadSessionResponse: Schema<LoadSessionResponse> = nullTo<LoadSessionResponse>(sessionState, () => ({}));

const resumeSessionRequest = withMeta({
  sessionId: string,
  cwd: AbsolutePath,
  additionalDirectories,
  mcpServers: optional(mcpServers),
});
export interface ResumeSessionRequest extends Static<typeof resumeSessionRequest> {}
export const ResumeSessionRequest: Schema<ResumeSessionRequest> = resumeSessionRequest;

export interface ResumeSessionResponse extends Static<typeof sessionState> {}
export const ResumeSessionResponse: Schema<ResumeSessionResponse> = LoadSessionResponse;

const listSessionsRequest = withMeta({
  cwd: optional(nullable(AbsolutePath)),
  cursor: optional(nullable(string)),
});
export interface ListSessionsRequest extends Static<typeof listSessionsRequest> {}
export const ListSessionsRequest: Schema<ListSessionsRequest> = listSessionsRequest;

const sessionInfo = withMeta({
  sessionId: string,
  cwd: string,
  additionalDirectories: lenient(items(string)),
  title: lenient(nullable(string)),
  /** ISO 8601. */
  updatedAt: lenient(nullable(string)),
});
export interface SessionInfo extends Static<typeof sessionInfo> {}
export const SessionInfo: Schema<SessionInfo> = sessionInfo;

const listSessionsResponse = withMeta({
  sessions: errorTo(items(SessionInfo), () => []),
  /** Left out at the end of the list. */
  nextCursor: lenient(nullable(string)),
});
export interface ListSessionsResponse extends Static<typeof listSessionsResponse> {}
export const ListSessionsResponse: Schema<ListSessionsResponse> = listSessionsResponse;

/** Names one session. */
const sessionRequest = withMeta({ sessionId: string });
export interface DeleteSessionRequest extends Static<typeof sessionRequest> {}
export const DeleteSessionRequest: Schema<DeleteSessionRequest> = sessionRequest;
export interface DeleteSessionResponse extends EmptyResponse {}
export const DeleteSessionResponse: Schema<DeleteSessionResponse> = emptyResponse;

export interface CloseSessionRequest extends Static<typeof sessionRequest> {}
export const CloseSessionRequest: Schema<CloseSessionRequest> = sessionRequest;
export interface CloseSessionResponse extends EmptyResponse {}
export const CloseSessionResponse: Schema<CloseSessionResponse> = emptyResponse;

export interface CancelNotification extends Static<typeof sessionRequest> {}
export const CancelNotification: Schema<CancelNotification> = sessionRequest;

const forkSessionRequest = withMeta({
  sessionId: string,
  cwd: AbsolutePath,
  additionalDirectories,
  mcpServers: optional(mcpServers),
});
/** Unstable. */
export interface ForkSessionRequest extends Static<typeof forkSessionRequest> {}
export const ForkSessionRequest: Schema<ForkSessionRequest> = forkSessionRequest;
export interface ForkSessionResponse extends Static<typeof newSessionResponse> {}
export const ForkSessionResponse: Schema<ForkSessionResponse> = newSessionResponse;

const setSessionTitleRequest = withMeta({ sessionId: string, title: string });
/** Unstable. */
export interface SetSessionTitleRequest extends Static<typeof setSessionTitleRequest> {}
export const SetSessionTitleRequest: Schema<SetSessionTitleRequest> = setSessionTitleRequest;
const setSessionTitleResponse = withMeta({ title: string });
export interface SetSessionTitleResponse extends Static<typeof setSessionTitleResponse> {}
export const SetSessionTitleResponse: Schema<SetSessionTitleResponse> = setSessionTitleResponse;

export type SessionStatus = "open" | "saved" | (string & {});
export const SessionStatus: Schema<SessionStatus> = open("open", "saved");
/** Unstable. */
export interface SessionStatusRequest extends Static<typeof sessionRequest> {}
export const SessionStatusRequest: Schema<SessionStatusRequest> = sessionRequest;
const sessionStatusResponse = withMeta({ status: SessionStatus });
export interface SessionStatusResponse extends Static<typeof sessionStatusResponse> {}
export const SessionStatusResponse: Schema<SessionStatusResponse> = sessionStatusResponse;
