/**
 * Answer: what a tool of ours tells the model.
 */
import { ownResult } from "../claude/index.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** The result of a `tools/call`, in MCP's words. */
export interface ToolAnswer {
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What MCP has no words for: it reaches the model by another way. */
export interface DocumentPart {
  readonly type: "document";
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
}

/** A tool's answer, perhaps with a document. */
export interface FullAnswer extends ToolAnswer {
  readonly document?: DocumentPart;
}

/** `structured` is what the CLI's own tool would have told beside its words. */
export function done(text: string, structured?: Readonly<Record<string, unknown>>): ToolAnswer {
  return {
    content: [{ type: "text", text }],
    ...(structured !== undefined && { _meta: { [ownResult]: structured } }),
  };
}

/** Why the editor or the system did not do what a tool asked for. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "it gave no reason";
}

export function failed(text: string): ToolAnswer {
  return { content: [{ type: "text", text }], isError: true };
}
