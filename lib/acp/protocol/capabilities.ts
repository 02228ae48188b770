/**
 * Schemas of the capabilities that client and agent advertise.
 *
 * A capability that is missing, null, false or malformed is not supported. ACP marks
 * some capabilities by booleans and others by the presence of an object.
 */
import { boolean, lenient, nullable, type Schema, type Static, string } from "../../schema/index.ts";
import { type Marker, marker, withMeta } from "./common.ts";

const mark = lenient(nullable<Marker>(marker));

const implementation = withMeta({ name: string, title: lenient(nullable(string)), version: string });
export interface Implementation extends Static<typeof implementation> {}
export const Implementation: Schema<Implementation> = implementation;

const fileSystemCapabilities = withMeta({ readTextFile: lenient(boolean), writeTextFile: lenient(boolean) });
export interface FileSystemCapabilities extends Static<typeof fileSystemCapabilities> {}
export const FileSystemCapabilities: Schema<FileSystemCapabilities> = fileSystemCapabilities;

const sessionConfigOptionsCapabilities = withMeta({ boolean: mark });
export interface SessionConfigOptionsCapabilities extends Static<typeof sessionConfigOptionsCapabilities> {}
export const SessionConfigOptionsCapabilities: Schema<SessionConfigOptionsCapabilities> =
  sessionConfigOptionsCapabilities;

const clientSessionCapabilities = withMeta({
  compaction: mark,
  configOptions: lenient(nullable(SessionConfigOptionsCapabilities)),
  notices: mark,
});
export interface ClientSessionCapabilities extends Static<typeof clientSessionCapabilities> {}
export const ClientSessionCapabilities: Schema<ClientSessionCapabilities> = clientSessionCapabilities;

const authCapabilities = withMeta({ terminal: lenient(boolean) });
export interface AuthCapabilities extends Static<typeof authCapabilities> {}
export const AuthCapabilities: Schema<AuthCapabilities> = authCapabilities;

const elicitationCapabilities = withMeta({ form: mark, url: mark });
export interface ElicitationCapabilities extends Static<typeof elicitationCapabilities> {}
export const ElicitationCapabilities: Schema<ElicitationCapabilities> = elicitationCapabilities;

const clientCapabilities = withMeta({
  fs: lenient(FileSystemCapabilities),
  terminal: lenient(boolean),
  session: lenient(nullable(ClientSessionCapabilities)),
  auth: lenient(AuthCapabilities),
  elicitation: lenient(nullable(ElicitationCapabilities)),
});
export interface ClientCapabilities extends Static<typeof clientCapabilities> {}
export const ClientCapabilities: Schema<ClientCapabilities> = clientCapabilities;

const promptCapabilities = withMeta({
  image: lenient(boolean),
  audio: lenient(boolean),
  embeddedContext: lenient(boolean),
});
export interface PromptCapabilities extends Static<typeof promptCapabilities> {}
export const PromptCapabilities: Schema<PromptCapabilities> = promptCapabilities;

const mcpCapabilities = withMeta({ http: lenient(boolean), sse: lenient(boolean) });
export interface McpCapabilities extends Static<typeof mcpCapabilities> {}
export const McpCapabilities: Schema<McpCapabilities> = mcpCapabilities;

const sessionCapabilities = withMeta({
  list: mark,
  delete: mark,
  additionalDirectories: mark,
  resume: mark,
  close: mark,
  /** Unstable. */
  fork: mark,
  /** Unstable. */
  status: mark,
  /** Unstable. */
  title: mark,
  /** Unstable. Present: a client may send `systemPrompt`, to be appended to the agent's own. */
  systemPrompt: lenient(nullable(withMeta({ mode: lenient(nullable(withMeta({ override: mark }))) }))),
});
export interface SessionCapabilities extends Static<typeof sessionCapabilities> {}
export const SessionCapabilities: Schema<SessionCapabilities> = sessionCapabilities;

const agentAuthCapabilities = withMeta({ logout: mark });
export interface AgentAuthCapabilities extends Static<typeof agentAuthCapabilities> {}
export const AgentAuthCapabilities: Schema<AgentAuthCapabilities> = agentAuthCapabilities;

const agentCapabilities = withMeta({
  loadSession: lenient(boolean),
  promptCapabilities: lenient(PromptCapabilities),
  mcpCapabilities: lenient(McpCapabilities),
  sessionCapabilities: lenient(SessionCapabilities),
  auth: lenient(AgentAuthCapabilities),
});
export interface AgentCapabilities extends Static<typeof agentCapabilities> {}
export const AgentCapabilities: Schema<AgentCapabilities> = agentCapabilities;
