/**
 * Creates the agent with this machine's resources: the user's Claude CLI, the real
 * clock, the process environment, and the files and conversations on disk.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { wallClock, type Link } from "../wire/index.ts";
import type { Recorder } from "../tape/index.ts";
import { claudeAgent, type ClaudeAgent, type ClaudeAgentOptions } from "./agent.ts";
import { claudeLauncher } from "./cli/launcher.ts";
import { recordedLauncher } from "./cli/recorded-launcher.ts";
import { diskStore } from "./sessions/session-store.ts";
import { thisProgram } from "./auth/methods.ts";

/** The largest file that is read to show what an edit replaces. */
const maxShownFileBytes = 1024 * 1024;

export interface LocalOptions extends Pick<
  ClaudeAgentOptions,
  "settings" | "prewarms" | "idleTimeoutMs" | "isLegacy" | "onBug"
> {
  /** Default: the environment of this process. */
  readonly env?: ClaudeAgentOptions["env"] | undefined;
  /** Default: starts the user's CLI. */
  readonly launcher?: ClaudeAgentOptions["launcher"] | undefined;
  /** Default: the user's conversations on disk. */
  readonly store?: ClaudeAgentOptions["store"] | undefined;
  /** Default: reads the file from disk. */
  readonly textOf?: ClaudeAgentOptions["textOf"] | undefined;
  /** Records the traffic between the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
}

export function localAgent(link: Link, options: LocalOptions): ClaudeAgent {
  const { env = process.env, launcher = claudeLauncher(env), store = diskStore(env), recorder } = options;
  return claudeAgent(link, {
    ...options,
    program: thisProgram(),
    launcher: recorder === undefined ? launcher : recordedLauncher(launcher, recorder),
    store,
    after: wallClock,
    env,
    textOf: options.textOf ?? textOnDisk,
    mayBypass: mayBypass(env),
  });
}

/** The CLI refuses bypassPermissions when it runs as root outside a sandbox. */
function mayBypass({ IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP }: ClaudeAgentOptions["env"]): boolean {
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
