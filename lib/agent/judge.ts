/**
 * Judge: whether a call to a tool of ours runs without a question.
 *
 * As with the CLI's own tools a call that cannot work is told so and not asked
 * about. Such a call is refused for good before it is let through, so that it
 * cannot come to work in the meantime.
 */
import type { PermissionUpdate } from "../claude/index.ts";
import { type Asked, permitOf, type Rule, type Writing, type WritingTool, writingTools } from "../tools/index.ts";

export interface Case extends Omit<Asked, "rules"> {
  /** Undefined when they could not be learned. */
  readonly rules: readonly Rule[] | undefined;
  readonly prepare: (tool: WritingTool) => ReturnType<Writing["prepare"]>;
  /** The call will answer this and do nothing. False: it cannot be told from others. */
  readonly refuse: (why: string) => boolean;
}

export type Judged =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly suggestions: readonly PermissionUpdate[]; readonly why?: string };

const ask: Judged = { kind: "ask", suggestions: [] };

export async function judge({ rules, prepare, refuse, ...asked }: Case): Promise<Judged> {
  // Rules that nobody knows may deny anything.
  if (rules === undefined) return ask;
  const permit = permitOf({ ...asked, rules });
  if (permit.kind === "deny") return refuse(permit.why) ? { kind: "allow" } : ask;
  const writes = writingTools.find((tool) => tool === asked.tool);
  const prepared = writes && (await prepare(writes));
  if (prepared?.kind === "refused") return refuse(prepared.why) ? { kind: "allow" } : ask;
  return permit;
}
