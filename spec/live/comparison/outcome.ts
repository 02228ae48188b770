/**
 * What became of one call, and whether the outcome with the options on is looser than with them off.
 *
 * Looser is: runs without asking where the CLI's own tool does not, asks where the CLI denies, changes a file
 * that the CLI's own tool leaves alone, or tells the model a secret that the CLI's own tool does not.
 * One exception, counted apart: a write that a rule with a pattern denies is put to the user, because
 * Bowline does not read patterns. Functions of values.
 */
import type { ToolName } from "./call.ts";

/**
 * `ran`: it ran and the client was not asked. `asked`: the client was asked and said no. `denied`: the CLI
 * refused by a rule, a mode or a hook. `failed`: it could not work (no such file), and the client was not asked.
 */
export type Verdict = "ran" | "asked" | "denied" | "failed";

export interface Outcome {
  readonly verdict: Verdict;
  /** `created project/x`, `changed home/.bashrc`, `removed outside/y`, `told a secret`; sorted. */
  readonly effects: readonly string[];
}

export type Finding =
  | { readonly kind: "same" }
  | { readonly kind: "stricter"; readonly why: string }
  /** The user is asked about a write that a rule with a pattern denies. */
  | { readonly kind: "asked"; readonly why: string }
  | { readonly kind: "looser"; readonly why: string };

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A file with this word in it is none of the model's business. */
export const secret = "SECRET-7c1f";

/** `isRuledWrite`: a write, while the settings have a denying rule with a pattern for files. */
export function compareOutcomes(cli: Outcome, ours: Outcome, isRuledWrite = false): Finding {
  const more = ours.effects.filter((effect) => !cli.effects.includes(effect));
  const isMoved = ours.verdict !== cli.verdict;
  const verdicts = `the CLI: ${cli.verdict}, with the options on: ${ours.verdict}`;
  if (more.length > 0) return { kind: "looser", why: `${verdicts}; also ${more.join(", ")}` };
  if (isMoved && ours.verdict === "ran") return { kind: "looser", why: verdicts };
  if (cli.verdict === "denied" && ours.verdict === "asked") {
    return { kind: isRuledWrite ? "asked" : "looser", why: verdicts };
  }
  return isMoved ? { kind: "stricter", why: verdicts } : { kind: "same" };
}

/** `result` is undefined when the model got no result: the turn ended with the call. */
export function verdictOf(tool: ToolName, isAsked: boolean, result: ToolResult | undefined): Verdict {
  if (isAsked) return "asked";
  if (result === undefined) return "failed";
  if (!result.isError) return "ran";
  if (isDenial(result.text)) return "denied";
  // A command that ends badly has run; a call that is malformed has not.
  return tool === "Bash" && !result.text.startsWith("<tool_use_error>") ? "ran" : "failed";
}

/** The CLI's own words for a call that it did not let run. Seen with 2.1.325. */
function isDenial(text: string): boolean {
  return /has been denied|was not run|is denied by|deny rule|is disabled for this session|denied by your permission|Permission (to|for) .* denied|hook error|Hook .* denied|blocked by|was blocked|don't ask mode|haven't granted/i.test(
    text,
  );
}
