/**
 * Runs the command `bowline chat`: chooses the agent and the frontend by options and environment,
 * then calls `chat` (chat.ts).
 *
 * When the CLI of the engine is missing or not signed in, it prints what to do and, in a
 * terminal, offers to play the demo instead.
 */
import { type AuthMethod, permissionOption } from "../../acp/index.ts";
import { checkVersion, ClaudeNotFound, describeVersion, locateClaude } from "../../claude/index.ts";
import { codexVersion, locateCodex } from "../../codex/index.ts";
import { createAgent, defaultRoute, type Route } from "../../agent/index.ts";
import { EngineFailure } from "../../engine/index.ts";
import { memoryPair } from "../../wire/index.ts";
import { CommandFailure, type ProgramStreams } from "../command.ts";
import { readContinueSettings } from "../continue-settings.ts";
import { demo } from "../demo/demo.ts";
import { printLine } from "../print.ts";
import { agentProgram, type AgentSource } from "./agent-source.ts";
import { chat, type ChatOptions, SignInNeeded } from "./chat.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import { promptHistory, historyPath } from "./input/prompt-history.ts";
import { detectFrontend, type DetectedFrontend } from "./frontend/detect.ts";
import { refusal } from "./render/permission-prompt.ts";
import { wrap } from "./render/text-width.ts";

export interface RunChatOptions extends Pick<
  ChatOptions,
  "startLimitMs" | "first" | "settings" | "resume" | "isQuiet"
> {
  /** The command line of the agent; undefined for our own agent. */
  readonly program: readonly string[] | undefined;
  /** The engine of our own agent; undefined for the default. */
  readonly route: Route | undefined;
  /** The command by which the user starts this program, for hints. */
  readonly self: string;
  readonly showsThoughts: boolean;
  readonly keepsHistory: boolean;
  /** The directory to work in; undefined for the current one. */
  readonly cwd?: string | undefined;
}

export async function runChat(terminal: ProgramStreams, options: RunChatOptions): Promise<number> {
  const { program, self, keepsHistory, showsThoughts } = options;
  const route = options.route ?? defaultRoute(terminal.env);
  const cwd = options.cwd ?? process.cwd();
  const resumeCommand = (sessionId: string): string => {
    const routed = program === undefined && route !== "claude" ? ` --route ${route}` : "";
    return `${self} chat${routed} --resume ${sessionId}${program === undefined ? "" : ` -- ${program.join(" ")}`}`;
  };
  const warn = (sentence: string): void => void printLine(terminal.stderr, `bowline: ${sentence}`);
  const detect = (isShow = false): DetectedFrontend =>
    detectFrontend(terminal, {
      showsThoughts,
      isShow,
      history: () => promptHistory(keepsHistory ? historyPath(terminal.env, process.platform) : undefined),
      unattended: refusal,
    });
  try {
    const source = program === undefined ? ownAgent(terminal, route) : agentProgram(program, cwd);
    const howToSignIn =
      program === undefined
        ? () => ownSignInHint(self, route)
        : (methods: readonly AuthMethod[]) => signInHint(program, methods);
    return await chat({ ...options, ...detect(), source, cwd, howToSignIn, warn, resumeCommand });
  } catch (cause) {
    if (program !== undefined || !(isNotFound(cause) || cause instanceof SignInNeeded)) throw cause;
    const failure =
      cause instanceof SignInNeeded ? cause : new CommandFailure(`${cause.message}; ${demoHint(self)}`, { cause });
    if (!(await wantsDemo(detect(true), failure.message))) throw failure;
    return demo(terminal, self);
  }
}

/** Our own agent, in this process, connected by a memory pair. */
function ownAgent({ env }: ProgramStreams, route: Route): AgentSource {
  const engine = engineHeading(env, route);
  const [agentEnd, clientEnd] = memoryPair();
  const { stop } = createAgent(agentEnd, { route, prewarms: false, settings: readContinueSettings(env) });
  return {
    link: clientEnd,
    name: engineNames[route],
    engine,
    explainExit: (reason) => reason,
    stopped: () => stop("the chat is over"),
  };
}

/** Names the engines with their versions. Throws when the CLI of the route is not installed; the second of a duet may be missing. */
function engineHeading(env: ProgramStreams["env"], route: Route): Promise<string> {
  if (route === "codex") return codexName(env);
  const claude = claudeName(env);
  if (route === "claude") return claude;
  return Promise.all([claude, codexNameIfInstalled(env)]).then((names) => names.join(" and "));
}

/** Throws when the CLI is not installed. A CLI that does not tell its version is named without it. */
function claudeName(env: ProgramStreams["env"]): Promise<string> {
  const name = engineNames.claude;
  const command = locateClaude({ env });
  const plain = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return checkVersion(command, plain).then(
    (found) => `${name} ${describeVersion(found)}`,
    () => name,
  );
}

/** Throws when the CLI is not installed. A CLI that does not tell its version is named without it. */
function codexName(env: ProgramStreams["env"]): Promise<string> {
  return codexVersion(locateCodex({ env }), env).then((found) =>
    found === undefined ? engineNames.codex : `${engineNames.codex} ${found}`,
  );
}

async function codexNameIfInstalled(env: ProgramStreams["env"]): Promise<string> {
  try {
    return await codexName(env);
  } catch {
    return engineNames.codex;
  }
}

const engineNames: Readonly<Record<Route, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  duet: "Claude Code and Codex",
};

function isNotFound(cause: unknown): cause is Error {
  return cause instanceof ClaudeNotFound || (cause instanceof EngineFailure && cause.kind === "not_found");
}

function ownSignInHint(self: string, route: Route): string {
  if (route === "codex") return `Codex is not signed in: sign in with ${self} login --route codex; ${demoHint(self)}`;
  return `Claude is not signed in: sign in with ${self} login, or set ANTHROPIC_API_KEY; ${demoHint(self)}`;
}

function demoHint(self: string): string {
  return `${self} demo shows a recorded session`;
}

/** The sign-in hint for another agent, from its `authMethods`. */
function signInHint(program: readonly string[], methods: readonly AuthMethod[]): string {
  const ways = methods.map((method) => {
    const about = sanitizeLine(method.description ?? method.name);
    return method.type === "terminal" ? `run ${[...program, ...(method.args ?? [])].join(" ")} (${about})` : about;
  });
  return `the agent wants you to sign in first: ${ways.join(", or ") || "see its documentation"}`;
}

/** Asks in a terminal whether to play the demo instead; false where there is no terminal. */
async function wantsDemo({ drawn, theme }: DetectedFrontend, message: string): Promise<boolean> {
  if (drawn === undefined) return false;
  const nothing = (): readonly never[] => [];
  drawn.open({
    live: nothing,
    words: nothing,
    doing: () => "",
    status: () => "",
    onStop: () => {},
    onSwitch: () => {},
    isRisky: () => false,
    files: nothing,
    onUnfold: () => {},
    onRewind: () => {},
    onPasteImage: () => Promise.resolve({ problem: "" }),
  });
  drawn.print(wrap(`${theme.paint.yellow("!")} ${message}`, theme.columns(), "  "));
  const options = [
    permissionOption("allow_once", "play", "Watch the recorded session now"),
    permissionOption("reject_once", "leave", "Leave"),
  ];
  const question = { options, whole: nothing, isCut: false };
  const { outcome } = await drawn.choose(question, new AbortController().signal);
  drawn.close();
  return outcome.outcome === "selected" && outcome.optionId === "play";
}
