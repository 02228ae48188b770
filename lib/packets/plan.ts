/**
 * Plan: the agent's plan in a packet, whole each time.
 */
import type { PlanEntry } from "../acp/index.ts";
import type { AgentPlanUpdatePacket } from "./packet.ts";

export function planPacket(
  entries: readonly Pick<PlanEntry, "content" | "priority" | "status">[],
  timestamp: string,
): AgentPlanUpdatePacket {
  return {
    _meta: null,
    entries: entries.map(({ content, priority, status }) => ({ _meta: null, content, priority, status })),
    sessionUpdate: "plan",
    type: "agent_plan_update",
    timestamp,
  };
}
