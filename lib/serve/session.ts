/**
 * Session: one conversation, as HTTP serves it.
 *
 * Messages run one after the other, each to its end. Whatever happens becomes
 * packets, written into the journal once; every reader takes them from there.
 */
import type {
  ClientConnection,
  ContentBlock,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionConfigOption,
  SessionUpdate,
} from "../acp/index.ts";
import { type Packet, PacketHistory, PacketStream, type StoredPacket } from "../packets/index.ts";
import { RpcError } from "../rpc/index.ts";
import { sliceWhole } from "../schema/index.ts";
import { EventLog } from "./event-log.ts";
import type { EventRange } from "./event-subscriber.ts";
import { HttpError } from "./http-error.ts";

/** Messages that may wait for the one before them. */
const maxWaitingMessages = 8;
/** Questions that are over and still known as such. */
const maxResolved = 256;
const maxTitleChars = 80;

export interface ServedSessionOptions {
  readonly id: string;
  readonly cwd: string;
  readonly agent: () => ClientConnection;
  readonly maxEventLogChars?: number | undefined;
  readonly now: () => number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

/** A session as a list shows it. */
export interface SessionState {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly status: "idle" | "running" | "asking";
  /** Messages that wait. */
  readonly waiting: number;
  readonly updatedAt: string;
}

export interface SessionDetails extends SessionState {
  /** What can be set: the mode, the model. */
  readonly options: readonly SessionConfigOption[];
}

export interface SessionRecord {
  readonly messages: readonly StoredPacket[];
  /** What has begun before and is not over. */
  readonly running: readonly Packet[];
  /** The event up to which it tells; what came after is in the journal. */
  readonly lastEventId: number;
  readonly status: SessionState["status"];
}

/** One message and its answer; the part of the journal that tells of it. */
interface QueuedTurn extends EventRange {
  readonly content: readonly ContentBlock[];
  afterId: number | undefined;
  untilId: number | undefined;
}

interface OpenQuestion {
  readonly optionIds: ReadonlySet<string>;
  readonly resolve: (outcome: RequestPermissionOutcome) => void;
}

export class ServedSession {
  readonly id: string;
  readonly cwd: string;
  readonly log: EventLog;
  options: readonly SessionConfigOption[] = [];
  readonly #options: ServedSessionOptions;
  readonly #packets: PacketStream;
  readonly #history = new PacketHistory();
  /** The first one runs. */
  readonly #turns: QueuedTurn[] = [];
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #resolved: string[] = [];
  #asked = 0;
  /** The events up to here are in the history, */
  #settledId = 0;
  /** and those after it are not. */
  readonly #unsettled: Packet[] = [];
  #title: string | null = null;
  #updatedMs: number;

  constructor(options: ServedSessionOptions) {
    this.id = options.id;
    this.cwd = options.cwd;
    this.log = new EventLog(options.maxEventLogChars);
    this.#options = options;
    this.#packets = new PacketStream({ now: options.now, cwd: options.cwd });
    this.#updatedMs = options.now();
  }

  get state(): SessionState {
    const { id, cwd } = this;
    const isRunning = this.#turns.length > 0;
    return {
      id,
      cwd,
      title: this.#title,
      status: this.#questions.size > 0 ? "asking" : isRunning ? "running" : "idle",
      waiting: Math.max(0, this.#turns.length - 1),
      updatedAt: new Date(this.#updatedMs).toISOString(),
    };
  }

  get details(): SessionDetails {
    return { ...this.state, options: this.options };
  }

  /** What was said and done, as far as the journal is not needed to tell of it. */
  get record(): SessionRecord {
    if (this.#turns.length === 0) this.#settle(this.log.lastId);
    const { packets, running } = this.#history;
    return { messages: packets, running, lastEventId: this.#settledId, status: this.state.status };
  }

  /** Sends a message, or lets it wait for the one before it. */
  send(content: readonly ContentBlock[]): EventRange {
    if (this.#turns.length > maxWaitingMessages)
      throw new HttpError("too_many", `${maxWaitingMessages} messages wait already: let them be answered first`);
    const turn: QueuedTurn = { content, afterId: undefined, untilId: undefined };
    if (this.#turns.push(turn) === 1) void this.#run();
    return turn;
  }

  /** Stops what runs now; messages that wait go out after it. */
  interrupt(): void {
    this.#options.agent().cancel(this.id);
  }

  update(update: SessionUpdate): void {
    if (update.sessionUpdate === "session_info_update" && update.title != null) this.#title = update.title;
    if (update.sessionUpdate === "config_option_update") this.options = update.configOptions;
    // The past of a conversation begins so.
    if (update.sessionUpdate === "user_message_chunk") this.#title ??= titleOf([update.content]);
    this.#write(this.#packets.update(update));
  }

  /** Sets one of the options. */
  async set(configId: string, value: string): Promise<void> {
    const params = { sessionId: this.id, configId, value };
    const { configOptions } = await this.#options.agent().call("session/set_config_option", params);
    this.options = configOptions;
  }

  /** Asks the person; resolves with their choice, or `cancelled` when nobody is to answer any more. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const requestId = `permission-${++this.#asked}`;
    return new Promise((resolve) => {
      const end = (outcome: RequestPermissionOutcome): void => {
        if (!this.#questions.delete(requestId)) return;
        if (this.#resolved.push(requestId) > maxResolved) this.#resolved.shift();
        this.#write(this.#packets.permissionResolved(requestId, outcome));
        resolve({ outcome });
      };
      this.#questions.set(requestId, {
        optionIds: new Set(request.options.map(({ optionId }) => optionId)),
        resolve: end,
      });
      this.#write(this.#packets.permission(requestId, request));
      const withdraw = (): void => end({ outcome: "cancelled" });
      if (signal.aborted) withdraw();
      else signal.addEventListener("abort", withdraw, { once: true });
    });
  }

  answer(requestId: string, optionId: string): void {
    const question = this.#questions.get(requestId);
    if (question === undefined) {
      if (this.#resolved.includes(requestId)) throw new HttpError("conflict", "the question is answered already");
      throw new HttpError("not_found", "there is no such question");
    }
    if (!question.optionIds.has(optionId)) throw new HttpError("bad_request", "optionId must be one that was offered");
    question.resolve({ outcome: "selected", optionId });
  }

  /** It is over: messages that wait are dropped, readers end. */
  end(): void {
    this.#turns.splice(1);
    this.log.close();
  }

  async #run(): Promise<void> {
    for (let turn = this.#turns[0]; turn !== undefined; turn = this.#turns[0]) {
      this.#title ??= titleOf(turn.content);
      this.#write(this.#packets.prompt(turn.content));
      turn.afterId = this.log.lastId;
      const last = await this.#answered(turn.content);
      // Known before it is written, so that readers end with it.
      turn.untilId = this.log.lastId + last.length;
      this.#turns.shift();
      this.#write(last);
      this.#settle(turn.untilId);
    }
  }

  /** Runs a turn; its last packets. */
  async #answered(prompt: readonly ContentBlock[]): Promise<readonly Packet[]> {
    try {
      return this.#packets.answered(await this.#options.agent().prompt({ sessionId: this.id, prompt }));
    } catch (cause) {
      if (cause instanceof RpcError) return this.#packets.failed(cause);
      const refusal = HttpError.of(cause);
      if (refusal === undefined) this.#options.onBug("send-message", cause);
      return this.#packets.failed(refusal ?? { message: "something went wrong in bowline: its terminal says where" });
    }
  }

  #write(packets: readonly Packet[]): void {
    if (packets.length === 0) return;
    this.#updatedMs = this.#options.now();
    for (const packet of packets) {
      this.#unsettled.push(packet);
      this.log.append(JSON.stringify(packet));
    }
    this.#settle(this.log.forgottenId);
  }

  /** Takes the events up to this one into the history. */
  #settle(id: number): void {
    const count = id - this.#settledId;
    if (count <= 0) return;
    for (const packet of this.#unsettled.splice(0, count)) this.#history.add(packet);
    this.#settledId = id;
  }
}

/** The first words, until the agent has found a better one. */
function titleOf(content: readonly ContentBlock[]): string | null {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line === "" ? null : line.length > maxTitleChars ? `${sliceWhole(line, maxTitleChars - 1)}…` : line;
}
