/**
 * Applies the user's permission rules for files to a write through the editor.
 *
 * The CLI applies a rule with a path, such as `Edit(src/**)`, only to its own tools, so
 * this module has to do it for the MCP tools. A pattern is matched exactly where its
 * meaning is certain. Where it is not, a denying or asking rule counts as one that may
 * apply, and an allowing rule is ignored.
 */
import { homedir } from "node:os";

export type RuleBehavior = "allow" | "deny" | "ask";

export interface FileRule {
  readonly behavior: RuleBehavior;
  /** Undefined when the rule could not be read: it may concern any tool. */
  readonly tool: string | undefined;
  /** Undefined when the rule is for every call of the tool. */
  readonly pattern: string | undefined;
  /** Where the rule comes from. */
  readonly source?: string | undefined;
}

/** A rule as the CLI lists it. */
export interface ListedRule {
  readonly behavior: string;
  readonly rule: string;
  readonly source?: string | undefined;
  readonly notInEffect?: unknown;
}

export interface RuledPath {
  readonly tool: string;
  /** The path that the model gave, made absolute. */
  readonly path: string;
  /** The same file with every link resolved. */
  readonly realPath: string;
  /** The session's directory, and the CLI's current one, where relative patterns may begin. */
  readonly cwd: string;
  readonly currentCwd: string;
}

/** `unsure`: a denying or asking rule may apply. `silent`: no rule applies. */
export type RuleVerdict = "deny" | "ask" | "unsure" | "allow" | "silent";

/** The rules in effect, without those of the CLI's command line, which this program has passed itself. */
export function readFileRules(listed: readonly ListedRule[]): readonly FileRule[] {
  return listed.flatMap(({ behavior, rule, source, notInEffect }): readonly FileRule[] => {
    if (notInEffect === true || source === "cliArg") return [];
    const known = behavior === "allow" || behavior === "deny" ? behavior : "ask";
    const [, tool, pattern] = /^([\w-]+)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
    if (tool === undefined) return known === "allow" ? [] : [{ behavior: known, tool: undefined, pattern: undefined }];
    return [{ behavior: known, tool, pattern: pattern === "" || pattern === "*" ? undefined : pattern, source }];
  });
}

/** Whether the rules deny or allow a write, or want the user asked. The strictest rule decides. */
export function ruleVerdict(rules: readonly FileRule[], asked: RuledPath): RuleVerdict {
  const concerning = rules.filter((rule) => concerns(rule, asked.tool));
  const places = [asked.path, asked.realPath];
  const starts = [asked.cwd, asked.currentCwd];
  const applies = ({ pattern }: FileRule): boolean =>
    pattern === undefined ||
    places.some((place) => starts.some((start) => matchesExactly(pattern, place, start) === true));
  const restricting = concerning.filter(({ behavior }) => behavior !== "allow");
  for (const behavior of ["deny", "ask"] as const) {
    if (restricting.some((rule) => rule.behavior === behavior && rule.tool !== undefined && applies(rule))) {
      return behavior;
    }
  }
  const mayApply = ({ tool, pattern }: FileRule): boolean =>
    tool === undefined || places.some((place) => mayMatch(pattern ?? "", place));
  if (restricting.some(mayApply)) return "unsure";
  const allows = ({ behavior, pattern, source }: FileRule): boolean =>
    behavior === "allow" &&
    (pattern === undefined ||
      (isAnchoredHere(pattern, source) &&
        places.every((place) => starts.every((start) => matchesExactly(pattern, place, start) === true))));
  return concerning.some(allows) ? "allow" : "silent";
}

/** `/src` in the user's own settings begins at the directory of those settings, not at the project. */
function isAnchoredHere(pattern: string, source: string | undefined): boolean {
  return !/^\/(?!\/)/.test(pattern) || source === "projectSettings" || source === "localSettings";
}

/**
 * An allowing rule with a pattern counts only if it is for Edit, and then for every
 * writing tool; one without a pattern counts only for its own tool. Restricting rules of
 * all file tools count: a file that may not be read may not be written either.
 */
function concerns({ behavior, tool, pattern }: FileRule, writingTool: string): boolean {
  if (behavior === "allow") return tool === (pattern === undefined ? writingTool : "Edit");
  return tool === undefined || tool === "Edit" || tool === "Write" || tool === "Read" || tool === writingTool;
}

/**
 * Whether a pattern in the style of .gitignore covers a path: `//` starts at the root,
 * `~/` at home, `/`, `./` and a slash inside at `cwd`, and a bare name matches at any
 * depth. Undefined when the meaning of the pattern is not certain.
 */
function matchesExactly(pattern: string, path: string, cwd: string): boolean | undefined {
  if (!/^(?:\/\/|~\/|\/|\.\/)?(?:[^/\\[\]{}!?]+\/)*[^/\\[\]{}!?]+\/?$/.test(pattern)) return undefined;
  if (pattern.split("/").some((part) => part === ".." || (part === "." && !pattern.startsWith("./")))) return undefined;
  const anchored = pattern.startsWith("//")
    ? pattern.slice(1)
    : pattern.startsWith("~/")
      ? homedir() + pattern.slice(1)
      : pattern.startsWith("/")
        ? cwd + pattern
        : pattern.startsWith("./")
          ? cwd + pattern.slice(1)
          : pattern.includes("/")
            ? `${cwd}/${pattern}`
            : `${cwd}/**/${pattern}`;
  const body = anchored
    .replace(/\/$/, "")
    .replaceAll(/\*\*\/|\*\*|\*|[.+^${}()|[\]\\?]/g, (token) =>
      token === "**/" ? "(?:.*/)?" : token === "**" ? ".*" : token === "*" ? "[^/]*" : `\\${token}`,
    );
  return new RegExp(`^${folded(body)}(?:/.*)?$`, "su").test(folded(path));
}

/**
 * False only when a pattern cannot cover a path, whatever its wildcards and its anchor
 * mean: the path does not contain the names of the pattern in the pattern's order.
 */
function mayMatch(pattern: string, path: string): boolean {
  const names = folded(path).split(/[\\/]+/);
  const wanted = folded(pattern)
    .split(/[\\/]+/)
    .filter((part) => !["", ".", "..", "~"].includes(part) && !part.includes("**"));
  let at = 0;
  for (const part of wanted) {
    const test = segmentTest(part);
    while (at < names.length && !test(names[at] ?? "")) at++;
    if (at === names.length) return false;
    at++;
  }
  return true;
}

function segmentTest(part: string): (name: string) => boolean {
  // Braces, brackets, escapes and negation can stand for anything.
  if (/[[\]{}!?]/.test(part)) return () => true;
  const body = part.replaceAll(/[.+^$()|\\*]/g, (token) => (token === "*" ? ".*" : `\\${token}`));
  const whole = new RegExp(`^${body}$`, "su");
  return (name) => whole.test(name);
}

/** The same spelling for every case and Unicode form of a text. */
function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
