/**
 * Plan: what the agent means to do, complete each time it is sent.
 */
import { oneOf, type Schema, type Static, string } from "../schema/index.ts";
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
