/**
 * A connection to a running Claude CLI: prompts and control requests in, typed events out.
 *
 * Calls `onEvent` in wire order, within the call that delivered the line. Nothing the
 * CLI writes ends the connection: lines that are not JSON objects are skipped, unknown
 * events are passed on as `Unknown`. Only the link's close ends it; then `closed` and
 * every pending request settle once. Must not depend on a process or a stream.
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

/** Every event of the CLI except control frames, which the connection handles itself. */
export type ConversationEvent = Exclude<ClaudeEvent, ControlRequest | ControlResponse | ControlCancelRequest>;

/** A link to whatever plays the CLI: a child process, a recorded tape or a link in memory. */
export interface ClaudeLink extends Link {
  /** How the CLI ended, if the link knows. Called once, when the link has closed. */
  readonly exit?: (() => ClaudeExit | undefined) | undefined;
  /** Sends a frame that was encoded as JSON, without checking it. */
  readonly sendEncoded?: ((line: string) => boolean) | undefined;
  /** Lists the processes the CLI has started, so that they can be killed even when the CLI is killed first. */
  readonly scanChildren?: (() => void) | undefined;
}

export interface ClaudeConnectionOptions {
  readonly after: Schedule;
  /** `line` is the raw line of the event, for callers that forward it unchanged. */
  readonly onEvent: (event: ConversationEvent, line: string) => void;
  /** Handlers for the requests the CLI makes, such as `can_use_tool`. */
  readonly handlers?: HostHandlers | undefined;
  /** The CLI reads its input again after `prompt` returned false. */
  readonly onDrain?: (() => void) | undefined;
  /** A handler or `onEvent` threw. That is a bug of ours, and the turn goes on. */
  readonly onFailure?: ((doing: string, cause: unknown) => void) | undefined;
}

/** The connection to one Claude CLI: prompts and control requests out, events and control requests in. */
export class ClaudeConnection {
  readonly control: OutgoingControlRequests;
  /** Resolves when the link has closed. No event follows. */
  readonly closed: Promise<ClaudeExit>;
  readonly #link: ClaudeLink;
  readonly #incoming: IncomingControlRequests;
  readonly #options: ClaudeConnectionOptions;
  #resolveClosed: (exit: ClaudeExit) => void = () => {};
  #isOpen = true;
  #isPaused = false;

  constructor(link: ClaudeLink, options: ClaudeConnectionOptions) {
    this.#link = link;
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    const send = (frame: HostFrame): void => void this.#send(frame);
    const onFailure = (doing: string, cause: unknown): void => options.onFailure?.(doing, cause);
    this.control = new OutgoingControlRequests({ send, after: options.after });
    this.#incoming = new IncomingControlRequests(options.handlers ?? {}, { send, onFailure });
    link.open({
      onLine: (line) => this.#onLine(line),
      onFault: () => {},
      onDrain: () => options.onDrain?.(),
      onEnd: () => link.close("the Claude CLI ended its output"),
      onClose: (reason) => this.#finish(reason),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a prompt. False when the CLI reads too slowly: send more after `onDrain`. */
  prompt(frame: PromptFrame): boolean {
    return this.#send(frame);
  }

  /** Whether reading from the CLI is paused. */
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
   * Interrupts the running turn, then closes the link. The interrupt comes first because
   * a CLI whose input ends while a command runs waits for that command.
   */
  stop(reason: string): Promise<ClaudeExit> {
    if (this.#isOpen) {
      // The link closes whether or not the CLI answers; `closed` reports how.
      this.control.request("interrupt", { cancel_queued: true }).catch(() => {});
      this.#link.close(reason);
    }
    return this.closed;
  }

  #send(frame: HostFrame): boolean {
    if (!this.#isOpen) return false;
    const line = JSON.stringify(frame);
    return this.#link.sendEncoded?.(line) ?? this.#link.send(line);
  }

  #onLine(line: string): void {
    const value = parseJson(line);
    if (!isRecord(value)) return;
    // The schema turns every fault into an `Unknown`, so the result is always an event.
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

  /** The CLI waits for an answer even to a control request that we cannot read. */
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
    this.#resolveClosed(exit);
  }
}
