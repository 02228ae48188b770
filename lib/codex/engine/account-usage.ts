/**
 * Asks Codex for the limits of the account that it is signed in with.
 */
import type { UsageReport } from "../../engine/index.ts";
import { realTimer } from "../../wire/index.ts";
import type { AppServer } from "../app-server/app-server.ts";
import type { CodexLauncher } from "../app-server/codex-link.ts";
import { SharedAppServer } from "../app-server/shared-app-server.ts";
import { AccountRateLimits } from "../protocol/index.ts";
import { CodexLimits } from "../translate/index.ts";

/** Adds the limits that Codex reports now. Codex refuses the request for accounts without a plan; then no limit is added. */
export async function readLimits(server: AppServer, limits: CodexLimits, limitMs: number): Promise<void> {
  const read = await server
    .request("account/rateLimits/read", {}, AccountRateLimits, { limitMs })
    .catch(() => undefined);
  if (read === undefined) return;
  const known = Object.values(read.rateLimitsByLimitId ?? {});
  for (const one of known.length > 0 ? known : [read.rateLimits]) limits.take(one);
}

export interface AccountUsageOptions {
  readonly launcher: CodexLauncher;
  /** The version of this program. */
  readonly version: string;
  readonly limitMs: number;
}

/** Starts a Codex of its own, asks it once, and ends it. Rejects when Codex cannot be started in time. */
export async function codexAccountUsage({ launcher, version, limitMs }: AccountUsageOptions): Promise<UsageReport> {
  const shared = new SharedAppServer({ launcher, after: realTimer, version, onBug: () => {} });
  const limits = new CodexLimits();
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = realTimer(limitMs, () => reject(new Error("Codex did not start in time")));
  });
  try {
    const { server } = await Promise.race([shared.acquire(), late]);
    await Promise.race([readLimits(server, limits, limitMs), late]);
    return { ...(limits.plan !== undefined && { plan: limits.plan }), limits: limits.all, models: [] };
  } finally {
    cancel();
    await shared.close("it has answered");
  }
}
