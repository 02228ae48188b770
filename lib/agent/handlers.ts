/**
 * Implements the agent's ACP methods: each handler maps one request to calls on the
 * session registry, a session or the session store.
 *
 * Covers every method of the protocol; the extensions are in steering.ts. Keeps no state.
 */
import {
  type AgentHandlers,
  type ContentBlock,
  type LoadSessionResponse,
  type NewSessionResponse,
  type PromptResponse,
  update,
} from "../acp/index.ts";
import { oneLine } from "../display/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Call, errorCodes, RpcError } from "../rpc/index.ts";
import type { AgentContext } from "./agent-context.ts";
import { isUnknownConversation, rpcErrorOf, unknownSession } from "./errors.ts";
import type { Session } from "./session/session.ts";
import { readRequestedOptions } from "./sessions/requested-options.ts";
import type { SessionRegistry, SessionRequest } from "./sessions/session-registry.ts";
import { configOptions, legacyModels, modeState } from "./settings/config-options.ts";
import { forkMessage } from "./sessions/fork-message.ts";
import { hasLinkedFiles, withLinkedFiles } from "./turn/linked-files.ts";

export function agentHandlers(context: AgentContext, sessions: SessionRegistry): Required<AgentHandlers> {
  const { client, engine } = context;
  const { conversations: store } = engine;

  /** The response that opens a session. It is sent before the first update of that session. */
  function newSessionResponse(session: Session): NewSessionResponse {
    setImmediate(() => session.announce());
    const { view } = session.settings;
    return {
      sessionId: session.id,
      modes: modeState(view),
      configOptions: configOptions(view),
      ...(context.isLegacy && { models: legacyModels(view) }),
    };
  }

  /** Waits for a session to open, and closes it again if the client cancelled the request meanwhile. */
  async function openUnlessAborted(call: Call, opening: Promise<Session>): Promise<Session> {
    const session = await opening;
    if (call.isAborted) await sessions.close(session.id, "the request was cancelled");
    return session;
  }

  /** The same for `session/load` and `session/resume`, where the client has named the id itself. */
  function loadSessionResponse(session: Session): LoadSessionResponse {
    const { sessionId: _, ...response } = newSessionResponse(session);
    return response;
  }

  return {
    authenticate: async ({ methodId }) => {
      const ids = client.authMethods.map(({ id }) => id);
      if (!ids.includes(methodId)) {
        throw new RpcError(errorCodes.invalidParams, `methodId must be ${ids.join(" or ")}`);
      }
      await engine.checkSignIn().catch(fail);
    },
    logout: async () => {
      await engine.signOut().catch(fail);
      await sessions.discardPrewarmed("the person signed out");
    },
    "session/new": async (params, call) => {
      const { resume, ...request } = withRequestedOptions(params);
      const opening =
        resume === undefined ? sessions.create(request) : sessions.reopen(resume, request, false, call.signal);
      return newSessionResponse(await openUnlessAborted(call, opening));
    },
    "session/load": async ({ sessionId, ...params }, call) => {
      const opening = sessions.reopen(sessionId, withRequestedOptions(params), true, call.signal);
      return loadSessionResponse(await openUnlessAborted(call, opening));
    },
    "session/resume": async ({ sessionId, ...params }, call) => {
      const opening = sessions.reopen(sessionId, withRequestedOptions(params), false, call.signal);
      return loadSessionResponse(await openUnlessAborted(call, opening));
    },
    "session/fork": async ({ sessionId, ...params }, call) =>
      newSessionResponse(
        await openUnlessAborted(
          call,
          sessions.fork(sessionId, withRequestedOptions(params), forkMessage(params._meta ?? undefined)),
        ),
      ),
    "session/list": async ({ cwd, cursor }) => {
      const page = await store.list(cwd ?? undefined, cursor ?? undefined);
      if (page.kind === "bad-cursor") throw new RpcError(errorCodes.invalidParams, "cursor must be one that was given");
      return { sessions: page.sessions, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) };
    },
    "session/delete": async ({ sessionId }) => {
      // A command such as `/clear` begins a second conversation, which belongs to the same session.
      const ids = new Set([sessionId, sessions.find(sessionId)?.conversationId ?? sessionId]);
      await sessions.close(sessionId, "it was deleted");
      for (const id of ids) {
        // A session that does not exist is deleted already.
        await store.remove(id).catch((cause: unknown) => (isUnknownConversation(cause) ? undefined : fail(cause)));
      }
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
      await store.rename(session?.conversationId ?? sessionId, title).catch(fail);
      if (session !== undefined) await client.update(sessionId, update.sessionInfo({ title }));
      return { title };
    },
    "session/prompt": ({ sessionId, prompt }) => runPrompt(context, sessions.get(sessionId), prompt),
    "session/cancel": ({ sessionId }) => sessions.find(sessionId)?.cancel(),
    "session/set_mode": async ({ sessionId, modeId }) => {
      const session = sessions.get(sessionId);
      await session.settings.set("mode", modeId);
      session.settings.publish();
    },
    "session/set_config_option": async ({ sessionId, configId, value }) => {
      const session = sessions.get(sessionId);
      await session.settings.set(configId, value);
      return { configOptions: configOptions(session.settings.view) };
    },
    "session/set_model": async ({ sessionId, modelId }) => {
      const session = sessions.get(sessionId);
      await session.settings.set("model", modelId);
      session.settings.publish();
      return {};
    },
    "session/close": ({ sessionId }) => sessions.close(sessions.get(sessionId).id, "the session was closed"),
  };
}

/**
 * Runs a prompt in a session. Links to files are replaced by the text that the editor has, when the prompt is
 * about to be sent. Throws an `RpcError` when the engine cannot take the prompt.
 */
export function runPrompt(
  { client, engine, textOf }: AgentContext,
  session: Session,
  prompt: readonly ContentBlock[],
): Promise<PromptResponse> {
  checkPrompt(engine, prompt);
  if (!prompt.some(({ type }) => type === "resource_link")) return session.prompt(prompt);
  const linkOptions = {
    client,
    sessionId: session.id,
    textOf,
    isAlways: session.prefersEditorText,
    mayInline: (path: string) => session.mayInlineFile(path, prompt),
  };
  const refine = (): Promise<readonly ContentBlock[]> => withLinkedFiles(prompt, linkOptions);
  return session.prompt(prompt, hasLinkedFiles(prompt, client) ? refine : undefined);
}

export function checkPrompt(engine: Engine, prompt: readonly ContentBlock[]): void {
  const why = engine.refusalOf(prompt);
  if (why !== undefined) throw new RpcError(errorCodes.invalidParams, `session/prompt: ${why}`);
}

/** The request with the options that the client requests in `_meta`. */
function withRequestedOptions(params: SessionRequest): SessionRequest & { readonly resume: string | undefined } {
  const { requestedOptions, directories, resume } = readRequestedOptions({ ...params });
  const { cwd, mcpServers, additionalDirectories = [] } = params;
  return {
    cwd,
    mcpServers,
    additionalDirectories: [...additionalDirectories, ...directories],
    requestedOptions: Object.keys(requestedOptions).length === 0 ? undefined : requestedOptions,
    resume,
  };
}

/** Rethrows a failure of the engine as an error for the client. */
function fail(cause: unknown): never {
  throw rpcErrorOf(cause);
}
