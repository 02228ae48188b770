/**
 * Answer: what a tool of ours tells the model.
 */
import { ownResult } from "../claude/index.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** The result of a `tools/call`, in MCP's words. */
export interface ToolResult {
  readonly content: readonly TextPart[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `structured` is what the CLI's own tool would have told beside its words. */
export function done(text: string, structured?: Readonly<Record<string, unknown>>): ToolResult {
  return {
    content: [{ type: "text", text }],
    ...(structured !== undefined && { _meta: { [ownResult]: structured } }),
  };
}

/** Why the editor or the system did not do what a tool asked for. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "it gave no reason";
}

export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
