/**
 * Call: one ACP tool call, as far as its agent has told of it.
 *
 * ACP tells only what changes; here it is put together, and read again in the terms
 * of packets.
 */
import type {
  Meta,
  ToolCallChanged,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStarted,
  ToolCallUpdate,
  ToolKind,
} from "../acp/index.ts";
import { isRecord } from "../schema/index.ts";
import { contentItems, type ToolContentItem } from "./content.ts";
import type { PacketToolKind } from "./packet.ts";
import { pathOf, rawInputOf } from "./raw-input.ts";
import { type Fields, namedTool, packetKind, shapeOf, toolName, type ToolShape } from "./tool-names.ts";

/** The most of a terminal's output that is kept. */
const maxTerminalChars = 4_000_000;

export interface ToolCallState {
  readonly id: string;
  name: string | undefined;
  title: string;
  kind: ToolKind | undefined;
  input: Fields;
  rawOutput: unknown;
  /** What was shown before it ran. */
  opening: readonly ToolCallContent[];
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  terminal: { readonly output: string; readonly exit: number | null | undefined };
  told: "pending" | "in_progress" | "completed" | "failed";
  /** It was ended here, because the turn was; its agent may still know better. */
  isGivenUp: boolean;
  /** The agent has told of the plan since this call began. */
  hasPlan: boolean;
}

export function newCall(id: string): ToolCallState {
  return {
    id,
    name: undefined,
    title: "",
    kind: undefined,
    input: {},
    rawOutput: undefined,
    opening: [],
    content: [],
    locations: [],
    terminal: { output: "", exit: undefined },
    told: "pending",
    isGivenUp: false,
    hasPlan: false,
  };
}

/** Takes a change in. True when a page that shows the call running would show something else now. */
export function change(call: ToolCallState, update: ToolCallStarted | ToolCallChanged | ToolCallUpdate): boolean {
  const { title, name, kind, content, locations, rawInput, rawOutput, _meta } = update;
  call.name = namedTool(name, _meta) ?? call.name;
  call.title = title ?? call.title;
  call.kind = kind ?? call.kind;
  call.locations = locations ?? call.locations;
  call.rawOutput = rawOutput ?? call.rawOutput;
  call.terminal = terminalOf(call, _meta);
  if (rawInput != null) call.input = isRecord(rawInput) ? rawInput : { input: rawInput };
  if (content != null) {
    call.content = content;
    if (call.told === "pending") call.opening = content;
  }
  return rawInput != null || (content != null && contentItems(content).length > 0);
}

/** What it showed is of no use any more. */
export function forget(call: ToolCallState): void {
  const { input, rawOutput, opening, content, terminal, isGivenUp } = newCall(call.id);
  Object.assign(call, { input, rawOutput, opening, content, terminal, isGivenUp });
}

/** A call in the terms of packets. */
export interface CallFacts {
  readonly name: string;
  readonly shape: ToolShape;
  readonly kind: PacketToolKind;
  readonly rawInput: Fields;
  readonly path: string;
  /** What it shows, without what `rawInput` says already. */
  readonly items: readonly ToolContentItem[];
}

export function factsOf(call: ToolCallState): CallFacts {
  const name = toolName(call);
  const shape = shapeOf(name);
  // Some agents show a change only once it is made.
  const isShown = call.opening.some(({ type }) => type === "diff");
  const opening = isShown ? call.opening : [...call.opening, ...call.content.filter(({ type }) => type === "diff")];
  const asked = { ...call, shape, opening };
  const rawInput = rawInputOf(asked);
  const said = new Set([rawInput["description"], rawInput["prompt"]]);
  const items = contentItems(call.content, shape === "notebook").filter(
    (item) => item.type !== "content" || item.content.type !== "text" || !said.has(item.content.text),
  );
  return { name, shape, kind: packetKind(name, call.kind), rawInput, path: pathOf(asked), items };
}

/** Output and exit code as agents send them beside ACP. */
function terminalOf({ terminal }: ToolCallState, meta: Meta | null | undefined): ToolCallState["terminal"] {
  const said = meta?.["terminal_output"];
  const ended = meta?.["terminal_exit"];
  const data = isRecord(said) && typeof said["data"] === "string" ? said["data"] : "";
  const exit = isRecord(ended) ? ended["exit_code"] : undefined;
  if (data === "" && !isRecord(ended)) return terminal;
  const available = Math.max(0, maxTerminalChars - terminal.output.length);
  return {
    output: terminal.output + data.slice(0, available),
    exit: typeof exit === "number" ? exit : isRecord(ended) ? null : terminal.exit,
  };
}
