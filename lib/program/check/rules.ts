/**
 * Rules: everything that is checked, in the order it is tried.
 *
 * What can be seen in passing is looked at last, when most has been said.
 */
import type { Rule } from "./rule.ts";
import { initialize } from "./rules/initialize.ts";
import { prompt, updates } from "./rules/prompt.ts";
import { answers, rpc } from "./rules/rpc.ts";
import { saved } from "./rules/saved.ts";
import { options, session } from "./rules/session.ts";
import { leaving, lines } from "./rules/transport.ts";

/** The first halves of the ids. */
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

/** Group by group, as people read them. */
export function inOrder<T extends { readonly id: string }>(given: readonly T[]): readonly T[] {
  return groups.flatMap((group) => given.filter(({ id }) => groupOf(id) === group));
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}
