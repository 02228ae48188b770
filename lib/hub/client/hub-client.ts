/**
 * One client of the hub: answers its requests, and passes on those of the agent.
 *
 * The hub itself answers what concerns several clients (opening, attaching, listing,
 * closing, prompting). Everything else about a session goes to the session's agent as it
 * came, so agents keep their extensions.
 */
import {
  type ClientCapabilities,
  InitializeRequest,
  missingForElicitation,
  protocolVersion,
  update,
} from "../../acp/index.ts";
import { type Call, CallFailed, errorCodes, Peer, type MethodRoute, type Router, RpcError } from "../../rpc/index.ts";
import { Fault, type Fields, isRecord, unknown } from "../../schema/index.ts";
import type { Link } from "../../wire/index.ts";
import { bowlineMeta, requestMeta, withBowlineMeta } from "../bowline-meta.ts";
import { type ClientProfile, smallestProfile } from "./client-profile.ts";
import type { Hub } from "../hub.ts";
import { type HubSession, notAttached } from "../session/hub-session.ts";
import type { AskedQuestion } from "../session/questions.ts";
import { continuedId } from "./session-setup-params.ts";
import { checkRole, onlyWatches, type ClientRole } from "./role.ts";
import { unknownSession } from "../upstream/saved-sessions.ts";
import type { SessionClient } from "../session/session-client.ts";
import { takenBack } from "../session/taken-back.ts";

export interface HubClientOptions {
  readonly hub: Hub;
  readonly link: Link;
  readonly role: ClientRole;
  /** Whether sessions stay open for this client when it only attached to them. */
  readonly keepsOpen: boolean;
  /** Ends the connection when the client does not read; undefined: closes the link. */
  readonly drop: ((why: string) => void) | undefined;
  readonly onBug: (doing: string, cause: unknown) => void;
}

type HubMethod = (params: Fields, call: Call) => unknown;

/** Methods that need a capability of the client; others, such as extensions, are tried. */
const servedBy: Readonly<Record<string, (capabilities: ClientCapabilities) => boolean>> = {
  "fs/read_text_file": ({ fs }) => fs?.readTextFile === true,
  "fs/write_text_file": ({ fs }) => fs?.writeTextFile === true,
};

export class HubClient implements SessionClient {
  readonly role: ClientRole;
  readonly closed: Promise<string>;
  readonly drop: (why: string) => void;
  capabilities: ClientCapabilities = {};
  isBowline = false;
  readonly #hub: Hub;
  readonly #peer: Peer;
  readonly #keepsOpen: boolean;
  #profile: ClientProfile | undefined;
  #releaseAgent = (): void => {};

  constructor({ hub, link, role, keepsOpen, drop, onBug }: HubClientOptions) {
    this.role = role;
    this.#hub = hub;
    this.#keepsOpen = keepsOpen;
    this.#peer = new Peer(link, this.#router(), { onBug });
    this.closed = this.#peer.closed;
    this.drop = drop ?? this.close;
    void this.closed.then(() => this.#releaseAgent());
  }

  get isOpen(): boolean {
    return this.#peer.isOpen;
  }

  readonly sendLine = (line: string): boolean => this.#peer.sendEncoded(line);
  readonly whenWritable = (): Promise<void> => this.#peer.whenWritable();
  readonly close = (reason: string): void => this.#peer.close(reason);

  readonly canServe = (method: string): boolean => {
    const check = Object.hasOwn(servedBy, method) ? servedBy[method] : undefined;
    if (check !== undefined) return check(this.capabilities);
    return !method.startsWith("terminal/") || this.capabilities.terminal === true;
  };

  readonly canAnswer = (asked: AskedQuestion): boolean =>
    asked.kind === "permission" || missingForElicitation(this.capabilities, asked.request) === undefined;

  readonly forward = (method: string, params: unknown, signal: AbortSignal): Promise<unknown> =>
    this.#peer.call(method, params, { signal });

  readonly #methods: Readonly<Record<string, HubMethod>> = {
    initialize: (params) => this.#initialize(params),
    "session/new": (params) => this.#create("session/new", params),
    "session/fork": (params) => this.#fork(params),
    "session/load": (params) => this.#attach("session/load", params),
    "session/resume": (params) => this.#attach("session/resume", params),
    "session/list": (params) => this.#list(params),
    "session/prompt": (params, call) => this.#attachedTo(params).prompt(this, params, call),
    "session/close": (params) => this.#close(params),
    "session/delete": (params) => this.#delete(params),
    "session/set_mode": (params) => this.#setMode(params),
    "session/set_config_option": (params) => this.#setOption(params),
    "session/status": (params, call) => this.#forwardOpen("session/status", params, call),
    "session/set_title": (params, call) => this.#forwardOpen("session/set_title", params, call),
    "_session/rewind": (params, call) => this.#rewind(params, call),
  };

  #router(): Router {
    return {
      request: (method): MethodRoute => ({
        method,
        params: unknown,
        handle: (params, call) => this.#request(method, isRecord(params) ? params : {}, call),
      }),
      notification: (method): MethodRoute => ({
        method,
        params: unknown,
        isUrgent: method === "session/cancel",
        handle: (params) => this.#notification(method, isRecord(params) ? params : {}),
      }),
    };
  }

  async #request(method: string, params: Fields, call: Call): Promise<unknown> {
    if (method !== "initialize" && this.#profile === undefined)
      throw new RpcError(errorCodes.invalidRequest, "initialize must come first");
    checkRole(this.role, method);
    try {
      const own = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
      return await (own === undefined ? this.#forward(method, params, call) : own(params, call));
    } catch (cause) {
      // An answer of an agent that cannot be read is no bug of this program.
      throw cause instanceof CallFailed ? new RpcError(cause.code, cause.message, cause.data) : cause;
    }
  }

  #notification(method: string, params: Fields): void {
    const { sessionId } = params;
    const session = typeof sessionId === "string" ? this.#hub.get(sessionId) : undefined;
    if (this.role !== "owner" || session?.isAttached(this) !== true) return;
    if (method === "session/cancel") session.cancel(this);
    else session.upstream.notify(method, { ...params, sessionId: session.agentSessionId });
  }

  async #initialize(params: Fields): Promise<unknown> {
    if (this.#profile !== undefined) throw new RpcError(errorCodes.invalidRequest, "initialize must be sent once");
    const request = InitializeRequest.read(params);
    if (request instanceof Fault)
      throw new RpcError(errorCodes.invalidParams, `initialize: ${request.describe("params")}`);
    this.capabilities = request.clientCapabilities ?? {};
    this.isBowline = bowlineMeta(request.clientCapabilities) !== undefined;
    const profile = this.role === "observer" ? smallestProfile : this.#hub.profileOf(request);
    this.#profile = profile;
    const [source] = this.#hub.sources;
    this.#releaseAgent = this.#hub.pool.hold(source, profile);
    const response = await this.#hub.pool.use(source, profile, async (upstream) => upstream.response);
    const { sessionCapabilities } = response.agentCapabilities ?? {};
    if (bowlineMeta(request.clientCapabilities)?.["followsSessions"] === true)
      setImmediate(() => this.#followSessions());
    const agents = this.#hub.sources.map(({ name, title }) => ({ name, title }));
    return {
      ...response,
      protocolVersion,
      agentCapabilities: {
        ...response.agentCapabilities,
        // The hub itself attaches, lists and closes, also where the agent cannot.
        loadSession: true,
        sessionCapabilities: { ...sessionCapabilities, list: {}, resume: {}, close: {} },
        _meta: withBowlineMeta(response.agentCapabilities?._meta, { agents, eventIds: true, role: this.role }),
      },
    };
  }

  /** Notifies the client of the open sessions, now and after each change. */
  #followSessions(): void {
    const told = new Set<string>();
    const tell = (id: string): void => {
      const summary = this.#hub.get(id)?.summary;
      if (told.has(id) === (summary !== undefined)) return;
      if (summary === undefined) told.delete(id);
      else told.add(id);
      const opened = summary && { id, cwd: summary.cwd, title: summary.title };
      this.#peer.notify("_bowline/sessions_changed", opened === undefined ? { closed: id } : { opened });
    };
    void this.closed.then(this.#hub.follow(tell));
    for (const { id } of this.#hub.list()) tell(id);
  }

  async #create(method: string, params: Fields): Promise<unknown> {
    // A conversation may be open already, or have been held outside the allowed directories.
    const sessionId = continuedId(params);
    if (sessionId !== undefined)
      return { sessionId, ...Object(await this.#attach("session/resume", { ...params, sessionId })) };
    const source = this.#hub.source(requestMeta(params).agent);
    const session = await this.#hub.create(method, params, { source, profile: this.#known() });
    return this.#opened(session);
  }

  async #fork(params: Fields): Promise<unknown> {
    const id = sessionIdOf(params);
    const open = this.#hub.get(id);
    const profile = open?.upstream.profile ?? this.#known();
    const source = open?.upstream.source ?? (await this.#hub.saved.sourceOf(id, profile, requestMeta(params).agent));
    const named = open === undefined ? params : { ...params, sessionId: open.agentSessionId };
    return this.#opened(await this.#hub.create("session/fork", named, { source, profile }));
  }

  /** The first updates come after the response, as the agent sent them. */
  #opened(session: HubSession): unknown {
    const { attachment } = session.attach(this, 0, true, true);
    setImmediate(() => attachment.release());
    return { sessionId: session.id, ...session.state.response, ...this.#attachmentMeta(session) };
  }

  async #attach(method: "session/load" | "session/resume", params: Fields): Promise<unknown> {
    const sessionId = sessionIdOf(params);
    const replays = method === "session/load";
    const { afterEventId, agent } = requestMeta(params);
    let session = this.#hub.get(sessionId);
    // A session that is still being opened has not got its whole history.
    if (session === undefined || this.#hub.isOpening(sessionId)) {
      if (this.role === "observer") throw unknownSession(sessionId);
      // The client continues a session of an earlier server: a replay would show everything twice.
      if (afterEventId !== undefined) throw eventsGone(sessionId);
      const onAdded = (added: HubSession): void => void added.attach(this, 0, true);
      const opened = await this.#hub.reopen(method, params, sessionId, this.#known(), agent, onAdded);
      session = opened.session;
      if (opened.isOpener) {
        await session.attachmentOf(this)?.caughtUp();
        return { ...session.state.response, ...this.#attachmentMeta(session) };
      }
    }
    await this.#attachOpen(session, replays, afterEventId);
    setImmediate(() => session.askOpenQuestions(this));
    return { ...session.state.response, ...this.#attachmentMeta(session) };
  }

  async #attachOpen(session: HubSession, replays: boolean, afterEventId: string | undefined): Promise<void> {
    const { log } = session;
    if (afterEventId !== undefined) {
      const afterId = log.idOf(afterEventId);
      if (afterId === undefined) throw eventsGone(session.id);
      session.attach(this, afterId, this.#keepsOpen);
    } else if (!replays) session.attach(this, log.lastId, this.#keepsOpen);
    // An agent opens the conversation anew for this, which an observer may not cause.
    else if (log.droppedId > 0 && session.canReload && this.role === "owner")
      await session.reload(this, this.#keepsOpen);
    else session.attach(this, log.droppedId, this.#keepsOpen);
    await session.attachmentOf(this)?.caughtUp();
  }

  /** `_meta` of the response to an attach: after which event the client goes on, and which agent it is. */
  #attachmentMeta(session: HubSession): { readonly _meta: object } {
    const { log } = session;
    // What this client was sent: entries that wait for it come after this event.
    const sentId = session.attachmentOf(this)?.sentId ?? log.lastId;
    const own = { eventId: log.eventId(sentId), agent: session.upstream.source.name };
    const partial = log.droppedId > 0 ? { isPartial: true } : {};
    return { _meta: withBowlineMeta(session.state.response._meta, { ...own, ...partial }) };
  }

  async #list(params: Fields): Promise<unknown> {
    const cwd = typeof params["cwd"] === "string" ? params["cwd"] : undefined;
    const cursor = typeof params["cursor"] === "string" ? params["cursor"] : undefined;
    const open = this.#hub.list().toReversed();
    const isOpen = new Set(open.map(({ id }) => id));
    const shown = cursor !== undefined ? [] : open.filter((one) => cwd === undefined || one.cwd === cwd);
    const first = shown.map(({ id, cwd: directory, title, updatedAt, status, agent, clients }) => ({
      sessionId: id,
      cwd: directory,
      title,
      updatedAt,
      _meta: { bowline: { isOpen: true, status, agent, clients } },
    }));
    if (this.role === "observer") return { sessions: first };
    const { sessions, nextCursor } = await this.#hub.saved.page(this.#known(), cwd, cursor);
    const rest = sessions.filter(({ sessionId }) => !isOpen.has(sessionId));
    return { sessions: [...first, ...rest], ...(nextCursor !== undefined && { nextCursor }) };
  }

  /** Detaches this client. The last one closes the session. */
  async #close(params: Fields): Promise<unknown> {
    const session = this.#attachedTo(params);
    const isForced = this.role === "owner" && requestMeta(params).isForced === true;
    session.detach(this);
    if (this.role === "owner" && (isForced || !session.hasOwners))
      await this.#hub.close(session, "the session was closed");
    return {};
  }

  async #delete(params: Fields): Promise<unknown> {
    const id = sessionIdOf(params);
    const open = this.#hub.get(id);
    if (open !== undefined) {
      await this.#hub.close(open, "it was deleted", "session/delete");
      return {};
    }
    const profile = this.#known();
    const source = await this.#hub.saved.sourceOf(id, profile, requestMeta(params).agent).catch((cause: unknown) => {
      // A session that does not exist is deleted already.
      if (cause instanceof RpcError && cause.code === errorCodes.resourceNotFound) return undefined;
      throw cause;
    });
    if (source === undefined) return {};
    return this.#hub.pool.use(source, profile, (upstream) => upstream.call("session/delete", params));
  }

  async #setMode(params: Fields): Promise<unknown> {
    const session = this.#attachedTo(params);
    const result = await session.call("session/set_mode", params);
    session.add({ sessionUpdate: "current_mode_update", currentModeId: params["modeId"] }, this);
    return result;
  }

  async #setOption(params: Fields): Promise<unknown> {
    const session = this.#attachedTo(params);
    const result = await session.call("session/set_config_option", params);
    const configOptions = isRecord(result) ? result["configOptions"] : undefined;
    if (Array.isArray(configOptions)) session.add({ sessionUpdate: "config_option_update", configOptions }, this);
    return result;
  }

  /** For an open session at its agent, for another one at the agent that has it. */
  async #forwardOpen(method: string, params: Fields, call: Call): Promise<unknown> {
    const id = sessionIdOf(params);
    const open = this.#hub.get(id);
    if (open !== undefined) return open.call(method, params, call.signal);
    if (this.role === "observer") throw unknownSession(id);
    const profile = this.#known();
    const source = await this.#hub.saved.sourceOf(id, profile, requestMeta(params).agent);
    return this.#hub.pool.use(source, profile, (upstream) => upstream.call(method, params, { signal: call.signal }));
  }

  /**
   * After prompts were taken back, the log has what is left of the conversation; a client that asked for `replay`
   * gets it, and the other clients are notified.
   */
  async #rewind({ replay, ...params }: Fields, call: Call): Promise<unknown> {
    const session = this.#attachedTo(params);
    const result = await session.call("_session/rewind", params, call.signal);
    const isTakenBack = params["conversation"] === true && params["dryRun"] !== true && params["list"] !== true;
    if (!isTakenBack) return result;
    // Before the log is replaced: only clients that have seen the prompts are notified.
    session.add(update.agentMessage(`\n\n${takenBack(result)}`, crypto.randomUUID()), this);
    if (!session.canReload) return result;
    await session.reload(replay === true ? this : undefined, this.#keepsOpen);
    await session.attachmentOf(this)?.caughtUp();
    return result;
  }

  async #forward(method: string, params: Fields, call: Call): Promise<unknown> {
    if (params["sessionId"] !== undefined) return this.#attachedTo(params).call(method, params, call.signal);
    const source = this.#hub.source(requestMeta(params).agent);
    return this.#hub.pool.use(source, this.#known(), (upstream) =>
      upstream.call(method, params, { signal: call.signal }),
    );
  }

  #attachedTo(params: Fields): HubSession {
    const sessionId = sessionIdOf(params);
    const session = this.#hub.get(sessionId);
    if (session?.isAttached(this) !== true) throw notAttached(sessionId);
    return session;
  }

  #known(): ClientProfile {
    if (this.role === "observer") throw onlyWatches("this request");
    return this.#profile ?? smallestProfile;
  }
}

function sessionIdOf({ sessionId }: Fields): string {
  if (typeof sessionId === "string") return sessionId;
  throw new RpcError(errorCodes.invalidParams, "sessionId must be string");
}

/** The client must load the session again: what it missed is not kept. */
function eventsGone(sessionId: string): RpcError {
  const data = { sessionId, bowline: { reason: "events_gone" } };
  return new RpcError(errorCodes.resourceNotFound, "the events after this one are not kept: load the session", data);
}
