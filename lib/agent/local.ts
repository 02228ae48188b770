/**
 * Local agent: the Claude agent with this machine behind it: the user's own CLI, the
 * conversations and files on disk, the wall clock.
 */
import { readFileSync, statSync } from "node:fs";
import { wallClock } from "../claude/index.ts";
import type { Link } from "../wire/index.ts";
import { type ClaudeAgent, claudeAgent, type ClaudeAgentOptions } from "./agent.ts";
import { processLauncher } from "./launcher.ts";
import { savedOnDisk } from "./saved.ts";

export type LocalOptions = Pick<ClaudeAgentOptions, "settings" | "keepsWarm" | "restMs" | "isLegacy" | "onBug">;

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;

export function localAgent(link: Link, options: LocalOptions): ClaudeAgent {
  return claudeAgent(link, {
    launcher: processLauncher(process.env),
    saved: savedOnDisk(process.env),
    after: wallClock,
    env: process.env,
    program: { command: process.execPath, args: process.argv.slice(1, 2) },
    textOf,
    mayBypass: mayBypass(),
    ...options,
  });
}

/** The CLI refuses bypassPermissions as root, but for sandboxes. */
function mayBypass(): boolean {
  const { IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP } = process.env;
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
