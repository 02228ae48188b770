/**
 * A scripted remote agent that keeps its sessions while connections come and go, and the
 * editor's end of a forwarder that is connected to it.
 */
import type { Link } from "../../../lib/wire/index.ts";
import { memoryPair, parseJson } from "../../../lib/wire/index.ts";
import { Forwarder, type RemoteLink } from "../../../lib/program/connect/forwarder.ts";
import { type PathPair, pathMap } from "../../../lib/program/connect/path-map.ts";
import { fakeClock, type FakeClock } from "../fake-clock.ts";
import { LinkLog } from "../wire/link-log.ts";

/** Messages of the specs; every property is looked at by the spec itself. */
export type Any = Record<string, any>;

export interface RemoteAgentOptions {
  /** Numbers its updates and continues after an event, as `bowline serve` does. */
  readonly hasEventIds: boolean;
}

export class RemoteAgent {
  /** Every message that arrived, on any connection. */
  readonly received: Any[] = [];
  /** The updates of the only session, as they were sent. */
  readonly updates: Any[] = [];
  /** Texts that a full load replays instead of the updates. */
  replayed: readonly Any[] | undefined;
  /** Called after the replay of a load, before its response. */
  onLoad: () => void = () => {};
  /** The event id in the response to a load; none when left out. */
  staleEventId: string | undefined;
  isReachable = true;
  refusal: string | undefined;
  /** Called with each request that the agent has no fixed answer for. */
  onRequest: (message: Any) => void = () => {};
  readonly #hasEventIds: boolean;
  #link: Link | undefined;

  constructor({ hasEventIds }: RemoteAgentOptions) {
    this.#hasEventIds = hasEventIds;
  }

  readonly connect = (): RemoteLink => {
    const [far, near] = memoryPair();
    if (!this.isReachable) {
      queueMicrotask(() => near.close("nobody listens"));
      return { link: near, refusal: () => this.refusal };
    }
    this.#link = far;
    far.open({
      onLine: (line) => this.#link === far && this.#take(parseJson(line) as Any),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => {},
      onClose: () => {},
    });
    this.cut = () => {
      this.#link = undefined;
      near.close("cut");
    };
    return { link: near, refusal: () => this.refusal };
  };

  /** Breaks the present connection; what is on its way is lost. */
  cut: () => void = () => {};

  send(message: Any): void {
    this.#link?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Adds an update to the session, also without a connection. */
  update(update: Any): void {
    this.updates.push(update);
    this.#sendUpdate(this.updates.length);
  }

  text(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #sendUpdate(id: number): void {
    const meta = this.#hasEventIds ? { _meta: { bowline: { eventId: `e-${id}` } } } : {};
    this.send({ method: "session/update", params: { sessionId: "s1", update: this.updates[id - 1], ...meta } });
  }

  #take(message: Any): void {
    this.received.push(message);
    const { id, method, params } = message;
    if (method === "initialize") {
      const meta = this.#hasEventIds ? { _meta: { bowline: { eventIds: true } } } : {};
      return this.send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true, ...meta } } });
    }
    if (method === "session/new") return this.send({ id, result: { sessionId: "s1" } });
    if (method !== "session/load") return this.onRequest(message);
    const after = params._meta?.bowline?.afterEventId;
    const from = after === undefined ? 0 : Number(String(after).slice(2));
    if (after === undefined && this.replayed !== undefined)
      for (const update of this.replayed) this.send({ method: "session/update", params: { sessionId: "s1", update } });
    else for (let one = from + 1; one <= this.updates.length; one++) this.#sendUpdate(one);
    this.onLoad();
    const meta = this.staleEventId === undefined ? {} : { _meta: { bowline: { eventId: this.staleEventId } } };
    this.send({ id, result: meta });
  }
}

export interface ConnectedEditor {
  readonly clock: FakeClock;
  readonly notices: string[];
  readonly forwarder: Forwarder;
  readonly log: LinkLog;
  readonly send: (message: Any) => void;
  readonly messages: () => Any[];
  /** The message for which the condition holds, once it has arrived. */
  readonly until: (holds: (message: Any) => boolean) => Promise<Any>;
  /** Sends a request and returns its response. */
  readonly call: (id: number, method: string, params: object) => Promise<Any>;
  readonly close: () => void;
}

export function connectedEditor(remote: RemoteAgent, pairs: readonly PathPair[] = []): ConnectedEditor {
  const clock = fakeClock();
  const notices: string[] = [];
  const [editor, near] = memoryPair();
  const log = new LinkLog();
  editor.open(log);
  const forwarder = new Forwarder({
    editor: near,
    paths: pathMap(pairs),
    connect: remote.connect,
    after: clock.after,
    retryMs: () => 100,
    onNotice: (sentence) => notices.push(sentence),
  });
  const messages = (): Any[] => log.lines.map((line) => parseJson(line) as Any);
  const send = (message: Any): void => void editor.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const until = async (holds: (message: Any) => boolean): Promise<Any> => {
    await log.until(() => messages().some(holds));
    return messages().find(holds) ?? {};
  };
  return {
    clock,
    notices,
    forwarder,
    log,
    send,
    messages,
    until,
    call: (id, method, params) => {
      send({ id, method, params });
      return until((message) => message["id"] === id && !("method" in message));
    },
    close: () => editor.close("done"),
  };
}
