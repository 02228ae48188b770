/**
 * Agent: Claude Code as an ACP agent, on one link.
 *
 * Every session is independent. When the client goes, so does everything that
 * was started for it.
 */
import { stat } from "node:fs/promises";
import { agent, type AgentConnection, type InitializeRequest, type NewSessionResponse } from "../acp/index.ts";
import type { After } from "../claude/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { readPrompt, type View } from "../translate/index.ts";
import { version } from "../version.ts";
import type { Link } from "../wire/index.ts";
import { unknownSession } from "./failures.ts";
import type { Launcher } from "./launcher.ts";
import { mcpConfiguration } from "./mcp-servers.ts";
import { Session } from "./session.ts";
import { configOptions, legacyModels, modeState, type Settings } from "./settings.ts";
import { checkSignIn, type Program, signInMethods, signOut } from "./sign-in.ts";

export interface ClaudeAgentOptions {
  readonly launcher: Launcher;
  readonly after: After;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: Program;
  /** What sessions begin with; what is left out is the user's own choice. */
  readonly settings?: Partial<Settings> | undefined;
  /** Also speaks the dialect of 2025: `models` and `current_model_update`. */
  readonly isLegacy?: boolean | undefined;
  /** A file's text as it is now, where that can be known. */
  readonly textOf?: View["textOf"] | undefined;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass?: boolean | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface ClaudeAgent {
  readonly connection: AgentConnection;
  /** Ends every session and what it started. */
  readonly stop: (reason: string) => Promise<void>;
}

export function claudeAgent(link: Link, options: ClaudeAgentOptions): ClaudeAgent {
  const sessions = new Map<string, Session>();
  /** Where a session was opened before; only the first continues what was there. */
  const visited = new Set<string>();
  const onBug = options.onBug ?? (() => {});
  const connection = agent(
    link,
    {
      info: { name: "bowline", title: "Claude Code", version },
      prompt: { image: true, embeddedContext: true },
      mcp: { http: true, sse: true },
      additionalDirectories: true,
      authMethods: (request: InitializeRequest) => signInMethods(request, options.program),
      handlers: (client) => ({
        authenticate: ({ methodId }) => checkSignIn(methodId, options.env),
        logout: () => signOut(options.env),
        "session/new": async ({ cwd, additionalDirectories = [], mcpServers }, call) => {
          await checkDirectories(cwd, additionalDirectories);
          const session = new Session(sessionEnds(client, cwd), {
            id: crypto.randomUUID(),
            cwd,
            additionalDirectories,
            mcpServers: mcpConfiguration(mcpServers),
            settings: options.settings ?? {},
            isFirstHere: !visited.has(cwd),
          });
          visited.add(cwd);
          sessions.set(session.id, session);
          try {
            await session.start();
          } catch (cause) {
            sessions.delete(session.id);
            throw cause;
          }
          if (call.isAborted) await closeSession(session, "the request was cancelled");
          // The answer leaves first: it is on its way when this handler's promise has resolved.
          setImmediate(() => session.announce());
          return { sessionId: session.id, ...stateOf(session) };
        },
        "session/prompt": ({ sessionId, prompt }) => {
          const session = sessionFor(sessionId);
          const read = readPrompt(prompt);
          if (read.kind === "refused") throw new RpcError(errorCodes.invalidParams, `session/prompt: ${read.why}`);
          const [only, ...more] = read.parts;
          // A lone text is sent as text: the CLI runs slash commands only from there.
          return session.prompt(only?.type === "text" && more.length === 0 ? only.text : read.parts);
        },
        "session/cancel": ({ sessionId }) => sessions.get(sessionId)?.cancel(),
        "session/set_mode": async ({ sessionId, modeId }) => {
          const session = sessionFor(sessionId);
          await session.changeOption("mode", modeId);
          session.choices.tell();
        },
        "session/set_config_option": async ({ sessionId, configId, value }) => {
          const session = sessionFor(sessionId);
          await session.changeOption(configId, value);
          return { configOptions: configOptions(session.choices.offers, session.choices.settings) };
        },
        "session/set_model": async ({ sessionId, modelId }) => {
          const session = sessionFor(sessionId);
          await session.changeOption("model", modelId);
          session.choices.tell();
          return {};
        },
        "session/close": ({ sessionId }) => closeSession(sessionFor(sessionId), "the session was closed"),
      }),
    },
    { onBug },
  );
  void connection.closed.then((reason) => stop(reason));
  return { connection, stop };

  async function stop(reason: string): Promise<void> {
    await Promise.all([...sessions.values()].map((session) => closeSession(session, reason)));
  }

  async function closeSession(session: Session, reason: string): Promise<void> {
    sessions.delete(session.id);
    await session.close(reason);
  }

  function sessionFor(sessionId: string): Session {
    const session = sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  function sessionEnds(client: AgentConnection, cwd: string): ConstructorParameters<typeof Session>[0] {
    const { session, _meta } = client.clientCapabilities;
    const view: View = {
      cwd,
      showsTerminals: _meta?.["terminal_output"] === true,
      showsNotices: session?.notices != null,
      showsCompaction: session?.compaction != null,
      textOf: options.textOf ?? (() => undefined),
    };
    const { launcher, after, mayBypass = false, isLegacy = false } = options;
    return { client, launcher, after, view, mayBypass, isLegacy, onBug };
  }

  function stateOf(session: Session): Pick<NewSessionResponse, "modes" | "configOptions"> {
    const { offers, settings } = session.choices;
    return {
      modes: modeState(offers, settings),
      configOptions: configOptions(offers, settings),
      ...(options.isLegacy === true && { models: legacyModels(offers, settings) }),
    };
  }
}

/** Directories that are not there would fail later, and say less. */
async function checkDirectories(cwd: string, additional: readonly string[]): Promise<void> {
  const named = [["cwd", cwd], ...additional.map((path, i) => [`additionalDirectories.${i}`, path])] as const;
  for (const [name, path] of named) {
    const found = await stat(path ?? "").catch(() => undefined);
    if (found?.isDirectory() !== true) {
      throw new RpcError(errorCodes.invalidParams, `${name} must be a directory that exists`);
    }
  }
}
