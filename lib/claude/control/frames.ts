/**
 * Schemas of the control frames: request, response and cancellation.
 *
 * Control frames are no part of the conversation and look the same in both directions. The
 * sender of a request chooses its id. This file describes the envelope only; the fields of
 * each request are in `control-methods.ts` and `host-methods.ts`.
 */
import { lenient, literal, object, type Schema, type Static, string, tagged, unknown } from "../../schema/index.ts";

/** The content of a request: its name, and fields that the method's own schema reads. */
const controlSubject = object({ subtype: string });
export interface ControlSubject extends Static<typeof controlSubject> {}
export const ControlSubject: Schema<ControlSubject> = controlSubject;

const controlRequest = object({ type: literal("control_request"), request_id: string, request: ControlSubject });
export interface ControlRequest extends Static<typeof controlRequest> {}
export const ControlRequest: Schema<ControlRequest> = controlRequest;

const controlSuccess = object({
  subtype: literal("success"),
  request_id: string,
  /** Missing when the answer has no content. */
  response: lenient(unknown),
});
export interface ControlSuccess extends Static<typeof controlSuccess> {}
export const ControlSuccess: Schema<ControlSuccess> = controlSuccess;

const controlFailure = object({
  subtype: literal("error"),
  request_id: string,
  error: lenient(string),
  error_code: lenient(string),
});
export interface ControlFailure extends Static<typeof controlFailure> {}
export const ControlFailure: Schema<ControlFailure> = controlFailure;

export type ControlOutcome = ControlSuccess | ControlFailure;
export const ControlOutcome: Schema<ControlOutcome> = tagged("subtype", {
  success: controlSuccess,
  error: controlFailure,
});

const controlResponse = object({ type: literal("control_response"), response: ControlOutcome });
export interface ControlResponse extends Static<typeof controlResponse> {}
export const ControlResponse: Schema<ControlResponse> = controlResponse;

/** The sender of the request no longer wants an answer and ignores one that arrives later. */
const controlCancelRequest = object({ type: literal("control_cancel_request"), request_id: string });
export interface ControlCancelRequest extends Static<typeof controlCancelRequest> {}
export const ControlCancelRequest: Schema<ControlCancelRequest> = controlCancelRequest;

export const controlVariants = {
  control_request: controlRequest,
  control_response: controlResponse,
  control_cancel_request: controlCancelRequest,
} as const;
