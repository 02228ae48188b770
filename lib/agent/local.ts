/**
 * Local: the work on this machine, with its CLI, its clock and its files.
 */
import { readFileSync, statSync } from "node:fs";
import type { AgentConnection } from "../acp/index.ts";
import { wallClock } from "../claude/index.ts";
import type { Recorder } from "../tape/index.ts";
import type { Work } from "./front.ts";
import { processLauncher } from "./launcher.ts";
import { recordedLauncher } from "./recorded-launcher.ts";
import { savedOnDisk } from "./saved.ts";
import { workFor, type WorkOptions } from "./work.ts";

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;

export interface LocalOptions extends Pick<WorkOptions, "settings" | "keepsWarm" | "restMs" | "isLegacy" | "onBug"> {
  /** Writes down what passes between the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
  /** What takes the place of the user's own CLI and conversations. */
  readonly claude?: Pick<WorkOptions, "launcher" | "saved" | "textOf"> | undefined;
}

export function localWork(client: AgentConnection, { recorder, claude = ownClaude(), ...options }: LocalOptions): Work {
  return workFor(client, {
    ...options,
    ...claude,
    launcher: recorder === undefined ? claude.launcher : recordedLauncher(claude.launcher, recorder),
    after: wallClock,
    env: process.env,
    mayBypass: mayBypass(),
  });
}

function ownClaude(): NonNullable<LocalOptions["claude"]> {
  return { launcher: processLauncher(process.env), saved: savedOnDisk(process.env), textOf };
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
