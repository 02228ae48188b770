/**
 * Schemas of terminals: commands that the client runs and shows for the agent.
 */
import {
  array,
  boolean,
  lenient,
  nullable,
  nullTo,
  optional,
  type Schema,
  type Static,
  string,
  uint32,
  uint64,
} from "../../schema/index.ts";
import { AbsolutePath, emptyResponse, type EmptyResponse, withMeta } from "./common.ts";

const envVariable = withMeta({ name: string, value: string });
export interface EnvVariable extends Static<typeof envVariable> {}
export const EnvVariable: Schema<EnvVariable> = envVariable;

const createTerminalRequest = withMeta({
  sessionId: string,
  command: string,
  args: optional(nullTo(array(string), () => [])),
  env: optional(nullTo(array(EnvVariable), () => [])),
  cwd: optional(nullable(AbsolutePath)),
  /** Longer output loses its beginning, cut at a character boundary. */
  outputByteLimit: optional(nullable(uint64)),
});
export interface CreateTerminalRequest extends Static<typeof createTerminalRequest> {}
export const CreateTerminalRequest: Schema<CreateTerminalRequest> = createTerminalRequest;

const createTerminalResponse = withMeta({ terminalId: string });
export interface CreateTerminalResponse extends Static<typeof createTerminalResponse> {}
export const CreateTerminalResponse: Schema<CreateTerminalResponse> = createTerminalResponse;

/** Names one terminal of one session. */
const terminalRequest = withMeta({ sessionId: string, terminalId: string });
export interface TerminalOutputRequest extends Static<typeof terminalRequest> {}
export const TerminalOutputRequest: Schema<TerminalOutputRequest> = terminalRequest;
export interface WaitForTerminalExitRequest extends Static<typeof terminalRequest> {}
export const WaitForTerminalExitRequest: Schema<WaitForTerminalExitRequest> = terminalRequest;
export interface KillTerminalRequest extends Static<typeof terminalRequest> {}
export const KillTerminalRequest: Schema<KillTerminalRequest> = terminalRequest;
export interface ReleaseTerminalRequest extends Static<typeof terminalRequest> {}
export const ReleaseTerminalRequest: Schema<ReleaseTerminalRequest> = terminalRequest;

const terminalExitStatus = withMeta({
  exitCode: lenient(nullable(uint32)),
  signal: lenient(nullable(string)),
});
export interface TerminalExitStatus extends Static<typeof terminalExitStatus> {}
export const TerminalExitStatus: Schema<TerminalExitStatus> = terminalExitStatus;

const terminalOutputResponse = withMeta({
  output: string,
  truncated: boolean,
  /** Null or left out while the command runs. */
  exitStatus: lenient(nullable(TerminalExitStatus)),
});
export interface TerminalOutputResponse extends Static<typeof terminalOutputResponse> {}
export const TerminalOutputResponse: Schema<TerminalOutputResponse> = terminalOutputResponse;

export interface WaitForTerminalExitResponse extends Static<typeof terminalExitStatus> {}
export const WaitForTerminalExitResponse: Schema<WaitForTerminalExitResponse> = terminalExitStatus;

export interface KillTerminalResponse extends EmptyResponse {}
export const KillTerminalResponse: Schema<KillTerminalResponse> = emptyResponse;
export interface ReleaseTerminalResponse extends EmptyResponse {}
export const ReleaseTerminalResponse: Schema<ReleaseTerminalResponse> = emptyResponse;
