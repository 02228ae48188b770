/**
 * Converts the messages of an ACP connection to packets.
 *
 * Matches each response with its request; client and agent number their requests
 * independently. Where only the agent's side was recorded, a response belongs to the
 * session that was last active.
 */
import { PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, SessionUpdate } from "../../acp/index.ts";
import { type Packet, PacketStream } from "../../packets/index.ts";
import { Fault, type Fields, isRecord } from "../../schema/index.ts";
import {
  BadLine,
  type LineDirection,
  dropOldest,
  type LineOptions,
  maxSessions,
  type SessionPacket,
} from "./packet-line.ts";

/** Requests remembered until their response; beyond this the oldest is dropped. */
const maxWaiting = 10_000;

/** Requests whose failure is shown as an error packet, because without them there is no session. */
const opensSession: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

interface PacketSession {
  readonly id: string;
  readonly stream: PacketStream;
  /** Prompts without a response; the first one is running. */
  readonly prompts: { readonly key: string; readonly prompt: PromptRequest["prompt"] }[];
}

/** A request without a response. */
interface AcpCall {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
}

export class AcpLines {
  readonly #options: LineOptions;
  readonly #sessions = new Map<string, PacketSession>();
  /** By sender and request id: `c <id>` for requests of the client, `a <id>` for requests of the agent. */
  readonly #waiting = new Map<string, AcpCall>();
  /** Whether the input contains the client's requests too. */
  #hasRequests = false;
  #lastActive = "";

  constructor(options: LineOptions) {
    this.#options = options;
  }

  take(message: Fields, direction: LineDirection): readonly SessionPacket[] | BadLine {
    const { method, id, params, sessionUpdate, update, stopReason } = message;
    if (typeof method === "string") return this.#call(method, id, params);
    if ("result" in message || "error" in message) return this.#answer(message, direction);
    if (update !== undefined) return this.#update(message["sessionId"], update);
    if (sessionUpdate !== undefined) return this.#update(undefined, message);
    if (typeof stopReason === "string")
      return this.#inSession(message["sessionId"], (to) => to.stream.answered({ stopReason }));
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
    // session/load sends updates before its response, so the session must exist now.
    if (sessionId !== undefined && cwd !== undefined) this.#session(sessionId, cwd);
    return [];
  }

  #prompt(key: string, params: unknown): readonly SessionPacket[] | BadLine {
    const read = PromptRequest.read(params);
    if (read instanceof Fault) return new BadLine(read.describe("params"));
    return this.#inSession(read.sessionId, ({ stream, prompts }) => {
      prompts.push({ key, prompt: read.prompt });
      return prompts.length === 1 ? stream.prompt(read.prompt) : [];
    });
  }

  #permission(id: unknown, params: unknown): readonly SessionPacket[] | BadLine {
    const read = RequestPermissionRequest.read(params);
    if (read instanceof Fault) return new BadLine(read.describe("params"));
    return this.#inSession(read.sessionId, ({ stream }) => stream.permission(String(id), read));
  }

  #answer(message: Fields, direction: LineDirection): readonly SessionPacket[] {
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
        : this.#inSession(asked.sessionId, (to) => to.stream.permissionResolved(String(id), given));
    }
    if (asked === undefined && this.#hasRequests) return [];
    const { method = "session/prompt", sessionId, cwd } = asked ?? {};
    const answer = isRecord(result) ? result : {};
    if (typeof answer["sessionId"] === "string") this.#session(answer["sessionId"], cwd);
    const { stopReason } = answer;
    if (method === "session/prompt" && typeof stopReason === "string") {
      return this.#inSession(sessionId, (to) => ended(to, key, () => to.stream.answered({ stopReason })));
    }
    if (!isRecord(error) || (method !== "session/prompt" && !opensSession.has(method))) return [];
    return this.#inSession(sessionId, (to) => ended(to, key, () => to.stream.failed(readError(error))));
  }

  #update(sessionId: unknown, given: unknown): readonly SessionPacket[] | BadLine {
    const read = SessionUpdate.read(given);
    if (!(read instanceof Fault)) return this.#inSession(sessionId, ({ stream }) => stream.update(read));
    // A newer ACP version may add update kinds; an unknown kind is ignored, not an error.
    const isNew = isRecord(given) && typeof given["sessionUpdate"] === "string" && read.path[0] === "sessionUpdate";
    return isNew ? [] : new BadLine(read.describe("update"));
  }

  /** Runs `run` on a session and labels the packets with its id. */
  #inSession(sessionId: unknown, run: (session: PacketSession) => readonly Packet[]): readonly SessionPacket[] {
    const session = this.#session(typeof sessionId === "string" ? sessionId : this.#lastActive, undefined);
    this.#lastActive = session.id;
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

/** Removes a prompt that has its response and starts the next one. */
function ended({ stream, prompts }: PacketSession, key: string, end: () => readonly Packet[]): readonly Packet[] {
  const at = prompts.findIndex((one) => one.key === key);
  const [over] = at < 0 ? [] : prompts.splice(at, 1);
  // Answered while another prompt runs, e.g. refused: it has not been shown yet.
  const shown = over !== undefined && at > 0 ? stream.prompt(over.prompt) : [];
  const packets = [...shown, ...end()];
  const [next] = prompts;
  return at === 0 && next !== undefined ? [...packets, ...stream.prompt(next.prompt)] : packets;
}

function readError({ message, code }: Fields): { readonly message: string; readonly code?: string | number } {
  const text = typeof message === "string" ? message : "the agent failed without saying why";
  return typeof code === "number" || typeof code === "string" ? { message: text, code } : { message: text };
}
