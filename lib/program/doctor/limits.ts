/**
 * Shows how much of an account's limits is used, for each CLI. What cannot be found out is no problem
 * of this machine: only a limit that is reached is a warning.
 */
import { tmpdir } from "node:os";
import { accountUsage, claudeLauncher } from "../../claude/engine/index.ts";
import type { Environment } from "../../claude/index.ts";
import { codexAccountUsage, codexLauncher } from "../../codex/index.ts";
import { limitWords } from "../../display/index.ts";
import type { UsageReport } from "../../engine/index.ts";
import { version } from "../../version.ts";
import { type CheckOutcome, ok, warn } from "./check-outcome.ts";

/** More than the CLI needs on a busy machine; a network that is down must not delay the report. */
const maxWaitMs = 8000;

export function checkLimits(env: Environment, limitMs: number): Promise<CheckOutcome> {
  return described(() => accountUsage(claudeLauncher(env), tmpdir(), Math.min(limitMs, maxWaitMs)));
}

export function checkCodexLimits(env: Environment, limitMs: number): Promise<CheckOutcome> {
  const launcher = codexLauncher(env);
  return described(() => codexAccountUsage({ launcher, version, limitMs: Math.min(limitMs, maxWaitMs) }));
}

async function described(read: () => Promise<UsageReport>): Promise<CheckOutcome> {
  try {
    return describeLimits(await read(), Date.now());
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
