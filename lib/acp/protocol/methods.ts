/**
 * Tables of all ACP methods, one for agents and one for clients.
 *
 * The types of handlers and calls are derived from these tables. An entry with a
 * result is a request, an entry without it is a notification.
 */
import type { MethodTable } from "../../rpc/index.ts";
import { SetSessionConfigOptionRequest, SetSessionConfigOptionResponse } from "./config-option.ts";
import { CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse } from "./elicitation.ts";
import { emptyResponse } from "./common.ts";
import { ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse } from "./text-file.ts";
import {
  AuthenticateRequest,
  AuthenticateResponse,
  InitializeRequest,
  InitializeResponse,
  LogoutRequest,
  LogoutResponse,
} from "./initialize.ts";
import { SetSessionModelRequest, SetSessionModeRequest, SetSessionModeResponse } from "./mode.ts";
import { RequestPermissionRequest, RequestPermissionResponse } from "./permission.ts";
import { PromptRequest, PromptResponse } from "./prompt.ts";
import * as session from "./session.ts";
import * as terminal from "./terminal.ts";
import { SessionNotification } from "./update.ts";

/** The methods that a client calls and an agent handles. */
export const agentMethods = {
  initialize: { params: InitializeRequest, result: InitializeResponse },
  authenticate: { params: AuthenticateRequest, result: AuthenticateResponse },
  logout: { params: LogoutRequest, result: LogoutResponse },
  "session/new": { params: session.NewSessionRequest, result: session.NewSessionResponse },
  "session/load": { params: session.LoadSessionRequest, result: session.LoadSessionResponse },
  "session/resume": { params: session.ResumeSessionRequest, result: session.ResumeSessionResponse },
  "session/list": { params: session.ListSessionsRequest, result: session.ListSessionsResponse },
  "session/delete": { params: session.DeleteSessionRequest, result: session.DeleteSessionResponse },
  "session/close": { params: session.CloseSessionRequest, result: session.CloseSessionResponse },
  "session/set_mode": { params: SetSessionModeRequest, result: SetSessionModeResponse },
  "session/set_config_option": { params: SetSessionConfigOptionRequest, result: SetSessionConfigOptionResponse },
  "session/prompt": { params: PromptRequest, result: PromptResponse },
  "session/cancel": { params: session.CancelNotification, isUrgent: true },
  /** Unstable. */
  "session/fork": { params: session.ForkSessionRequest, result: session.ForkSessionResponse },
  /** Unstable. */
  "session/set_title": { params: session.SetSessionTitleRequest, result: session.SetSessionTitleResponse },
  /** Unstable. */
  "session/status": { params: session.SessionStatusRequest, result: session.SessionStatusResponse },
  /** No longer part of the protocol; older clients still send it. */
  "session/set_model": { params: SetSessionModelRequest, result: emptyResponse },
} as const satisfies MethodTable;

/** The methods that an agent calls and a client handles. */
export const clientMethods = {
  "session/update": { params: SessionNotification },
  "session/request_permission": { params: RequestPermissionRequest, result: RequestPermissionResponse },
  "fs/read_text_file": { params: ReadTextFileRequest, result: ReadTextFileResponse },
  "fs/write_text_file": { params: WriteTextFileRequest, result: WriteTextFileResponse },
  "terminal/create": { params: terminal.CreateTerminalRequest, result: terminal.CreateTerminalResponse },
  "terminal/output": { params: terminal.TerminalOutputRequest, result: terminal.TerminalOutputResponse },
  "terminal/wait_for_exit": {
    params: terminal.WaitForTerminalExitRequest,
    result: terminal.WaitForTerminalExitResponse,
  },
  "terminal/kill": { params: terminal.KillTerminalRequest, result: terminal.KillTerminalResponse },
  "terminal/release": { params: terminal.ReleaseTerminalRequest, result: terminal.ReleaseTerminalResponse },
  "elicitation/create": { params: CreateElicitationRequest, result: CreateElicitationResponse },
  "elicitation/complete": { params: CompleteElicitationNotification },
} as const satisfies MethodTable;

export type AgentMethods = typeof agentMethods;
export type ClientMethods = typeof clientMethods;
