/**
 * One ACP connection over streamable HTTP: decides which event stream carries which message.
 *
 * Each session has a stream, and the connection has a stream of its own. A message of the agent
 * goes to the stream of its session. The responses to `session/new` and `session/load`, and
 * messages without a session, go to the connection's own stream. The connection closes after
 * `keepMs` without a reader and without a request.
 */
import type { ServerResponse } from "node:http";
import { isRecord } from "../../schema/index.ts";
import { type Link, memoryPair, parseJson } from "../../wire/index.ts";
import { EventLog } from "../event-log.ts";
import { keepalive, lastEventId } from "../event-stream.ts";
import { EventSubscriber, type EventSubscriberOptions } from "../event-subscriber.ts";
import { HttpError } from "../http-error.ts";

export type HttpMessage = Readonly<Record<string, unknown>>;

export interface AcpHttpConnectionOptions extends EventSubscriberOptions {
  readonly onClosed: () => void;
}

/** How long a connection may be without a reader and without a request. */
const keepMs = 5 * 60_000;
/** Streams of one connection. */
const maxStreams = 1024;
const maxIdChars = 1024;
/** Unanswered requests of either side that are remembered. */
const maxRoutes = 4096;
/** The name of the connection's own stream; session ids are not empty. */
const ownStream = "";

interface Stream {
  readonly log: EventLog;
  /** The events up to this one were given to a reader. */
  readId: number;
  reader: ServerResponse | undefined;
}

/** Requests that need the header Acp-Session-Id. */
const sessionMethods: ReadonlySet<unknown> = new Set([
  "session/cancel",
  "session/close",
  "session/delete",
  "session/fork",
  "session/load",
  "session/prompt",
  "session/resume",
  "session/set_config_option",
  "session/set_mode",
  "session/set_model",
]);

export class AcpHttpConnection {
  /** The end of the link that the agent serves. */
  readonly agentEnd: Link;
  readonly #options: AcpHttpConnectionOptions;
  readonly #link: Link;
  readonly #streams = new Map<string, Stream>();
  /** The stream for the response to each request of the client, by its id. */
  readonly #responseStreams = new Map<unknown, string>();
  /** The session of each request of the agent, by its id. */
  readonly #questionSessions = new Map<unknown, string>();
  #initial: { readonly id: unknown; readonly resolve: (line: string) => void } | undefined;
  #rejectInitial: (cause: HttpError) => void = () => {};
  #cancelIdle = (): void => {};
  #isClosed = false;

  constructor(options: AcpHttpConnectionOptions) {
    this.#options = options;
    [this.agentEnd, this.#link] = memoryPair();
    this.#link.open({
      onLine: (line) => this.#route(line),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => this.close("the agent has ended"),
      onClose: () => this.close("the agent has ended"),
    });
    this.#restartIdle();
  }

  /** Sends `initialize` to the agent. Resolves with the line of its response. */
  initialize(message: HttpMessage): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#initial = { id: message["id"], resolve };
      this.#rejectInitial = reject;
      this.#link.send(JSON.stringify(message));
    });
  }

  /** Passes a message of the client on. Throws an `HttpError` when its session header is wrong. */
  take(message: HttpMessage, header: string | undefined): void {
    this.#restartIdle();
    const { id, method } = message;
    if (String(id).length > maxIdChars || (header?.length ?? 0) > maxIdChars)
      throw new HttpError("bad_request", `an id must not be longer than ${maxIdChars} characters`);
    if (method === undefined) {
      const asked = this.#questionSessions.get(id);
      if (asked !== undefined) checkSession(header, asked);
      this.#questionSessions.delete(id);
    } else {
      const given = sessionIdOf(message);
      if (sessionMethods.has(method) || given !== undefined) checkSession(header, given);
      const stream = method === "session/load" ? ownStream : (header ?? ownStream);
      if (id !== undefined) remember(this.#responseStreams, id, stream);
    }
    this.#link.send(JSON.stringify(message));
  }

  /** Sends the events of a stream to a reader. */
  follow(sessionId: string | undefined, response: ServerResponse, lastId: string | undefined): void {
    this.#restartIdle();
    const stream = this.#stream(sessionId ?? ownStream);
    if (stream === undefined) throw new HttpError("too_many", `${maxStreams} streams are open already`);
    const given = lastEventId(lastId);
    if (stream.reader !== undefined) {
      // A reader that names its last event is the same one on a new connection.
      if (given === undefined) throw new HttpError("conflict", "this stream has a reader already");
      stream.reader.destroy();
    }
    const afterId = given ?? stream.readId;
    if (afterId < stream.log.droppedId || afterId > stream.log.lastId)
      throw new HttpError("gone", "the events after this one are not kept: open a new connection");
    stream.reader = response;
    response.once("close", () => {
      if (stream.reader !== response) return;
      stream.reader = undefined;
      stream.readId = stream.log.lastId;
      this.#restartIdle();
    });
    new EventSubscriber(
      response,
      stream.log,
      { afterId, untilId: undefined },
      { ...this.#options, opening: keepalive },
    );
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelIdle();
    this.#rejectInitial(new HttpError("unavailable", "the agent has ended"));
    for (const { log } of this.#streams.values()) log.close();
    this.#link.close(reason);
    this.#options.onClosed();
  }

  /** Appends a message of the agent to its stream. */
  #route(line: string): void {
    const message = parseJson(line);
    if (!isRecord(message)) return;
    const { id, method } = message;
    if (method === undefined && this.#initial?.id === id && this.#initial !== undefined) {
      this.#initial.resolve(line);
      this.#initial = undefined;
      return;
    }
    const sessionId = sessionIdOf(message);
    if (method !== undefined) {
      if (id !== undefined && sessionId !== undefined) remember(this.#questionSessions, id, sessionId);
      return this.#append(sessionId ?? ownStream, line);
    }
    const name = this.#responseStreams.get(id) ?? ownStream;
    this.#responseStreams.delete(id);
    this.#append(name, line);
  }

  #append(name: string, line: string): void {
    if (this.#isClosed) return;
    const stream = this.#stream(name);
    if (stream === undefined) return this.close("the client has opened too many streams");
    stream.log.append(line);
    if (stream.reader === undefined && stream.log.droppedId > stream.readId)
      this.close("the client does not read, and too much waits for it");
  }

  /** Undefined when too many streams are open for one more. */
  #stream(name: string): Stream | undefined {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    if (this.#streams.size >= maxStreams) return undefined;
    const stream: Stream = { log: new EventLog(), readId: 0, reader: undefined };
    this.#streams.set(name, stream);
    return stream;
  }

  #restartIdle(): void {
    this.#cancelIdle();
    if (this.#isClosed || [...this.#streams.values()].some(({ reader }) => reader !== undefined)) return;
    this.#cancelIdle = this.#options.after(keepMs, () => this.close("the client is gone"));
  }
}

function checkSession(header: string | undefined, given: string | undefined): void {
  if (header === undefined) throw new HttpError("bad_request", "the header Acp-Session-Id is missing");
  if (given !== undefined && header !== given)
    throw new HttpError("bad_request", "the header Acp-Session-Id is not the message's session");
}

function sessionIdOf({ params }: HttpMessage): string | undefined {
  const id = isRecord(params) ? params["sessionId"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Keeps the newest routes only: a request that is never answered would stay for ever. */
function remember(routes: Map<unknown, string>, id: unknown, route: string): void {
  routes.set(id, route);
  for (const oldest of routes.keys()) {
    if (routes.size <= maxRoutes) break;
    routes.delete(oldest);
  }
}
