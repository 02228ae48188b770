/**
 * All rules of `bowline check`, in the order they are tested.
 *
 * Rules that inspect the log of all traffic come last, when most traffic has happened.
 */
import type { Rule } from "./rule.ts";
import { initialize } from "./rules/initialize.ts";
import { prompt, updates } from "./rules/prompt.ts";
import { answers, rpc } from "./rules/rpc.ts";
import { saved } from "./rules/saved.ts";
import { options, session } from "./rules/session.ts";
import { leaving, lines } from "./rules/transport.ts";

/** The first parts of the rule ids. */
export const groups: readonly string[] = [
  "transport",
  "rpc",
  "initialize",
  "session",
  "options",
  "prompt",
  "tools",
  "cancel",
  "saved",
];

export const rules: readonly Rule[] = [
  ...initialize,
  ...rpc,
  ...session,
  ...options,
  ...prompt,
  ...saved,
  ...updates,
  ...answers,
  ...leaving,
  ...lines,
];

/** Sorts by group, for reports. */
export function inOrder<T extends { readonly id: string }>(given: readonly T[]): readonly T[] {
  return groups.flatMap((group) => given.filter(({ id }) => groupOf(id) === group));
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}
