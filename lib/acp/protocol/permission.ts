/**
 * Schemas of permission requests: the agent asks, and the user chooses one of its options.
 */
import { array, literal, oneOf, type Schema, type Static, string, tagged } from "../../schema/index.ts";
import { withMeta } from "./common.ts";
import { ToolCallUpdate } from "./tool-call.ts";

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";
export const PermissionOptionKind: Schema<PermissionOptionKind> = oneOf(
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
);

const permissionOption = withMeta({
  optionId: string,
  name: string,
  kind: PermissionOptionKind,
});
export interface PermissionOption extends Static<typeof permissionOption> {}
export const PermissionOption: Schema<PermissionOption> = permissionOption;

const requestPermissionRequest = withMeta({
  sessionId: string,
  toolCall: ToolCallUpdate,
  options: array(PermissionOption),
});
export interface RequestPermissionRequest extends Static<typeof requestPermissionRequest> {}
export const RequestPermissionRequest: Schema<RequestPermissionRequest> = requestPermissionRequest;

const cancelledOutcome = withMeta({ outcome: literal("cancelled") });
export interface CancelledPermissionOutcome extends Static<typeof cancelledOutcome> {}
export const CancelledPermissionOutcome: Schema<CancelledPermissionOutcome> = cancelledOutcome;

const selectedOutcome = withMeta({ outcome: literal("selected"), optionId: string });
export interface SelectedPermissionOutcome extends Static<typeof selectedOutcome> {}
export const SelectedPermissionOutcome: Schema<SelectedPermissionOutcome> = selectedOutcome;

export type RequestPermissionOutcome = CancelledPermissionOutcome | SelectedPermissionOutcome;
export const RequestPermissionOutcome: Schema<RequestPermissionOutcome> = tagged("outcome", {
  cancelled: CancelledPermissionOutcome,
  selected: SelectedPermissionOutcome,
});

const requestPermissionResponse = withMeta({ outcome: RequestPermissionOutcome });
export interface RequestPermissionResponse extends Static<typeof requestPermissionResponse> {}
export const RequestPermissionResponse: Schema<RequestPermissionResponse> = requestPermissionResponse;
