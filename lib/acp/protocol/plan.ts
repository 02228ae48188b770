/**
 * Schemas of the entries of an agent's plan. The agent always sends the complete plan.
 */
import { oneOf, type Schema, type Static, string } from "../../schema/index.ts";
import { withMeta } from "./common.ts";

export type PlanEntryPriority = "high" | "medium" | "low";
export const PlanEntryPriority: Schema<PlanEntryPriority> = oneOf("high", "medium", "low");

export type PlanEntryStatus = "pending" | "in_progress" | "completed";
export const PlanEntryStatus: Schema<PlanEntryStatus> = oneOf("pending", "in_progress", "completed");

const planEntry = withMeta({
  content: string,
  priority: PlanEntryPriority,
  status: PlanEntryStatus,
});
export interface PlanEntry extends Static<typeof planEntry> {}
export const PlanEntry: Schema<PlanEntry> = planEntry;
