/**
 * `ToolFamily`: how calls of a group of similar tools look before and after they run.
 *
 * Families are pure functions of a call's input and outcome. They do not know when a call
 * is shown; `state/tool-calls.ts` decides that.
 */
import {
  type Diff,
  location,
  type ToolCallContent,
  type ToolCallLocation,
  toolContent,
  type ToolKind,
} from "../../../acp/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { absolutePath, shownPath, titleLine, type ClientView, visibleContent } from "../../../display/index.ts";

export type ToolInput = Readonly<Record<string, unknown>>;

/** What is shown of a call before it has run. */
export interface CallStart {
  readonly title: string;
  readonly locations?: readonly ToolCallLocation[];
  readonly content?: readonly ToolCallContent[];
  /** The input without the fields that `content` already shows. */
  readonly rawInput?: unknown;
  /** The output of the call is shown in a terminal. */
  readonly isTerminal?: boolean;
}

/** What changes when the call has run. Missing fields stay as they are. */
export interface CallEnd {
  readonly title?: string;
  readonly locations?: readonly ToolCallLocation[];
  readonly content?: readonly ToolCallContent[];
  /** The output and exit code of a command shown in a terminal. */
  readonly terminal?: { readonly output: string; readonly exitCode: number | null };
  /** The call continues in the background and has not ended. */
  readonly isOngoing?: boolean;
}

/** A call for which the result has arrived. */
export interface EndedCall {
  readonly name: string;
  readonly input: ToolInput;
  /** What was shown of the call so far. */
  readonly shown: CallStart;
}

export interface ToolFamily {
  /** All present and former names of its tools, in lower case. */
  readonly names: readonly string[];
  readonly kind: ToolKind;
  /** The fields of the input that suffice for a title: any one of them is enough. */
  readonly titleFields: readonly string[];
  readonly open: (input: ToolInput, view: ClientView, name: string) => CallStart;
  readonly end?: (call: EndedCall, outcome: Outcome, view: ClientView) => CallEnd;
}

/** The value of the first of these fields that holds a number. */
export function numberIn(input: ToolInput, ...fields: readonly string[]): number | undefined {
  for (const field of fields) {
    const value = input[field];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return undefined;
}

export const pathFields = ["file_path", "filePath", "notebook_path", "path"] as const;

/** A title such as `Edit src/a.ts`; only the verb when there is no path. */
export function pathTitle(verb: string, path: string | undefined, view: ClientView, more = ""): string {
  return path === undefined ? verb : titleLine(`${verb} ${shownPath(path, view)}${more}`);
}

export function placeOf(path: string | undefined, view: ClientView, line?: number): readonly ToolCallLocation[] {
  if (path === undefined) return [];
  const isLine = line !== undefined && line >= 1 && line < 2 ** 32;
  return [location(absolutePath(path, view), isLine ? Math.floor(line) : undefined)];
}

/** The input without some fields. */
export function without(input: ToolInput, ...fields: readonly string[]): ToolInput {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !fields.includes(field)));
}

/** Shows the blocks of the result unchanged: the default of all families, and the end of failed calls. */
export function plainEnd(_call: EndedCall, outcome: Outcome): CallEnd {
  return { content: outcome.blocks.map((part) => toolContent.block(part)) };
}

/** Longer diffs are not sent a second time. */
const maxRepeatedChars = 8192;

/** The content of a call that was not applied: the notes, and after them the diffs, unless they are long. */
export function beforeDiff(
  notes: readonly ToolCallContent[],
  content: readonly ToolCallContent[],
): readonly ToolCallContent[] {
  const chars = content.reduce((sum, part) => sum + (part.type === "diff" ? diffChars(part) : 0), 0);
  return [...notes, ...(chars > maxRepeatedChars ? [] : visibleContent(content))];
}

export function diffChars({ oldText, newText }: Diff): number {
  return (oldText?.length ?? 0) + newText.length;
}
