/**
 * `CallView` and `ItemEnd`: what is shown of a call before and after it has run.
 *
 * The other files of this folder make them from items, as pure functions. They do not know when
 * a call is shown; `state/tool-calls.ts` decides that.
 */
import { type ToolCallContent, type ToolCallLocation, toolContent, type ToolKind } from "../../../acp/index.ts";
import { fenced } from "../../../display/index.ts";

export interface CallView {
  /** The name of the tool, for programs. */
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly locations?: readonly ToolCallLocation[];
  readonly content?: readonly ToolCallContent[];
  readonly rawInput?: unknown;
  /** The output is shown in a terminal that works in this directory. */
  readonly terminal?: { readonly cwd: string };
  /** The call may still wait for the user's permission. */
  readonly isPending?: boolean;
  /** The call goes on after its item is complete, until `CodexToolCalls.end` is called for it. */
  readonly isAgent?: boolean;
}

/** What changes when the call has run. Missing fields stay as they are. */
export interface ItemEnd {
  readonly status: "completed" | "failed";
  readonly title?: string;
  /** What happened, in a word behind the title. */
  readonly mark?: string;
  readonly content?: readonly ToolCallContent[];
  /** The whole output of a command. */
  readonly output?: string;
  /** Null when there is none: the command was killed or did not run. */
  readonly exitCode?: number | null;
  /** A sentence that says why the call did not run. */
  readonly note?: string;
}

/** Output as a console block; nothing when it is blank. */
export function consoleBlock(text: string): readonly ToolCallContent[] {
  return text.trim() === "" ? [] : [toolContent.block(fenced(text, "console"))];
}

export function endStatus(status: string): "completed" | "failed" {
  return status === "completed" ? "completed" : "failed";
}

/** The value as indented JSON; "" when it has no JSON form, or is too deep for one. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    return "";
  }
}
