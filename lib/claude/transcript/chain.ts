/**
 * Transcript chain: which lines of a file are the conversation as it stands.
 *
 * Each line names its parent, and going back from the last one gives the
 * conversation without the branches that were left. Calls made side by side
 * branch too, with only one of their results on the way, so all blocks of an
 * answer and all their results are taken. A link that is broken or goes round in
 * a circle is mended with the line before. Pure; keeps no line's content.
 */
import { isRecord, textOf } from "../../schema/index.ts";
import type { TranscriptEntry } from "./entry.ts";

/** A line's place in the chain. */
export interface ChainLink {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly kind: "assistant" | "result" | "said" | "other";
  /** The answer an assistant's block is part of. */
  readonly messageId: string | undefined;
  /** The call that a result answers. */
  readonly source: string | undefined;
  /** A compaction, behind which the conversation goes on. */
  readonly isBoundary: boolean;
}

/** Undefined for lines that have no place in the main conversation. */
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

/** The positions, among all lines, of those that belong to the conversation. `undefined` keeps a position. */
export function conversationOf(lines: readonly (ChainLink | undefined)[]): ReadonlySet<number> {
  const places = new Map<string, number>();
  // A line that was written twice counts where it came first.
  const links = lines.map((link, place) => {
    if (link === undefined || places.has(link.uuid)) return undefined;
    places.set(link.uuid, place);
    return link;
  });
  const { chain, answers } = walk(links, places);
  const isOn = (uuid: string | undefined): boolean => {
    const place = uuid === undefined ? undefined : places.get(uuid);
    return place !== undefined && chain.has(place);
  };
  links.forEach((link, place) => {
    if (link?.messageId !== undefined && answers.has(link.messageId)) chain.add(place);
  });
  links.forEach((link, place) => {
    if (link?.kind === "result" && (isOn(link.source) || isOn(link.parent))) chain.add(place);
  });
  return chain;
}

interface Walked {
  readonly chain: Set<number>;
  /** Answers all of whose blocks count: those that were left by a result of one of their calls. */
  readonly answers: Set<string>;
}

function walk(links: readonly (ChainLink | undefined)[], places: ReadonlyMap<string, number>): Walked {
  const chain = new Set<number>();
  const answers = new Set<string>();
  /** What was last passed that somebody said; the conversation may also end within an answer. */
  let after: ChainLink["kind"] = "result";
  let place = before(links, links.length, chain);
  while (place >= 0) {
    chain.add(place);
    const link: ChainLink | undefined = links[place];
    if (link === undefined) break;
    if (link.messageId !== undefined && after === "result") answers.add(link.messageId);
    if (link.kind !== "other" && link.kind !== "assistant") after = link.kind;
    if (link.parent === undefined && !link.isBoundary) break;
    const parent: number | undefined = link.parent === undefined ? undefined : places.get(link.parent);
    place = parent === undefined || chain.has(parent) ? before(links, place, chain) : parent;
  }
  return { chain, answers };
}

/** The last place before this one that is not taken yet, or -1. */
function before(links: readonly (ChainLink | undefined)[], place: number, taken: ReadonlySet<number>): number {
  let i = place - 1;
  while (i >= 0 && (links[i] === undefined || taken.has(i))) i--;
  return i;
}

function kindOf({ type, message, isMeta }: TranscriptEntry): ChainLink["kind"] {
  if (type === "assistant") return "assistant";
  if (type !== "user" || isMeta === true || !isRecord(message)) return "other";
  const { content } = message;
  const isResult =
    Array.isArray(content) && content.some((block) => isRecord(block) && block["type"] === "tool_result");
  return isResult ? "result" : "said";
}
