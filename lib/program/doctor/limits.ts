/**
 * Shows how much of the Claude account's limits is used. What cannot be found out is no problem
 * of this machine: only a limit that is reached is a warning.
 */
import { tmpdir } from "node:os";
import { accountUsage, claudeLauncher } from "../../claude/engine/index.ts";
import type { Environment } from "../../claude/index.ts";
import { limitWords } from "../../display/index.ts";
import type { UsageReport } from "../../engine/index.ts";
import { type CheckOutcome, ok, warn } from "./check-outcome.ts";

/** More than the CLI needs on a busy machine; a network that is down must not delay the report. */
const maxWaitMs = 8000;

export async function checkLimits(env: Environment, limitMs: number): Promise<CheckOutcome> {
  try {
    const report = await accountUsage(claudeLauncher(env), tmpdir(), Math.min(limitMs, maxWaitMs));
    return describeLimits(report, Date.now());
  } catch {
    return ok("not known: the CLI did not say in time");
  }
}

export function describeLimits({ plan, limits }: UsageReport, nowMs: number): CheckOutcome {
  const whose = plan === undefined ? "" : `plan ${plan}; `;
  if (limits.length === 0) return ok(`${whose}the CLI reports none`);
  const says = `${whose}${limits.map((limit) => limitWords(limit, nowMs)).join("; ")}`;
  const isReached = limits.some(({ usedPercent }) => usedPercent >= 100);
  return isReached
    ? warn(says, "prompts fail until the limit resets; the option continue_at_reset waits for it")
    : ok(says);
}
