/**
 * Tells from the CLI's list of the user's hooks whether files may go through the editor. Pure
 * functions.
 *
 * The list has the hooks of settings, plugins and started skills. It does not have the hooks of
 * a subagent's own definition, so calls of subagents are treated separately.
 */
import type { HooksListing } from "../claude/index.ts";
import { writeToolNames } from "./write-tools.ts";

/** Why writes cannot go through the editor; undefined when they can. `listing` is undefined when the CLI did not answer. */
export function hooksObstacle(listing: HooksListing | undefined): string | undefined {
  if (listing === undefined) return "the Claude CLI does not list its hooks";
  if (hasHiddenHooks(listing)) return "the Claude CLI does not list the hooks of your organisation";
  // The CLI checks a condition, such as `Edit(*.txt)`, only for its own tools.
  const isConditional = listing.hooks.some(
    ({ condition }) => ![undefined, null, ""].some((none) => condition === none),
  );
  if (isConditional) return "a hook in your Claude settings has a condition, which holds only for the CLI's own tools";
  // Such a hook may allow what a rule denies: for these calls the CLI applies no rules of its own.
  return writeToolNames.some((tool) => mayHookTool(listing, tool, ["PermissionRequest"]))
    ? "a hook in your Claude settings answers permission requests for writes"
    : undefined;
}

/** Whether one of the hooks of these events may be meant for a tool. True when that is not certain. */
export function mayHookTool(listing: HooksListing | undefined, tool: string, events: readonly string[]): boolean {
  if (listing === undefined || hasHiddenHooks(listing)) return true;
  return listing.hooks.some(({ event, matcher }) => events.includes(event) && mayMatch(matcher, tool));
}

/** False only for a list of plain names without the tool's; every other matcher is a pattern, or matches everything. */
function mayMatch(matcher: unknown, tool: string): boolean {
  if (typeof matcher !== "string" || !/^\w+(?:\|\w+)*$/.test(matcher)) return true;
  return matcher.split("|").includes(tool);
}

function hasHiddenHooks({ hooks, policy }: HooksListing): boolean {
  const listed = hooks.filter(({ source }) => source === "policySettings").length;
  return (policy?.policyHookCount ?? 0) > listed;
}
