/**
 * Cancel: the notification that takes one of the sender's own requests back.
 */
import { either, int64, nullable, type Schema, type Static, string } from "../schema/index.ts";
import { withMeta } from "./common.ts";

export type RequestId = string | number | null;
export const RequestId: Schema<RequestId> = nullable(either("a string, an integer or null", string, int64));

const cancelRequestNotification = withMeta({ requestId: RequestId });
export interface CancelRequestNotification extends Static<typeof cancelRequestNotification> {}
export const CancelRequestNotification: Schema<CancelRequestNotification> = cancelRequestNotification;
