/**
 * Decides which lines of a transcript belong to the current conversation.
 *
 * Each entry names its parent; following parents back from the last entry gives the
 * conversation without abandoned branches. Parallel tool calls branch too, and only one of
 * their results is on that path, so all blocks of a message and all results of its calls
 * are added. A missing or cyclic parent is replaced by the line before. After a rewind the
 * conversation ends where the rewind says, until the next entry. Pure.
 */
import { isRecord, textOf } from "../../schema/index.ts";
import type { TranscriptEntry } from "./entry.ts";

/** The fields of one line that decide whether it belongs to the conversation. */
export interface ChainLink {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly kind: "assistant" | "result" | "prompt" | "other";
  /** For a block of an assistant message: the id of the message. */
  readonly messageId: string | undefined;
  /** For a tool result: the uuid of the entry with the tool call. */
  readonly source: string | undefined;
  /** The line is a compaction. The lines before it belong to the conversation too. */
  readonly isBoundary: boolean;
}

/** Undefined for lines that cannot belong to the main conversation. */
export function chainLink(entry: TranscriptEntry): ChainLink | undefined {
  const { uuid, type } = entry;
  if (uuid === undefined || entry.isSidechain === true) return undefined;
  const isBoundary = type === "system" && entry.subtype === "compact_boundary";
  return {
    uuid,
    parent: entry.parentUuid ?? (isBoundary ? (entry.logicalParentUuid ?? undefined) : undefined),
    kind: kindOf(entry),
    messageId: type === "assistant" && isRecord(entry.message) ? textOf(entry.message["id"]) : undefined,
    source: entry.sourceToolAssistantUUID,
    isBoundary,
  };
}

/** The user took prompts back: the conversation ends with the entry `leaf`, or is empty. */
export interface RewindMark {
  readonly line: number;
  readonly leaf: string | undefined;
}

/** Undefined for lines that are no rewind. */
export function rewindMark({ type, rewound, leafUuid }: TranscriptEntry, line: number): RewindMark | undefined {
  return type === "last-prompt" && rewound === true ? { line, leaf: leafUuid ?? undefined } : undefined;
}

/**
 * The indices of the lines that belong to the conversation. `lines` holds undefined for a line
 * without a link; `rewind` is the last rewind of the file.
 */
export function conversationOf(all: readonly (ChainLink | undefined)[], rewind?: RewindMark): ReadonlySet<number> {
  const lines = linesAfterRewind(all, rewind);
  const indexOfUuid = new Map<string, number>();
  // Of an entry that was written twice only the first counts.
  const links = lines.map((link, index) => {
    if (link === undefined || indexOfUuid.has(link.uuid)) return undefined;
    indexOfUuid.set(link.uuid, index);
    return link;
  });
  const { chain, messageIds } = walk(links, indexOfUuid);
  const isInChain = (uuid: string | undefined): boolean => {
    const index = uuid === undefined ? undefined : indexOfUuid.get(uuid);
    return index !== undefined && chain.has(index);
  };
  links.forEach((link, index) => {
    if (link?.messageId !== undefined && messageIds.has(link.messageId)) chain.add(index);
  });
  links.forEach((link, index) => {
    if (link?.kind === "result" && (isInChain(link.source) || isInChain(link.parent))) chain.add(index);
  });
  return chain;
}

/** Without what a rewind at the end of the file took back. An entry after the rewind names its parent itself. */
function linesAfterRewind(
  lines: readonly (ChainLink | undefined)[],
  rewind: RewindMark | undefined,
): readonly (ChainLink | undefined)[] {
  if (rewind === undefined || lines.slice(rewind.line + 1).some((link) => link !== undefined)) return lines;
  const leaf = rewind.leaf === undefined ? -1 : lines.findIndex((link) => link?.uuid === rewind.leaf);
  return lines.slice(0, leaf + 1);
}

interface Walked {
  readonly chain: Set<number>;
  /** Ids of the messages after which the conversation continues with a tool result. All their blocks belong to it. */
  readonly messageIds: Set<string>;
}

function walk(links: readonly (ChainLink | undefined)[], indexOfUuid: ReadonlyMap<string, number>): Walked {
  const chain = new Set<number>();
  const messageIds = new Set<string>();
  /**
   * The kind of the prompt or result that follows in the conversation. Starts with "result",
   * because the conversation may end within a message whose blocks all count.
   */
  let following: ChainLink["kind"] = "result";
  let index = previousFree(links, links.length, chain);
  while (index >= 0) {
    chain.add(index);
    const link: ChainLink | undefined = links[index];
    if (link === undefined) break;
    if (link.messageId !== undefined && following === "result") messageIds.add(link.messageId);
    if (link.kind !== "other" && link.kind !== "assistant") following = link.kind;
    if (link.parent === undefined && !link.isBoundary) break;
    const parent: number | undefined = link.parent === undefined ? undefined : indexOfUuid.get(link.parent);
    index = parent === undefined || chain.has(parent) ? previousFree(links, index, chain) : parent;
  }
  return { chain, messageIds };
}

/** The last index before `index` that has a link and is not in the chain yet, or -1. */
function previousFree(links: readonly (ChainLink | undefined)[], index: number, taken: ReadonlySet<number>): number {
  let i = index - 1;
  while (i >= 0 && (links[i] === undefined || taken.has(i))) i--;
  return i;
}

function kindOf({ type, message, isMeta }: TranscriptEntry): ChainLink["kind"] {
  if (type === "assistant") return "assistant";
  if (type !== "user" || isMeta === true || !isRecord(message)) return "other";
  const { content } = message;
  const isResult =
    Array.isArray(content) && content.some((block) => isRecord(block) && block["type"] === "tool_result");
  return isResult ? "result" : "prompt";
}
