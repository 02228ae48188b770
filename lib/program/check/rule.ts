/**
 * Rule: one sentence of the protocol, and how to see whether an agent keeps it.
 *
 * A probe that returns has seen the rule kept; it throws `RuleViolation` when it was
 * broken and `RuleSkipped` when it could not be tried.
 */
import type { RawAnswer } from "./agent-under-test.ts";
import type { CheckContext } from "./check-context.ts";

export type Level = "MUST" | "SHOULD";

export interface Rule {
  /** `group/name`. */
  readonly id: string;
  readonly level: Level;
  /** What the agent does, ready to follow "the agent". */
  readonly says: string;
  /** Page and section, see `sourceUrl`. */
  readonly source: string;
  readonly probe: (context: CheckContext) => Promise<void> | void;
}

type RuleRow = readonly [id: string, says: string, source: string, probe: Rule["probe"]];

export function must(...[id, says, source, probe]: RuleRow): Rule {
  return { id, level: "MUST", says, source, probe };
}

export function should(...[id, says, source, probe]: RuleRow): Rule {
  return { id, level: "SHOULD", says, source, probe };
}

/** The agent departs from the rule; the message says how. */
export class RuleViolation extends Error {
  override readonly name = "Departure";
}

/** The rule could not be tried; the message says why. */
export class RuleSkipped extends Error {
  override readonly name = "NotRun";
}

export function expect(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new RuleViolation(otherwise);
}

/** The rule has nothing to look at. */
export function need(isThere: boolean, otherwise: string): asserts isThere {
  if (!isThere) throw new RuleSkipped(otherwise);
}

export function expectError(answer: RawAnswer, what: string, code?: number): void {
  expect(answer.error !== undefined, `${what} was answered with a result`);
  const given = codeOf(answer);
  expect(code === undefined || given === code, `${what} was answered with error ${given}, not ${code}`);
}

export function expectResult(answer: RawAnswer, what: string): unknown {
  expect(answer.error === undefined, `${what} was answered with error ${codeOf(answer)}${wordsOf(answer)}`);
  return answer.result;
}

/** What the agent itself says about it, cut to a line. */
function wordsOf({ error }: RawAnswer): string {
  const said = typeof error === "object" && error !== null && "message" in error ? String(error.message) : "";
  return said === "" ? "" : ` (${said.replaceAll(/\s+/g, " ").slice(0, maxShownChars)})`;
}

const maxShownChars = 160;

export function codeOf({ error }: RawAnswer): number {
  return typeof error === "object" && error !== null && "code" in error ? Number(error.code) : NaN;
}

/** The address of a source. */
export function sourceUrl(source: string): string {
  if (source.startsWith("jsonrpc#")) return source.replace("jsonrpc", "https://www.jsonrpc.org/specification");
  return `https://agentclientprotocol.com/${source.startsWith("rfds/") ? "" : "protocol/v1/"}${source}`;
}
