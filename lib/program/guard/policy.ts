/**
 * The policy of `bowline guard`, and the decision about one call.
 *
 * Of the rules that match, a denying one wins over an asking one, and that over an
 * allowing one, whatever their order. A call is allowed only when every path and every
 * part of its command is understood and matched. What no rule matches is asked or denied.
 */
import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import {
  array,
  either,
  number,
  object,
  oneOf,
  optional,
  refine,
  type Schema,
  type Static,
  string,
} from "../../schema/index.ts";
import type { FileProblem, JsonFileKind } from "../json-file/read-json-file.ts";
import type { GuardedCall } from "./guarded-call.ts";
import { pathsInWords } from "./mentioned-paths.ts";
import { matchesCommand, matchesGlob, shellCommands } from "./shell-words.ts";
import { couldMatchBelow, matchesParts, type PatternPart, pathParts } from "./wildcards.ts";

const texts = either("a string, or an array of strings", string, array(string));

const rule = object({
  effect: oneOf("allow", "deny", "ask"),
  /** The kind of tool call: one of `kinds` below. */
  kind: optional(texts),
  /** An absolute path; `*` is a part of a name, `**` any number of names, `${cwd}` the session's directory. */
  path: optional(texts),
  /** Words of a command; `*` is a part of a word, a last `*` any further words. */
  command: optional(texts),
  /** The tool's name, such as WebFetch. */
  tool: optional(texts),
  /** The name of an MCP server. */
  server: optional(texts),
});
export interface PolicyRule extends Static<typeof rule> {}

const policy = object({
  $schema: optional(string),
  rules: array(rule),
  /** What happens when no rule matches; never allow. */
  otherwise: optional(oneOf("ask", "deny")),
  /** Seconds that the editor has for an answer; then the call is denied. */
  timeout: optional(refine(number, "seconds from 1 to 86400", (value) => value >= 1 && value <= 86_400)),
});
export interface Policy extends Static<typeof policy> {}
export const Policy: Schema<Policy> = policy;

export const policyFile: JsonFileKind<Policy> = { what: "policy", schema: Policy, check: checkPolicy };

export interface Decision {
  readonly effect: "allow" | "deny" | "ask";
  /** `rule 3` (from 1), `otherwise`, or why nothing could allow the call. */
  readonly by: string;
}

export function decide({ rules, otherwise = "ask" }: Policy, call: GuardedCall, cwd: string | undefined): Decision {
  const commands = commandsOf(call);
  const numbered = rules.map((one, i) => ({ one, by: `rule ${i + 1}` }));
  for (const effect of ["deny", "ask"] as const) {
    const found = numbered.find(({ one }) => one.effect === effect && concerns(one, call, commands, cwd));
    if (found !== undefined) return { effect, by: found.by };
  }
  if (commands !== undefined && commands.parts === undefined)
    return { effect: otherwise, by: "the command is not understood" };
  if (commands !== undefined && !runsWithin(call, cwd))
    return { effect: otherwise, by: "the command runs in another directory" };
  if (call.paths === undefined) return { effect: otherwise, by: "a path is not understood" };
  const limiting = numbered.find(({ one }) => one.effect !== "allow" && mayConcern(one, call, commands, cwd));
  if (limiting !== undefined) return { effect: otherwise, by: `${limiting.by} may concern the call` };
  const allowing = numbered.filter(({ one }) => one.effect === "allow" && hasKindAndTool(one, call));
  const parts = commands?.parts ?? [undefined];
  const by = parts.map((words) => allowing.find(({ one }) => allows(one, call, words, cwd))?.by);
  if (by.every((one) => one !== undefined)) return { effect: "allow", by: [...new Set(by)].join(", ") };
  return { effect: otherwise, by: "otherwise" };
}

/** Whether a command runs in the session's directory or below: elsewhere the same words may run other programs. */
function runsWithin({ directories }: GuardedCall, cwd: string | undefined): boolean {
  if (directories === undefined) return false;
  return directories.every((directory) => {
    const inside = cwd === undefined ? ".." : relative(cwd, resolve(cwd, directory));
    return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  });
}

type Words = readonly string[];

interface Commands {
  /** What the call runs, each to be allowed; undefined when it is not understood. */
  readonly parts: readonly Words[] | undefined;
  /** What a denying or asking rule is compared with. */
  readonly told: readonly Words[];
}

/** Undefined when the call runs no command. */
function commandsOf({ command, kind, title }: GuardedCall): Commands | undefined {
  if (command !== undefined) return commandsIn(command);
  // Gemini CLI has the command in the title alone. A title can be shortened, so it allows nothing.
  return kind === "execute" ? { parts: undefined, told: commandsIn(title).told } : undefined;
}

/** The commands of a line, or one command, and those of a line for a shell: codex-acp sends `/bin/bash -lc 'ls'`. */
function commandsIn(command: string | Words): Commands {
  const outer = typeof command === "string" ? (shellCommands(command) ?? []) : [command];
  const inner = outer.map((words) => {
    const line = lineForShell(words);
    return line === undefined ? [words] : shellCommands(line);
  });
  const understood = inner.flatMap((one) => one ?? []);
  const isUnderstood = outer.length > 0 && inner.every((one) => one !== undefined);
  return { parts: isUnderstood ? understood : undefined, told: [...outer, ...understood] };
}

/** The line of `bash -lc <line>`, if it is a shell of the system. */
function lineForShell([shell = "", flag = "", line, ...more]: Words): string | undefined {
  const isShell = /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/bin\/)?(?:ba|z|da|k)?sh$/.test(shell);
  return isShell && /^-l?c$/.test(flag) && more.length === 0 ? line : undefined;
}

/** Whether a denying or asking rule holds for a call. A path that is not understood counts as a match. */
function concerns(
  one: PolicyRule,
  call: GuardedCall,
  commands: Commands | undefined,
  cwd: string | undefined,
): boolean {
  if (!hasKindAndTool(one, call)) return false;
  if (one.path !== undefined) {
    const { paths, mentioned } = call;
    const isKnown = paths !== undefined && mentioned !== undefined;
    const all = [
      ...(paths ?? []),
      ...(mentioned ?? []).map(({ path }) => path),
      ...pathsInWords(commands?.told.flat() ?? [], [
        cwd,
        ...(call.directories ?? []).map((one) => resolve(cwd ?? "/", one)),
      ]),
    ];
    if (isKnown && !all.some((path) => isPath(path, one, cwd))) return false;
  }
  if (one.command === undefined) return true;
  // `decide` never allows a command that is not understood.
  return (
    commands !== undefined &&
    commands.told.some((words) => listed(one.command).some((pattern) => matchesCommand(words, pattern)))
  );
}

/** Whether a denying or asking rule could match the parts that the call leaves out. */
function mayConcern(
  one: PolicyRule,
  call: GuardedCall,
  commands: Commands | undefined,
  cwd: string | undefined,
): boolean {
  if (!call.isKindTold && concerns({ ...one, kind: undefined }, call, commands, cwd)) return true;
  if (one.path === undefined || one.command !== undefined || commands !== undefined) return false;
  if (!hasKindAndTool(one, call)) return false;
  const { paths = [], mentioned = [] } = call;
  if (paths.length === 0 && isFileWork.has(call.kind)) return true;
  const directories = [...paths, ...mentioned.flatMap(({ path, isName }) => (isName ? [] : [path]))];
  return (
    mayReachBelow(call) &&
    directories.some((path) => patternsOf(one.path, cwd).some((parts) => couldMatchBelow(path, parts)))
  );
}

/** Kinds of calls that work on files: without a path, such a call does not name its file. */
const isFileWork: ReadonlySet<string> = new Set(["read", "edit", "delete", "move", "search"]);
/** Kinds of calls that concern everything below their path. */
const isBelowToo: ReadonlySet<string> = new Set(["search", "delete", "move"]);

/** Whether a call may concern what is below its paths. A tool without a kind may, unless its name tells otherwise. */
function mayReachBelow({ kind, tool }: GuardedCall): boolean {
  if (isBelowToo.has(kind)) return true;
  return kind === "other" && (tool === undefined || namesManyFiles.test(tool));
}

const namesManyFiles =
  /search|find|glob|grep|tree|list|dir|folder|walk|scan|index|archive|zip|copy|move|delete|remove/i;

function hasKindAndTool(one: PolicyRule, { kind, tool, servers }: GuardedCall): boolean {
  const fits = (wanted: PolicyRule["kind"], given: string | undefined): boolean =>
    wanted === undefined || (given !== undefined && listed(wanted).some((pattern) => matchesGlob(given, pattern)));
  // The CLI writes other characters of a server's name as `_` in the names of its tools.
  const isServer = (name: string): boolean =>
    fits(one.server, name) || (one.effect !== "allow" && fits(listed(one.server).map(toolNameForm), name));
  const fitsServer =
    one.server === undefined ||
    (one.effect === "allow" ? isTold(tool, servers) && servers.every(isServer) : servers.some(isServer));
  return fits(one.kind, kind) && fits(one.tool, tool) && fitsServer;
}

/** Whether a server is known: from the tool's name, or from the input where the agent sends no name. */
function isTold(tool: string | undefined, servers: readonly string[]): boolean {
  return servers.length > 0 && (tool === undefined || tool.startsWith("mcp__"));
}

/**
 * Whether the command in the input is what the call runs. Tools of MCP servers, and unknown ones, take
 * an input with a command in it and may do something else.
 */
function runsCommand({ kind, servers }: GuardedCall): boolean {
  return servers.length === 0 && (kind === "execute" || kind === "read" || kind === "search");
}

/** Whether an allowing rule covers all paths of a call, and one of its commands. */
function allows(
  one: PolicyRule,
  call: GuardedCall,
  words: readonly string[] | undefined,
  cwd: string | undefined,
): boolean {
  // A call that runs a command is allowed by its command alone.
  if (words !== undefined) {
    if (!runsCommand(call) && one.tool === undefined && one.server === undefined) return false;
    return one.command !== undefined && listed(one.command).some((pattern) => matchesCommand(words, pattern));
  }
  if (one.command !== undefined) return false;
  if (one.path === undefined) return true;
  const { paths = [] } = call;
  return paths.length > 0 && paths.every((path) => isPath(path, one, cwd));
}

function isPath(path: string, { path: patterns, effect }: PolicyRule, cwd: string | undefined): boolean {
  // A directory that is not known: a rule that denies or asks holds, one that allows does not.
  if (cwd === undefined && listed(patterns).some((pattern) => pattern.includes(cwdWord)) && effect !== "allow")
    return true;
  return patternsOf(patterns, cwd).some((parts) => matchesParts(path, parts));
}

const cwdWord = "${cwd}";

/** The patterns that are known; the directory of the session has no wildcards, whatever its name is. */
function patternsOf(patterns: PolicyRule["path"], cwd: string | undefined): readonly (readonly PatternPart[])[] {
  return listed(patterns).flatMap((pattern) => {
    if (cwd === undefined && pattern.includes(cwdWord)) return [];
    const whole = normalize(pattern.replaceAll(cwdWord, () => (cwd ?? "").replaceAll("*", starInName)));
    return [pathParts(whole).map((part) => ("text" in part ? { text: part.text.replaceAll(starInName, "*") } : part))];
  });
}

/** Replaces a `*` in the name of the session's directory; no path can contain it. */
const starInName = "\0";

function toolNameForm(server: string): string {
  return server.replaceAll(/[^\w*-]/g, "_");
}

function listed(given: string | readonly string[] | undefined): readonly string[] {
  return given === undefined ? [] : typeof given === "string" ? [given] : given;
}

const kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

/** Finds rules that would allow more than they say, and patterns that match nothing. */
function checkPolicy({ rules }: Policy): readonly FileProblem[] {
  return rules.flatMap((one, i): readonly FileProblem[] => {
    const problems: FileProblem[] = [];
    const path = ["rules", i];
    const { effect, kind, path: files, command, tool, server } = one;
    if ([kind, files, command, tool, server].every((part) => part === undefined) && effect === "allow")
      problems.push({ path, says: "must say what it allows: kind, path, command, tool or server" });
    if (effect === "allow" && command === undefined && listed(kind).includes("execute"))
      problems.push({ path, says: "must have a command: nothing else allows to execute" });
    for (const key of ["kind", "path", "command", "tool", "server"] as const)
      if (
        one[key] !== undefined &&
        (listed(one[key]).length === 0 || listed(one[key]).some((text) => text.trim() === ""))
      )
        problems.push({ path: [...path, key], says: "must not be empty: it would match nothing" });
    for (const pattern of listed(kind))
      if (pattern.trim() !== "" && !kinds.some((name) => matchesGlob(name, pattern)))
        problems.push({ path: [...path, "kind"], says: `must be one of ${kinds.join(", ")}` });
    for (const pattern of listed(files)) {
      if (/[^/\\][/\\]$/.test(pattern))
        problems.push({ path: [...path, "path"], says: "must not end with a separator: /** is what is below" });
      if (effect !== "allow" && /[[\]{}?]/.test(pattern.replaceAll(cwdWord, "")))
        problems.push({
          path: [...path, "path"],
          says: "has [ ] { } or ?, which are no patterns here: write * instead",
        });
    }
    for (const pattern of listed(files))
      if (!/^(?:\/|\*\*|\$\{cwd\}|[A-Za-z]:[\\/])/.test(pattern))
        problems.push({ path: [...path, "path"], says: "must be absolute, or begin with ${cwd} or **" });
    for (const pattern of listed(command))
      if (effect === "allow" && pattern.trim().startsWith("*"))
        problems.push({ path: [...path, "command"], says: "must begin with the name of a program" });
    return problems;
  });
}
