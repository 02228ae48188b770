/**
 * Machine: what an agent takes from the computer it runs on.
 */
import { readFileSync, statSync } from "node:fs";
import { wallClock } from "../claude/index.ts";
import type { ClaudeAgentOptions } from "./agent.ts";
import { processLauncher } from "./launcher.ts";
import { savedOnDisk } from "./saved.ts";

type Machine = Pick<ClaudeAgentOptions, "launcher" | "saved" | "after" | "env" | "program" | "textOf" | "mayBypass">;

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;

/** The user's own CLI, files, clock and environment. */
export function ownMachine({ env, execPath, argv }: Pick<NodeJS.Process, "env" | "execPath" | "argv">): Machine {
  return {
    launcher: processLauncher(env),
    saved: savedOnDisk(env),
    after: wallClock,
    env,
    program: { command: execPath, args: argv.slice(1, 2) },
    textOf,
    mayBypass: mayBypass(env),
  };
}

/** The CLI refuses bypassPermissions as root, but for sandboxes. */
function mayBypass({ IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP }: NodeJS.ProcessEnv): boolean {
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
