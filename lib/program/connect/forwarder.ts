/**
 * Forwards ACP between an editor and a remote agent, and survives lost connections.
 *
 * Every request of the editor is answered once. After a lost connection the sessions are
 * loaded again. A Bowline server sends only what came after the last event that arrived; any
 * other server sends the whole conversation, of which the editor gets what it does not have
 * yet. A running prompt goes on if the server has kept its session. Otherwise it fails with an
 * error; no prompt is run twice.
 */
import { randomUUID } from "node:crypto";
import { notice } from "../../display/index.ts";
import { errorCodes } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Link, parseBoundedJson, type Schedule } from "../../wire/index.ts";
import { EditorQuestions } from "./editor-questions.ts";
import { forAgent, forEditor, listForEditor, type Message, OutsideMap } from "./mapped-messages.ts";
import type { PathMap } from "./path-map.ts";
import { bowlineMeta, RemoteSession } from "./remote-session.ts";

/** A link to the server. `refusal` is a sentence when the server will not accept another try either. */
export interface RemoteLink {
  readonly link: Link;
  readonly refusal: () => string | undefined;
}

export interface ForwarderOptions {
  readonly editor: Link;
  readonly paths: PathMap;
  readonly connect: () => RemoteLink;
  readonly after: Schedule;
  /** The delay before try number `n`, counted from 0. */
  readonly retryMs: (n: number) => number;
  /** Says one sentence to the user. */
  readonly onNotice: (sentence: string) => void;
}

/** How long requests wait for a server that is gone before they fail; the forwarder goes on trying. */
const maxOutageMs = 60_000;
/** The same before the first connection: an editor waits for `initialize`. */
const maxFirstOutageMs = 10_000;
/** How long a running turn may be without the server before a message in its session says so. */
const maxSilentOutageMs = 3000;
/** Messages of the editor that may wait for the connection. */
const maxWaiting = 1024;

/** Requests that may be sent a second time: they set a value or only read. */
const repeatable: ReadonlySet<unknown> = new Set([
  "initialize",
  "session/list",
  "session/set_mode",
  "session/set_model",
  "session/set_config_option",
]);
const opening: ReadonlySet<unknown> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

type State = "connecting" | "recovering" | "open" | "closed";

export class Forwarder {
  /** Resolves when the editor has left (undefined), or with why the server cannot be used. */
  readonly closed: Promise<string | undefined>;
  readonly #options: ForwarderOptions;
  #resolveClosed: (why: string | undefined) => void = () => {};
  #state: State = "connecting";
  #remote: RemoteLink | undefined;
  #tries = 0;
  #cancelTimer = (): void => {};
  #cancelOutage = (): void => {};
  #cancelTelling = (): void => {};
  /** Why the server is gone, once the outage is too long; requests then fail at once. */
  #outage: string | undefined;
  #initialize: Message | undefined;
  #hasEventIds = false;
  /** The server has answered `initialize` once. */
  #wasConnected = false;
  #lastReason = "no answer";
  readonly #sessions = new Map<string, RemoteSession>();
  /** Requests of the editor without an answer, as they were sent to the server. */
  readonly #pending = new Map<unknown, Message>();
  /** What the editor sends while there is no connection. */
  #waiting: Message[] = [];
  readonly #questions: EditorQuestions;
  /** Our own requests to the server. */
  readonly #calls = new Map<unknown, (response: Message | undefined) => void>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#questions = new EditorQuestions({
      toEditor: (message) => this.#toEditor(message),
      toRemote: (message) => this.#toRemote(message),
    });
    options.editor.open({
      onLine: (line) => this.#onEditorLine(line),
      onFault: () => this.#toEditor(failure(null, errorCodes.parseError, "the message cannot be read")),
      onDrain: () => this.#remote?.link.resume(),
      onEnd: () => this.#close(undefined),
      onClose: () => this.#close(undefined),
    });
    this.#startOutage(maxFirstOutageMs);
    this.#connect();
  }

  #connect(): void {
    const remote = this.#options.connect();
    this.#remote = remote;
    remote.link.open({
      onLine: (line) => this.#onRemoteLine(line),
      onFault: () => {},
      onDrain: () => this.#options.editor.resume(),
      onEnd: () => {},
      onClose: (reason) => this.#onLost(remote, reason),
    });
    // The editor's own initialize is the first message of the first connection.
    if (this.#initialize === undefined) this.#becomeOpen();
    else void this.#recover(this.#initialize, remote);
  }

  #onLost(remote: RemoteLink, reason: string): void {
    if (this.#remote !== remote || this.#state === "closed") return;
    this.#remote = undefined;
    const refusal = remote.refusal();
    for (const settle of this.#calls.values()) settle(undefined);
    this.#calls.clear();
    if (refusal !== undefined) return this.#close(refusal);
    this.#lastReason = reason;
    if (!this.#wasConnected && this.#tries === 0) this.#options.onNotice(`${reason}; trying again`);
    if (this.#wasConnected && this.#state === "open") {
      this.#startOutage(maxOutageMs);
      const sentence = `the server is gone (${reason}); trying to reconnect`;
      this.#options.onNotice(sentence);
      this.#cancelTelling = this.#options.after(maxSilentOutageMs, () => this.#tellInTurns(sentence));
    }
    this.#state = "connecting";
    this.#questions.connectionLost();
    this.#cancelTimer();
    this.#cancelTimer = this.#options.after(this.#options.retryMs(this.#tries++), () => this.#connect());
  }

  #startOutage(ms: number): void {
    this.#cancelOutage();
    this.#cancelOutage = this.#options.after(ms, () => {
      if (!this.#wasConnected) return this.#close(`${this.#lastReason}; check the address, and that the server runs`);
      this.#outage = "the server is gone; bowline connect goes on trying to reach it";
      this.#options.onNotice(this.#outage);
      for (const id of this.#pending.keys()) this.#fail(id, this.#outage);
      this.#waiting = [];
    });
  }

  /** Editors do not show what an agent writes to stderr. */
  #tellInTurns(sentence: string): void {
    const params = this.#initialize?.["params"];
    const capabilities = isRecord(params) ? params["clientCapabilities"] : undefined;
    const session = isRecord(capabilities) ? capabilities["session"] : undefined;
    const showsNotices = isRecord(session) && session["notices"] != null;
    for (const message of this.#pending.values()) {
      const sessionId = message["method"] === "session/prompt" ? sessionIdOf(message) : undefined;
      const update = notice({ showsNotices }, "warning", `bowline connect: ${sentence}`);
      if (sessionId !== undefined) this.#showUpdates([{ sessionId, update }]);
    }
  }

  #becomeOpen(): void {
    this.#state = "open";
    for (const message of this.#waiting.splice(0)) this.#forward(message);
  }

  #connected(): void {
    if (this.#outage !== undefined || this.#tries > 0) this.#options.onNotice("connected to the server");
    this.#tries = 0;
    this.#wasConnected = true;
    this.#outage = undefined;
    this.#cancelOutage();
    this.#cancelTelling();
  }

  /** Initializes a new connection, opens the sessions again, and sends what has no answer. */
  async #recover(initialize: Message, remote: RemoteLink): Promise<void> {
    this.#state = "recovering";
    // While the editor's own initialize has no answer, it is the first message again.
    if (this.#pending.has(initialize["id"])) {
      this.#toRemote(initialize);
      for (const [id, message] of this.#pending) if (message !== initialize) this.#sendAgain(id, message, new Set());
      return this.#becomeOpen();
    }
    const response = await this.#call("initialize", initialize["params"]);
    if (this.#remote !== remote || response === undefined) return;
    this.#noteCapabilities(response["result"]);
    const continued = new Set<string>();
    for (const session of this.#sessions.values()) {
      if (await this.#reopen(session)) continued.add(session.id);
      if (this.#remote !== remote) return;
    }
    this.#connected();
    for (const [id, message] of this.#pending) this.#sendAgain(id, message, continued);
    this.#becomeOpen();
  }

  /** Opens a session on a new connection. True when it goes on exactly after its last event. */
  async #reopen(session: RemoteSession): Promise<boolean> {
    if (this.#hasEventIds && session.hasEventIds) {
      const response = await this.#call("session/load", session.continuation());
      if (response === undefined) return false;
      if (isRecord(response["result"])) return true;
    }
    const response = await this.#call("session/load", session.reload());
    const held = session.replayed();
    if (response === undefined) return false;
    this.#showUpdates(held);
    if (isRecord(response["result"])) session.noteOpened(response["result"]);
    else {
      this.#sessions.delete(session.id);
      this.#options.onNotice("a session could not be opened again on the server");
    }
    return false;
  }

  /** Decides about a request that was sent on the lost connection. */
  #sendAgain(id: unknown, message: Message, continued: ReadonlySet<string>): void {
    const sessionId = sessionIdOf(message);
    const { method } = message;
    const isContinued = sessionId !== undefined && continued.has(sessionId);
    // The server knows the prompt by its id and does not run it twice.
    if (method === "session/prompt" && isContinued) return this.#toRemote(message);
    if (repeatable.has(method)) return this.#toRemote(message);
    this.#fail(
      id,
      method === "session/prompt"
        ? "the connection to the server was lost during this turn; what it did until then is shown: send a prompt to go on"
        : "the connection to the server was lost: try again",
    );
  }

  #onEditorLine(line: string): void {
    const message = parseBoundedJson(line);
    if (!isRecord(message)) {
      const code = message === undefined ? errorCodes.parseError : errorCodes.invalidRequest;
      return this.#toEditor(failure(null, code, "the message must be one JSON object"));
    }
    if (this.#outage !== undefined && "id" in message && "method" in message)
      return this.#toEditor(failure(message["id"], errorCodes.internalError, this.#outage));
    if (this.#state === "open") return this.#forward(message);
    if (!("method" in message)) return this.#questions.answered(message);
    if (this.#waiting.length < maxWaiting) return void this.#waiting.push(message);
    if ("id" in message)
      this.#toEditor(failure(message["id"], errorCodes.internalError, "the server is gone, and too much waits for it"));
  }

  #forward(given: Message): void {
    if (!("method" in given)) return this.#questions.answered(given);
    let message: Message;
    try {
      message = forAgent(given, this.#options.paths);
    } catch (cause) {
      if (!(cause instanceof OutsideMap)) throw cause;
      if ("id" in given) this.#toEditor(failure(given["id"], errorCodes.invalidParams, cause.message));
      return;
    }
    if (message["method"] === "initialize") this.#initialize = message;
    if (message["method"] === "session/prompt") {
      this.#questions.turnBegins(sessionIdOf(message));
      message = this.#named(message);
    }
    if ("id" in message) this.#pending.set(message["id"], message);
    // `session/load` replays before it is answered, so its session must be known.
    if (message["method"] === "session/load") this.#addSession(sessionIdOf(message), message["params"]);
    this.#toRemote(message);
  }

  /** A prompt with an id, by which a Bowline server knows it when it is sent again. */
  #named(message: Message): Message {
    const { params } = message;
    if (!isRecord(params)) return message;
    this.#sessions.get(String(params["sessionId"]))?.seen.addPrompt(params["prompt"]);
    if (!this.#hasEventIds) return message;
    const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
    const bowline = { ...bowlineMeta(params), promptId: randomUUID() };
    return { ...message, params: { ...params, _meta: { ...meta, bowline } } };
  }

  #onRemoteLine(line: string): void {
    const message = parseBoundedJson(line);
    if (!isRecord(message)) return;
    if (!("method" in message)) return this.#onResponse(message);
    if (message["method"] === "$/cancel_request") return this.#questions.cancelled(message);
    let mapped: Message;
    try {
      mapped = forEditor(message, this.#options.paths);
    } catch (cause) {
      if (!(cause instanceof OutsideMap)) throw cause;
      if ("id" in message) this.#toRemote(failure(message["id"], errorCodes.invalidParams, cause.message));
      return;
    }
    if ("id" in mapped) return this.#questions.ask(mapped);
    const session = this.#sessions.get(sessionIdOf(mapped) ?? "");
    if (mapped["method"] !== "session/update" || session === undefined || !isRecord(mapped["params"]))
      return this.#toEditor(mapped);
    this.#showUpdates(session.update(mapped["params"]));
  }

  #showUpdates(all: readonly Message[]): void {
    for (const params of all) this.#toEditor({ jsonrpc: "2.0", method: "session/update", params });
  }

  #onResponse(message: Message): void {
    const settle = this.#calls.get(message["id"]);
    if (settle !== undefined) {
      this.#calls.delete(message["id"]);
      return settle(message);
    }
    const request = this.#pending.get(message["id"]);
    if (request === undefined && message["id"] !== null) return;
    this.#pending.delete(message["id"]);
    this.#toEditor(request === undefined ? message : this.#noted(request, message));
  }

  /** Keeps the session state in the response to a request of the editor. */
  #noted({ method, params }: Message, response: Message): Message {
    const { result } = response;
    if (method === "initialize") {
      this.#noteCapabilities(result);
      this.#connected();
    }
    const sessionId = sessionIdOf({ params: result }) ?? sessionIdOf({ params });
    if (opening.has(method)) {
      if (isRecord(result)) this.#addSession(sessionId, params)?.noteOpened(result);
      else if (sessionId !== undefined) this.#sessions.delete(sessionId);
    }
    if (isRecord(result) && (method === "session/close" || method === "session/delete"))
      this.#sessions.delete(sessionId ?? "");
    return method === "session/list" ? { ...response, result: listForEditor(result, this.#options.paths) } : response;
  }

  #addSession(id: string | undefined, params: unknown): RemoteSession | undefined {
    if (id === undefined || !isRecord(params)) return undefined;
    const session = this.#sessions.get(id) ?? new RemoteSession(id, params);
    this.#sessions.set(id, session);
    return session;
  }

  #noteCapabilities(result: unknown): void {
    const capabilities = isRecord(result) ? result["agentCapabilities"] : undefined;
    this.#hasEventIds = bowlineMeta(capabilities)?.["eventIds"] === true;
  }

  /** Calls the server for ourselves. Resolves with the response; with undefined when the connection is lost. */
  #call(method: string, params: unknown): Promise<Message | undefined> {
    const id = `bowline-connect-${randomUUID()}`;
    return new Promise((resolve) => {
      this.#calls.set(id, resolve);
      this.#toRemote({ jsonrpc: "2.0", id, method, params });
    });
  }

  #fail(id: unknown, sentence: string): void {
    if (this.#pending.delete(id)) this.#toEditor(failure(id, errorCodes.internalError, sentence));
  }

  /** A side that does not read stops the other side. */
  #toEditor(message: Message): void {
    if (!this.#options.editor.send(JSON.stringify(message))) this.#remote?.link.pause();
  }

  #toRemote(message: Message): void {
    if (this.#remote?.link.send(JSON.stringify(message)) === false) this.#options.editor.pause();
  }

  #close(why: string | undefined): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#cancelTimer();
    this.#cancelOutage();
    this.#cancelTelling();
    if (why !== undefined) {
      for (const id of this.#pending.keys()) this.#fail(id, why);
      for (const { id } of this.#waiting)
        if (id !== undefined) this.#toEditor(failure(id, errorCodes.internalError, why));
    }
    this.#remote?.link.close("the editor is gone");
    this.#options.editor.close(why ?? "the editor is gone");
    this.#resolveClosed(why);
  }
}

function sessionIdOf({ params }: Message): string | undefined {
  const id = isRecord(params) ? params["sessionId"] : undefined;
  return typeof id === "string" ? id : undefined;
}

function failure(id: unknown, code: number, message: string): Message {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}
