/**
 * The outcome of one check of the doctor, and the checks that concern both CLIs.
 */
import { accessSync, constants, existsSync } from "node:fs";

export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly says: string;
  /** What the user can do about it; missing when the status is "ok". */
  readonly advice?: string;
}

export type CheckOutcome = Omit<CheckResult, "name">;

export function ok(says: string): CheckOutcome {
  return { status: "ok", says };
}

export function warn(says: string, advice: string): CheckOutcome {
  return { status: "warn", says, advice };
}

export function fail(says: string, advice: string): CheckOutcome {
  return { status: "fail", says, advice };
}

/** Splits the message of one of our own errors, "<what failed>; <what to do>". */
export function failedBy(cause: unknown, howToInstall: string): CheckOutcome {
  const [says = "", ...advice] = (cause instanceof Error ? cause.message : String(cause)).split("; ");
  return fail(says, advice.join("; ") || howToInstall);
}

/** `otherwise`: why a missing directory is no failure. */
export function checkDirectory(path: string, otherwise: string | undefined): CheckOutcome {
  if (!existsSync(path)) {
    return otherwise === undefined
      ? fail(`${path} does not exist`, "create it, or set TMPDIR")
      : ok(`${path}: ${otherwise}`);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(path);
  } catch {
    return fail(`${path} cannot be read and written by you`, "change its owner or its mode");
  }
}
