/**
 * Builds the `rawOutput`, content and status of the packet that ends a tool call.
 *
 * ACP content is formatted for display (code in fences, the exit code as text); this
 * module turns it back into data. A failed call has `{ error }` as its raw output,
 * except a shell command, which keeps its output and exit code.
 */
import { type Fields, isRecord, textIn } from "../schema/index.ts";
import { type BashOutput, bashOutput } from "./bash-output.ts";
import { type DiffItem, textItem, type ToolContentItem, unfenced } from "./content.ts";
import type { PacketToolKind } from "./packet.ts";
import { type TodoItem, todosOf } from "./raw-input.ts";
import { type ReadOutput, readOutput } from "./read-output.ts";
import { type SearchOutput, searchOutput } from "./search-output.ts";
import type { ToolShape } from "./tool-names.ts";

export type WriteOutput = {
  readonly output: string;
  readonly metadata: {
    readonly diagnostics: Readonly<Record<string, readonly unknown[]>>;
    readonly filepath: string;
    /** Whether the file existed before the call. */
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

/** A tool call that has ended. */
export interface DoneTool {
  readonly shape: ToolShape;
  readonly kind: PacketToolKind;
  readonly isFailed: boolean;
  /** The input in packet form. */
  readonly rawInput: Fields;
  readonly path: string;
  readonly isNewFile: boolean;
  /** The content of the call, without texts that `rawInput` already has. */
  readonly items: readonly ToolContentItem[];
  /** Terminal output and exit code from `_meta`. */
  readonly terminal: { readonly output: string; readonly exit: number | null | undefined };
  /** The agent's own `rawOutput`. */
  readonly rawOutput: unknown;
}

export interface PacketResult {
  /** A `ToolRawOutput`, or the agent's own raw output when it has that form. */
  readonly rawOutput: Fields;
  readonly content: readonly ToolContentItem[];
  /** Also true for a command with an exit code other than 0 that the agent reports as completed. */
  readonly isFailed: boolean;
}

export function resultOf(tool: DoneTool): PacketResult {
  const { items, rawOutput, isFailed } = tool;
  if (isRecord(rawOutput) && typeof rawOutput["output"] === "string" && isRecord(rawOutput["metadata"])) {
    // The agent's raw output already has the packet form, so it is used unchanged.
    const { exit } = rawOutput["metadata"];
    return { rawOutput, content: items, isFailed: isFailed || (typeof exit === "number" && exit !== 0) };
  }
  const texts = textsOf(items);
  const rawText = ownText(rawOutput);
  if (tool.shape === "bash") {
    const description = textIn(tool.rawInput, "description") ?? "";
    const bash = bashOutput({ isFailed, description, texts, terminal: tool.terminal, rawOutput, rawText });
    const { output, metadata } = bash;
    const content = output === "" ? [] : [textItem(output)];
    return { rawOutput: bash, content, isFailed: isFailed || (metadata.exit ?? 0) !== 0 };
  }
  const text = texts.length > 0 ? texts.join("\n") : rawText;
  if (isFailed) return failure(tool, text);
  const images = items.filter((item) => item.type === "content" && item.content.type === "image");
  const success = (output: Exclude<ToolRawOutput, FailedOutput>): PacketResult => {
    const outputText = output.output === "" ? [] : [textItem(output.output)];
    return { rawOutput: output, content: [...outputText, ...images, ...items.filter(isDiff)], isFailed: false };
  };
  if (tool.kind === "edit") return success(writeOutput(tool, text));
  if (tool.shape === "todo") return success(todoOutput(tool));
  if (tool.kind === "search") return success(searchOutput(unfenced(text), tool.shape === "search"));
  if (tool.shape === "read" && (texts.length > 0 || images.length === 0))
    return success(readOutput(text, tool.rawInput));
  const output = tool.shape === "task" ? reportOf(text) : text;
  if (tool.shape === "read") return success({ output, metadata: { preview: "", truncated: false } });
  return success({ output, metadata: { truncated: false } });
}

function failure({ items, kind }: DoneTool, text: string): PacketResult {
  const error = text === "" ? "It was not done." : text;
  const content = items.some(({ type }) => type === "content") ? items : [textItem(error), ...items];
  // Text before diffs, the order that a successful edit has.
  const inOrder = kind === "edit" ? content.toSorted((a, b) => Number(isDiff(a)) - Number(isDiff(b))) : content;
  return { rawOutput: { error }, content: inOrder, isFailed: true };
}

function writeOutput({ shape, path, isNewFile }: DoneTool, text: string): WriteOutput {
  // The text of a known tool is written for the model; only an unknown tool's text is shown.
  const output = shape === "other" && text !== "" ? text : "Wrote file successfully.";
  return { output, metadata: { diagnostics: {}, filepath: path, exists: !isNewFile, truncated: false } };
}

function todoOutput({ rawInput }: DoneTool): TodoWriteOutput {
  const todos = todosOf(rawInput["todos"]);
  return { output: JSON.stringify(todos), metadata: { todos, truncated: false } };
}

/** A subagent's report without the `<task_metadata>` section, which is written for the model. */
function reportOf(text: string): string {
  const end = text.indexOf("<task_metadata>");
  return end < 0 ? text : text.slice(0, end).trimEnd();
}

function textsOf(items: readonly ToolContentItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "content" && item.content.type === "text" ? [item.content.text] : []));
}

function isDiff(item: ToolContentItem): item is DiffItem {
  return item.type === "diff";
}

/** The text inside the agent's `rawOutput`, used when the content of the call has no text. */
function ownText(raw: unknown): string {
  if (typeof raw === "string") return raw;
  return isRecord(raw) ? (textIn(raw, "output", "formatted_output", "stdout", "error", "message") ?? "") : "";
}
