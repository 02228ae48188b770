/**
 * A rule of the protocol and the probe that tests whether an agent keeps it.
 *
 * A probe that returns has passed. It throws `RuleViolation` when the agent broke the
 * rule and `RuleSkipped` when the rule could not be tested.
 */
import type { RawAnswer } from "./agent-under-test.ts";
import type { CheckContext } from "./check-context.ts";

export type Level = "MUST" | "SHOULD";

export interface Rule {
  /** `group/name`. */
  readonly id: string;
  readonly level: Level;
  /** What the agent does, as a predicate: "answers each request once". */
  readonly says: string;
  /** Page and section of the specification, see `sourceUrl`. */
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

/** The agent broke the rule; the message says how. */
export class RuleViolation extends Error {
  override readonly name = "RuleViolation";
}

/** The rule could not be tested; the message says why. */
export class RuleSkipped extends Error {
  override readonly name = "RuleSkipped";
}

export function expect(isKept: boolean, otherwise: string): asserts isKept {
  if (!isKept) throw new RuleViolation(otherwise);
}

/** Skips the rule unless its precondition holds. */
export function need(isMet: boolean, otherwise: string): asserts isMet {
  if (!isMet) throw new RuleSkipped(otherwise);
}

export function expectError(answer: RawAnswer, what: string, code?: number): void {
  expect(answer.error !== undefined, `${what} was answered with a result`);
  const given = codeOf(answer);
  expect(code === undefined || given === code, `${what} was answered with error ${given}, not ${code}`);
}

export function expectResult(answer: RawAnswer, what: string): unknown {
  expect(answer.error === undefined, `${what} was answered with error ${codeOf(answer)}${messageOf(answer)}`);
  return answer.result;
}

/** The agent's own error message, on one line. */
function messageOf({ error }: RawAnswer): string {
  const said = typeof error === "object" && error !== null && "message" in error ? String(error.message) : "";
  return said === "" ? "" : ` (${said.replaceAll(/\s+/g, " ").slice(0, maxShownChars)})`;
}

const maxShownChars = 160;

export function codeOf({ error }: RawAnswer): number {
  return typeof error === "object" && error !== null && "code" in error ? Number(error.code) : NaN;
}

/** The URL of a source. */
export function sourceUrl(source: string): string {
  if (source.startsWith("jsonrpc#")) return source.replace("jsonrpc", "https://www.jsonrpc.org/specification");
  return `https://agentclientprotocol.com/${source.startsWith("rfds/") ? "" : "protocol/v1/"}${source}`;
}
