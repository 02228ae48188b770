/**
 * The scripted agent, which either library can serve.
 *
 * Authentication comes before sessions; sessions have modes, options and a history that
 * `session/load` replays. Depends on neither library.
 */
import {
  type AgentMethods,
  type NewSessionResponse,
  type SessionInfo,
  type SessionUpdate,
  update,
} from "../../../lib/index.ts";
import type { RequestName } from "../../../lib/rpc/index.ts";
import { type Running, type Serve, untilAborted } from "./portable.ts";
import { configOptions, modes, setupKey } from "./samples.ts";
import type { AgentCalls } from "./agent-calls.ts";
import { playTurn } from "./scripted-turns.ts";

/** The methods that the scripted agent serves; the library adds `initialize`. */
type Served = Exclude<RequestName<AgentMethods>, "initialize" | "session/set_model">;

export type ScriptedAgent = { readonly [M in Served]: Serve<AgentMethods[M]> };

/** Handlers of methods outside the protocol. */
export interface ScriptedExtensions {
  readonly requests: Readonly<Record<`_${string}`, (params: unknown, running: Running) => unknown>>;
  readonly notifications: Readonly<Record<`_${string}`, (params: unknown) => unknown>>;
}

interface ScriptedSession {
  readonly cwd: string;
  readonly history: SessionUpdate[];
  title: string | undefined;
  modeId: string;
  model: string;
  isFast: boolean;
  isOpen: boolean;
}

/** Sessions on one page of `session/list`. */
const pageSize = 2;

export function scriptedAgent(calls: AgentCalls): ScriptedAgent {
  const sessions = new Map<string, ScriptedSession>();
  let isSignedIn = false;

  const begin = (cwd: string, from?: ScriptedSession): NewSessionResponse => {
    const sessionId = `session-${sessions.size + 1}`;
    const session = from ?? { history: [], title: undefined, modeId: "ask", model: "oak", isFast: false };
    sessions.set(sessionId, { ...session, history: [...session.history], cwd, isOpen: true });
    return { sessionId, ...stateOf(find(sessionId)) };
  };

  const find = (sessionId: string): ScriptedSession => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw calls.fail(-32002, "no such session", { sessionId });
    return session;
  };

  const findOpen = (sessionId: string): ScriptedSession => {
    const session = find(sessionId);
    if (!session.isOpen) throw calls.fail(-32002, "the session is closed", { sessionId });
    return session;
  };

  return {
    authenticate: ({ methodId }) => {
      if (methodId !== "token") throw calls.fail(-32602, "no such method");
      isSignedIn = true;
    },
    logout: () => {
      isSignedIn = false;
    },
    "session/new": (params) => {
      if (!isSignedIn) throw calls.fail(-32000, "sign in first");
      return { ...begin(params.cwd), _meta: { [setupKey]: params } };
    },
    "session/load": async ({ sessionId }) => {
      const session = find(sessionId);
      session.isOpen = true;
      for (const one of session.history) await calls.update(sessionId, one);
      return stateOf(session);
    },
    "session/resume": ({ sessionId }) => {
      const session = find(sessionId);
      session.isOpen = true;
      return stateOf(session);
    },
    "session/list": ({ cwd, cursor }) => {
      const start = Number(cursor ?? 0);
      if (!Number.isInteger(start)) throw calls.fail(-32602, "no such cursor");
      const all = [...sessions].filter(([, session]) => cwd == null || session.cwd === cwd).map(describeSession);
      const end = start + pageSize;
      return { sessions: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
    },
    "session/delete": ({ sessionId }) => void sessions.delete(sessionId),
    "session/close": ({ sessionId }) => {
      findOpen(sessionId).isOpen = false;
    },
    "session/set_mode": async ({ sessionId, modeId }) => {
      const isKnown = modes.availableModes.some(({ id }) => id === modeId);
      if (!isKnown) throw calls.fail(-32602, "no such mode");
      findOpen(sessionId).modeId = modeId;
      await calls.update(sessionId, update.currentMode(modeId));
    },
    "session/set_config_option": (params) => {
      const session = findOpen(params.sessionId);
      if (params.type === "boolean") session.isFast = params.value;
      else session.model = params.value;
      return { configOptions: configOptions(session.model, session.isFast) };
    },
    "session/prompt": async (params, { signal }) => {
      const { history } = findOpen(params.sessionId);
      for (const block of params.prompt) history.push(update.userMessage(block));
      return { stopReason: await playTurn(keeping(calls, history), params, signal) };
    },
    "session/fork": ({ sessionId, cwd }) => begin(cwd, find(sessionId)),
    "session/set_title": ({ sessionId, title }) => {
      find(sessionId).title = title.trim();
      return { title: title.trim() };
    },
    "session/status": ({ sessionId }) => ({ status: find(sessionId).isOpen ? "open" : "saved" }),
  };
}

export function scriptedExtensions(calls: AgentCalls): ScriptedExtensions {
  return {
    requests: {
      "_x/echo": (params) => params,
      "_x/client": () => calls.client(),
      "_x/hold": async (params, { signal }) => {
        calls.tell("_x/held", params);
        try {
          return await untilAborted(signal);
        } finally {
          calls.tell("_x/released", params);
        }
      },
    },
    notifications: {
      "_x/note": (params) => calls.tell("_x/noted", params),
    },
  };
}

function stateOf({ modeId, model, isFast }: ScriptedSession): Omit<NewSessionResponse, "sessionId"> {
  return { modes: { ...modes, currentModeId: modeId }, configOptions: configOptions(model, isFast) };
}

function describeSession([sessionId, { cwd, title }]: readonly [string, ScriptedSession]): SessionInfo {
  return { sessionId, cwd, title, updatedAt: "2026-01-02T03:04:05Z" };
}

/** The client's methods, with a record of the updates that were sent. */
function keeping(calls: AgentCalls, history: SessionUpdate[]): AgentCalls {
  return {
    ...calls,
    update: (sessionId, one) => {
      history.push(one);
      return calls.update(sessionId, one);
    },
  };
}
