/**
 * Families: what every tool family tells the translator about its tools.
 *
 * Pure functions of a call's input and outcome. A family knows how its calls
 * look; it does not know when they are shown.
 */
import {
  location,
  type ToolCallContent,
  type ToolCallLocation,
  toolContent,
  type ToolKind,
} from "../../../acp/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { absolutePath, shownPath, titleLine, type ClientView } from "../client-view.ts";

export type ToolInput = Readonly<Record<string, unknown>>;

/** How a call looks before it has run. */
export interface CallStart {
  readonly title: string;
  readonly locations?: readonly ToolCallLocation[];
  readonly content?: readonly ToolCallContent[];
  /** The input less what `content` already shows. */
  readonly rawInput?: unknown;
  /** The call's output belongs in a terminal. */
  readonly isTerminal?: boolean;
}

/** What its outcome changes; what is left out stays. */
export interface CallEnd {
  readonly title?: string;
  readonly locations?: readonly ToolCallLocation[];
  readonly content?: readonly ToolCallContent[];
  /** A terminal's text and how its command ended. */
  readonly terminal?: { readonly output: string; readonly exitCode: number | null };
  /** The call goes on in the background and is not over yet. */
  readonly isOngoing?: boolean;
}

/** A call that has come to its end. */
export interface EndedCall {
  readonly name: string;
  readonly input: ToolInput;
  /** How it looked until now. */
  readonly shown: CallStart;
}

export interface ToolFamily {
  /** Every name its tools have or had, in lower case. */
  readonly names: readonly string[];
  readonly kind: ToolKind;
  /** The fields of which one is enough for a title while the rest is still being written. */
  readonly titleFields: readonly string[];
  readonly open: (input: ToolInput, view: ClientView, name: string) => CallStart;
  readonly end?: (call: EndedCall, outcome: Outcome, view: ClientView) => CallEnd;
}

/** The first of these fields that holds a number. */
export function numberIn(input: ToolInput, ...fields: readonly string[]): number | undefined {
  for (const field of fields) {
    const value = input[field];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return undefined;
}

export const pathFields = ["file_path", "filePath", "notebook_path", "path"] as const;

/** `Verb path`, the path short; or the verb alone while there is none. */
export function pathTitle(verb: string, path: string | undefined, view: ClientView, more = ""): string {
  return path === undefined ? verb : titleLine(`${verb} ${shownPath(path, view)}${more}`);
}

export function placeOf(path: string | undefined, view: ClientView, line?: number): readonly ToolCallLocation[] {
  if (path === undefined) return [];
  const isLine = line !== undefined && line >= 1 && line < 2 ** 32;
  return [location(absolutePath(path, view), isLine ? Math.floor(line) : undefined)];
}

/** Everything but some fields. */
export function without(input: ToolInput, ...fields: readonly string[]): ToolInput {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !fields.includes(field)));
}

/** What a tool without a family of its own shows of its outcome, and every tool of its failure. */
export function plainEnd(_call: EndedCall, outcome: Outcome): CallEnd {
  return { content: outcome.blocks.map((part) => toolContent.block(part)) };
}

/** Text as code, in a fence longer than any inside it. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
