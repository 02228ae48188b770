/**
 * Schemas of `initialize`, `authenticate` and `logout`.
 */
import {
  array,
  integer,
  items,
  lenient,
  literal,
  nullable,
  nullTo,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  uint16,
} from "../../schema/index.ts";
import { AgentCapabilities, ClientCapabilities, Implementation } from "./capabilities.ts";
import { emptyResponse, type EmptyResponse, withMeta } from "./common.ts";

/** The only protocol version that this runtime supports. */
export const protocolVersion = 1;

const initializeRequest = withMeta({
  /** Any integer, so that a client with an unknown version is answered with our version. */
  protocolVersion: integer(),
  clientCapabilities: lenient(ClientCapabilities),
  clientInfo: lenient(nullable(Implementation)),
});
export interface InitializeRequest extends Static<typeof initializeRequest> {}
export const InitializeRequest: Schema<InitializeRequest> = initializeRequest;

const authMethodTerminal = withMeta({
  type: literal("terminal"),
  id: string,
  name: string,
  description: lenient(nullable(string)),
  /** Added to the agent's command line. */
  args: optional(nullTo(array(string), () => [])),
  env: optional(nullTo(record(string), () => ({}))),
});
/** The user signs in in a terminal, in which the client starts the agent again with `args`. */
export interface AuthMethodTerminal extends Static<typeof authMethodTerminal> {}
export const AuthMethodTerminal: Schema<AuthMethodTerminal> = authMethodTerminal;

const authMethodAgent = withMeta({ id: string, name: string, description: lenient(nullable(string)) });
/** The agent handles the sign-in itself, by `authenticate`. */
export interface AuthMethodAgent extends Static<typeof authMethodAgent> {
  /** Never present; an unknown type is read as if it were left out. */
  readonly type?: undefined;
}
export const AuthMethodAgent: Schema<AuthMethodAgent> = authMethodAgent;

export type AuthMethod = AuthMethodTerminal | AuthMethodAgent;
export const AuthMethod: Schema<AuthMethod> = tagged("type", { terminal: AuthMethodTerminal }, AuthMethodAgent);

const initializeResponse = withMeta({
  protocolVersion: uint16,
  agentCapabilities: lenient(AgentCapabilities),
  authMethods: lenient(items(AuthMethod)),
  agentInfo: lenient(nullable(Implementation)),
});
export interface InitializeResponse extends Static<typeof initializeResponse> {}
export const InitializeResponse: Schema<InitializeResponse> = initializeResponse;

const authenticateRequest = withMeta({ methodId: string });
export interface AuthenticateRequest extends Static<typeof authenticateRequest> {}
export const AuthenticateRequest: Schema<AuthenticateRequest> = authenticateRequest;
export interface AuthenticateResponse extends EmptyResponse {}
export const AuthenticateResponse: Schema<AuthenticateResponse> = emptyResponse;

const logoutRequest = withMeta({});
export interface LogoutRequest extends Static<typeof logoutRequest> {}
export const LogoutRequest: Schema<LogoutRequest> = logoutRequest;
export interface LogoutResponse extends EmptyResponse {}
export const LogoutResponse: Schema<LogoutResponse> = emptyResponse;
