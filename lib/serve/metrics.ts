/**
 * Writes numbers about the server in the text format of Prometheus.
 *
 * Numbers only: no session, directory, prompt or name of a user is in them.
 */
import type { HubCounts } from "../hub/index.ts";

/** Further counters, by their name without the prefix. */
export interface Counters {
  /** Processes of Claude Code and Codex that were started. */
  readonly cliStarts: number;
  /** Those that ended without having been asked to. */
  readonly cliCrashes: number;
}

export interface MetricsSource {
  readonly counts: HubCounts;
  /** Bytes that wait for HTTP clients that do not read. */
  readonly heldBytes: number;
  readonly more: Counters | undefined;
}

interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly value: number;
}

export function metricsText({ counts, heldBytes, more }: MetricsSource): string {
  const { rss, heapUsed } = process.memoryUsage();
  const metrics: readonly Metric[] = [
    { name: "sessions", type: "gauge", help: "open sessions", value: counts.sessions },
    { name: "turns_running", type: "gauge", help: "turns that run now", value: counts.running },
    { name: "prompts_waiting", type: "gauge", help: "prompts queued behind a running turn", value: counts.waiting },
    { name: "questions_open", type: "gauge", help: "questions that wait for an answer", value: counts.questions },
    { name: "clients", type: "gauge", help: "connected ACP clients, one of them the page", value: counts.clients },
    { name: "turns_total", type: "counter", help: "turns that have ended", value: counts.turns },
    { name: "agent_starts_total", type: "counter", help: "agents that were started", value: counts.agentStarts },
    { name: "agent_exits_total", type: "counter", help: "agents that ended by themselves", value: counts.agentExits },
    { name: "log_bytes", type: "gauge", help: "size of the updates kept for replay", value: counts.logChars },
    { name: "held_bytes", type: "gauge", help: "bytes that wait for slow HTTP clients", value: heldBytes },
    { name: "memory_bytes", type: "gauge", help: "resident memory of this process", value: rss },
    { name: "heap_bytes", type: "gauge", help: "used heap of this process", value: heapUsed },
    ...(more === undefined
      ? []
      : ([
          { name: "cli_starts_total", type: "counter", help: "CLI processes started", value: more.cliStarts },
          { name: "cli_crashes_total", type: "counter", help: "CLI processes that crashed", value: more.cliCrashes },
        ] as const)),
  ];
  return metrics
    .map(
      ({ name, type, help, value }) =>
        `# HELP bowline_${name} ${help}\n# TYPE bowline_${name} ${type}\nbowline_${name} ${value}\n`,
    )
    .join("");
}
