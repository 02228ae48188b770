/**
 * Close codes of the WebSocket protocol (RFC 6455, section 7.4) and the payload of a
 * close frame.
 */
import { isUtf8 } from "node:buffer";

export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  invalidText: 1007,
  policyViolation: 1008,
  tooLarge: 1009,
  internalError: 1011,
} as const;

/** The code of a close frame without payload; it never occurs on the wire. */
export const noCloseCode = 1005;
/** The code for a connection that ended without a close frame; it never occurs on the wire. */
export const abnormalCloseCode = 1006;

/** A control frame has at most 125 bytes, two of which are the code. */
const maxReasonBytes = 123;

export interface CloseStatus {
  readonly code: number;
  readonly reason: string;
}

/** Whether an endpoint may send this code: registered codes, and those for libraries and applications. */
function isCloseCode(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && code !== 1004 && code !== noCloseCode && code !== abnormalCloseCode) ||
    (code >= 3000 && code <= 4999)
  );
}

/** Reads the payload of a close frame. `fault`: the payload is invalid; close with this code and reason. */
export function readClose(payload: Buffer): CloseStatus | { readonly fault: CloseStatus } {
  if (payload.length === 0) return { code: noCloseCode, reason: "" };
  const { protocolError, invalidText } = closeCodes;
  if (payload.length === 1) return { fault: { code: protocolError, reason: "a close code has two bytes" } };
  const code = payload.readUInt16BE(0);
  if (!isCloseCode(code)) return { fault: { code: protocolError, reason: "this close code may not be sent" } };
  const reason = payload.subarray(2);
  if (!isUtf8(reason)) return { fault: { code: invalidText, reason: "the close reason is not UTF-8" } };
  return { code, reason: reason.toString("utf8") };
}

/** The payload of a close frame. A reason that is too long is cut between characters. */
export function closePayload({ code, reason }: CloseStatus): Buffer {
  if (code === noCloseCode) return Buffer.alloc(0);
  const text = Buffer.from(reason, "utf8");
  let length = Math.min(text.length, maxReasonBytes);
  // The first byte that is left out must not continue a character.
  while (length > 0 && ((text[length] ?? 0) & 0xc0) === 0x80) length--;
  const payload = Buffer.alloc(2 + length);
  payload.writeUInt16BE(code, 0);
  text.copy(payload, 2, 0, length);
  return payload;
}
