/**
 * The file of `bowline expect`: what must be true of a run, and the check of a run against it.
 *
 * Every field is one expectation. An expectation about a value that the run does not report,
 * such as a cost, is not met. Reasons name tools, paths and counts, and never quote messages.
 */
import {
  array,
  either,
  integer,
  number,
  object,
  optional,
  refine,
  type Schema,
  type Static,
  string,
} from "../../schema/index.ts";
import type { FileProblem, JsonFileKind } from "../json-file/read-json-file.ts";
import type { RunFacts, ToolCallFact } from "./run-facts.ts";

const limit = refine(number, "0 or more", (value) => value >= 0);

const expectations = object({
  $schema: optional(string),
  /** These tools are called in this order; other calls may lie between. A tool is its name, its kind or a part of its title. */
  tools: optional(array(string)),
  /** None of these tools is called. */
  noTools: optional(array(string)),
  /** Each of these files is changed: the end of its path, with `*` for a part of a name. */
  files: optional(array(string)),
  /** None of these files is changed. */
  noFiles: optional(array(string)),
  /** For each of these tools a permission is asked, in this order. */
  permissions: optional(array(string)),
  /** At most this many permissions are asked. */
  maxPermissions: optional(integer(0)),
  /** Every prompt ends with this stop reason, or the prompts end with these in turn. */
  stop: optional(either("a stop reason, or an array of them", string, array(string))),
  maxTokens: optional(integer(0)),
  maxCost: optional(limit),
  maxSeconds: optional(limit),
  /** The agent's text matches each of these patterns. */
  says: optional(array(string)),
  /** No line of the agent matches any of these patterns. */
  never: optional(array(string)),
});
export interface Expectations extends Static<typeof expectations> {}
export const Expectations: Schema<Expectations> = expectations;

export const expectationsFile: JsonFileKind<Expectations> = {
  what: "file of expectations",
  schema: Expectations,
  check: wrongPatterns,
};

export interface Verdict {
  readonly name: string;
  readonly status: "pass" | "fail";
  readonly why?: string;
}

/** One verdict for each expectation of the file, in its order. */
export function checkExpectations(expected: Expectations, facts: RunFacts): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const add = (name: string, why: string | undefined): void => {
    verdicts.push(why === undefined ? { name, status: "pass" } : { name, status: "fail", why });
  };
  const { tools, noTools = [], files = [], noFiles = [], permissions, maxPermissions, stop } = expected;
  if (tools !== undefined) add(`tools: ${tools.join(", ")}`, missingInOrder(tools, facts.toolCalls, "called"));
  for (const one of noTools) {
    add(`no tool ${one}`, facts.toolCalls.some((call) => isTool(call, one)) ? "the tool is called" : undefined);
  }
  for (const one of files) {
    add(`changes ${one}`, facts.filesChanged.some((path) => isPath(path, one)) ? undefined : "no such file is changed");
  }
  for (const one of noFiles) {
    const found = facts.filesChanged.find((path) => isPath(path, one));
    add(`does not change ${one}`, found === undefined ? undefined : `${found} is changed`);
  }
  if (permissions !== undefined)
    add(`permissions: ${permissions.join(", ")}`, missingInOrder(permissions, facts.permissions, "asked for"));
  if (maxPermissions !== undefined) atMost("permissions", facts.permissions.length, maxPermissions);
  if (stop !== undefined) add(`stops with ${[stop].flat().join(", ")}`, wrongStop(stop, facts.stops));
  atMost("tokens", facts.tokens, expected.maxTokens);
  atMost("cost", facts.cost, expected.maxCost);
  atMost("seconds", facts.seconds, expected.maxSeconds);
  for (const one of expected.says ?? [])
    add(`says /${one}/`, new RegExp(one, "su").test(facts.text) ? undefined : "no text of the agent matches");
  for (const one of expected.never ?? []) {
    const pattern = new RegExp(one, "su");
    const count = facts.lines.filter((line) => pattern.test(line)).length + (pattern.test(facts.text) ? 1 : 0);
    add(`never /${one}/`, count === 0 ? undefined : `${count} lines or texts of the agent match`);
  }
  return verdicts;

  function atMost(what: string, value: number | undefined, most: number | undefined): void {
    if (most === undefined) return;
    const name = `at most ${most} ${most === 1 ? what.replace(/s$/, "") : what}`;
    if (value === undefined) add(name, `the run does not tell its ${what}`);
    else add(name, value <= most ? undefined : `${Math.round(value * 1e6) / 1e6} ${what}`);
  }
}

function missingInOrder(
  wanted: readonly string[],
  calls: readonly Pick<ToolCallFact, "title" | "kind" | "name">[],
  what: string,
): string | undefined {
  let from = 0;
  for (const [i, one] of wanted.entries()) {
    const at = calls.findIndex((call, k) => k >= from && isTool(call, one));
    if (at === -1) return `${one} is not ${what}${i === 0 ? "" : ` after ${wanted.slice(0, i).join(", ")}`}`;
    from = at + 1;
  }
  return undefined;
}

function isTool({ name, kind, title }: Pick<ToolCallFact, "title" | "kind" | "name">, wanted: string): boolean {
  return name === wanted || kind === wanted || title.includes(wanted);
}

/** Whether a path ends with the pattern, on the border of a name; `*` is a part of one name. */
function isPath(path: string, pattern: string): boolean {
  const source = pattern
    .split("*")
    .map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, "\\$&"))
    .join("[^/\\\\]*");
  return new RegExp(`(?:^|[/\\\\])${source}$`, "u").test(path) || path === pattern;
}

function wrongStop(wanted: string | readonly string[], stops: readonly string[]): string | undefined {
  if (stops.length === 0) return "the run has no prompt";
  const short = (stop: string): string => stop.replace(/^error:.*/s, "an error");
  if (typeof wanted === "string") {
    const other = stops.find((stop) => stop !== wanted);
    return other === undefined ? undefined : `a prompt ends with ${short(other)}`;
  }
  const isSame = wanted.length === stops.length && wanted.every((stop, i) => stop === stops[i]);
  return isSame ? undefined : `the prompts end with ${stops.map(short).join(", ")}`;
}

function wrongPatterns({ says = [], never = [] }: Expectations): readonly FileProblem[] {
  return Object.entries({ says, never }).flatMap(([key, patterns]) =>
    patterns.flatMap((pattern, i): readonly FileProblem[] => {
      try {
        void new RegExp(pattern, "su");
        return [];
      } catch {
        return [{ path: [key, i], says: "must be a regular expression" }];
      }
    }),
  );
}
