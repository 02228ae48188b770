/**
 * Runs one chat with a given agent and frontend: connects to the agent, opens a session, runs
 * the conversation (conversation.ts), and stops the agent. run-chat.ts chooses both; the demo
 * calls `chat` too.
 *
 * An agent that does not start, does not answer, requires a sign-in or dies ends the
 * chat with a sentence that says why. The first signal ends the chat in order, a second
 * one exits immediately.
 */
import { type AuthMethod, client, type ClientConnection } from "../../acp/index.ts";
import { ConnectionClosed, errorCodes, RpcError } from "../../rpc/index.ts";
import { version } from "../../version.ts";
import { CommandFailure } from "../command.ts";
import type { AgentSource } from "./agent-source.ts";
import { ChatConversation } from "./conversation.ts";
import { sentenceOf } from "./error-sentence.ts";
import type { Frontend } from "./frontend/frontend.ts";
import { pickSaved } from "./saved-conversations.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import type { Theme } from "./render/theme.ts";

export interface ChatOptions {
  readonly source: AgentSource;
  readonly frontend: Frontend;
  readonly theme: Theme;
  readonly cwd: string;
  /** Lines to print instead of the title line. */
  readonly greeting?: readonly string[];
  /** How long the agent may take to answer `initialize`. */
  readonly startLimitMs: number;
  /** A prompt to send before the user types. */
  readonly first?: string | undefined;
  /** Session options to set at the start, by category or id. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Resumes this conversation; without an id the last one in this directory. */
  readonly resume?: { readonly sessionId: string | undefined; readonly isPicked?: boolean } | undefined;
  /** The command that continues a conversation, for the hint on leaving. */
  readonly resumeCommand?: (sessionId: string) => string;
  /** Prints only the agent's text. */
  readonly isQuiet?: boolean;
  /** Prints prompts too, because the terminal did not echo them. */
  readonly echoes: boolean;
  /** The sentence for an agent that requires a sign-in. */
  readonly howToSignIn: (methods: readonly AuthMethod[]) => string;
  /** Prints a warning on stderr. */
  readonly warn: (sentence: string) => void;
  /** Lines to print at the end. */
  readonly farewell?: readonly string[];
}

/** The agent requires a sign-in. */
export class SignInNeeded extends CommandFailure {}

/** How long the agent has to stop. */
const stopLimitMs = 6000;
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code. */
export async function chat(options: ChatOptions): Promise<number> {
  const { frontend, source } = options;
  let agent: ClientConnection | undefined;
  let code = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (code !== 0) process.exit(code);
    code = 128 + (signal === "SIGHUP" || signal === "SIGINT" ? signals[signal] : signals.SIGTERM);
    frontend.leave();
  };
  for (const signal of Object.keys(signals)) process.on(signal, onSignal);
  const conversation = new ChatConversation({
    ...options,
    isQuiet: options.isQuiet ?? false,
    explain: (cause) => explain(cause, agent?.authMethods ?? [], options),
    onRefused: (what) =>
      options.warn(
        `a permission was refused, because stdin is not a terminal: ${what}; choose a mode that allows it with --mode`,
      ),
  });
  try {
    frontend.busy(`Starting ${source.name}`);
    const connected = await connect(conversation, options);
    agent = connected;
    if (connected !== undefined && (await openSession(connected, conversation, options)) !== "left") {
      frontend.busy(undefined);
      await conversation.run(
        options.first,
        async (sessionId) => void (await openSession(connected, conversation, options, sessionId ?? "new")),
      );
      const session = conversation.answeredSession;
      const isSaved = connected.agentCapabilities.loadSession === true && options.theme.isLive;
      if (session !== undefined && isSaved && options.resumeCommand !== undefined)
        frontend.print(["", options.theme.paint.dim(`Continue this conversation: ${options.resumeCommand(session)}`)]);
      frontend.print(options.farewell ?? []);
    }
  } catch (cause) {
    throw failure(cause, agent?.authMethods ?? [], options);
  } finally {
    frontend.close();
    source.link.close("the chat is over");
    agent?.close("the chat is over");
    await within(source.stopped(), stopLimitMs);
    for (const signal of Object.keys(signals)) process.off(signal, onSignal);
  }
  const isIncomplete = conversation.hasFailed || conversation.hasRefused;
  return code || (isIncomplete && !options.theme.isLive ? 1 : 0);
}

/** Undefined when the user left before the agent was connected. */
async function connect(conversation: ChatConversation, options: ChatOptions): Promise<ClientConnection | undefined> {
  const { source, frontend, startLimitMs } = options;
  const connecting = client(source.link, {
    info: { name: "bowline-chat", title: "Bowline", version },
    handlers: () => conversation.handlers(),
    session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  });
  connecting.catch(() => {});
  const agent = await within(Promise.race([connecting, frontend.left.then(() => "left" as const)]), startLimitMs);
  if (agent === "left") return undefined;
  if (agent !== undefined) return agent;
  throw new CommandFailure(
    source.explainExit(
      `${source.name} did not answer within ${startLimitMs / 1000} s; see that it speaks the Agent Client Protocol on stdin and stdout`,
    ),
  );
}

/** Opens a session and prints the agent's name and the directory. */
async function openSession(
  agent: ClientConnection,
  conversation: ChatConversation,
  options: ChatOptions,
  /** "new", or the id of a saved conversation; undefined for what the options say. */
  wanted?: string,
): Promise<"left" | undefined> {
  const { cwd, theme, frontend, settings = {} } = options;
  const resume = wanted === undefined ? options.resume : wanted === "new" ? undefined : { sessionId: wanted };
  const isNew = wanted === "new";
  let sessionId = resume?.sessionId;
  if (resume?.isPicked === true) {
    frontend.busy(undefined);
    sessionId = await pickSaved(agent, frontend, cwd, (text) => conversation.tell([text]));
  }
  const isResumed = resume !== undefined && (resume.isPicked !== true || sessionId !== undefined);
  if (sessionId !== undefined) conversation.load(sessionId);
  const opening = isResumed ? resumedSession(agent, cwd, sessionId) : newSession(agent, cwd);
  opening.catch(() => {});
  const session = await Promise.race([opening, frontend.left.then(() => "left" as const)]);
  if (session === "left") return session;
  conversation.enter(agent, session.sessionId, session);
  const { title, name, version: agentVersion } = agent.agentInfo ?? { name: options.source.name, version: "" };
  const { paint } = theme;
  const place = withTilde(cwd);
  const engine = await options.source.engine;
  const who =
    engine === undefined
      ? `${paint.bold(sanitizeLine(title ?? name))} ${paint.dim(sanitizeLine(`${agentVersion} · ${place}`))}`
      : `${paint.bold(`Bowline ${version}`)} ${paint.dim(sanitizeLine(`· ${engine} · ${place}`))}`;
  conversation.tell(isNew ? [`${who} ${paint.dim("· a new conversation")}`] : (options.greeting ?? [who]));
  for (const [word, value] of Object.entries(settings)) if (value !== undefined) await conversation.set(word, value);
  return undefined;
}

type Opened = { readonly sessionId: string } & Parameters<ChatConversation["enter"]>[2];

function newSession(agent: ClientConnection, cwd: string): Promise<Opened> {
  return agent.call("session/new", { cwd, mcpServers: [] });
}

async function resumedSession(agent: ClientConnection, cwd: string, given: string | undefined): Promise<Opened> {
  const sessionId = given ?? (await agent.call("session/list", { cwd })).sessions[0]?.sessionId;
  if (sessionId === undefined)
    throw new CommandFailure("there is no conversation in this directory yet; leave out --continue");
  return { sessionId, ...(await agent.call("session/load", { sessionId, cwd, mcpServers: [] })) };
}

function explain(cause: unknown, methods: readonly AuthMethod[], { howToSignIn }: ChatOptions): string {
  const isSignIn = cause instanceof RpcError && cause.code === errorCodes.authRequired;
  return isSignIn ? howToSignIn(methods) : sentenceOf(cause);
}

/** Converts what ended the chat to a sentence for the user. */
function failure(cause: unknown, methods: readonly AuthMethod[], options: ChatOptions): unknown {
  const { source } = options;
  if (cause instanceof ConnectionClosed) {
    return new CommandFailure(`the agent is gone: ${source.explainExit(sanitizeLine(cause.reason))}`, { cause });
  }
  if (!(cause instanceof RpcError)) return cause;
  const text = explain(cause, methods, options);
  return cause.code === errorCodes.authRequired
    ? new SignInNeeded(text, { cause })
    : new CommandFailure(source.explainExit(text), { cause });
}

/** Abbreviates the home directory to ~. */
function withTilde(path: string): string {
  const home = process.env["HOME"] ?? "";
  return home.length > 1 && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}

/** Undefined when the promise takes longer. */
async function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), limitMs)));
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
