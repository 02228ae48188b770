/**
 * One session of the HTTP server: its message queue, event log and permission requests.
 *
 * Messages run one at a time, in order. Everything that happens becomes packets, which
 * are appended to the event log once; all subscribers read them from there.
 */
import {
  type AvailableCommand,
  block,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  isFormElicitation,
  isUrlElicitation,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionConfigOption,
  type SessionUpdate,
  type UsageUpdate,
} from "../acp/index.ts";
import { type Artifact, type Packet, PacketHistory, PacketStream, type StoredPacket } from "../packets/index.ts";
import { titleOf } from "../hub/index.ts";
import { RpcError } from "../rpc/index.ts";
import { Fault, lenient, object, string } from "../schema/index.ts";
import { EventLog } from "./event-log.ts";
import type { EventRange } from "./event-subscriber.ts";
import { HttpError } from "./http-error.ts";
import { rewind, type RewindReply, type PageRewindRequest } from "./rewind.ts";

/** Messages that may be queued behind the running one. */
const maxWaitingMessages = 8;
/** Resolved permission requests remembered, to answer a second answer with `conflict`. */
const maxResolved = 256;
/** Artifacts that can be opened; the oldest are dropped. */
const maxArtifacts = 500;
const reasonOptionId = "reject_reason";

/** How a turn of another client ended: the response to its prompt, or the error. */
const TurnEnd = object({
  result: lenient(object({ stopReason: string })),
  error: lenient(object({ message: string })),
});

export interface ServedSessionOptions {
  readonly id: string;
  readonly cwd: string;
  readonly agent: () => ClientConnection;
  /** The name of its agent, where the server offers several. */
  readonly agentName?: string | undefined;
  readonly maxEventLogBytes?: number | undefined;
  readonly now: () => number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

/** A session as `GET /sessions` lists it. */
export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly status: "idle" | "running" | "asking";
  /** The number of queued messages. */
  readonly waiting: number;
  readonly updatedAt: string;
  /** The name of its agent; missing where the server offers only one. */
  readonly agent?: string;
}

export interface SessionDetails extends SessionSummary {
  /** The session's configuration options, such as mode and model. */
  readonly options: readonly SessionConfigOption[];
  /** The slash commands that a message may begin with. */
  readonly commands: readonly Pick<AvailableCommand, "name" | "description" | "input">[];
  /** The size of the context, the tokens in it and the cost so far; null before the agent has reported any. */
  readonly usage: Pick<UsageUpdate, "used" | "size" | "cost" | "_meta"> | null;
}

export interface SessionRecord {
  readonly messages: readonly StoredPacket[];
  /** The latest packets of running tool calls and pending permission requests. */
  readonly running: readonly Packet[];
  /** The last event that `messages` and `running` include; later events are in the event log. */
  readonly lastEventId: number;
  readonly status: SessionSummary["status"];
}

/** One message of the user, and the range of events that its turn produces. */
interface QueuedTurn extends EventRange {
  readonly content: readonly ContentBlock[];
  afterId: number | undefined;
  untilId: number | undefined;
}

interface PageQuestion {
  readonly optionIds: ReadonlySet<string>;
  readonly takesReason: boolean;
  readonly resolve: (outcome: RequestPermissionOutcome) => void;
}

/** Resolves a form that waits for the user. */
type OpenForm = (response: CreateElicitationResponse) => void;

export class ServedSession {
  readonly id: string;
  readonly cwd: string;
  readonly log: EventLog;
  options: readonly SessionConfigOption[] = [];
  #commands: SessionDetails["commands"] = [];
  #usage: SessionDetails["usage"] = null;
  readonly #artifacts = new Map<string, Artifact>();
  readonly #options: ServedSessionOptions;
  #packets: PacketStream;
  #history = new PacketHistory();
  /** The first turn runs, the others wait. */
  readonly #turns: QueuedTurn[] = [];
  readonly #questions = new Map<string, PageQuestion>();
  readonly #forms = new Map<string, OpenForm>();
  readonly #resolved: string[] = [];
  #questionCount = 0;
  /** The id of the last event that is in the history. */
  #storedId = 0;
  /** The packets of the events after `#storedId`, which are in the log and not yet in the history. */
  readonly #unstored: Packet[] = [];
  #title: string | null = null;
  #isRewinding = false;
  #updatedMs: number;
  /** A turn of another client runs. */
  #isRunningElsewhere = false;

  constructor(options: ServedSessionOptions) {
    this.id = options.id;
    this.cwd = options.cwd;
    this.log = new EventLog(options.maxEventLogBytes);
    this.#options = options;
    this.#packets = this.#newPackets();
    this.#updatedMs = options.now();
  }

  get state(): SessionSummary {
    const { id, cwd } = this;
    const { agentName } = this.#options;
    return {
      id,
      cwd,
      title: this.#title,
      status: this.#questions.size + this.#forms.size > 0 ? "asking" : this.#isRunning ? "running" : "idle",
      waiting: Math.max(0, this.#turns.length - 1),
      updatedAt: new Date(this.#updatedMs).toISOString(),
      ...(agentName !== undefined && { agent: agentName }),
    };
  }

  get #isRunning(): boolean {
    return this.#turns.length > 0 || this.#isRunningElsewhere;
  }

  get details(): SessionDetails {
    return { ...this.state, options: this.options, commands: this.#commands, usage: this.#usage };
  }

  /** The stored conversation; a page shows it, then subscribes to the events after `lastEventId`. */
  get record(): SessionRecord {
    if (!this.#isRunning) this.#store(this.log.lastId);
    const { packets, running } = this.#history;
    return { messages: packets, running, lastEventId: this.#storedId, status: this.state.status };
  }

  /** The files that the session has made for the user to open, in order. */
  get artifacts(): readonly Artifact[] {
    return [...this.#artifacts.values()];
  }

  /** Sends a message, or queues it behind the running one. */
  send(content: readonly ContentBlock[]): EventRange {
    if (this.#isRewinding) throw new HttpError("conflict", "messages of this session are being taken back");
    if (this.#turns.length > maxWaitingMessages)
      throw new HttpError("too_many", `${maxWaitingMessages} messages wait already: let them be answered first`);
    const turn: QueuedTurn = { content, afterId: undefined, untilId: undefined };
    if (this.#turns.push(turn) === 1) void this.#run();
    return turn;
  }

  /** A turn has begun: one of our own, or one of another client. */
  turnStarted(): void {
    this.#isRunningElsewhere = this.#turns.length === 0;
  }

  /** A turn has ended. The end of our own is the response to its prompt. */
  turnEnded(params: unknown): void {
    if (!this.#isRunningElsewhere) return;
    this.#isRunningElsewhere = false;
    const ended = TurnEnd.read(params);
    if (this.#turns.length > 0) return;
    this.#write(
      ended instanceof Fault || ended.result === undefined
        ? this.#packets.failed({
            message: (ended instanceof Fault ? undefined : ended.error?.message) ?? "the turn failed",
          })
        : this.#packets.answered(ended.result),
    );
    this.#store(this.log.lastId);
  }

  /**
   * Takes a message of the user back. When the conversation has changed, everything that was kept of it is
   * dropped and `replay` is called, which makes the agent send what is left.
   */
  async rewind(request: PageRewindRequest, replay: () => Promise<unknown>): Promise<RewindReply> {
    if (this.#isRunning || this.#isRewinding) throw new HttpError("conflict", "a turn runs: stop it first");
    this.#isRewinding = request.dryRun !== true;
    try {
      const target = { sessionId: this.id, agent: this.#options.agent(), messages: this.record.messages };
      const reply = await rewind(target, request);
      if (request.dryRun === true) return reply;
      this.#forget();
      await replay();
      return reply;
    } finally {
      this.#isRewinding = false;
    }
  }

  /** Cancels the running turn; queued messages are sent afterwards. */
  interrupt(): void {
    this.#options.agent().cancel(this.id);
  }

  update(update: SessionUpdate): void {
    if (update.sessionUpdate === "session_info_update" && update.title != null) this.#title = update.title;
    if (update.sessionUpdate === "config_option_update") this.options = update.configOptions;
    if (update.sessionUpdate === "available_commands_update")
      this.#commands = update.availableCommands.map(({ name, description, input }) => ({ name, description, input }));
    if (update.sessionUpdate === "usage_update") {
      const { used, size, cost, _meta } = update;
      this.#usage = { used, size, cost, _meta };
    }
    // During session/load the first user message becomes the title.
    if (update.sessionUpdate === "user_message_chunk") this.#title ??= titleOf([update.content]);
    this.#write(this.#packets.update(update));
  }

  async set(configId: string, value: string): Promise<void> {
    const params = { sessionId: this.id, configId, value };
    const { configOptions } = await this.#options.agent().call("session/set_config_option", params);
    this.options = configOptions;
  }

  /** Saves a title for the conversation. */
  async rename(title: string): Promise<void> {
    const saved = await this.#options.agent().call("session/set_title", { sessionId: this.id, title });
    this.#title = saved.title;
  }

  /** Asks the user; resolves with the chosen option, or `cancelled` when the signal aborts. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const requestId = `permission-${++this.#questionCount}`;
    return new Promise((resolve) => {
      const end = (outcome: RequestPermissionOutcome): void => {
        if (!this.#questions.delete(requestId)) return;
        this.#remember(requestId);
        this.#write(this.#packets.permissionResolved(requestId, outcome));
        resolve({ outcome });
      };
      this.#questions.set(requestId, {
        optionIds: new Set(request.options.map(({ optionId }) => optionId)),
        takesReason: takesReason(request),
        resolve: end,
      });
      this.#write(this.#packets.permission(requestId, request));
      const cancel = (): void => end({ outcome: "cancelled" });
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Asks the user to fill in a form or to open an address; resolves with `cancel` when the signal aborts. */
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    if (!isFormElicitation(request) && !isUrlElicitation(request)) return Promise.resolve({ action: "decline" });
    const requestId = `form-${++this.#questionCount}`;
    return new Promise((resolve) => {
      const end: OpenForm = (response) => {
        if (!this.#forms.delete(requestId)) return;
        this.#remember(requestId);
        this.#write(this.#packets.elicitationResolved(requestId, response.action));
        resolve(response);
      };
      this.#forms.set(requestId, end);
      this.#write(this.#packets.elicitation(requestId, request));
      const cancel = (): void => end({ action: "cancel" });
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
    });
  }

  answerForm(requestId: string, response: CreateElicitationResponse): void {
    const end = this.#forms.get(requestId);
    if (end === undefined) throw this.#noQuestion(requestId);
    end(response);
  }

  /** A `reason` is what the agent should do instead. An agent that takes none is sent it as the next message. */
  answer(requestId: string, optionId: string, reason?: string): void {
    const question = this.#questions.get(requestId);
    if (question === undefined) throw this.#noQuestion(requestId);
    if (!question.optionIds.has(optionId)) throw new HttpError("bad_request", "optionId must be one that was offered");
    question.resolve(chosen(optionId, reason));
    if (reason !== undefined && !question.takesReason) this.send([block.text(reason)]);
  }

  #noQuestion(requestId: string): HttpError {
    if (this.#resolved.includes(requestId)) return new HttpError("conflict", "the question is answered already");
    return new HttpError("not_found", "there is no such question");
  }

  #remember(requestId: string): void {
    if (this.#resolved.push(requestId) > maxResolved) this.#resolved.shift();
  }

  /** Ends the session: drops queued messages and ends all subscriptions. */
  end(): void {
    this.#turns.splice(1);
    this.log.close();
  }

  async #run(): Promise<void> {
    for (let turn = this.#turns[0]; turn !== undefined; turn = this.#turns[0]) {
      this.#title ??= titleOf(turn.content);
      this.#write(this.#packets.prompt(turn.content));
      turn.afterId = this.log.lastId;
      const last = await this.#runTurn(turn.content);
      // Set before the last packets are written, so that subscribers of this turn end with them.
      turn.untilId = this.log.lastId + last.length;
      this.#turns.shift();
      this.#write(last);
      this.#store(turn.untilId);
    }
  }

  /** Runs a turn and returns the packets that end it. */
  async #runTurn(prompt: readonly ContentBlock[]): Promise<readonly Packet[]> {
    try {
      return this.#packets.answered(await this.#options.agent().prompt({ sessionId: this.id, prompt }));
    } catch (cause) {
      if (cause instanceof RpcError) return this.#packets.failed(cause);
      const error = HttpError.of(cause);
      if (error === undefined) this.#options.onBug("send-message", cause);
      return this.#packets.failed(error ?? { message: "something went wrong in bowline: its terminal says where" });
    }
  }

  #write(packets: readonly Packet[]): void {
    if (packets.length === 0) return;
    this.#updatedMs = this.#options.now();
    for (const packet of packets) {
      if (packet.type === "artifact_created") this.#addArtifact(packet.artifact);
      this.#unstored.push(packet);
      this.log.append(JSON.stringify(packet));
    }
    this.#store(this.log.droppedId);
  }

  /** Drops the packets of the conversation. Subscribers are cut off, and get 410 when they reconnect. */
  #forget(): void {
    this.#packets = this.#newPackets();
    this.#history = new PacketHistory();
    this.#artifacts.clear();
    this.#unstored.length = 0;
    this.log.clear();
    this.#storedId = this.log.lastId;
  }

  #newPackets(): PacketStream {
    return new PacketStream({ now: this.#options.now, cwd: this.cwd });
  }

  #addArtifact(artifact: Artifact): void {
    this.#artifacts.set(artifact.path, artifact);
    const [oldest] = this.#artifacts.keys();
    if (this.#artifacts.size > maxArtifacts && oldest !== undefined) this.#artifacts.delete(oldest);
  }

  /** Moves the packets of the events up to `id` into the history. */
  #store(id: number): void {
    const count = id - this.#storedId;
    if (count <= 0) return;
    for (const packet of this.#unstored.splice(0, count)) this.#history.add(packet);
    this.#storedId = id;
  }
}

/** Whether the agent reads a reason in the answer: it then offers an option that asks for one. */
export function takesReason({ options }: RequestPermissionRequest): boolean {
  return options.some(({ optionId }) => optionId === reasonOptionId);
}

/** The answer to a permission request, with what the agent should do instead. */
export function chosen(optionId: string, reason: string | undefined): RequestPermissionOutcome {
  return { outcome: "selected", optionId, ...(reason !== undefined && { _meta: { reason } }) };
}
