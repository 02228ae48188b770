/**
 * Rules: what the user's permission settings say of a file or a command.
 *
 * The CLI applies rules for a whole tool to our tools itself; those that name
 * files or commands it knows only for its own. Where a rule is not understood, a
 * denial counts as met and an allowance does not.
 */
import { homedir } from "node:os";
import { plainCommands } from "./shell.ts";

export interface Rule {
  readonly behavior: "allow" | "deny" | "ask";
  readonly tool: string;
  /** Undefined: the whole tool. */
  readonly content: string | undefined;
}

/** A rule as the CLI lists it. */
export interface ListedRule {
  readonly behavior: string;
  readonly rule: string;
  readonly source?: string | undefined;
  readonly notInEffect?: unknown;
}

/** The user's rules in effect; that its own tools are denied to the CLI is our doing. */
export function readRules(listed: readonly ListedRule[]): readonly Rule[] {
  return listed.flatMap(({ behavior, rule, source, notInEffect }) => {
    const read = notInEffect === true || source === "cliArg" ? undefined : readRule(behavior, rule);
    return read === undefined ? [] : [read];
  });
}

/** `Bash(npm test:*)`. */
function readRule(behavior: string, text: string): Rule | undefined {
  const [, tool, content] = /^([\w-]+)(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  if (tool === undefined || (behavior !== "allow" && behavior !== "deny" && behavior !== "ask")) return undefined;
  return { behavior, tool, content: content === "" || content === "*" ? undefined : content };
}

/** The tools whose rules speak of a tool. */
const speakers: Readonly<Record<string, readonly string[]>> = {
  Read: ["Read"],
  Write: ["Edit", "Write"],
  Edit: ["Edit", "Write"],
  MultiEdit: ["Edit", "Write", "MultiEdit"],
  NotebookEdit: ["Edit", "Write", "NotebookEdit"],
  Bash: ["Bash"],
};

export type Verdict = "allow" | "deny" | "ask" | "silent";

/** What the rules say of a file. */
export function fileVerdict(rules: readonly Rule[], tool: string, path: string, cwd: string): Verdict {
  const [file, home] = [slashed(path), slashed(cwd)];
  return verdict(rules, tool, ({ content }) => content === undefined || isCovered(content, file, home));
}

/** What they say of a command. Each of its parts has to be allowed, and none may be denied. */
export function commandVerdict(rules: readonly Rule[], command: string): Verdict {
  const parts = plainCommands(command);
  const spoken = [command.trim(), ...(parts ?? command.split(/[;&|\n]+/).map((part) => part.trim()))];
  const isMet = ({ behavior, content }: Rule): boolean => {
    if (content === undefined) return true;
    return behavior === "allow" ? content === command : spoken.some((one) => isCommand(content, one));
  };
  const whole = verdict(rules, "Bash", isMet);
  if (whole !== "silent" || parts === undefined || parts.length === 0) return whole;
  const allows = rules.filter(({ behavior, tool }) => behavior === "allow" && tool === "Bash");
  const isAllowed = parts.every((part) => allows.some(({ content = "" }) => isCommand(content, part)));
  return isAllowed ? "allow" : "silent";
}

/** A denial outweighs a question, and that an allowance. */
function verdict(rules: readonly Rule[], tool: string, isMet: (rule: Rule) => boolean): Verdict {
  const met = rules.filter((rule) => (speakers[tool] ?? [tool]).includes(rule.tool) && isMet(rule));
  for (const behavior of ["deny", "ask", "allow"] as const) {
    if (met.some((rule) => rule.behavior === behavior)) return behavior;
  }
  return "silent";
}

/** `npm test` is itself, `npm test:*` and `npm *` begin with it. */
function isCommand(content: string, command: string): boolean {
  if (content.endsWith(":*")) {
    const start = content.slice(0, -2);
    return command === start || command.startsWith(`${start} `);
  }
  if (!content.includes("*")) return command === content;
  return globOf(content.replace(/ \*$/, "*"), ".*", ".*").test(command);
}

/** Patterns as in .gitignore: `//` from the root, `~/` from home, otherwise from the session's directory. */
function isCovered(pattern: string, path: string, cwd: string): boolean {
  const absolute = pattern.startsWith("//")
    ? pattern.slice(1)
    : pattern.startsWith("~/")
      ? slashed(homedir()) + pattern.slice(1)
      : pattern.startsWith("/")
        ? cwd + pattern
        : pattern.startsWith("./")
          ? cwd + pattern.slice(1)
          : pattern.includes("/")
            ? `${cwd}/${pattern}`
            : `${cwd}/**/${pattern}`;
  return globOf(absolute.replace(/\/$/, ""), "[^/]*", "(?:.*/)?", "(?:/.*)?").test(path);
}

/** A path of Windows as patterns write it; in others a backslash is a character like any. */
function slashed(path: string): string {
  return /^(?:[A-Za-z]:|\\\\)/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** `*` within a name, `**` across directories. */
function globOf(pattern: string, star: string, starStar: string, end = ""): RegExp {
  const body = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === "**/") return starStar;
    if (token === "**") return ".*";
    if (token === "*") return star;
    return token === "?" ? "[^/]" : `\\${token}`;
  });
  return new RegExp(`^${body}${end}$`, "s");
}
