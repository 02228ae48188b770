/**
 * Creates a link to a server that serves ACP over streamable HTTP.
 *
 * Each line is a POST, sent in order; what the server sends comes on one event stream for
 * the connection and one for each session. A stream that breaks is opened again after the
 * last event, where the server numbers its events. Cookies are kept.
 */
import { realTimer, type Schedule } from "../clock.ts";
import { CookieJar } from "./cookie-jar.ts";
import { defaultMaxLineBytes, parseJson } from "../line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "../link.ts";
import { defaultLagChars, defaultMaxQueuedChars } from "../outbox.ts";
import { eventReader } from "./event-reader.ts";

export interface HttpLinkOptions extends LinkLimits {
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly after?: Schedule | undefined;
  /** A stream that sends nothing for this long is opened again. Default: 45 seconds. */
  readonly maxSilenceMs?: number | undefined;
}

/** Statuses after which the whole connection cannot be used. */
const fatal: ReadonlySet<number> = new Set([401, 403, 404, 410]);
/** The status by which a server refuses one session; the others go on. */
const conflict = 409;
/** Requests that open a refused session again. */
const reopening: ReadonlySet<unknown> = new Set(["session/load", "session/resume"]);
/** How much of the body of an error is passed on. */
const maxErrorChars = 8192;
const firstRetryMs = 100;
const maxRetryMs = 5000;
/** How often in a row opening a stream may fail. */
const maxRetries = 10;
/** A server sends a comment every 15 s; a stream that is silent for this long is opened again. */
const defaultMaxSilenceMs = 45_000;
/** How long a server has to begin its response with a stream. */
const maxHeadMs = 10_000;
/** How often in a row a stream may send nothing while a request waits, if no stream has sent anything so far. */
const maxSilentTries = 2;
const bufferedText = "the server's event stream does not arrive: a proxy between may buffer it; use a WebSocket";

type AcpMessage = Readonly<Record<string, unknown>>;

interface SilenceGuard {
  readonly signal: AbortSignal;
  readonly restart: () => void;
  readonly pause: () => void;
  readonly release: () => void;
}

/** `url` begins with `http:` or `https:`. */
export function httpLink(url: string | URL, options: HttpLinkOptions = {}): Link {
  const { after = realTimer, lagChars = defaultLagChars, maxQueuedChars = defaultMaxQueuedChars } = options;
  const { maxSilenceMs = defaultMaxSilenceMs } = options;
  const maxEventBytes = options.maxLineBytes ?? defaultMaxLineBytes;
  const address = new URL(url);
  const cookies = new CookieJar();
  const gone = new AbortController();
  const streams = new Map<string, Promise<void>>();
  /** The session of each request of the agent, by its id: its answer needs the header. */
  const asked = new Map<unknown, string>();
  /** The session of each request that waits for its response, by the request's id. */
  const waiting = new Map<unknown, string>();
  /** Sessions that the server refuses. */
  const refused = new Set<string>();
  const queue: string[] = [];
  let queuedChars = 0;
  let isLagging = false;
  let isSending = false;
  /** A stream has sent something, so that no proxy keeps it all. */
  let hasReceived = false;
  /** Whether a request was sent whose response comes on a stream. */
  let isAnswerDue = false;
  let connectionId: string | undefined;
  let callbacks: LinkCallbacks | undefined;
  let endReason: string | undefined;
  let closeReason: string | undefined;
  let resumed: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  return {
    open(given) {
      callbacks = given;
      if (endReason !== undefined) reportClosed(given, endReason);
      else sendAll();
    },
    send(line) {
      if (closeReason !== undefined || endReason !== undefined) return false;
      queue.push(line);
      queuedChars += line.length;
      if (queuedChars > maxQueuedChars) finish(describeOverflow(maxQueuedChars));
      if (queuedChars > lagChars) isLagging = true;
      sendAll();
      return !isLagging;
    },
    pause() {
      let resolve = (): void => {};
      resumed ??= { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() };
    },
    resume() {
      resumed?.resolve();
      resumed = undefined;
    },
    close(reason) {
      closeReason ??= reason;
      sendAll();
    },
  };

  function sendAll(): void {
    if (isSending || callbacks === undefined || endReason !== undefined) return;
    isSending = true;
    sendQueued()
      .catch(() => finish("the server cannot be reached"))
      .finally(() => {
        isSending = false;
        // Something may have been queued since the last look at the queue.
        if (queue.length > 0 || (closeReason !== undefined && endReason === undefined)) sendAll();
      });
  }

  async function sendQueued(): Promise<void> {
    // A microtask first: nothing is called before `open` and `send` have returned.
    await Promise.resolve();
    for (let line = queue.shift(); line !== undefined && endReason === undefined; line = queue.shift()) {
      queuedChars -= line.length;
      await post(line);
    }
    if (isLagging && endReason === undefined) {
      isLagging = false;
      callbacks?.onDrain();
    }
    if (closeReason === undefined || endReason !== undefined) return;
    if (connectionId !== undefined) await request("DELETE", {}).catch(() => {});
    finish(closeReason);
  }

  async function post(line: string): Promise<void> {
    const parsed = parseJson(line);
    const message: AcpMessage = isMessage(parsed) ? parsed : {};
    const sessionId = sessionIdOf(message) ?? (message["method"] === undefined ? asked.get(message["id"]) : undefined);
    if (message["method"] === undefined) asked.delete(message["id"]);
    const isRequest = message["method"] !== undefined && message["id"] !== undefined;
    if (connectionId !== undefined && sessionId !== undefined) {
      if (reopening.has(message["method"])) refused.delete(sessionId);
      if (!refused.has(sessionId)) await stream(sessionId);
      if (refused.has(sessionId)) return isRequest ? failRequest(message["id"], conflict, undefined) : undefined;
      if (isRequest) waiting.set(message["id"], sessionId);
    }
    const session = sessionId === undefined || connectionId === undefined ? {} : { "acp-session-id": sessionId };
    const response = await request("POST", { "content-type": "application/json", ...session }, line);
    if (response.ok && connectionId === undefined) return begin(response);
    if (response.ok) {
      isAnswerDue ||= isRequest;
      return response.body?.cancel();
    }
    const { status } = response;
    const body = await errorBody(response);
    // The response may have come on the stream already.
    const isOwed = waiting.delete(message["id"]) || sessionId === undefined;
    if (status === conflict && sessionId !== undefined && connectionId !== undefined) refuseSession(sessionId);
    else if (connectionId === undefined || fatal.has(status) || !isRequest)
      return finish(`the server answered ${status}`);
    if (isRequest && isOwed) failRequest(message["id"], status, body);
  }

  function failRequest(id: unknown, status: number, body: unknown): void {
    const data = body === undefined ? { status } : { status, body };
    const error = { code: -32603, message: `the server answered ${status}`, data };
    deliver(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  /** Fails what waits in this session; the other sessions go on. */
  function refuseSession(sessionId: string): void {
    refused.add(sessionId);
    streams.delete(sessionId);
    for (const [id, session] of waiting) if (session === sessionId) failRequest(id, conflict, undefined);
  }

  /** The response to `initialize` has the connection's id. */
  async function begin(response: Response): Promise<void> {
    const id = response.headers.get("acp-connection-id");
    const text = await response.text();
    if (id === null) return finish("the server did not open an ACP connection");
    connectionId = id;
    await stream("");
    deliver(text.replaceAll(/[\r\n]+/g, " ").trim());
  }

  /** Opens the stream of a session, or of the connection (""); resolves when it is open. */
  function stream(sessionId: string): Promise<void> {
    const known = streams.get(sessionId);
    if (known !== undefined) return known;
    const opened = new Promise<void>((resolve) => {
      readStream(sessionId, resolve).catch(() => finish("the server cannot be reached"));
    });
    streams.set(sessionId, opened);
    return opened;
  }

  async function readStream(sessionId: string, onOpen: () => void): Promise<void> {
    let lastId = "0";
    let silentTries = 0;
    for (let retries = 0; endReason === undefined && !refused.has(sessionId); retries++) {
      if (retries > maxRetries) return finish("the server cannot be reached");
      if (silentTries >= maxSilentTries) return finish(bufferedText);
      if (retries > 0) await delay(Math.min(maxRetryMs, firstRetryMs * 2 ** (retries - 1)));
      const headers = {
        accept: "text/event-stream",
        ...(sessionId !== "" && { "acp-session-id": sessionId }),
        // A server that numbers its events counts from 1. 0: nothing has arrived yet.
        "last-event-id": lastId,
      };
      const silence = silenceGuard();
      const response = await request("GET", headers, undefined, silence.signal).catch(() => undefined);
      if (response !== undefined && !response.ok) {
        silence.release();
        if (sessionId !== "" && response.status === conflict) refuseSession(sessionId);
        else finish(`the server answered ${response.status}`);
        return onOpen();
      }
      onOpen();
      if (response !== undefined) retries = 0;
      const onEvent = (data: string, id: string | undefined): void => {
        lastId = id ?? lastId;
        deliver(data);
      };
      const onFault = (): void => finish(`a message must not be longer than ${maxEventBytes} bytes, in UTF-8`);
      await readEvents(response, eventReader({ onEvent, onFault }, maxEventBytes).push, silence);
      silence.release();
      silentTries = silence.signal.aborted && isAnswerDue && !hasReceived ? silentTries + 1 : 0;
    }
  }

  /** Reads until the stream ends or breaks. */
  async function readEvents(
    response: Response | undefined,
    push: (chunk: Uint8Array) => void,
    silence: SilenceGuard,
  ): Promise<void> {
    const reader = response?.body?.getReader();
    try {
      while (reader !== undefined && endReason === undefined) {
        silence.restart();
        const { done, value } = await reader.read();
        silence.pause();
        await resumed?.promise;
        if (done || endReason !== undefined) return;
        hasReceived = true;
        push(value);
      }
    } catch {
      // The connection broke, or was silent for too long: the stream is opened again.
    }
  }

  /** Aborts its signal when it is not restarted, paused or released in time, and when the link is closed. */
  function silenceGuard(): SilenceGuard {
    const silent = new AbortController();
    let cancel = (): void => {};
    const abort = (): void => silent.abort();
    const pause = (): void => cancel();
    const restart = (ms: number = maxSilenceMs): void => {
      cancel();
      cancel = after(ms, abort);
    };
    const release = (): void => {
      cancel();
      gone.signal.removeEventListener("abort", abort);
    };
    gone.signal.addEventListener("abort", abort);
    restart(Math.min(maxHeadMs, maxSilenceMs));
    return { signal: silent.signal, restart, pause, release };
  }

  function deliver(line: string): void {
    if (endReason !== undefined) return;
    const message = parseJson(line);
    if (isMessage(message)) {
      const sessionId = sessionIdOf(message);
      if (message["method"] === undefined) waiting.delete(message["id"]);
      if (message["method"] !== undefined && message["id"] !== undefined && sessionId !== undefined)
        asked.set(message["id"], sessionId);
      // The session of `session/new`: its updates come on a stream of its own.
      const result = message["result"];
      const created = isMessage(result) ? result["sessionId"] : undefined;
      if (typeof created === "string") void stream(created);
    }
    callbacks?.onLine(line);
  }

  async function request(
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    signal: AbortSignal = gone.signal,
  ): Promise<Response> {
    const cookie = cookies.header();
    const response = await fetch(address, {
      method,
      // A redirect could lead the token elsewhere.
      redirect: "error",
      signal,
      headers: {
        ...options.headers,
        ...headers,
        ...(connectionId !== undefined && { "acp-connection-id": connectionId }),
        ...(cookie !== undefined && { cookie }),
      },
      ...(body !== undefined && { body }),
    });
    cookies.store(response.headers.getSetCookie());
    return response;
  }

  function delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(ms, resolve);
      gone.signal.addEventListener(
        "abort",
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  function finish(reason: string): void {
    if (endReason !== undefined) return;
    endReason = closeReason ?? reason;
    queue.length = 0;
    gone.abort();
    resumed?.resolve();
    if (callbacks !== undefined) reportClosed(callbacks, endReason);
  }
}

/** The beginning of the body of an error, as JSON where it is JSON. */
async function errorBody(response: Response): Promise<unknown> {
  const text = (await response.text().catch(() => "")).slice(0, maxErrorChars);
  return text === "" ? undefined : (parseJson(text) ?? text);
}

function isMessage(value: unknown): value is AcpMessage {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sessionIdOf(message: AcpMessage): string | undefined {
  const params = message["params"];
  const id = isMessage(params) ? params["sessionId"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
