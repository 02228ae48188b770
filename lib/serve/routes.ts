/**
 * The table of HTTP routes and their handlers.
 *
 * Path segments alternate between fixed names and parameters:
 * `/sessions/<id>/permissions/<requestId>`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AcpRole } from "./acp-connection.ts";
import { block, ContentBlock } from "../acp/index.ts";
import { array, either, nonEmptyString, object, optional, refine, type Schema, string } from "../schema/index.ts";
import type { AcpHttpConnections } from "./acp-http.ts";
import { readBody } from "./json-body.ts";
import { eventFrame, lastEventId, streamHeaders } from "./event-stream.ts";
import { pageFile } from "./page-assets.ts";
import { EventSubscriber, type EventSubscriberOptions, type EventRange } from "./event-subscriber.ts";
import { HttpError } from "./http-error.ts";
import type { ServedSession } from "./session.ts";
import type { ServedSessions } from "./sessions.ts";
import { ticketMs, type Tickets } from "./tickets.ts";

/** Event streams that may be open for one session. */
const maxSubscribers = 32;

export interface RouteOptions extends EventSubscriberOptions {
  readonly sessions: ServedSessions;
  readonly tickets: Tickets;
  readonly acp: AcpHttpConnections;
  readonly maxBodyBytes: number;
}

/** A request that has passed access control. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** What the client's token allows; undefined where none is needed. */
  readonly role: AcpRole | undefined;
}

/** A complete response. Handlers that write to the response themselves return undefined instead. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

type Handler = (context: RequestContext, ...names: readonly string[]) => Reply | undefined | Promise<Reply | undefined>;
type Method = "GET" | "POST" | "DELETE";

export interface Route {
  readonly run: (context: RequestContext) => Reply | undefined | Promise<Reply | undefined>;
  /** Needs no token; true for the files of the page only. */
  readonly isPublic: boolean;
}

/** The paths that an observer's token may use. */
const observable: ReadonlySet<string> = new Set(["tickets", "acp"]);

const OpenBody = object({ cwd: optional(string), sessionId: optional(nonEmptyString) });
const Message: Schema<string | readonly ContentBlock[]> = either(
  "a string that is not empty, or a list of content blocks",
  nonEmptyString,
  refine(array(ContentBlock), "a list that is not empty", (blocks) => blocks.length > 0),
);
const MessageBody = object({ content: Message });
const AnswerBody = object({ optionId: string });
const OptionBody = object({ value: string });
const EmptyBody = object({});

/** Returns the function that finds the route of a request; it throws an `HttpError` when there is none. */
export function router(options: RouteOptions): (method: string, path: string) => Route {
  const { sessions, tickets, acp, maxBodyBytes } = options;
  const bodyOf = <T>(context: RequestContext, schema: Schema<T>): Promise<T> => readBody(context, schema, maxBodyBytes);

  const table: Readonly<Record<string, { readonly [M in Method]?: Handler }>> = {
    "": { GET: () => pageReply("index.html") },
    "page/*": { GET: (_context, name = "") => pageReply(name) },
    sessions: {
      GET: () => json(200, { cwd: sessions.root, sessions: sessions.list().map(({ state }) => state) }),
      POST: async (context) => {
        const { details } = await sessions.open(await bodyOf(context, OpenBody));
        return { ...json(201, details), headers: { location: `/sessions/${details.id}` } };
      },
    },
    acp: { GET: acp.get, POST: acp.post, DELETE: acp.delete },
    tickets: {
      POST: async (context) => {
        await bodyOf(context, EmptyBody);
        return json(201, { ticket: tickets.issue(context.role ?? "observer"), expiresInMs: ticketMs });
      },
    },
    saved: { GET: async () => json(200, { sessions: await sessions.saved() }) },
    "sessions/*": {
      GET: (_context, id = "") => json(200, sessions.get(id).details),
      DELETE: async (_context, id = "") => done(sessions.close(id, true)),
    },
    "sessions/*/close": { POST: async (_context, id = "") => done(sessions.close(id, false)) },
    "sessions/*/messages": { GET: (_context, id = "") => json(200, sessions.get(id).record) },
    "sessions/*/events": {
      GET: ({ request, response, url }, id = "") => {
        const { log } = sessions.get(id);
        const given = request.headers["last-event-id"];
        const afterId = lastEventId(url.searchParams.get("after") ?? given?.toString()) ?? 0;
        if (afterId < log.droppedId || afterId > log.lastId)
          throw new HttpError("gone", "the events after this one are not kept: read /messages, and go on from there");
        return follow(sessions.get(id), response, { afterId, untilId: undefined });
      },
    },
    "sessions/*/send-message": {
      POST: async (context, id = "") => {
        const { content } = await bodyOf(context, MessageBody);
        const blocks = typeof content === "string" ? [block.text(content)] : content;
        if (/\bapplication\/json\b/.test(context.request.headers.accept ?? "")) {
          sessions.get(id).send(blocks);
          return json(202, sessions.get(id).state);
        }
        return streamed(context.response, () => {
          const session = sessions.get(id);
          checkCapacity(session);
          return follow(session, context.response, session.send(blocks));
        });
      },
    },
    "sessions/*/interrupt": {
      POST: async (context, id = "") => {
        await bodyOf(context, EmptyBody);
        return done(sessions.get(id).interrupt());
      },
    },
    "sessions/*/options/*": {
      POST: async (context, id = "", configId = "") => {
        const { value } = await bodyOf(context, OptionBody);
        await sessions.get(id).set(configId, value);
        return json(200, sessions.get(id).details);
      },
    },
    "sessions/*/permissions/*": {
      POST: async (context, id = "", requestId = "") => {
        const { optionId } = await bodyOf(context, AnswerBody);
        return done(sessions.get(id).answer(requestId, optionId));
      },
    },
  };

  function follow(session: ServedSession, response: ServerResponse, range: EventRange): undefined {
    checkCapacity(session);
    new EventSubscriber(response, session.log, range, options);
  }

  return (method, path) => {
    const parts = path.slice(1).split("/");
    const shape = parts.map((part, i) => (i % 2 === 1 ? "*" : part)).join("/");
    const methods = Object.hasOwn(table, shape) ? table[shape] : undefined;
    if (methods === undefined) throw new HttpError("not_found", "there is nothing at this path");
    const isPublic = shape === "" || shape === "page/*";
    const name = method === "HEAD" && isPublic ? "GET" : method;
    const handler = isMethod(name) ? methods[name] : undefined;
    if (handler === undefined) {
      const allow = Object.keys(methods).join(", ");
      throw new HttpError("method_not_allowed", `only ${allow} can be done here`, { allow });
    }
    const names = parts.filter((_part, i) => i % 2 === 1);
    const run: Route["run"] = (context) => {
      if (context.role === "observer" && !observable.has(shape))
        throw new HttpError("forbidden", "an observer's token cannot do this");
      return handler(context, ...names);
    };
    return { run, isPublic };
  };
}

/** Reports an error as an `error` packet in the stream, as stream clients expect; `too_many` stays an HTTP error. */
function streamed(response: ServerResponse, begin: () => undefined): undefined {
  try {
    return begin();
  } catch (cause) {
    if (!(cause instanceof HttpError) || cause.code === "too_many") throw cause;
    const { message, code } = cause;
    response.writeHead(200, streamHeaders);
    response.end(eventFrame(0, JSON.stringify({ type: "error", message, code })));
    return undefined;
  }
}

function checkCapacity({ log }: ServedSession): void {
  if (log.followerCount >= maxSubscribers)
    throw new HttpError("too_many", `${maxSubscribers} readers follow it already`);
}

function pageReply(name: string): Reply {
  const file = pageFile(name);
  if (file === undefined) throw new HttpError("not_found", "the page has no such file");
  return { status: 200, headers: file.headers, body: file.text };
}

function json(status: number, body: object): Reply {
  return { status, body };
}

async function done(doing: Promise<void> | void): Promise<Reply> {
  await doing;
  return { status: 204 };
}

function isMethod(method: string): method is Method {
  return method === "GET" || method === "POST" || method === "DELETE";
}
