/**
 * Creates the agent: connects an engine, the clock, the environment and the disk.
 *
 * The only place of the agent module that knows a certain engine. Everything has a
 * default: the user's own CLI, the real clock, the environment of this process, and
 * the files and conversations on disk.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { Environment } from "../claude/index.ts";
import { claudeEngine, claudeLauncher, diskStore, type Launcher, type SessionStore } from "../claude/engine/index.ts";
import { codexEngine, type CodexLauncher, codexLauncher } from "../codex/index.ts";
import type { Program } from "../display/index.ts";
import { EditorTools } from "../editor-tools/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Recorder } from "../tape/index.ts";
import { type Link, realTimer } from "../wire/index.ts";
import type { ResolvedOptions } from "./agent-context.ts";
import { agentProfile, thisProgram } from "./agent-profile.ts";
import { type Agent, serveEngine } from "./agent.ts";
import { openDotTasks } from "./dot-tasks.ts";
import { recordedCodexLauncher, recordedLauncher } from "./recorded-launcher.ts";
import { areBothInstalled, defaultRoute, type EngineId, type Route } from "./route.ts";
import { allSessions, routedEngine } from "./routes/routed-engine.ts";
import { fileIndex } from "./routes/session-index.ts";
import { version } from "../version.ts";

const defaultMaxSessions = 1000;
const defaultIdleTimeoutMs = 30 * 60_000;
/** The largest file that is read to show what an edit replaces. */
const maxShownFileBytes = 1024 * 1024;

/** What may be left out. */
type Defaulted<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };

export interface AgentOptions extends Defaulted<ResolvedOptions> {
  /** Which of the user's CLIs does the work. Default: Claude, or Codex if only Codex is installed. */
  readonly route?: Route | undefined;
  /** The engine that answers first in a duet. Default: Claude. */
  readonly primary?: EngineId | undefined;
  /** Default: the environment of this process. */
  readonly env?: Environment | undefined;
  /** How this program is started; a client starts it again in a terminal to sign in. Default: as it was started. */
  readonly program?: Program | undefined;
  /** Starts a Claude CLI. Default: the user's CLI. */
  readonly launcher?: Launcher | undefined;
  /** Starts `codex app-server`. Default: the user's Codex. */
  readonly codexLauncher?: CodexLauncher | undefined;
  /** Claude's saved conversations. Default: the user's conversations on disk. */
  readonly store?: SessionStore | undefined;
  /** False when the Claude CLI would refuse bypassPermissions. Default: whether this user may. */
  readonly mayBypass?: boolean | undefined;
  /** Records the traffic between the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
}

/** Serves the agent on a link, for as long as the link is open. */
export function createAgent(link: Link, options: AgentOptions = {}): Agent {
  const { env = process.env } = options;
  const route = options.route ?? routeOf(options) ?? defaultRoute(env);
  return serveEngine(link, agentProfile(route, options.program ?? thisProgram()), {
    engine: options.engine ?? localEngine(route, env, options),
    settings: options.settings ?? {},
    after: options.after ?? realTimer,
    now: options.now ?? Date.now,
    prewarms: options.prewarms ?? true,
    maxSessions: options.maxSessions ?? defaultMaxSessions,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
    isLegacy: options.isLegacy ?? false,
    sendsRaw: options.sendsRaw ?? false,
    textOf: options.textOf ?? textOnDisk,
    openTasks: options.openTasks ?? ((cwd) => openDotTasks(cwd, env)),
    describeSetup: options.describeSetup,
    onBug: options.onBug ?? (() => {}),
  });
}

/** The user's own CLI; both where both are installed, so that a session can switch between them. */
function localEngine(route: Route, env: Environment, options: AgentOptions): Engine {
  const isRouted = route === "duet" || (routeOf(options) === undefined && areBothInstalled(env));
  if (!isRouted) return route === "codex" ? localCodex(env, options) : localClaude(env, options);
  return routedEngine({
    engines: { claude: localClaude(env, options), codex: localCodex(env, options) },
    settings: { route, primary: options.primary ?? "claude", isReview: false, sharesContext: true },
    index: fileIndex(env, options.onBug ?? (() => {})),
    env,
    now: options.now ?? Date.now,
    all: ofProgram,
  });
}

/** `bowline serve` has an agent for each kind of client. The sessions of all agents know of each other. */
const ofProgram = allSessions();

/** The user's Claude CLI, with the editor's files and terminals as tools. */
function localClaude(env: Environment, options: AgentOptions): Engine {
  const { launcher = claudeLauncher(env), store = diskStore(env), recorder } = options;
  return claudeEngine({
    env,
    launcher: recorder === undefined ? launcher : recordedLauncher(launcher, recorder),
    store,
    createTools: (given) => new EditorTools(given),
    mayBypass: options.mayBypass ?? mayBypass(env),
  });
}

/** The user's Codex CLI. */
function localCodex(env: Environment, { after, onBug, recorder, ...options }: AgentOptions): Engine {
  const { codexLauncher: launcher = codexLauncher(env) } = options;
  const recorded = recorder === undefined ? launcher : recordedCodexLauncher(launcher, recorder);
  return codexEngine({ env, version, after, onBug, launcher: recorded });
}

/** A launcher works only with its engine. */
function routeOf({ launcher, codexLauncher: codex }: AgentOptions): Route | undefined {
  if (launcher !== undefined) return "claude";
  return codex === undefined ? undefined : "codex";
}

/** The CLI refuses bypassPermissions when it runs as root outside a sandbox. */
function mayBypass({ IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP }: Environment): boolean {
  return process.getuid?.() !== 0 || IS_SANDBOX === "1" || CLAUDE_CODE_BUBBLEWRAP === "1";
}

/** Undefined for a file that is missing, unreadable, too large or binary. */
function textOnDisk(path: string): string | undefined {
  let file: number | undefined;
  try {
    // A named pipe would block an open without O_NONBLOCK, and a device has no end.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > maxShownFileBytes) return undefined;
    const text = readFileSync(file, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
