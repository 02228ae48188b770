/**
 * Engine: a running Claude CLI: prompts and requests in, typed events out.
 *
 * Events arrive in the order of the wire, within the call that brought them.
 * Whatever the other side says, the engine goes on until the link closes, and then
 * `closed` and everyone who waits learn why, once. Knows no process and no stream.
 */
import { isRecord } from "../schema/index.ts";
import { type Link, type Schedule, parseJson } from "../wire/index.ts";
import { OutgoingControlRequests } from "./control/outgoing-requests.ts";
import type { ControlCancelRequest, ControlRequest, ControlResponse } from "./control/frames.ts";
import { ClaudeExit } from "./errors.ts";
import { ClaudeEvent } from "./protocol/event.ts";
import { IncomingControlRequests } from "./control/incoming-requests.ts";
import type { HostFrame, PromptFrame } from "./protocol/input-frames.ts";
import type { HostHandlers } from "./control/host-methods.ts";
import type { Unknown } from "./unknown.ts";

/** Everything the CLI says but control frames, which the engine answers itself. */
export type ConversationEvent = Exclude<ClaudeEvent, ControlRequest | ControlResponse | ControlCancelRequest>;

/** A link to whatever plays the CLI: a child process, a recorded tape or a link in memory. */
export interface ClaudeLink extends Link {
  /** How the CLI ended, if the link knows. Called once, when the link has closed. */
  readonly exit?: (() => ClaudeExit | undefined) | undefined;
  /** Lists the processes the CLI has started, so that they can be killed even when the CLI is killed first. */
  readonly scanChildren?: (() => void) | undefined;
}

export interface ClaudeConnectionOptions {
  readonly after: Schedule;
  /** With the line it came in, for whoever passes it on as it is. */
  readonly onEvent: (event: ConversationEvent, line: string) => void;
  /** Who answers the CLI's own requests. */
  readonly handlers?: HostHandlers | undefined;
  /** The CLI reads again after `prompt` answered false. */
  readonly onDrain?: (() => void) | undefined;
  /** A handler or `onEvent` threw: a bug of ours that must not end the turn. */
  readonly onFailure?: ((doing: string, cause: unknown) => void) | undefined;
}

export class ClaudeConnection {
  readonly control: OutgoingControlRequests;
  /** Resolves once, when nothing more will come. */
  readonly closed: Promise<ClaudeExit>;
  readonly #link: ClaudeLink;
  readonly #incoming: IncomingControlRequests;
  readonly #options: ClaudeConnectionOptions;
  #close: (exit: ClaudeExit) => void = () => {};
  #isOpen = true;
  #isPaused = false;

  constructor(link: ClaudeLink, options: ClaudeConnectionOptions) {
    this.#link = link;
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#close = resolve));
    const send = (frame: HostFrame): void => void this.#send(frame);
    const onFailure = (doing: string, cause: unknown): void => options.onFailure?.(doing, cause);
    this.control = new OutgoingControlRequests({ send, after: options.after });
    this.#incoming = new IncomingControlRequests(options.handlers ?? {}, { send, onFailure });
    link.open({
      onLine: (line) => this.#take(line),
      onFault: () => {},
      onDrain: () => options.onDrain?.(),
      onEnd: () => link.close("the Claude CLI ended its output"),
      onClose: (reason) => this.#finish(reason),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a prompt. False: the CLI lags, `onDrain` will follow. */
  prompt(frame: PromptFrame): boolean {
    return this.#send(frame);
  }

  /** Nothing is read for now. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
    this.#link.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#link.resume();
  }

  /** See `ClaudeLink.scanChildren`. */
  scanChildren(): void {
    this.#link.scanChildren?.();
  }

  /**
   * Interrupts what runs, then ends the link. The interrupt comes first because a
   * CLI whose input ends in the middle of a command waits for the command.
   */
  stop(reason: string): Promise<ClaudeExit> {
    if (this.#isOpen) {
      // Answered or not, the link ends; `closed` tells how.
      this.control.request("interrupt", { cancel_queued: true }).catch(() => {});
      this.#link.close(reason);
    }
    return this.closed;
  }

  #send(frame: HostFrame): boolean {
    return this.#isOpen && this.#link.send(JSON.stringify(frame));
  }

  #take(line: string): void {
    const value = parseJson(line);
    if (!isRecord(value)) return;
    // Every fault becomes an `Unknown`, so what is read is always an event.
    const event = ClaudeEvent.read(value) as ClaudeEvent;
    if (event.type === "control_request") return this.#incoming.take(event);
    if (event.type === "control_response") return this.control.settle(event.response);
    if (event.type === "control_cancel_request") return this.#incoming.withdraw(event.request_id);
    if (event.type === "unknown") this.#refuseUnreadable(event);
    try {
      this.#options.onEvent(event, line);
    } catch (cause) {
      this.#options.onFailure?.("onEvent", cause);
    }
  }

  /** A request we cannot even read still waits for an answer. */
  #refuseUnreadable({ value, fault }: Unknown): void {
    if (!isRecord(value) || value["type"] !== "control_request") return;
    const id = value["request_id"];
    if (typeof id === "string") this.#incoming.refuse(id, `control_request: ${fault}`, "invalid_request");
  }

  #finish(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const exit = this.#link.exit?.() ?? new ClaudeExit(reason);
    this.control.abandon(exit);
    this.#incoming.abandon(exit);
    this.#close(exit);
  }
}
