/**
 * Waits for a newly started CLI to answer `initialize`, and finds out why it does not.
 *
 * A CLI that is too old may answer, reject our flags or stay silent. In each case the
 * version is checked, so that the error asks the user to update.
 */
import { ClaudeExit, ControlTimeout } from "../errors.ts";
import type { ClaudeLink } from "../claude-connection.ts";
import { checkVersion, type ClaudeCommand } from "./find-cli.ts";
import { isOlder, minimumVersion, readVersion } from "../version.ts";

/** A CLI that was just started: what a `Launcher` returns. */
export interface LaunchedCli {
  readonly link: ClaudeLink;
  /** Called when the CLI has read its private files, so that they can be deleted. */
  readonly ready: () => void;
  /** Finds out why the CLI fails to start. Throws `ClaudeNotFound` when the CLI is too old or is another program. */
  readonly diagnose?: (() => Promise<void>) | undefined;
}

/** How long `claude --version` may take during a diagnosis. */
const diagnosisLimitMs = 5000;

/** The `LaunchedCli.diagnose` of a CLI on this machine. */
export function versionDiagnosis(claude: ClaudeCommand, env: Readonly<Record<string, string>>): () => Promise<void> {
  return async () => void (await checkVersion(claude, env, diagnosisLimitMs));
}

/** Waits for the answer to `initialize`. `versionIn` reads the CLI's version from the answer. */
export async function awaitInitialize<T>(
  { ready, diagnose }: LaunchedCli,
  answer: Promise<T>,
  versionIn: (answer: T) => unknown,
): Promise<T> {
  try {
    const initialized = await answer;
    const versionText = versionIn(initialized);
    const version = typeof versionText === "string" ? readVersion(versionText) : undefined;
    if (version !== undefined && isOlder(version, minimumVersion)) await diagnose?.();
    return initialized;
  } catch (cause) {
    const hasFailed = cause instanceof ControlTimeout || (cause instanceof ClaudeExit && (cause.code ?? 0) !== 0);
    if (hasFailed) await diagnose?.();
    throw cause;
  } finally {
    ready();
  }
}
