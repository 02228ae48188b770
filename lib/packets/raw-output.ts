/**
 * Raw output: what came of a tool call, in the form its readers know.
 *
 * ACP content is written for people: code in fences, an exit code in words. Here it
 * is data again. A call that failed has its reason under `error`, but a command, of
 * which the output and the exit code are worth as much as ever.
 */
import { isRecord, textIn } from "../schema/index.ts";
import { type BashOutput, bashOutput } from "./bash-output.ts";
import { type DiffItem, textItem, type ToolContentItem } from "./content.ts";
import { unfenced } from "./code-fence.ts";
import type { PacketToolKind } from "./packet.ts";
import { type TodoItem, todosOf } from "./raw-input.ts";
import { type ReadOutput, readOutput } from "./read-output.ts";
import { type SearchOutput, searchOutput } from "./search-output.ts";
import type { Fields, ToolShape } from "./tool-names.ts";

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

export interface PacketResult {
  /** A `ToolRawOutput`, or the agent's own of that form. */
  readonly rawOutput: Fields;
  readonly content: readonly ToolContentItem[];
  /** A command that ended with another code than 0 has failed, whatever the agent says. */
  readonly isFailed: boolean;
}

export function resultOf(tool: DoneTool): PacketResult {
  const { items, rawOutput, isFailed } = tool;
  if (isRecord(rawOutput) && typeof rawOutput["output"] === "string" && isRecord(rawOutput["metadata"])) {
    // An agent whose own output has this form already knows better.
    const { exit } = rawOutput["metadata"];
    return { rawOutput, content: items, isFailed: isFailed || (typeof exit === "number" && exit !== 0) };
  }
  const texts = textsOf(items);
  const rawText = ownText(rawOutput);
  if (tool.shape === "bash") {
    const description = textIn(tool.rawInput, "description") ?? "";
    const told = bashOutput({ isFailed, description, texts, terminal: tool.terminal, rawOutput, rawText });
    const { output, metadata } = told;
    const content = output === "" ? [] : [textItem(output)];
    return { rawOutput: told, content, isFailed: isFailed || (metadata.exit ?? 0) !== 0 };
  }
  const text = texts.length > 0 ? texts.join("\n") : rawText;
  if (isFailed) return failure(tool, text);
  const pictures = items.filter((item) => item.type === "content" && item.content.type === "image");
  const answer = (output: Exclude<ToolRawOutput, FailedOutput>): PacketResult => {
    const words = output.output === "" ? [] : [textItem(output.output)];
    return { rawOutput: output, content: [...words, ...pictures, ...items.filter(isDiff)], isFailed: false };
  };
  if (tool.kind === "edit") return answer(writeOutput(tool, text));
  if (tool.shape === "todo") return answer(todoOutput(tool));
  if (tool.kind === "search") return answer(searchOutput(unfenced(text), tool.shape === "search"));
  if (tool.shape === "read" && (texts.length > 0 || pictures.length === 0))
    return answer(readOutput(text, tool.rawInput));
  const output = tool.shape === "task" ? reportOf(text) : text;
  if (tool.shape === "read") return answer({ output, metadata: { preview: "", truncated: false } });
  return answer({ output, metadata: { truncated: false } });
}

function failure({ items, kind }: DoneTool, text: string): PacketResult {
  const error = text === "" ? "It was not done." : text;
  const content = items.some(({ type }) => type === "content") ? items : [textItem(error), ...items];
  // The words come before the change they are about, as they do when all is well.
  const inOrder = kind === "edit" ? content.toSorted((a, b) => Number(isDiff(a)) - Number(isDiff(b))) : content;
  return { rawOutput: { error }, content: inOrder, isFailed: true };
}

function writeOutput({ shape, path, isNewFile }: DoneTool, text: string): WriteOutput {
  // What an agent says of it is for the model, but for tools nobody knows.
  const output = shape === "other" && text !== "" ? text : "Wrote file successfully.";
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

function textsOf(items: readonly ToolContentItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "content" && item.content.type === "text" ? [item.content.text] : []));
}

function isDiff(item: ToolContentItem): item is DiffItem {
  return item.type === "diff";
}

/** The text an agent gives as raw output, when its content has none. */
function ownText(raw: unknown): string {
  if (typeof raw === "string") return raw;
  return isRecord(raw) ? (textIn(raw, "output", "formatted_output", "stdout", "error", "message") ?? "") : "";
}
