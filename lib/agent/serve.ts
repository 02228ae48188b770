/**
 * Serve: the Claude agent on this process's own stdin and stdout.
 *
 * Ends when the client closes the pipe or a signal comes, and not before every
 * child is gone; a second signal does not wait.
 */
import { readFileSync, statSync } from "node:fs";
import { wallClock } from "../claude/index.ts";
import { recordedLink, type Recorder } from "../tape/index.ts";
import { stdioLink } from "../wire/index.ts";
import { claudeAgent, type ClaudeAgentOptions } from "./agent.ts";
import { processLauncher } from "./launcher.ts";
import { recordedLauncher } from "./recorded-launcher.ts";
import { savedOnDisk } from "./saved.ts";
import type { Settings } from "./settings.ts";

export interface ServeOptions {
  readonly isLegacy: boolean;
  readonly settings: Partial<Settings>;
  readonly keepsWarm: boolean;
  readonly restMs: number | undefined;
  /** Writes down what passes between the editor, the agent and its CLIs. */
  readonly recorder?: Recorder | undefined;
  /** What takes the place of the user's own CLI and conversations. */
  readonly claude?: Pick<ClaudeAgentOptions, "launcher" | "saved" | "textOf"> | undefined;
  /** Ends it, with this exit code. */
  readonly until?: Promise<number> | undefined;
}

/** A larger file is not read only to show what an edit will replace. */
const maxShownFileBytes = 1024 * 1024;
/** Clients give an agent two to five seconds to leave. */
const maxStopMs = 4000;
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code once nothing is left running. */
export async function serveClaude(options: ServeOptions): Promise<number> {
  const { isLegacy, settings, keepsWarm, restMs, recorder, claude = ownClaude() } = options;
  const link = stdioLink();
  const { launcher, saved, textOf } = claude;
  const { connection, stop } = claudeAgent(recorder ? recordedLink(link, recorder, { side: "acp" }) : link, {
    launcher: recorder ? recordedLauncher(launcher, recorder) : launcher,
    saved,
    after: wallClock,
    env: process.env,
    program: { command: process.execPath, args: process.argv.slice(1, 2) },
    settings,
    keepsWarm,
    restMs,
    isLegacy,
    textOf,
    mayBypass: mayBypass(),
    onBug: tellBug,
  });
  let code = 0;
  // A promise nobody waited for is a bug, but no reason to end the other sessions.
  process.on("unhandledRejection", (cause) => tellBug("unhandled rejection", cause));
  process.on("uncaughtException", (cause) => {
    tellBug("uncaught exception", cause);
    code ||= 1;
    connection.close("a bug of ours");
  });
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (code !== 0) process.exit(code);
      code = 128 + number;
      connection.close(`ended by ${signal}`);
    });
  }
  void options.until?.then((given) => {
    code = given;
    connection.close("it has come to its end");
  });
  const reason = await connection.closed;
  const limit = setTimeout(() => process.exit(code), maxStopMs);
  await Promise.all([connection.settled, stop(reason)]);
  await recorder?.end();
  clearTimeout(limit);
  return code;
}

function ownClaude(): NonNullable<ServeOptions["claude"]> {
  return { launcher: processLauncher(process.env), saved: savedOnDisk(process.env), textOf: textOnDisk };
}

/** The CLI refuses bypassPermissions as root, but for sandboxes. */
function mayBypass(): boolean {
  const { IS_SANDBOX, CLAUDE_CODE_BUBBLEWRAP } = process.env;
  return process.getuid?.() !== 0 || IS_SANDBOX === "1" || CLAUDE_CODE_BUBBLEWRAP === "1";
}

function textOnDisk(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > maxShownFileBytes) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function tellBug(doing: string, cause: unknown): void {
  process.stderr.write(`bowline: ${doing}: ${describe(cause)}\n`);
}

/** A bug's name and place; its message may hold what a log must not. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  return `${cause.name} ${
    cause.stack
      ?.split("\n")
      .find((line) => line.includes("at "))
      ?.trim() ?? ""
  }`;
}
