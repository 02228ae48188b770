/**
 * The result of a call to one of the MCP tools.
 */
import { ownResult } from "../claude/index.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** The result of MCP's `tools/call`. */
export interface ToolResult {
  readonly content: readonly TextPart[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `structured` has the fields that the CLI's own tool would report beside its text. */
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
