/**
 * Reads from ACP messages what a call of an agent would do: kind, paths, command, tool and server.
 *
 * Everything is what the agent says. A part that is missing or has an unknown form is
 * undefined, and an allowing rule with a pattern for this part does not match. A missing kind is
 * `other`, the default of the protocol, which agents may leave out; a rule that denies or asks
 * about another kind then keeps the call from being allowed.
 */
import { isAbsolute, normalize, resolve } from "node:path";
import { type Fields, recordIn, recordsIn, textOf } from "../../schema/index.ts";
import { type MentionedPath, mentionedPaths } from "./mentioned-paths.ts";
import { patchPaths } from "./patch-paths.ts";

export interface GuardedCall {
  readonly title: string;
  readonly kind: string;
  /** False when the agent sends no kind: the call may then be of any kind. */
  readonly isKindTold: boolean;
  readonly tool: string | undefined;
  /** The names that the MCP server may have. A rule that denies holds for any of them, one that allows for all. */
  readonly servers: readonly string[];
  /** Absolute and normalized, in every reading; undefined when a path is neither. Empty when there is none. */
  readonly paths: readonly string[] | undefined;
  /** What any text of the input names as a path; undefined when the input is too large. Only rules that deny or ask read it. */
  readonly mentioned: readonly MentionedPath[] | undefined;
  /** A line for a shell, or the words of one command. Undefined when the call runs no command. */
  readonly command: string | readonly string[] | undefined;
  /** Where the command runs, if the call says it; undefined when that cannot be read. */
  readonly directories: readonly string[] | undefined;
}

/** Fields of tool inputs that hold a path. */
const pathFields = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "notebook_path",
  "abs_path",
  "absolute_path",
  "target_file",
  "old_path",
  "new_path",
  "move_path",
] as const;

/** Fields of tool inputs that hold several files: paths, records with a path, or a record for each path. */
const fileListFields = ["changes", "edits", "files", "paths", "file_paths"] as const;
/** A record in such a field has its paths in itself or one level below. */
const maxRecordDepth = 2;

/** Fields of tool inputs that hold a command for some agent. One beside `command` leaves open which of them runs. */
const otherCommandFields = ["cmd", "commands", "script"] as const;

/** Fields of tool inputs that hold the directory of a command. */
const directoryFields = ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"] as const;

/** Fields beside a command that change neither what runs nor what it may reach; `otherCommandFields` are compared. */
const harmlessFields: ReadonlySet<string> = new Set([
  "command",
  ...otherCommandFields,
  ...directoryFields,
  "approvalId",
  "approval_id",
  "callId",
  "call_id",
  "commandActions",
  "description",
  "is_background",
  "itemId",
  "justification",
  "max_output_tokens",
  "parsed_cmd",
  "reason",
  "run_in_background",
  "threadId",
  "timeout",
  "timeout_ms",
  "turnId",
  "turn_id",
  "yield_time_ms",
]);

/** Words of questions about the network, about files or about the sandbox. */
const wordsOfRights = /\b(?:network|access|permissions?|sandbox\w*|escalat\w*)\b/i;

const isPathField: ReadonlySet<string> = new Set(pathFields);

/** A call with more or longer paths is not understood. */
const maxPaths = 10_000;
const maxPathChars = 32_768;

/** Reads a tool call of a session in `cwd`; later updates are laid over earlier ones by the caller. */
export function toolCallOf(fields: Fields, cwd: string | undefined): GuardedCall {
  const input = recordIn(fields, "rawInput");
  const tool = textOf(fields["name"]) ?? textOf(recordIn(recordIn(fields, "_meta"), "claudeCode")["toolName"]);
  const named = [
    ...recordsIn(fields, "locations").map(({ path }) => path),
    ...recordsIn(fields, "content").flatMap((part) => (part["type"] === "diff" ? [part["path"]] : [])),
    ...pathFields.flatMap((key) => (input[key] === undefined ? [] : [input[key]])),
    ...fileListFields.flatMap((key) => listedPaths(key, input[key])),
    ...patternPaths(tool, input["pattern"]),
  ];
  const directories = textsOf(directoryFields.map((key) => input[key]));
  const told = new Set(absolutePaths(named));
  const patched = patchPaths(input, { directory: directoryOf(directories, cwd), told });
  return {
    title: textOf(fields["title"]) ?? "",
    kind: textOf(fields["kind"]) ?? "other",
    isKindTold: textOf(fields["kind"]) !== undefined,
    tool,
    servers: serversOf(tool, textOf(input["server"])),
    paths: hasKnownForm(fields) ? absolutePaths([...named, ...patched]) : undefined,
    mentioned: mentionedPaths(input, cwd),
    command: input["command"] !== undefined && asksForMore(fields, input) ? "" : commandOf(input),
    directories,
  };
}

/** False when a part has a form that is not of the protocol, so that files in it would be missed. */
function hasKnownForm({ rawInput, locations, content }: Fields): boolean {
  const areLists = [locations, content].every((value) => value == null || Array.isArray(value));
  return areLists && (rawInput == null || (typeof rawInput === "object" && !Array.isArray(rawInput)));
}

/** The one directory in which a call works; undefined when that is not clear. */
function directoryOf(directories: GuardedCall["directories"], cwd: string | undefined): string | undefined {
  const [directory = cwd, ...others] = new Set(directories);
  if (directories === undefined || directory === undefined || others.length > 0) return undefined;
  if (isAbsolute(directory)) return directory;
  return cwd !== undefined && isAbsolute(cwd) ? resolve(cwd, directory) : undefined;
}

/**
 * `mcp__a__b__c` is a tool of the server a or of a__b. The input is written by the model, so the
 * server it names counts in addition to the tool's name, and alone only if the agent sends no name.
 */
function serversOf(tool: string | undefined, inInput: string | undefined): readonly string[] {
  const parts = /^mcp__(.+)$/s.exec(tool ?? "")?.[1]?.split("__") ?? [];
  const named = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("__"));
  return [...named, ...(inInput === undefined ? [] : [inInput])];
}

/** The paths in a list of files; Codex names the source of a moved file only in `changes`. */
function listedPaths(key: (typeof fileListFields)[number], list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list.flatMap((one) => (typeof one === "string" ? [one] : recordPaths(one)));
  if (typeof list === "string") return key === "changes" || key === "edits" ? [] : [list];
  if (key !== "changes" || typeof list !== "object" || list === null) return recordPaths(list);
  return Object.entries(list).flatMap(([path, change]) => [path, ...recordPaths(change)]);
}

function recordPaths(value: unknown, depth = maxRecordDepth): readonly unknown[] {
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    isPathField.has(key) ? (field == null ? [] : [field]) : recordPaths(field, depth - 1),
  );
}

/** The pattern of a tool that finds files may lead out of the directory in `path`. */
function patternPaths(tool: string | undefined, pattern: unknown): readonly unknown[] {
  if (tool === undefined || !/glob|find/i.test(tool) || typeof pattern !== "string") return [];
  return isAbsolute(pattern) || pattern.includes("..") || pattern.startsWith("~") ? [pattern] : [];
}

/** Reads a request of the agent to the client; undefined when the method does nothing that is guarded. */
export function clientRequestOf(method: string, params: Fields): GuardedCall | undefined {
  const base = { tool: method, isKindTold: true, servers: [], mentioned: [], command: undefined, directories: [] };
  const path = textOf(params["path"]) ?? "";
  switch (method) {
    case "fs/read_text_file":
      return { ...base, title: `Read ${path}`, kind: "read", paths: absolutePaths([params["path"]]) };
    case "fs/write_text_file":
      return { ...base, title: `Write ${path}`, kind: "edit", paths: absolutePaths([params["path"]]) };
    case "terminal/create": {
      const program = textOf(params["command"]) ?? "";
      const args: readonly unknown[] = Array.isArray(params["args"]) ? params["args"] : [];
      const words = [program, ...args.map(String)];
      // Agents also put a whole line for a shell into `command`.
      const line = args.length === 0 ? program : words;
      // Variables such as PATH and LD_PRELOAD decide what a command runs.
      const isPlain = args.every((word) => typeof word === "string");
      const command = hasEntries(params["env"]) || !isPlain ? "" : line;
      const directories = textsOf([params["cwd"]]);
      return { ...base, title: words.join(" "), kind: "execute", paths: [], command, directories };
    }
    default:
      return undefined;
  }
}

/**
 * Whether the input, the title or the texts of a call ask for more than to run its command.
 * An unknown field may change what runs or what the command may reach.
 * codex-acp asks in its title alone whether a command may reach a host.
 */
function asksForMore(fields: Fields, input: Fields): boolean {
  const hasMore = Object.entries(input).some(
    ([key, value]) =>
      !harmlessFields.has(key) && hasContent(value) && !(key === "sandbox_permissions" && value === "use_default"),
  );
  if (hasMore) return true;
  const command = [input["command"]].flat().join(" ");
  const texts = recordsIn(fields, "content").map((part) => textOf(recordIn(part, "content")["text"]) ?? "");
  return [textOf(fields["title"]) ?? "", ...texts].some((text) =>
    wordsOfRights.test(command === "" ? text : text.replaceAll(command, "")),
  );
}

/** Null, false, and empty texts, lists and records say nothing. */
function hasContent(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function hasEntries(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value != null;
}

/** The texts that are given; undefined when something else is. */
function textsOf(values: readonly unknown[]): readonly string[] | undefined {
  const given = values.filter((value) => value != null);
  return given.every((value): value is string => typeof value === "string" && value !== "") ? given : undefined;
}

function commandOf(input: Fields): GuardedCall["command"] {
  const { command } = input;
  if (command !== undefined && otherCommandFields.some((key) => (input[key] ?? command) !== command)) return "";
  if (typeof command === "string") return command;
  const isOtherField = otherCommandFields.some((key) => hasContent(input[key]));
  if (!Array.isArray(command)) return command === undefined && !isOtherField ? undefined : "";
  return command.every((word): word is string => typeof word === "string") ? command : "";
}

function absolutePaths(named: readonly unknown[]): readonly string[] | undefined {
  if (named.length > maxPaths) return undefined;
  const paths: string[] = [];
  for (const path of named) {
    if (typeof path !== "string" || path.length > maxPathChars) return undefined;
    if (!isAbsolute(path) || path.includes("\0")) return undefined;
    // Agents may cut blanks and separators at the end of a path, and compose its characters.
    for (const reading of [path, path.trim(), path.normalize("NFC"), path.trim().normalize("NFC")])
      paths.push(normalize(reading).replace(/(.)[/\\]+$/s, "$1"));
  }
  return [...new Set(paths)];
}
