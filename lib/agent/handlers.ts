/**
 * Handlers: each method of the protocol, in the words of the sessions.
 */
import {
  type AgentConnection,
  type ContentBlock,
  type LoadSessionResponse,
  type NewSessionResponse,
  PromptRequest,
  update,
} from "../acp/index.ts";
import type { Environment, PromptFrame } from "../claude/index.ts";
import { type Call, errorCodes, RpcError } from "../rpc/index.ts";
import { Fault } from "../schema/index.ts";
import { oneLine, readPrompt } from "../claude/translate/index.ts";
import { unknownSession } from "./errors.ts";
import { hasLinkedFiles, withLinkedFiles } from "./turn/linked-files.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import type { Session } from "./session/session.ts";
import type { SessionRegistry } from "./sessions/session-registry.ts";
import { configOptions, legacyModels, modeState } from "./settings/settings.ts";
import { checkSignIn, signOut } from "./auth/status.ts";
import type { AgentCore } from "./agent-core.ts";

export interface HandlerOptions {
  readonly env: Environment;
  readonly store: SessionStore;
  readonly isLegacy?: boolean | undefined;
  /** A file's text on disk, where that can be known. */
  readonly textOf?: ((path: string) => string | undefined) | undefined;
}

export function agentHandlers(
  client: AgentConnection,
  sessions: SessionRegistry,
  options: HandlerOptions,
): AgentCore["handlers"] {
  const { store } = options;

  /** The answer that opens a session; it leaves before anything is told of it. */
  function opened(session: Session): NewSessionResponse {
    setImmediate(() => session.announce());
    const { features, current } = session.settings;
    return {
      sessionId: session.id,
      modes: modeState(features, current),
      configOptions: configOptions(features, current),
      ...(options.isLegacy === true && { models: legacyModels(features, current) }),
    };
  }

  /** A session whose request was cancelled meanwhile is closed again. */
  async function wanted(call: Call, opening: Promise<Session>): Promise<Session> {
    const session = await opening;
    if (call.isAborted) await sessions.close(session.id, "the request was cancelled");
    return session;
  }

  /** The same for a session whose id the client knows. */
  function reopened(session: Session): LoadSessionResponse {
    const { sessionId: _, ...state } = opened(session);
    return state;
  }

  return {
    authenticate: ({ methodId }) => checkSignIn(methodId, options.env),
    logout: async () => {
      await signOut(options.env);
      await sessions.discardPrewarmed("the person signed out");
    },
    "session/new": async (wish, call) => opened(await wanted(call, sessions.create(wish))),
    "session/load": async ({ sessionId, ...wish }, call) =>
      reopened(await wanted(call, sessions.reopen(sessionId, wish, true, call.signal))),
    "session/resume": async ({ sessionId, ...wish }, call) =>
      reopened(await wanted(call, sessions.reopen(sessionId, wish, false, call.signal))),
    "session/fork": async ({ sessionId, ...wish }, call) => opened(await wanted(call, sessions.fork(sessionId, wish))),
    "session/list": async ({ cwd, cursor }) => {
      const page = await store.list(cwd ?? undefined, cursor ?? undefined);
      if (page.kind === "bad-cursor") throw new RpcError(errorCodes.invalidParams, "cursor must be one that was given");
      return { sessions: page.sessions, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) };
    },
    "session/delete": async ({ sessionId }) => {
      // What came after a `/clear` belongs to it too.
      const ids = new Set([sessionId, sessions.find(sessionId)?.conversationId ?? sessionId]);
      await sessions.close(sessionId, "it was deleted");
      for (const id of ids) await store.remove(id);
    },
    "session/status": async ({ sessionId }) => {
      if (sessions.find(sessionId) !== undefined) return { status: "open" };
      if (!(await store.has(sessionId))) throw unknownSession(sessionId);
      const cwd = await store.directoryOf(sessionId);
      // The HTTP server decides by this directory whether a conversation may be opened.
      return { status: "saved", ...(cwd !== undefined && { _meta: { cwd } }) };
    },
    "session/set_title": async ({ sessionId, title: given }) => {
      const title = oneLine(given);
      if (title === "") throw new RpcError(errorCodes.invalidParams, "title must not be empty");
      const session = sessions.find(sessionId);
      if ((await session?.rename(title)) === true) return { title };
      if (session === undefined && !(await store.has(sessionId))) throw unknownSession(sessionId);
      await store.rename(session?.conversationId ?? sessionId, title);
      if (session !== undefined) await client.update(sessionId, update.sessionInfo({ title }));
      return { title };
    },
    "session/prompt": ({ sessionId, prompt }) => {
      const session = sessions.get(sessionId);
      const { textOf = () => undefined } = options;
      const callbacks = { client, sessionId, textOf, isAlways: session.settings.current.edits };
      const refine = async (): Promise<PromptContent> => contentOf(await withLinkedFiles(prompt, callbacks));
      return session.prompt(contentOf(prompt), hasLinkedFiles(prompt, client) ? refine : undefined);
    },
    "session/cancel": ({ sessionId }) => sessions.find(sessionId)?.cancel(),
    "session/set_mode": async ({ sessionId, modeId }) => {
      const session = sessions.get(sessionId);
      await session.changeOption("mode", modeId);
      session.settings.publish();
    },
    "session/set_config_option": async ({ sessionId, configId, value }) => {
      const session = sessions.get(sessionId);
      await session.changeOption(configId, value);
      return { configOptions: configOptions(session.settings.features, session.settings.current) };
    },
    "session/set_model": async ({ sessionId, modelId }) => {
      const session = sessions.get(sessionId);
      await session.changeOption("model", modelId);
      session.settings.publish();
      return {};
    },
    "session/close": ({ sessionId }) => sessions.close(sessions.get(sessionId).id, "the session was closed"),
  };
}

/** `_session/steer`: a prompt for the turn that runs, instead of one of its own. */
export function steering(sessions: SessionRegistry): AgentCore["steer"] {
  return (params) => {
    const read = PromptRequest.read(params);
    if (read instanceof Fault)
      throw new RpcError(errorCodes.invalidParams, `_session/steer: ${read.describe("params")}`);
    if (sessions.get(read.sessionId).steer(contentOf(read.prompt))) return {};
    throw new RpcError(errorCodes.invalidRequest, "no turn runs in this session: send it as a prompt");
  };
}

type PromptContent = PromptFrame["message"]["content"];

function contentOf(prompt: readonly ContentBlock[]): PromptContent {
  const read = readPrompt(prompt);
  if (read.kind === "refused") throw new RpcError(errorCodes.invalidParams, `session/prompt: ${read.why}`);
  const [only, ...more] = read.parts;
  // A lone text is sent as text: the CLI runs slash commands only from there.
  return only?.type === "text" && more.length === 0 ? only.text : read.parts;
}
