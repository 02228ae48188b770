/**
 * Schemas of session modes and of the models of 2025, which config options replace in newer
 * versions of ACP.
 */
import { errorTo, items, lenient, nullable, type Schema, type Static, string } from "../../schema/index.ts";
import { emptyResponse, type EmptyResponse, withMeta } from "./common.ts";
import { renamed } from "./legacy.ts";

const sessionMode = withMeta({ id: string, name: string, description: lenient(nullable(string)) });
export interface SessionMode extends Static<typeof sessionMode> {}
export const SessionMode: Schema<SessionMode> = sessionMode;

const sessionModeState = withMeta({
  currentModeId: string,
  availableModes: errorTo(items(SessionMode), () => []),
});
export interface SessionModeState extends Static<typeof sessionModeState> {}
export const SessionModeState: Schema<SessionModeState> = sessionModeState;

const setSessionModeRequest = withMeta({ sessionId: string, modeId: string });
export interface SetSessionModeRequest extends Static<typeof setSessionModeRequest> {}
export const SetSessionModeRequest: Schema<SetSessionModeRequest> = renamed(setSessionModeRequest, { mode: "modeId" });

export interface SetSessionModeResponse extends EmptyResponse {}
export const SetSessionModeResponse: Schema<SetSessionModeResponse> = emptyResponse;

/** The id of a model. Removed from the protocol in 2026, like the types that use it. */
export type ModelId = string;

const modelInfo = withMeta({
  modelId: string,
  /** The same; some clients of 2025 read this key. */
  id: lenient(string),
  name: string,
  description: lenient(nullable(string)),
});
export interface ModelInfo extends Static<typeof modelInfo> {}
export const ModelInfo: Schema<ModelInfo> = renamed(modelInfo, { id: "modelId" });

const sessionModelState = withMeta({
  currentModelId: string,
  availableModels: errorTo(items(ModelInfo), () => []),
});
/** The field `models` of a response that opens a session, with the agent's option `--legacy`. */
export interface SessionModelState extends Static<typeof sessionModelState> {}
export const SessionModelState: Schema<SessionModelState> = sessionModelState;

/** Removed from the protocol in 2026; older clients still choose a model this way. */
const setSessionModelRequest = withMeta({ sessionId: string, modelId: string });
export interface SetSessionModelRequest extends Static<typeof setSessionModelRequest> {}
export const SetSessionModelRequest: Schema<SetSessionModelRequest> = setSessionModelRequest;
