/**
 * Reads WebSocket messages from a byte stream (RFC 6455, section 5).
 *
 * Checks reserved bits, opcodes, masking, fragmentation, control frames, UTF-8 and the
 * size of messages. The first fault or close frame ends the reading: later bytes are
 * ignored. Buffers at most one message, of at most `maxMessageBytes`: a longer one is refused at
 * the frame header that exceeds the limit, before its content is read. Has no stream and no clock.
 */
import { isUtf8 } from "node:buffer";
import { ByteBuffer } from "../byte-buffer.ts";
import { closeCodes, type CloseStatus, readClose } from "./close-codes.ts";
import { applyMask, maxControlBytes, opcodes } from "./frame.ts";

export interface FrameReaderCallbacks {
  readonly onText: (text: string) => void;
  /** A binary message. Its content is not kept. */
  readonly onBinary: () => void;
  readonly onPing: (payload: Buffer) => void;
  readonly onPong: (payload: Buffer) => void;
  /** The other side has sent a close frame. */
  readonly onClose: (status: CloseStatus) => void;
  /** The other side has broken the protocol or a limit; the code is the one to close with. */
  readonly onFault: (status: CloseStatus) => void;
}

export interface FrameReaderOptions {
  /** A server requires masked frames, a client requires unmasked ones. */
  readonly isServer: boolean;
  readonly maxMessageBytes: number;
}

/** Two bytes, eight of an extended length, four of the masking key. */
const maxHeaderBytes = 14;
const empty = Buffer.alloc(0);

export class FrameReader {
  readonly #callbacks: FrameReaderCallbacks;
  readonly #options: FrameReaderOptions;
  readonly #header = Buffer.alloc(maxHeaderBytes);
  #headerLength = 0;
  /** How many bytes the header of the current frame has, as known so far. */
  #headerNeeded = 2;
  #isFinal = true;
  #opcode = 0;
  #payloadBytes = 0;
  #payloadRead = 0;
  /** The type of the message whose fragments are read; undefined between messages. */
  #messageType: "text" | "binary" | undefined;
  #messageBytes = 0;
  readonly #message = new ByteBuffer();
  #control = empty;
  #hasEnded = false;

  constructor(callbacks: FrameReaderCallbacks, options: FrameReaderOptions) {
    this.#callbacks = callbacks;
    this.#options = options;
  }

  /** Takes bytes from the stream. Unmasks them in place, so the caller must not use them afterwards. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    while (!this.#hasEnded) {
      if (this.#headerLength < this.#headerNeeded) {
        if (at === bytes.length) return;
        at = this.#readHeader(bytes, at);
      } else {
        const end = Math.min(bytes.length, at + this.#payloadBytes - this.#payloadRead);
        if (end === at && this.#payloadRead < this.#payloadBytes) return;
        this.#readPayload(bytes, at, end);
        at = end;
      }
    }
  }

  /** Copies header bytes until the header is complete or the chunk ends. Returns where the header ends. */
  #readHeader(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && this.#headerLength < this.#headerNeeded) {
      this.#header[this.#headerLength++] = bytes[at++] ?? 0;
      if (this.#headerLength === 2 && !this.#readFirstBytes()) return at;
    }
    if (this.#headerLength === this.#headerNeeded) this.#beginPayload();
    return at;
  }

  /** Checks all fields of the first two bytes before more is read. */
  #readFirstBytes(): boolean {
    const [first = 0, second = 0] = this.#header;
    const length = second & 0x7f;
    this.#isFinal = (first & 0x80) !== 0;
    this.#opcode = first & 0x0f;
    if ((first & 0x70) !== 0) return this.#violation("a reserved bit is set");
    if (((second & 0x80) !== 0) !== this.#options.isServer)
      return this.#violation(
        this.#options.isServer ? "a client must mask its frames" : "a server must not mask its frames",
      );
    switch (this.#opcode) {
      case opcodes.continuation:
        if (this.#messageType === undefined) return this.#violation("there is no message to continue");
        break;
      case opcodes.text:
      case opcodes.binary:
        if (this.#messageType !== undefined) return this.#violation("the message before is not complete");
        break;
      case opcodes.close:
      case opcodes.ping:
      case opcodes.pong:
        if (!this.#isFinal) return this.#violation("a control frame must not be fragmented");
        if (length > maxControlBytes) return this.#violation("a control frame is too long");
        break;
      default:
        return this.#violation("the opcode is reserved");
    }
    this.#headerNeeded = 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + (this.#options.isServer ? 4 : 0);
    return true;
  }

  #beginPayload(): void {
    const length = (this.#header[1] ?? 0) & 0x7f;
    this.#payloadBytes =
      length === 126
        ? this.#header.readUInt16BE(2)
        : length === 127
          ? this.#header.readUInt32BE(2) * 0x1_0000_0000 + this.#header.readUInt32BE(6)
          : length;
    this.#payloadRead = 0;
    if (length === 127 && (this.#header[2] ?? 0) >= 0x80) return void this.#violation("the length is negative");
    if (this.#opcode >= opcodes.close) return;
    if (this.#messageType === undefined) this.#messageType = this.#opcode === opcodes.text ? "text" : "binary";
    this.#messageBytes += this.#payloadBytes;
    const { maxMessageBytes } = this.#options;
    if (this.#messageBytes > maxMessageBytes)
      this.#fail({
        code: closeCodes.tooLarge,
        reason: `a message must not be longer than ${maxMessageBytes} bytes`,
      });
  }

  /** Takes the part of the payload that lies in `bytes` from `start` to `end`. */
  #readPayload(bytes: Buffer, start: number, end: number): void {
    if (this.#options.isServer)
      applyMask(
        bytes,
        start,
        end,
        this.#header.subarray(this.#headerNeeded - 4, this.#headerNeeded),
        this.#payloadRead,
      );
    const part = bytes.subarray(start, end);
    this.#payloadRead += part.length;
    const isComplete = this.#payloadRead === this.#payloadBytes;
    if (this.#opcode >= opcodes.close) {
      this.#control = this.#control.length === 0 ? Buffer.from(part) : Buffer.concat([this.#control, part]);
      if (!isComplete) return;
      const payload = this.#control;
      this.#control = empty;
      this.#nextFrame();
      return this.#onControl(this.#opcode, payload);
    }
    if (!isComplete) return this.#keep(part);
    this.#nextFrame();
    if (!this.#isFinal) return this.#keep(part);
    this.#onMessage(part);
  }

  #keep(part: Buffer): void {
    if (this.#messageType === "text") this.#message.append(part);
  }

  #nextFrame(): void {
    this.#headerLength = 0;
    this.#headerNeeded = 2;
  }

  /** The message is complete; `last` is its last part. */
  #onMessage(last: Buffer): void {
    const type = this.#messageType;
    this.#messageType = undefined;
    this.#messageBytes = 0;
    if (type === "binary") return this.#callbacks.onBinary();
    let bytes = last;
    if (this.#message.length > 0) {
      this.#message.append(last);
      bytes = this.#message.take();
    }
    const text = isUtf8(bytes) ? bytes.toString("utf8") : undefined;
    this.#message.clear();
    if (text === undefined) this.#fail({ code: closeCodes.invalidText, reason: "a text message is not UTF-8" });
    else this.#callbacks.onText(text);
  }

  #onControl(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.ping) return this.#callbacks.onPing(payload);
    if (opcode === opcodes.pong) return this.#callbacks.onPong(payload);
    const close = readClose(payload);
    if ("fault" in close) return this.#fail(close.fault);
    this.#hasEnded = true;
    this.#callbacks.onClose(close);
  }

  #violation(reason: string): false {
    this.#fail({ code: closeCodes.protocolError, reason });
    return false;
  }

  #fail(status: CloseStatus): void {
    this.#hasEnded = true;
    this.#message.clear();
    this.#callbacks.onFault(status);
  }
}
