/**
 * The table of HTTP routes and their handlers.
 *
 * Path segments alternate between fixed names and parameters:
 * `/sessions/<id>/permissions/<requestId>`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AcpRole } from "./acp/acp-connection.ts";
import { block, ContentBlock, ElicitationContentValue } from "../acp/index.ts";
import type { Hub, HubQuestion } from "../hub/index.ts";
import { RpcError } from "../rpc/index.ts";
import {
  array,
  boolean,
  either,
  nonEmptyString,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Schema,
  type Static,
  string,
  unknown,
} from "../schema/index.ts";
import type { AcpHttpConnections } from "./acp/acp-http.ts";
import { readBody } from "./json-body.ts";
import { eventFrame, lastEventId, streamHeaders } from "./event-stream.ts";
import { pageFile } from "./page-assets.ts";
import { strictEvent } from "./strict-events.ts";
import { EventSubscriber, type EventSubscriberOptions, type EventRange } from "./event-subscriber.ts";
import { HttpError } from "./http-error.ts";
import type { Previews } from "./previews.ts";
import { chosen, type ServedSession, takesReason } from "./session.ts";
import type { ServedSessions } from "./sessions.ts";
import { ticketMs, type Tickets } from "./acp/tickets.ts";

/** Event streams that may be open for one session. */
const maxSubscribers = 32;

export interface RouteOptions extends EventSubscriberOptions {
  readonly sessions: ServedSessions;
  readonly hub: Hub;
  /** The text of `/metrics`. */
  readonly metrics: () => string;
  readonly tickets: Tickets;
  readonly acp: AcpHttpConnections;
  readonly maxBodyBytes: number;
  readonly previews: Previews;
  readonly facts: ServerFacts;
  /** Event streams have the original packet protocol alone, unless their address says `strict=0`. */
  readonly isStrict?: boolean | undefined;
}

/** A value of the option `route`, as the user reads it. */
export interface EngineChoice {
  readonly value: string;
  readonly name: string;
}

/** What the page says about the server. */
export interface ServerFacts {
  readonly version: string;
  /** Whether every session plays a recording. */
  readonly isRecording?: boolean | undefined;
  /** The engines of the built-in agent that a session can be opened with; none where there is no choice. */
  readonly engines?: readonly EngineChoice[] | undefined;
  /** Why no session can work, as a sentence for the user. */
  readonly problem?: (() => string | undefined) | undefined;
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
  /** Text and bytes are sent unchanged, an object as JSON. */
  readonly body?: string | Buffer | object;
}

type PathHandler = (
  context: RequestContext,
  ...names: readonly string[]
) => Reply | undefined | Promise<Reply | undefined>;
type HttpMethod = "GET" | "POST" | "DELETE";

export interface PathRoute {
  readonly run: (context: RequestContext) => Reply | undefined | Promise<Reply | undefined>;
  /** Needs no token; true for the files of the page and of previews, and for `/healthz`. */
  readonly isPublic: boolean;
}

const OpenBody = object({
  cwd: optional(string),
  sessionId: optional(nonEmptyString),
  agent: optional(nonEmptyString),
  options: optional(record(string)),
});
/** What an observer's token may do; at `/acp` the hub knows the role. */
const observable: ReadonlySet<string> = new Set([
  "POST tickets",
  "GET acp",
  "POST acp",
  "DELETE acp",
  "GET about",
  "GET agents",
  "GET metrics",
  "GET questions",
  "GET saved",
  "GET sessions",
  "GET sessions/*",
  "GET sessions/*/artifacts",
  "GET sessions/*/events",
  "GET sessions/*/messages",
]);

const Message: Schema<string | readonly ContentBlock[]> = either(
  "a string that is not empty, or a list of content blocks",
  nonEmptyString,
  refine(array(ContentBlock), "a list that is not empty", (blocks) => blocks.length > 0),
);
const MessageBody = object({ content: Message });
/** `reason`: what the agent should do instead, for an answer that rejects. */
const AnswerBody = object({ optionId: string, reason: optional(nonEmptyString) });
const QuestionBody = either(
  "an object with optionId, or with action",
  object({ optionId: string, reason: optional(nonEmptyString) }),
  object({ action: string, content: optional(record(unknown)) }),
);
const OptionBody = object({ value: string });
const FormBody = object({
  action: oneOf("accept", "decline", "cancel"),
  content: optional(record(ElicitationContentValue)),
});
const TitleBody = object({ title: refine(nonEmptyString, "at most 200 characters", (text) => text.length <= 200) });
const RewindBody = object({ messageId: nonEmptyString, files: optional(boolean), dryRun: optional(boolean) });
const PreviewBody = object({ path: nonEmptyString });
const EmptyBody = object({});

/** Returns the function that finds the route of a request; it throws an `HttpError` when there is none. */
export function router(options: RouteOptions): (method: string, path: string) => PathRoute {
  const { sessions, hub, metrics, tickets, acp, maxBodyBytes, previews, facts, after, held } = options;
  const bodyOf = <T>(context: RequestContext, schema: Schema<T>): Promise<T> => readBody(context, schema, maxBodyBytes);

  const table: Readonly<Record<string, { readonly [M in HttpMethod]?: PathHandler }>> = {
    "": { GET: () => pageReply("index.html") },
    "page/*": { GET: (_context, name = "") => pageReply(name) },
    sessions: {
      GET: () => json(200, { cwd: sessions.root, sessions: sessions.list().map(({ state }) => state) }),
      POST: async (context) => {
        const { details } = await sessions.open(await bodyOf(context, OpenBody));
        return { ...json(201, details), headers: { location: `/sessions/${details.id}` } };
      },
    },
    about: {
      GET: ({ role }) => {
        const { version, isRecording = false } = facts;
        return json(200, { version, isRecording, problem: facts.problem?.() ?? null, role, ...sessions.about });
      },
    },
    healthz: { GET: () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "ok\n" }) },
    metrics: { GET: () => ({ status: 200, headers: { "content-type": metricsType }, body: metrics() }) },
    agents: { GET: () => json(200, { agents: shownAgents(hub, facts) }) },
    questions: { GET: () => json(200, { questions: hub.questions().map(shownQuestion) }) },
    "questions/*": {
      POST: async (context, id = "") => {
        answerQuestion(hub, sessions, id, await bodyOf(context, QuestionBody));
        return { status: 204 };
      },
    },
    acp: { GET: acp.get, POST: acp.post, DELETE: acp.delete },
    tickets: {
      POST: async (context) => {
        await bodyOf(context, EmptyBody);
        return json(201, { ticket: tickets.issue(context.role ?? "observer"), expiresInMs: ticketMs });
      },
    },
    // An observer finds open sessions only.
    saved: { GET: async ({ role }) => json(200, { sessions: role === "observer" ? [] : await sessions.saved() }) },
    "sessions/*": {
      GET: (_context, id = "") => json(200, sessions.get(id).details),
      DELETE: async (_context, id = "") => done(sessions.close(id, true)),
    },
    "saved/*": { DELETE: async (_context, id = "") => done(sessions.remove(id)) },
    "saved/*/title": { POST: async (context, id = "") => rename(context, id) },
    "sessions/*/title": { POST: async (context, id = "") => rename(context, id) },
    "sessions/*/artifacts": { GET: (_context, id = "") => json(200, { artifacts: sessions.get(id).artifacts }) },
    "sessions/*/previews": {
      POST: async (context, id = "") => {
        const { path } = await bodyOf(context, PreviewBody);
        return json(201, await previews.offer(await sessions.artifactPath(id, path)));
      },
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
        return follow(sessions.get(id), response, { afterId, untilId: undefined }, url);
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
          return follow(session, context.response, session.send(blocks), context.url);
        });
      },
    },
    "sessions/*/interrupt": {
      POST: async (context, id = "") => {
        await bodyOf(context, EmptyBody);
        return done(sessions.get(id).interrupt());
      },
    },
    "sessions/*/rewind": {
      POST: async (context, id = "") => json(200, await sessions.rewind(id, await bodyOf(context, RewindBody))),
    },
    "sessions/*/tasks": { GET: async (_context, id = "") => json(200, { tasks: await sessions.tasks(id) }) },
    "sessions/*/tasks/*": { DELETE: async (_context, id = "", taskId = "") => done(sessions.stopTask(id, taskId)) },
    "sessions/*/options/*": {
      POST: async (context, id = "", configId = "") => {
        const { value } = await bodyOf(context, OptionBody);
        await sessions.get(id).set(configId, value);
        return json(200, sessions.get(id).details);
      },
    },
    "sessions/*/permissions/*": {
      POST: async (context, id = "", requestId = "") => {
        const { optionId, reason } = await bodyOf(context, AnswerBody);
        return done(sessions.get(id).answer(requestId, optionId, reason));
      },
    },
    "sessions/*/forms/*": {
      POST: async (context, id = "", requestId = "") => {
        const { action, content } = await bodyOf(context, FormBody);
        const response = action === "accept" ? { action, content: content ?? {} } : { action };
        return done(sessions.get(id).answerForm(requestId, response));
      },
    },
  };

  async function rename(context: RequestContext, id: string): Promise<Reply> {
    const { title } = await bodyOf(context, TitleBody);
    return done(sessions.rename(id, title));
  }

  /** The files of a preview need no token: the address has a secret of its own, and a frame can send no header. */
  function previewRoute(secret: string, names: readonly string[]): PathRoute {
    const run = async ({ request, url }: RequestContext): Promise<Reply> => {
      const [isDownload, isTab] = [url.searchParams.has("download"), url.searchParams.has("tab")];
      const { bytes, headers } = await previews.read(secret, names, {
        isDownload,
        isTab,
        host: request.headers.host ?? "",
      });
      return { status: 200, headers, body: bytes };
    };
    return { run, isPublic: true };
  }

  function follow(session: ServedSession, response: ServerResponse, range: EventRange, url: URL): undefined {
    checkCapacity(session);
    const asked = url.searchParams.get("strict");
    const isStrict = asked === null ? options.isStrict === true : asked !== "0";
    new EventSubscriber(response, session.log, range, { after, held, encode: isStrict ? strictEvent : undefined });
  }

  return (method, path) => {
    const parts = path.slice(1).split("/");
    const [first, secret = "", ...files] = parts;
    if (first === "previews" && files.length > 0 && method === "GET") return previewRoute(secret, files);
    const shape = parts.map((part, i) => (i % 2 === 1 ? "*" : part)).join("/");
    const methods = Object.hasOwn(table, shape) ? table[shape] : undefined;
    if (methods === undefined) throw new HttpError("not_found", "there is nothing at this path");
    const isPublic = shape === "" || shape === "page/*" || shape === "healthz";
    const name = method === "HEAD" && isPublic ? "GET" : method;
    const handler = isMethod(name) ? methods[name] : undefined;
    if (handler === undefined) {
      const allow = Object.keys(methods).join(", ");
      throw new HttpError("method_not_allowed", `only ${allow} can be done here`, { allow });
    }
    const names = parts.filter((_part, i) => i % 2 === 1);
    const run: PathRoute["run"] = (context) => {
      if (context.role === "observer" && !observable.has(`${name} ${shape}`))
        throw new HttpError("forbidden", "this token may only watch");
      return handler(context, ...names);
    };
    return { run, isPublic };
  };
}

/** The content type of the text format of Prometheus. */
const metricsType = "text/plain; version=0.0.4";

/** The agents that a session can be opened with, the default first. The built-in agent may have several engines. */
function shownAgents({ sources }: Hub, { engines = [] }: ServerFacts): readonly object[] {
  return sources.map(({ name, title }, i) => ({ name, title, ...(i === 0 && engines.length > 0 && { engines }) }));
}

/** Answers a question of any session. An agent that takes no reason with a refusal is sent it as the next message. */
function answerQuestion(hub: Hub, sessions: ServedSessions, id: string, body: Static<typeof QuestionBody>): void {
  const question = hub.questions().find((one) => one.id === id);
  if (question === undefined) throw new HttpError("not_found", "there is no such open question");
  const { asked, sessionId } = question;
  const answer = "optionId" in body ? { outcome: chosen(body.optionId, body.reason) } : body;
  try {
    hub.answer(id, answer);
  } catch (cause) {
    if (cause instanceof RpcError) throw new HttpError("bad_request", cause.message);
    throw cause;
  }
  const reason = "optionId" in body ? body.reason : undefined;
  if (reason !== undefined && asked.kind === "permission" && !takesReason(asked.request))
    sessions.get(sessionId).send([block.text(reason)]);
}

/** A question of any session, as the inbox shows it. */
function shownQuestion({ id, sessionId, askedAt, asked }: HubQuestion): object {
  return { id, sessionId, askedAt: new Date(askedAt).toISOString(), kind: asked.kind, request: asked.request };
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
  return { status: 200, headers: file.headers, body: file.body };
}

function json(status: number, body: object): Reply {
  return { status, body };
}

async function done(doing: Promise<void> | void): Promise<Reply> {
  await doing;
  return { status: 204 };
}

function isMethod(method: string): method is HttpMethod {
  return method === "GET" || method === "POST" || method === "DELETE";
}
