/**
 * Schemas of elicitation: the agent asks the user for data by a form or a URL.
 *
 * A request names either a session or another request. Each case is a type of its own,
 * so a request that names neither does not compile.
 */
import {
  byKey,
  lenient,
  literal,
  nullable,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
} from "../../schema/index.ts";
import { ElicitationContentValue, ElicitationSchema } from "./elicitation-form.ts";
import { RequestId, withMeta } from "./common.ts";

const sessionScope = { sessionId: string, toolCallId: lenient(nullable(string)) };
const requestScope = { requestId: RequestId };
const form = { message: string, mode: literal("form"), requestedSchema: ElicitationSchema };
const url = { message: string, mode: literal("url"), elicitationId: string, url: string };
const other = { message: string, mode: string };

const sessionForm = withMeta({ ...form, ...sessionScope });
export interface SessionFormElicitation extends Static<typeof sessionForm> {}
export const SessionFormElicitation: Schema<SessionFormElicitation> = sessionForm;

const requestForm = withMeta({ ...form, ...requestScope });
export interface RequestFormElicitation extends Static<typeof requestForm> {}
export const RequestFormElicitation: Schema<RequestFormElicitation> = requestForm;

const sessionUrl = withMeta({ ...url, ...sessionScope });
export interface SessionUrlElicitation extends Static<typeof sessionUrl> {}
export const SessionUrlElicitation: Schema<SessionUrlElicitation> = sessionUrl;

const requestUrl = withMeta({ ...url, ...requestScope });
export interface RequestUrlElicitation extends Static<typeof requestUrl> {}
export const RequestUrlElicitation: Schema<RequestUrlElicitation> = requestUrl;

const sessionOther = withMeta({ ...other, ...sessionScope });
/** A mode that this version does not know; the client declines it. */
export interface SessionOtherElicitation extends Static<typeof sessionOther> {}
export const SessionOtherElicitation: Schema<SessionOtherElicitation> = sessionOther;

const requestOther = withMeta({ ...other, ...requestScope });
export interface RequestOtherElicitation extends Static<typeof requestOther> {}
export const RequestOtherElicitation: Schema<RequestOtherElicitation> = requestOther;

export type FormElicitation = SessionFormElicitation | RequestFormElicitation;
export type UrlElicitation = SessionUrlElicitation | RequestUrlElicitation;
export type OtherElicitation = SessionOtherElicitation | RequestOtherElicitation;

export type CreateElicitationRequest = FormElicitation | UrlElicitation | OtherElicitation;
export const CreateElicitationRequest: Schema<CreateElicitationRequest> = tagged(
  "mode",
  {
    form: byKey({ sessionId: SessionFormElicitation, requestId: RequestFormElicitation }),
    url: byKey({ sessionId: SessionUrlElicitation, requestId: RequestUrlElicitation }),
  },
  byKey({ sessionId: SessionOtherElicitation, requestId: RequestOtherElicitation }),
);

const accepted = withMeta({
  action: literal("accept"),
  content: optional(nullable(record(ElicitationContentValue))),
});
export interface ElicitationAccepted extends Static<typeof accepted> {}
export const ElicitationAccepted: Schema<ElicitationAccepted> = accepted;

const declined = withMeta({ action: literal("decline") });
export interface ElicitationDeclined extends Static<typeof declined> {}
export const ElicitationDeclined: Schema<ElicitationDeclined> = declined;

const cancelled = withMeta({ action: literal("cancel") });
export interface ElicitationCancelled extends Static<typeof cancelled> {}
export const ElicitationCancelled: Schema<ElicitationCancelled> = cancelled;

const otherAction = withMeta({ action: string });
/** An action that this version does not know; it does not count as acceptance. */
export interface ElicitationOtherAction extends Static<typeof otherAction> {}
export const ElicitationOtherAction: Schema<ElicitationOtherAction> = otherAction;

export type CreateElicitationResponse =
  | ElicitationAccepted
  | ElicitationDeclined
  | ElicitationCancelled
  | ElicitationOtherAction;
export const CreateElicitationResponse: Schema<CreateElicitationResponse> = tagged(
  "action",
  { accept: ElicitationAccepted, decline: ElicitationDeclined, cancel: ElicitationCancelled },
  ElicitationOtherAction,
);

const completed = withMeta({ elicitationId: string });
export interface CompleteElicitationNotification extends Static<typeof completed> {}
export const CompleteElicitationNotification: Schema<CompleteElicitationNotification> = completed;

/** Type guards, because the variants for unknown modes allow any string and so comparing `mode` does not narrow. */
export function isFormElicitation(request: CreateElicitationRequest): request is FormElicitation {
  return request.mode === "form";
}

/** Whether the request asks the user to open an address. */
export function isUrlElicitation(request: CreateElicitationRequest): request is UrlElicitation {
  return request.mode === "url";
}

/** Whether the user has filled in the form. */
export function isElicitationAccepted(response: CreateElicitationResponse): response is ElicitationAccepted {
  return response.action === "accept";
}
