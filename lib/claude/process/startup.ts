/**
 * Launched: a CLI that was just started, until it has said what it offers.
 *
 * One that is too old may answer, refuse our flags or say nothing; each is told for
 * what it is.
 */
import { ClaudeExit, ControlTimeout } from "../errors.ts";
import type { ClaudeLink } from "../claude-connection.ts";
import { checkVersion, type ClaudeCommand } from "./find-cli.ts";
import { isOlder, oldestVersion, readVersion } from "../version.ts";

export interface Launched {
  readonly link: ClaudeLink;
  /** The CLI has read what it was given; private files can go. */
  readonly ready: () => void;
  /** Why a CLI does not start as it should; throws `ClaudeNotFound` when it is too old or none at all. */
  readonly diagnose?: (() => Promise<void>) | undefined;
}

/** A CLI that does not even say its version in this time says nothing. */
const diagnosisLimitMs = 5000;

/** What `Launched.diagnose` is for a CLI on this machine. */
export function versionDiagnosis(claude: ClaudeCommand, env: Readonly<Record<string, string>>): () => Promise<void> {
  return async () => void (await checkVersion(claude, env, diagnosisLimitMs));
}

/** Waits for the answer to `initialize`; `versionIn` is where that says the CLI's version. */
export async function awaitInitialize<T>(
  { ready, diagnose }: Launched,
  answer: Promise<T>,
  versionIn: (answer: T) => unknown,
): Promise<T> {
  try {
    const offers = await answer;
    const told = versionIn(offers);
    const version = typeof told === "string" ? readVersion(told) : undefined;
    if (version !== undefined && isOlder(version, oldestVersion)) await diagnose?.();
    return offers;
  } catch (cause) {
    const hasFailed = cause instanceof ControlTimeout || (cause instanceof ClaudeExit && (cause.code ?? 0) !== 0);
    if (hasFailed) await diagnose?.();
    throw cause;
  } finally {
    ready();
  }
}
