/**
 * Local: the agent on this machine, with its CLI, its clock and its files.
 */
import { readFileSync, statSync } from "node:fs";
import { wallClock, type Link } from "../wire/index.ts";
import type { Recorder } from "../tape/index.ts";
import { claudeAgent, type ClaudeAgent } from "./agent.ts";
import { claudeLauncher } from "./cli/launcher.ts";
import { recordedLauncher } from "./cli/recorded-launcher.ts";
import { diskStore } from "./sessions/session-store.ts";
import { thisProgram } from "./auth/methods.ts";
import type { AgentOptions } from "./agent-core.ts";

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;

export interface LocalOptions extends Pick<
  AgentOptions,
  "settings" | "prewarms" | "idleTimeoutMs" | "isLegacy" | "onBug"
> {
  /** This process's own when it is left out. */
  readonly env?: AgentOptions["env"] | undefined;
  /** Starts the user's CLI when it is left out. */
  readonly launcher?: AgentOptions["launcher"] | undefined;
  /** The user's conversations when it is left out. */
  readonly store?: AgentOptions["store"] | undefined;
  /** The files on disk when it is left out. */
  readonly textOf?: AgentOptions["textOf"] | undefined;
  /** Writes down what passes between the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
}

/** The Claude agent in this process. */
export function localAgent(link: Link, options: LocalOptions): ClaudeAgent {
  const { env = process.env, launcher = claudeLauncher(env), store = diskStore(env), recorder } = options;
  return claudeAgent(link, {
    ...options,
    program: thisProgram(),
    launcher: recorder === undefined ? launcher : recordedLauncher(launcher, recorder),
    store,
    after: wallClock,
    env,
    textOf: options.textOf ?? textOf,
    mayBypass: mayBypass(env),
  });
}

/** The CLI refuses bypassPermissions as root, but for sandboxes. */
function mayBypass({ IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP }: AgentOptions["env"]): boolean {
  return process.getuid?.() !== 0 || IS_SANDBOX === "1" || CLAUDE_CODE_BUBBLEWRAP === "1";
}

function textOf(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > maxShownFileBytes) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
