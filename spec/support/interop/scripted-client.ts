/**
 * The scripted client and its user, which either library can serve.
 *
 * Keeps what the agent sent and asked, and answers as the spec has set it. Files and
 * terminals are in memory. Depends on neither library: it is given `fail`.
 */
import type {
  ClientMethods,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalExitStatus,
} from "../../../lib/index.ts";
import type { RequestName } from "../../../lib/rpc/index.ts";
import { gate, type HandlerGate } from "../rpc/peer-pair.ts";
import { Arrivals } from "./arrivals.ts";
import { type Fail, type Running, type Serve, untilAborted } from "./portable.ts";

/** A notification or a request of the agent. */
export interface AgentMessage {
  readonly method: string;
  readonly params: unknown;
}

interface ScriptedTerminal {
  readonly exited: HandlerGate<TerminalExitStatus>;
  status: TerminalExitStatus | undefined;
}

export class ScriptedClient {
  /** What the user answers to a permission request; undefined: the user does not answer. */
  outcome: RequestPermissionOutcome | undefined = { outcome: "cancelled" };
  elicitationAnswer: CreateElicitationResponse = { action: "cancel" };
  readonly files = new Map<string, string>();
  /** The agent's requests, in order. */
  readonly asked = new Arrivals<AgentMessage>();
  /** The agent's notifications, but for updates. */
  readonly notifications = new Arrivals<AgentMessage>();
  /** The messages that reached the client, as JSON, in the order of the wire. */
  readonly wire: string[] = [];
  readonly #updates = new Map<string, Arrivals<SessionUpdate>>();
  readonly #terminals = new Map<string, ScriptedTerminal>();
  readonly #questions = new Map<string, HandlerGate<RequestPermissionResponse>>();
  readonly #holding = gate();

  updates(sessionId: string): Arrivals<SessionUpdate> {
    const arrivals = this.#updates.get(sessionId) ?? new Arrivals();
    this.#updates.set(sessionId, arrivals);
    return arrivals;
  }

  /** The next message of a session, parsed as JSON. */
  async report(sessionId: string): Promise<unknown> {
    const next = await this.updates(sessionId).next();
    if (next.sessionUpdate !== "agent_message_chunk" || next.content.type !== "text") return next;
    return JSON.parse(next.content.text);
  }

  /** Answers a session's open question `cancelled`; our own client does this automatically. */
  dismiss(sessionId: string): void {
    this.#questions.get(sessionId)?.open({ outcome: { outcome: "cancelled" } });
  }

  requests(fail: Fail): { readonly [M in RequestName<ClientMethods>]: Serve<ClientMethods[M]> } {
    const terminal = (terminalId: string): ScriptedTerminal => {
      const found = this.#terminals.get(terminalId);
      if (found === undefined) throw fail(-32002, "no such terminal");
      return found;
    };
    return {
      "session/request_permission": (params) => {
        this.asked.add({ method: "session/request_permission", params });
        if (this.outcome !== undefined) return { outcome: this.outcome };
        const question = gate<RequestPermissionResponse>();
        this.#questions.set(params.sessionId, question);
        return question.opened;
      },
      "fs/read_text_file": ({ path, line, limit }) => {
        const text = this.files.get(path);
        if (text === undefined) throw fail(-32002, "no such file", { uri: `file://${path}` });
        const start = (line ?? 1) - 1;
        const lines = text.split("\n").slice(start, limit == null ? undefined : start + limit);
        return { content: lines.join("\n") };
      },
      "fs/write_text_file": ({ path, content }) => void this.files.set(path, content),
      "terminal/create": (params) => {
        this.asked.add({ method: "terminal/create", params });
        const terminalId = `terminal-${this.#terminals.size + 1}`;
        this.#terminals.set(terminalId, { exited: gate(), status: undefined });
        return { terminalId };
      },
      "terminal/output": ({ terminalId }) => {
        const { status } = terminal(terminalId);
        return { output: status === undefined ? "up" : "up\ndown", truncated: false, exitStatus: status ?? null };
      },
      "terminal/wait_for_exit": ({ terminalId }) => terminal(terminalId).exited.opened,
      "terminal/kill": ({ terminalId }) => {
        const found = terminal(terminalId);
        found.status = { exitCode: null, signal: "SIGTERM" };
        found.exited.open(found.status);
      },
      "terminal/release": ({ terminalId }) => void this.#terminals.delete(terminalId),
      "elicitation/create": (params) => {
        this.asked.add({ method: "elicitation/create", params });
        return this.elicitationAnswer;
      },
    };
  }

  readonly extensionRequests: Readonly<Record<`_${string}`, (params: unknown, running: Running) => unknown>> = {
    "_x/echo": (params) => params,
    "_x/hold": async (params, { signal }) => {
      this.#holding.open();
      try {
        return await untilAborted(signal);
      } finally {
        this.notifications.add({ method: "released at the client", params });
      }
    },
    "_x/holding": async () => {
      await this.#holding.opened;
      return {};
    },
  };

  /** Extension notifications that the scripted client handles. */
  readonly extensionNotifications = ["_x/held", "_x/released", "_x/noted"] as const;
}
