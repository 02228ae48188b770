/**
 * Raw output: what came of a tool call, in the form its readers know.
 *
 * ACP content is written for people: code in fences, an exit code in words. Here it
 * is data again. A call that failed has its reason under `error`, but a command, of
 * which the output and the exit code are worth as much as ever.
 */
import { isRecord } from "../schema/index.ts";
import { type DiffItem, textItem, type ToolContentItem } from "./content.ts";
import type { PacketToolKind } from "./packet.ts";
import { type TodoItem, todosOf, textIn } from "./raw-input.ts";
import type { Fields, ToolShape } from "./tool.ts";

export type SearchOutput = {
  /** What was found, a line each, or "No files found". */
  readonly output: string;
  readonly metadata: { readonly count: number; readonly truncated: boolean };
};

export type ReadOutput = {
  /** Between `<file>` and `</file>`, each line after its number. */
  readonly output: string;
  readonly metadata: { readonly preview: string; readonly truncated: boolean };
};

export type BashOutput = {
  readonly output: string;
  readonly metadata: {
    readonly output: string;
    /** Null when there is none: it was killed, never ran, or runs on. */
    readonly exit: number | null;
    readonly description: string;
    readonly truncated: boolean;
  };
};

export type WriteOutput = {
  readonly output: string;
  readonly metadata: {
    readonly diagnostics: Readonly<Record<string, readonly unknown[]>>;
    readonly filepath: string;
    /** Whether the file was there before. */
    readonly exists: boolean;
    readonly truncated: boolean;
  };
};

export type TodoWriteOutput = {
  /** The todos as JSON. */
  readonly output: string;
  readonly metadata: { readonly todos: readonly TodoItem[]; readonly truncated: boolean };
};

export type PlainOutput = {
  readonly output: string;
  readonly metadata: { readonly truncated: boolean };
};

export type FailedOutput = {
  readonly error: string;
};

export type ToolRawOutput =
  | SearchOutput
  | ReadOutput
  | BashOutput
  | WriteOutput
  | TodoWriteOutput
  | PlainOutput
  | FailedOutput;

/** A call that is over. */
export interface DoneTool {
  readonly shape: ToolShape;
  readonly kind: PacketToolKind;
  readonly isFailed: boolean;
  /** As packets have it. */
  readonly rawInput: Fields;
  readonly path: string;
  readonly isNewFile: boolean;
  /** What it shows, without what was known before it ran. */
  readonly items: readonly ToolContentItem[];
  /** What its terminal showed, and how it ended. */
  readonly terminal: { readonly output: string; readonly exit: number | null | undefined };
  /** The agent's own. */
  readonly rawOutput: unknown;
}

export interface Result {
  /** A `ToolRawOutput`, or the agent's own of that form. */
  readonly rawOutput: Fields;
  readonly content: readonly ToolContentItem[];
  /** A command that ended with another code than 0 has failed, whatever the agent says. */
  readonly isFailed: boolean;
}

export function resultOf(tool: DoneTool): Result {
  const { items, rawOutput, isFailed } = tool;
  if (isRecord(rawOutput) && typeof rawOutput["output"] === "string" && isRecord(rawOutput["metadata"])) {
    // An agent whose own output has this form already knows better.
    const { exit } = rawOutput["metadata"];
    return { rawOutput, content: items, isFailed: isFailed || (typeof exit === "number" && exit !== 0) };
  }
  if (tool.shape === "bash") return bashResult(tool);
  const texts = textsOf(items);
  const text = texts.length > 0 ? texts.join("\n") : ownOutput(rawOutput);
  if (isFailed) return failure(tool, text);
  const pictures = items.filter((item) => item.type === "content" && item.content.type === "image");
  const answer = (output: Exclude<ToolRawOutput, FailedOutput>): Result => {
    const words = output.output === "" ? [] : [textItem(output.output)];
    return { rawOutput: output, content: [...words, ...pictures, ...items.filter(isDiff)], isFailed: false };
  };
  if (tool.kind === "edit") return answer(writeOutput(tool, text));
  if (tool.shape === "todo") return answer(todoOutput(tool));
  if (tool.kind === "search") return answer(searchOutput(tool, unfenced(text)));
  if (tool.shape === "read" && (texts.length > 0 || pictures.length === 0)) return answer(readOutput(tool, text));
  const output = tool.shape === "task" ? reportOf(text) : text;
  if (tool.shape === "read") return answer({ output, metadata: { preview: "", truncated: false } });
  return answer({ output, metadata: { truncated: false } });
}

function failure({ items, kind }: DoneTool, text: string): Result {
  const error = text === "" ? "It was not done." : text;
  const content = items.some(({ type }) => type === "content") ? items : [textItem(error), ...items];
  // The words come before the change they are about, as they do when all is well.
  const inOrder = kind === "edit" ? content.toSorted((a, b) => Number(isDiff(a)) - Number(isDiff(b))) : content;
  return { rawOutput: { error }, content: inOrder, isFailed: true };
}

function bashResult({ items, terminal, rawInput, rawOutput, isFailed }: DoneTool): Result {
  const texts = textsOf(items);
  const [, said] = /^Exit code (\d+)$/.exec(texts.at(-1) ?? "") ?? [];
  const shown = (said === undefined ? texts : texts.slice(0, -1)).map(unfenced).join("\n");
  const own = isRecord(rawOutput) ? (rawOutput["exit_code"] ?? rawOutput["exitCode"]) : undefined;
  const output = terminal.output !== "" ? terminal.output : shown !== "" ? shown : ownOutput(rawOutput);
  const known = terminal.exit ?? (said === undefined ? own : Number(said));
  const runsOn = output.startsWith("Running in the background as ");
  const exit = typeof known === "number" ? known : isFailed || terminal.exit === null || runsOn ? null : 0;
  const description = textIn(rawInput, "description") ?? "";
  const truncated = /\[\d+ (?:characters|lines) truncated\]|<persisted-output>/.test(output);
  return {
    rawOutput: { output, metadata: { output, exit, description, truncated } },
    content: output === "" ? [] : [textItem(output)],
    isFailed: isFailed || (exit !== null && exit !== 0),
  };
}

function writeOutput({ path, isNewFile }: DoneTool, text: string): WriteOutput {
  const output = text === "" ? "Wrote file successfully." : text;
  return { output, metadata: { diagnostics: {}, filepath: path, exists: !isNewFile, truncated: false } };
}

function todoOutput({ rawInput }: DoneTool): TodoWriteOutput {
  const todos = todosOf(rawInput["todos"]);
  return { output: JSON.stringify(todos), metadata: { todos, truncated: false } };
}

/** What a subagent reports, without what its frame tells the model. */
function reportOf(text: string): string {
  const end = text.indexOf("<task_metadata>");
  return end < 0 ? text : text.slice(0, end).trimEnd();
}

/** Notes the CLI adds to what it found. */
const cutNote = /^\n?(?:\(Results are truncated\..*\)|\(Showing \d+ of .*\)|\[Showing results with pagination.*\])$/m;
const sumNote = /^(?:Found \d+ files?.*\n|\nFound \d+ total occurrences?.*\n?$)/m;

function searchOutput({ shape }: DoneTool, text: string): SearchOutput {
  const truncated = cutNote.test(text);
  const found = text.replace(cutNote, "").replace(sumNote, "").trimEnd();
  const isNone = found === "" || /^No (?:files|matches|entries|matching)\b.*$/.test(found);
  const count = isNone ? 0 : found.split("\n").filter(isMatch).length;
  return { output: isNone && shape === "search" ? "No files found" : found, metadata: { count, truncated } };
}

/** Lines around a match stand after `path-12-`, a match after `path:12:`; `--` parts them. */
function isMatch(line: string): boolean {
  return line !== "--" && line !== "" && /^.+?([:-])\d+\1/.exec(line)?.[1] !== "-";
}

const previewLines = 20;
const maxPreviewChars = 2000;
/** What the CLI reads when it is not told how much. */
const defaultLimit = 2000;

function readOutput({ rawInput }: DoneTool, text: string): ReadOutput {
  if (text.startsWith("<file>")) return { output: text, metadata: { preview: previewOf(text), truncated: false } };
  const plain = unfenced(text);
  const lines = plain === "" ? [] : plain.split("\n");
  const { offset, limit } = rawInput;
  const first = typeof offset === "number" && offset >= 1 ? Math.floor(offset) : 1;
  const truncated = lines.length >= (typeof limit === "number" && limit >= 1 ? limit : defaultLimit);
  const numbered = lines.map((line, i) => `${String(first + i).padStart(5, "0")}| ${line}\n`).join("");
  const end = truncated ? "" : `\n(End of file - total ${first + lines.length - 1} lines)\n`;
  return { output: `<file>\n${numbered}${end}</file>`, metadata: { preview: previewOf(plain), truncated } };
}

function previewOf(text: string): string {
  const lines = text.slice(0, maxPreviewChars).split("\n", previewLines).join("\n");
  // Never half of a pair.
  return lines.replace(/[\uD800-\uDBFF]$/, "");
}

function textsOf(items: readonly ToolContentItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "content" && item.content.type === "text" ? [item.content.text] : []));
}

function isDiff(item: ToolContentItem): item is DiffItem {
  return item.type === "diff";
}

/** The text an agent gives as raw output, when its content has none. */
function ownOutput(raw: unknown): string {
  if (typeof raw === "string") return raw;
  return isRecord(raw) ? (textIn(raw, "output", "formatted_output", "stdout", "error", "message") ?? "") : "";
}

/** Text that is one code block, as the code it is. */
function unfenced(text: string): string {
  const [ticks] = /^`{3,}/.exec(text) ?? [];
  const start = text.indexOf("\n") + 1;
  const closed = text.trimEnd();
  if (ticks === undefined || start === 0 || !closed.endsWith(`\n${ticks}`)) return text;
  // An empty block shares one line end between its fences.
  return closed.slice(start, Math.max(start, closed.length - ticks.length - 1));
}
