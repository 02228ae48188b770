/**
 * Writes each decision of `bowline guard` to a file that only its owner can read.
 *
 * One JSON object on each line; known secrets are replaced as on a tape. Opening throws when
 * the file cannot be opened for writing, so the guard does not start. When a later write fails,
 * `append` returns false, and guard.ts denies that call.
 */
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { defaultTapeDirectory, scrubber } from "../../tape/index.ts";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";

export interface LoggedDecision {
  readonly decision: string;
  readonly by: string;
  readonly session?: string | undefined;
  readonly kind: string;
  readonly tool?: string | undefined;
  /** The agent's title, for a call without a command. */
  readonly title?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly command?: string | readonly string[] | undefined;
}

export interface DecisionLog {
  readonly path: string;
  /** False when the decision could not be written. */
  readonly append: (decision: LoggedDecision) => boolean;
  readonly close: () => void;
}

const maxLoggedChars = 2000;

/** Throws `CommandFailure` when the file cannot be opened. */
export function openDecisionLog(given: string | undefined, env: NodeJS.ProcessEnv, now: () => Date): DecisionLog {
  const name = `${now().toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}.ndjson`;
  const path = given ?? join(dirname(defaultTapeDirectory(env)), "guard", name);
  const scrub = scrubber({ env, home: env["HOME"] ?? homedir() });
  let file: number;
  try {
    if (given === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
    if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
  } catch (cause) {
    throw new CommandFailure(`the log ${path} cannot be written (${codeOf(cause)}); say where with --log`, { cause });
  }
  return {
    path,
    append(decision) {
      const { command, title, paths, ...rest } = decision;
      const shown = command === undefined ? undefined : [command].flat().join(" ").slice(0, maxLoggedChars);
      const row = scrub.value({
        time: now().toISOString(),
        ...rest,
        title: title?.slice(0, maxLoggedChars),
        paths,
        command: shown,
      });
      try {
        writeSync(file, `${JSON.stringify(row)}\n`);
        return true;
      } catch {
        return false;
      }
    },
    close: () => closeSync(file),
  };
}
