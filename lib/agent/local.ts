/**
 * Local: the agent on this machine, with its CLI, its clock and its files.
 */
import { readFileSync, statSync } from "node:fs";
import { wallClock } from "../claude/index.ts";
import type { Recorder } from "../tape/index.ts";
import type { Link } from "../wire/index.ts";
import { claudeAgent, type ClaudeAgent } from "./agent.ts";
import { processLauncher } from "./launcher.ts";
import { recordedLauncher } from "./recorded-launcher.ts";
import { savedOnDisk } from "./saved.ts";
import { thisProgram } from "./sign-in-methods.ts";
import type { WorkOptions } from "./work.ts";

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;

export interface LocalOptions extends Pick<WorkOptions, "settings" | "keepsWarm" | "restMs" | "isLegacy" | "onBug"> {
  /** This process's own when it is left out. */
  readonly env?: WorkOptions["env"] | undefined;
  /** Starts the user's CLI when it is left out. */
  readonly launcher?: WorkOptions["launcher"] | undefined;
  /** The user's conversations when it is left out. */
  readonly saved?: WorkOptions["saved"] | undefined;
  /** The files on disk when it is left out. */
  readonly textOf?: WorkOptions["textOf"] | undefined;
  /** Writes down what passes between the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
}

/** The Claude agent in this process. */
export function localAgent(link: Link, options: LocalOptions): ClaudeAgent {
  const { env = process.env, launcher = processLauncher(env), saved = savedOnDisk(env), recorder } = options;
  return claudeAgent(link, {
    ...options,
    program: thisProgram(),
    launcher: recorder === undefined ? launcher : recordedLauncher(launcher, recorder),
    saved,
    after: wallClock,
    env,
    textOf: options.textOf ?? textOf,
    mayBypass: mayBypass(env),
  });
}

/** The CLI refuses bypassPermissions as root, but for sandboxes. */
function mayBypass({ IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP }: WorkOptions["env"]): boolean {
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
