/**
 * A WebSocket as a link: one line for each text message.
 *
 * Used by both ends; the handshake is done before `start`. Lines that are sent before are
 * queued. Sends pings, and closes when the other side answers none of them or reads
 * nothing for too long. A binary message is ignored. Every end has a close code.
 */
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Schedule, realTimer } from "../clock.ts";
import { defaultMaxLineBytes } from "../line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "../link.ts";
import { Outbox } from "../outbox.ts";
import { abnormalCloseCode, closeCodes, closePayload, type CloseStatus, noCloseCode } from "./close-codes.ts";
import { controlFrame, type MaskSource, type Opcode, opcodes, plainFrame, textFrames } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";

/** How often a ping is sent; less than the idle time of the usual proxies. */
const defaultPingMs = 15_000;
/** How many pings in a row may stay unanswered. */
const maxUnansweredPings = 2;
/** How long the other side may read nothing while lines wait for it. */
const defaultMaxStallMs = 60_000;
/** How long the other side has to answer a close frame. */
const closeGraceMs = 2000;

export interface WebSocketOptions extends LinkLimits {
  readonly pingMs?: number | undefined;
  readonly maxStallMs?: number | undefined;
  readonly after?: Schedule | undefined;
  /** The payload of the next ping; the pong has the same one. */
  readonly pingPayload?: (() => string) | undefined;
  readonly onPong?: ((payload: string) => void) | undefined;
}

export interface WebSocketLink extends Link {
  /** Like `close`, with a close code. With 1008 (a limit) the lines that wait are dropped. */
  readonly closeWith: (status: CloseStatus) => void;
  /** Sends a ping now. It is left out while the other side does not read. */
  readonly ping: () => void;
  /** How the connection ended: known when `onClose` is called. 1006 when there was no close frame. */
  readonly closeStatus: () => CloseStatus | undefined;
}

export class WebSocket implements WebSocketLink {
  readonly #options: WebSocketOptions;
  readonly #newMask: MaskSource | undefined;
  readonly #after: Schedule;
  readonly #reader: FrameReader;
  readonly #outbox: Outbox;
  #callbacks: LinkCallbacks | undefined;
  #socket: Duplex | undefined;
  /** Text that was sent before the handshake. */
  #early: string[] = [];
  /** What arrived before `open`. */
  #unread: Buffer[] = [];
  #isPaused = false;
  /** The socket is full; writing continues after `drain`. */
  #isBlocked = false;
  #unansweredPings = 0;
  /** The latest ping that waits for the socket; earlier ones need no answer (RFC 6455, section 5.5.3). */
  #waitingPing: Buffer | undefined;
  #closing: CloseStatus | undefined;
  #hasSentClose = false;
  #ended: CloseStatus | undefined;
  #cancelPing = (): void => {};
  #cancelStall = (): void => {};
  #cancelGrace = (): void => {};

  /** `newMask` is given by clients only. */
  constructor(options: WebSocketOptions, newMask?: MaskSource) {
    this.#options = options;
    this.#newMask = newMask;
    this.#after = options.after ?? realTimer;
    this.#reader = new FrameReader(
      {
        onText: (text) => this.#onText(text),
        onBinary: () => {},
        onPing: (payload) => this.#answerPing(payload),
        onPong: (payload) => options.onPong?.(payload.toString("utf8")),
        onClose: (status) => this.#onPeerClose(status),
        onFault: (status) => this.#abort(status),
      },
      { isServer: newMask === undefined, maxMessageBytes: options.maxLineBytes ?? defaultMaxLineBytes },
    );
    this.#outbox = new Outbox(
      {
        write: (text) => this.#writeLines(text),
        defer: process.nextTick,
        onDrain: () => this.#callbacks?.onDrain(),
        onOverflow: (maxQueuedChars) =>
          this.#abort({ code: closeCodes.policyViolation, reason: describeOverflow(maxQueuedChars) }),
      },
      options,
    );
  }

  /** Takes the socket after the handshake. `head` is what was read of it behind the handshake. */
  start(socket: Duplex, head: Uint8Array): void {
    socket.on("error", () => {});
    if (this.#ended !== undefined) return void socket.destroy();
    this.#socket = socket;
    // A line is written at once; one that waits for the acknowledgement of the line before can wait 40 ms.
    if (socket instanceof Socket) socket.setNoDelay(true);
    socket.on("close", () => this.#finish({ code: abnormalCloseCode, reason: "the connection was lost" }));
    // The other side has ended its output without a close frame.
    socket.on("end", () => this.#finish({ code: abnormalCloseCode, reason: "the connection was lost" }));
    socket.on("drain", () => this.#onWritable());
    if (head.length > 0) this.#unread.push(Buffer.from(head));
    if (this.#callbacks !== undefined) this.#read(socket);
    for (const text of this.#early.splice(0)) this.#writeLines(text);
    if (!this.#isBlocked) this.#outbox.writable();
    this.#schedulePing();
    if (this.#closing !== undefined) this.#sendCloseWhenFlushed();
  }

  /** The handshake has failed. */
  fail(reason: string): void {
    this.#finish({ code: abnormalCloseCode, reason });
  }

  readonly open = (callbacks: LinkCallbacks): void => {
    this.#callbacks = callbacks;
    if (this.#ended !== undefined) return reportClosed(callbacks, this.#ended.reason);
    const socket = this.#socket;
    if (socket !== undefined) queueMicrotask(() => this.#read(socket));
  };

  readonly send = (line: string): boolean => this.#closing === undefined && this.#outbox.send(line);

  readonly pause = (): void => {
    this.#isPaused = true;
    this.#socket?.pause();
  };

  readonly resume = (): void => {
    this.#isPaused = false;
    this.#socket?.resume();
  };

  readonly close = (reason: string): void => this.closeWith({ code: closeCodes.normal, reason });

  readonly closeWith = (status: CloseStatus): void => {
    if (this.#closing !== undefined || this.#ended !== undefined) return;
    // An exceeded limit is reported at once: the peer may not read the frames queued for it.
    if (status.code === closeCodes.policyViolation && this.#socket !== undefined) return this.#abort(status);
    this.#closing = status;
    if (this.#socket === undefined) return this.#finish(status);
    this.#outbox.flush();
    this.#sendCloseWhenFlushed();
  };

  readonly closeStatus = (): CloseStatus | undefined => this.#ended;

  readonly ping = (): void => {
    if (this.#socket === undefined || this.#isBlocked || this.#hasSentClose) return;
    this.#sendControl(opcodes.ping, Buffer.from(this.#options.pingPayload?.() ?? ""));
  };

  #read(socket: Duplex): void {
    if (this.#ended !== undefined) return;
    for (const chunk of this.#unread.splice(0)) this.#reader.push(chunk);
    socket.on("data", (chunk: Buffer) => {
      this.#unansweredPings = 0;
      if (this.#ended === undefined) this.#reader.push(chunk);
    });
    if (this.#isPaused) socket.pause();
  }

  #onText(text: string): void {
    if (this.#ended !== undefined || this.#closing !== undefined || text.trim() === "") return;
    // JSON may have line breaks between its tokens; a line may not.
    this.#callbacks?.onLine(/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text);
  }

  #answerPing(payload: Buffer): void {
    if (this.#isBlocked) this.#waitingPing = payload;
    else if (!this.#hasSentClose) this.#sendControl(opcodes.pong, payload);
  }

  #onPeerClose(status: CloseStatus): void {
    if (!this.#hasSentClose) {
      const { code } = status;
      this.#sendControl(opcodes.close, closePayload({ code, reason: "" }));
      this.#hasSentClose = true;
    }
    this.#socket?.end();
    this.#finish(this.#closing ?? { code: status.code, reason: describeClose(status) });
  }

  /** Closes at once: sends the reason if the socket still accepts it, and stops reading. */
  #abort(status: CloseStatus): void {
    if (this.#ended !== undefined) return;
    if (!this.#hasSentClose) this.#sendControl(opcodes.close, closePayload(status));
    this.#hasSentClose = true;
    this.#socket?.end();
    this.#finish(status);
  }

  #sendCloseWhenFlushed(): void {
    const status = this.#closing;
    if (status === undefined || this.#hasSentClose || this.#socket === undefined) return;
    this.#cancelGrace();
    this.#cancelGrace = this.#after(closeGraceMs, () => this.#finish(status));
    if (!this.#outbox.isEmpty || this.#isBlocked) return;
    this.#hasSentClose = true;
    this.#sendControl(opcodes.close, closePayload(status));
  }

  #writeLines(text: string): boolean {
    if (this.#socket === undefined) {
      this.#early.push(text);
      return false;
    }
    // The outbox ends every write with a newline.
    const lines = text.slice(0, -1);
    const isOne = !lines.includes("\n");
    const plain = isOne && this.#newMask === undefined ? plainFrame(lines) : undefined;
    return this.#write(plain ?? textFrames(isOne ? [lines] : lines.split("\n"), this.#newMask));
  }

  #sendControl(opcode: Opcode, payload: Uint8Array): void {
    this.#write(controlFrame(opcode, payload, this.#newMask));
  }

  /** Each character of a string is a byte. */
  #write(bytes: Buffer | string): boolean {
    const socket = this.#socket;
    if (socket === undefined || this.#ended !== undefined || socket.writableEnded) return true;
    const isTaken = typeof bytes === "string" ? socket.write(bytes, "latin1") : socket.write(bytes);
    if (!isTaken && !this.#isBlocked) {
      this.#isBlocked = true;
      const maxStallMs = this.#options.maxStallMs ?? defaultMaxStallMs;
      const reason = `the other side has read nothing for ${maxStallMs / 1000} s`;
      this.#cancelStall = this.#after(maxStallMs, () => this.#abort({ code: closeCodes.policyViolation, reason }));
    }
    return isTaken;
  }

  #onWritable(): void {
    this.#isBlocked = false;
    this.#cancelStall();
    const ping = this.#waitingPing;
    this.#waitingPing = undefined;
    if (ping !== undefined) this.#answerPing(ping);
    this.#outbox.writable();
    this.#sendCloseWhenFlushed();
  }

  #schedulePing(): void {
    const pingMs = this.#options.pingMs ?? defaultPingMs;
    this.#cancelPing = this.#after(pingMs, () => {
      // A paused socket reads no pongs.
      if (!this.#isPaused && !this.#isBlocked && ++this.#unansweredPings > maxUnansweredPings)
        return this.#abort({
          code: closeCodes.policyViolation,
          reason: `the other side has not answered for ${(pingMs * maxUnansweredPings) / 1000} s`,
        });
      this.ping();
      this.#schedulePing();
    });
  }

  #finish(status: CloseStatus): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.#closing ?? status;
    this.#outbox.close();
    this.#cancelPing();
    this.#cancelStall();
    this.#cancelGrace();
    this.#endSocket();
    if (this.#callbacks !== undefined) reportClosed(this.#callbacks, this.#ended.reason);
  }

  /** What is written is sent, if the other side reads it in time; then the socket is gone. */
  #endSocket(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    socket.resume();
    if (socket.writableFinished || !this.#hasSentClose) return void socket.destroy();
    const cancel = this.#after(closeGraceMs, () => socket.destroy());
    socket.once("close", cancel);
    socket.once("end", () => socket.destroy());
    socket.end();
  }
}

function describeClose({ code, reason }: CloseStatus): string {
  if (reason !== "") return reason;
  return code === closeCodes.normal || code === noCloseCode
    ? "the other side closed the connection"
    : `the other side closed the connection with code ${code}`;
}
