/**
 * Routes: what can be asked over HTTP, and who answers it.
 *
 * Paths alternate nouns and names: `/sessions/<id>/permissions/<requestId>`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { block, ContentBlock } from "../acp/index.ts";
import { array, either, nonEmptyString, object, optional, refine, type Schema, string } from "../schema/index.ts";
import { readBody } from "./json-body.ts";
import { eventFrame, lastEventId, streamHeaders } from "./event-stream.ts";
import { pageFile } from "./page-assets.ts";
import { EventSubscriber, type ReaderOptions, type EventRange } from "./event-subscriber.ts";
import { HttpError } from "./http-error.ts";
import type { ServedSession } from "./session.ts";
import type { ServedSessions } from "./sessions.ts";

/** Responses that may follow one session. */
const maxSubscribers = 32;

export interface RouteOptions extends ReaderOptions {
  readonly sessions: ServedSessions;
  readonly maxBodyBytes: number;
}

/** A request that has been let in. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

/** What is sent back; undefined when the handler has answered by itself. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

type Handler = (visit: RequestContext, ...names: readonly string[]) => Reply | undefined | Promise<Reply | undefined>;
type Method = "GET" | "POST" | "DELETE";

export interface Route {
  readonly run: (visit: RequestContext) => Reply | undefined | Promise<Reply | undefined>;
  /** The page itself holds no secret. */
  readonly isPublic: boolean;
}

const OpenBody = object({ cwd: optional(string), sessionId: optional(nonEmptyString) });
const Message: Schema<string | readonly ContentBlock[]> = either(
  "a string that is not empty, or a list of content blocks",
  nonEmptyString,
  refine(array(ContentBlock), "a list that is not empty", (blocks) => blocks.length > 0),
);
const MessageBody = object({ content: Message });
const AnswerBody = object({ optionId: string });
const OptionBody = object({ value: string });
const nothing = object({});

/** Finds who answers; throws a `HttpError` when nobody does. */
export function router(options: RouteOptions): (method: string, path: string) => Route {
  const { sessions, maxBodyBytes } = options;
  const bodyOf = <T>(visit: RequestContext, schema: Schema<T>): Promise<T> => readBody(visit, schema, maxBodyBytes);

  const table: Readonly<Record<string, { readonly [M in Method]?: Handler }>> = {
    "": { GET: () => pageReply("index.html") },
    "page/*": { GET: (_visit, name = "") => pageReply(name) },
    sessions: {
      GET: () => json(200, { cwd: sessions.root, sessions: sessions.list().map(({ state }) => state) }),
      POST: async (visit) => {
        const { details } = await sessions.open(await bodyOf(visit, OpenBody));
        return { ...json(201, details), headers: { location: `/sessions/${details.id}` } };
      },
    },
    saved: { GET: async () => json(200, { sessions: await sessions.saved() }) },
    "sessions/*": {
      GET: (_visit, id = "") => json(200, sessions.get(id).details),
      DELETE: async (_visit, id = "") => done(sessions.close(id, true)),
    },
    "sessions/*/close": { POST: async (_visit, id = "") => done(sessions.close(id, false)) },
    "sessions/*/messages": { GET: (_visit, id = "") => json(200, sessions.get(id).record) },
    "sessions/*/events": {
      GET: ({ request, response, url }, id = "") => {
        const { log } = sessions.get(id);
        const given = request.headers["last-event-id"];
        const afterId = lastEventId(url.searchParams.get("after") ?? given?.toString()) ?? 0;
        if (afterId < log.forgottenId || afterId > log.lastId)
          throw new HttpError("gone", "the events after this one are not kept: read /messages, and go on from there");
        return follow(sessions.get(id), response, { afterId, untilId: undefined });
      },
    },
    "sessions/*/send-message": {
      POST: async (visit, id = "") => {
        const { content } = await bodyOf(visit, MessageBody);
        const blocks = typeof content === "string" ? [block.text(content)] : content;
        if (/\bapplication\/json\b/.test(visit.request.headers.accept ?? "")) {
          sessions.get(id).send(blocks);
          return json(202, sessions.get(id).state);
        }
        return streamed(visit.response, () => {
          const session = sessions.get(id);
          checkCapacity(session);
          return follow(session, visit.response, session.send(blocks));
        });
      },
    },
    "sessions/*/interrupt": {
      POST: async (visit, id = "") => {
        await bodyOf(visit, nothing);
        return done(sessions.get(id).interrupt());
      },
    },
    "sessions/*/options/*": {
      POST: async (visit, id = "", configId = "") => {
        const { value } = await bodyOf(visit, OptionBody);
        await sessions.get(id).set(configId, value);
        return json(200, sessions.get(id).details);
      },
    },
    "sessions/*/permissions/*": {
      POST: async (visit, id = "", requestId = "") => {
        const { optionId } = await bodyOf(visit, AnswerBody);
        return done(sessions.get(id).answer(requestId, optionId));
      },
    },
  };

  function follow(session: ServedSession, response: ServerResponse, stretch: EventRange): undefined {
    checkCapacity(session);
    new EventSubscriber(response, session.log, stretch, options);
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
    return { run: (visit) => handler(visit, ...names), isPublic };
  };
}

/** A stream tells of its failures as packets, as its readers expect; but too many is said before it begins. */
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
