/**
 * ACP side: the messages of an ACP connection in, packets out.
 *
 * Answers are matched with what they answer, each side's ids for themselves. Where
 * only the agent's side was kept, an answer belongs to the session that spoke last.
 */
import { PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, SessionUpdate } from "../../acp/index.ts";
import { type Packet, PacketStream } from "../../packets/index.ts";
import { Fault, isRecord } from "../../schema/index.ts";
import {
  BadLine,
  type Direction,
  dropOldest,
  type Fields,
  type LineOptions,
  maxSessions,
  type SessionPacket,
} from "./packet-line.ts";

/** Calls that wait for their answer; the oldest is forgotten first. */
const maxWaiting = 10_000;

/** Without one of these there is no session to speak of. */
const opensSession: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

interface PacketSession {
  readonly id: string;
  readonly stream: PacketStream;
  /** Prompts that are not answered yet; the first one runs. */
  readonly prompts: { readonly key: string; readonly prompt: PromptRequest["prompt"] }[];
}

/** A request that waits for its answer. */
interface OpenCall {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
}

export class AcpLines {
  readonly #options: LineOptions;
  readonly #sessions = new Map<string, PacketSession>();
  /** By the id of each side's own; the client's under `c`, the agent's under `a`. */
  readonly #waiting = new Map<string, OpenCall>();
  /** Whether the client's side is told too. */
  #hasRequests = false;
  #last = "";

  constructor(options: LineOptions) {
    this.#options = options;
  }

  take(message: Fields, direction: Direction): readonly SessionPacket[] | BadLine {
    const { method, id, params, sessionUpdate, update, stopReason } = message;
    if (typeof method === "string") return this.#call(method, id, params);
    if ("result" in message || "error" in message) return this.#answer(message, direction);
    if (update !== undefined) return this.#update(message["sessionId"], update);
    if (sessionUpdate !== undefined) return this.#update(undefined, message);
    if (typeof stopReason === "string")
      return this.#of(message["sessionId"], (to) => to.stream.answered({ stopReason }));
    return new BadLine("it is no message of ACP and none of the Claude CLI");
  }

  #call(method: string, id: unknown, params: unknown): readonly SessionPacket[] | BadLine {
    const fields = isRecord(params) ? params : {};
    const sessionId = typeof fields["sessionId"] === "string" ? fields["sessionId"] : undefined;
    const cwd = typeof fields["cwd"] === "string" ? fields["cwd"] : undefined;
    if (method === "session/update") return this.#update(sessionId, fields["update"]);
    if (id === undefined) return [];
    const key = `${method === "session/request_permission" ? "a" : "c"} ${JSON.stringify(id)}`;
    this.#waiting.set(key, { method, sessionId, cwd });
    dropOldest(this.#waiting, maxWaiting);
    this.#hasRequests ||= key.startsWith("c");
    if (method === "session/prompt") return this.#prompt(key, params);
    if (method === "session/request_permission") return this.#permission(id, params);
    // Loading shows the conversation before it answers.
    if (sessionId !== undefined && cwd !== undefined) this.#session(sessionId, cwd);
    return [];
  }

  #prompt(key: string, params: unknown): readonly SessionPacket[] | BadLine {
    const read = PromptRequest.read(params);
    if (read instanceof Fault) return new BadLine(read.describe("params"));
    return this.#of(read.sessionId, ({ stream, prompts }) => {
      prompts.push({ key, prompt: read.prompt });
      return prompts.length === 1 ? stream.prompt(read.prompt) : [];
    });
  }

  #permission(id: unknown, params: unknown): readonly SessionPacket[] | BadLine {
    const read = RequestPermissionRequest.read(params);
    if (read instanceof Fault) return new BadLine(read.describe("params"));
    return this.#of(read.sessionId, ({ stream }) => stream.permission(String(id), read));
  }

  #answer(message: Fields, direction: Direction): readonly SessionPacket[] {
    const { id, result, error } = message;
    const outcome = isRecord(result) ? RequestPermissionOutcome.read(result["outcome"]) : undefined;
    const isClients = direction === "in" || (direction === undefined && isRecord(result) && "outcome" in result);
    const key = `${isClients ? "a" : "c"} ${JSON.stringify(id)}`;
    const asked = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (isClients) {
      const given = outcome === undefined || outcome instanceof Fault ? ({ outcome: "cancelled" } as const) : outcome;
      return asked === undefined
        ? []
        : this.#of(asked.sessionId, (to) => to.stream.permissionResolved(String(id), given));
    }
    if (asked === undefined && this.#hasRequests) return [];
    const { method = "session/prompt", sessionId, cwd } = asked ?? {};
    const answer = isRecord(result) ? result : {};
    if (typeof answer["sessionId"] === "string") this.#session(answer["sessionId"], cwd);
    const { stopReason } = answer;
    if (method === "session/prompt" && typeof stopReason === "string") {
      return this.#of(sessionId, (to) => ended(to, key, () => to.stream.answered({ stopReason })));
    }
    if (!isRecord(error) || (method !== "session/prompt" && !opensSession.has(method))) return [];
    return this.#of(sessionId, (to) => ended(to, key, () => to.stream.failed(readError(error))));
  }

  #update(sessionId: unknown, given: unknown): readonly SessionPacket[] | BadLine {
    const read = SessionUpdate.read(given);
    if (!(read instanceof Fault)) return this.#of(sessionId, ({ stream }) => stream.update(read));
    // ACP grows by new updates; those are for readers that know them.
    const isNew = isRecord(given) && typeof given["sessionUpdate"] === "string" && read.path[0] === "sessionUpdate";
    return isNew ? [] : new BadLine(read.describe("update"));
  }

  /** What a session does, under its name. */
  #of(sessionId: unknown, run: (session: PacketSession) => readonly Packet[]): readonly SessionPacket[] {
    const session = this.#session(typeof sessionId === "string" ? sessionId : this.#last, undefined);
    this.#last = session.id;
    return run(session).map((packet) => ({ sessionId: session.id, packet }));
  }

  #session(id: string, cwd: string | undefined): PacketSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const { now, isStrict } = this.#options;
    const stream = new PacketStream({ now, isStrict, cwd: cwd ?? this.#options.cwd });
    const session: PacketSession = { id, stream, prompts: [] };
    this.#sessions.set(id, session);
    dropOldest(this.#sessions, maxSessions);
    return session;
  }
}

/** A prompt is answered, and the next one runs. */
function ended({ stream, prompts }: PacketSession, key: string, end: () => readonly Packet[]): readonly Packet[] {
  const at = prompts.findIndex((one) => one.key === key);
  const [over] = at < 0 ? [] : prompts.splice(at, 1);
  // Refused while another runs: it was not shown yet.
  const shown = over !== undefined && at > 0 ? stream.prompt(over.prompt) : [];
  const packets = [...shown, ...end()];
  const [next] = prompts;
  return at === 0 && next !== undefined ? [...packets, ...stream.prompt(next.prompt)] : packets;
}

function readError({ message, code }: Fields): { readonly message: string; readonly code?: string | number } {
  const text = typeof message === "string" ? message : "the agent failed without saying why";
  return typeof code === "number" || typeof code === "string" ? { message: text, code } : { message: text };
}
