/**
 * `Outcome`: the result of a tool call in one form for all tool families.
 */
import { block, type ContentBlock } from "../../acp/index.ts";
import { ownResult, type ToolResultBlock, type ToolResultMeta, type ToolResultPart } from "../index.ts";
import { isRecord } from "../../schema/index.ts";
import { visibleText } from "./cli-markup.ts";

export interface Outcome {
  readonly isError: boolean;
  /** All text of the result, as shown to the user. */
  readonly text: string;
  /** The text and image blocks of the result in order, as shown to the user. */
  readonly blocks: readonly ContentBlock[];
  /** The structured result, if the tool sent one. */
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  /** One sentence on why the tool did not run; undefined when it ran. */
  readonly notRun: string | undefined;
}

const rejected = "Rejected.";
const cancelled = "Cancelled.";

export function readOutcome(result: ToolResultBlock, structured: unknown, meta: ToolResultMeta | undefined): Outcome {
  const blocks = blocksOf(result.content);
  const notRun = reasonNotRun(meta, textOf(blocks));
  return {
    isError: result.is_error === true,
    text: notRun ?? textOf(blocks),
    blocks: notRun === undefined ? blocks : [block.text(notRun)],
    structured: structuredOf(structured),
    notRun,
  };
}

/** A tool that replaces one of the CLI's carries the structured result of the replaced tool in `_meta`. */
function structuredOf(given: unknown): Outcome["structured"] {
  if (!isRecord(given)) return undefined;
  const meta = given["_meta"];
  const own = isRecord(meta) ? meta[ownResult] : undefined;
  return isRecord(own) ? own : given;
}

function blocksOf(content: string | readonly ToolResultPart[] | undefined): readonly ContentBlock[] {
  if (content === undefined) return [];
  const parts: readonly ToolResultPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.flatMap((part): readonly ContentBlock[] => {
    switch (part.type) {
      case "text": {
        const text = visibleText(part.text);
        return text === "" ? [] : [block.text(text)];
      }
      case "image": {
        const { data, media_type: mimeType } = part.source;
        return data !== undefined && mimeType !== undefined ? [block.image(data, mimeType)] : [];
      }
      case "document":
        return [block.text(`[${part.title ?? "document"}: ${part.source.media_type ?? "unknown type"}]`)];
      case "tool_reference":
        return [block.text(part.tool_name)];
      case "unknown":
        return [];
    }
  });
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/**
 * A short reason for the user, because the CLI explains at length to the model why a call
 * did not run. The message of a rejection is our own and adds nothing.
 */
function reasonNotRun(meta: ToolResultMeta | undefined, text: string): string | undefined {
  const kind = meta?.non_execution_kind;
  if (kind === undefined) return undefined;
  const decision = meta?.permission_decision;
  if (decision?.source === "user_reject") return rejected;
  if (decision?.reason_type === "mode") return "Not allowed in this mode.";
  if (decision?.reason_type === "rule") return "Not allowed by a permission rule.";
  if (decision !== undefined)
    return text.startsWith("Tool permission request failed")
      ? "Not allowed: the permission request was not answered."
      : text;
  return kind === "user-rejected" || kind === "interrupted" || kind === "cancelled" ? cancelled : text;
}
