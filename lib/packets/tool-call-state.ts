/**
 * The accumulated state of one ACP tool call, and its reading in packet terms.
 *
 * An ACP `tool_call_update` carries only the fields that changed; `change` merges it
 * into the state. `factsOf` derives the name, kind, input and content for packets.
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
import { type Fields, isRecord } from "../schema/index.ts";
import { contentItems, type PacketMeta, packetMetaOf, type ToolContentItem } from "./content.ts";
import type { PacketToolKind } from "./packet.ts";
import { pathOf, rawInputOf } from "./raw-input.ts";
import { namedTool, packetKind, shapeOf, toolName, type ToolShape } from "./tool-names.ts";

/** The most that a packet repeats of the terminal output of a running command. */
const maxTailChars = 4096;
const tailsPerStep = 40;
const maxTailSteps = 5;
/** Terminal output kept per call; characters beyond this are dropped. */
const maxTerminalChars = 4_000_000;

export interface ToolCallState {
  readonly id: string;
  name: string | undefined;
  title: string;
  kind: ToolKind | undefined;
  input: Fields;
  rawOutput: unknown;
  /** The content the agent sent while the call was pending. */
  opening: readonly ToolCallContent[];
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  terminal: { readonly output: string; readonly exit: number | null | undefined };
  /** The end of the terminal output of a running command, which packets repeat. */
  tail: string;
  /** How often the tail has grown, and how often a packet had it. */
  tailGrown: number;
  tailSent: number;
  /** The status of the last packet sent for this call. */
  sentStatus: "pending" | "in_progress" | "completed" | "failed";
  /** Reported as failed because its turn ended; an end that the agent reports later replaces that. */
  isGivenUp: boolean;
  /** The agent has sent a plan since this call began. */
  hasPlan: boolean;
  /** Names its engine, in a session where two engines answer. */
  meta: PacketMeta | null;
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
    tail: "",
    tailGrown: 0,
    tailSent: 0,
    sentStatus: "pending",
    isGivenUp: false,
    hasPlan: false,
    meta: null,
  };
}

/** Merges an update into the state. True when a page that shows the running call has to redraw it. */
export function change(call: ToolCallState, update: ToolCallStarted | ToolCallChanged | ToolCallUpdate): boolean {
  const { title, name, kind, status, content, locations, rawInput, rawOutput, _meta } = update;
  call.name = namedTool(name, _meta) ?? call.name;
  call.title = title ?? call.title;
  call.kind = kind ?? call.kind;
  call.locations = locations ?? call.locations;
  call.rawOutput = rawOutput ?? call.rawOutput;
  const printed = terminalData(_meta);
  call.terminal = terminalOf(call, printed, _meta);
  call.meta = packetMetaOf(_meta) ?? call.meta;
  if (rawInput != null) call.input = isRecord(rawInput) ? rawInput : { input: rawInput };
  if (content != null) {
    call.content = content;
    if (call.sentStatus === "pending") call.opening = content;
  }
  // Without a status, the first piece may be all that a command has printed, sent just before its end.
  const hasTail = grow(call, printed) && (status === "in_progress" || call.tailGrown > 1);
  return hasTail || rawInput != null || (content != null && contentItems(content).length > 0);
}

/** Adds output to the tail. True when a packet is due: half as often after every 40 packets, so that their bytes stay bounded. */
function grow(call: ToolCallState, printed: string): boolean {
  if (printed === "") return false;
  const all = call.tail + printed;
  const tail = all.slice(-maxTailChars);
  // Begins with a whole line, and never within a surrogate pair.
  call.tail = all.length > maxTailChars ? tail.slice(tail.indexOf("\n") + 1).replace(/^[\uDC00-\uDFFF]/, "") : all;
  const every = 2 ** Math.min(maxTailSteps, Math.floor(call.tailSent / tailsPerStep));
  if (++call.tailGrown % every !== 0) return false;
  call.tailSent++;
  return true;
}

/** Frees the input and output of a call that has ended. */
export function forget(call: ToolCallState): void {
  const { input, rawOutput, opening, content, terminal, tail, isGivenUp } = newCall(call.id);
  Object.assign(call, { input, rawOutput, opening, content, terminal, tail, isGivenUp });
}

/** A call in the terms of packets. */
export interface CallFacts {
  readonly name: string;
  readonly shape: ToolShape;
  readonly kind: PacketToolKind;
  readonly rawInput: Fields;
  readonly path: string;
  /** The call's content without texts that `rawInput` already has. */
  readonly items: readonly ToolContentItem[];
}

export function factsOf(call: ToolCallState): CallFacts {
  const name = toolName(call);
  const shape = shapeOf(name);
  // Some agents send the diff only after the edit was made.
  const hasDiff = call.opening.some(({ type }) => type === "diff");
  const opening = hasDiff ? call.opening : [...call.opening, ...call.content.filter(({ type }) => type === "diff")];
  const request = { ...call, shape, opening };
  const rawInput = rawInputOf(request);
  const inputTexts = new Set([rawInput["description"], rawInput["prompt"]]);
  const items = contentItems(call.content, shape === "notebook").filter(
    (item) => item.type !== "content" || item.content.type !== "text" || !inputTexts.has(item.content.text),
  );
  return { name, shape, kind: packetKind(name, call.kind), rawInput, path: pathOf(request), items };
}

/** The terminal output that some agents send in `_meta`, outside the ACP schema. */
function terminalData(meta: Meta | null | undefined): string {
  const output = meta?.["terminal_output"];
  return isRecord(output) && typeof output["data"] === "string" ? output["data"] : "";
}

/** Adds terminal output, and the exit code that comes with it in `_meta`. */
function terminalOf(
  { terminal }: ToolCallState,
  data: string,
  meta: Meta | null | undefined,
): ToolCallState["terminal"] {
  const metaExit = meta?.["terminal_exit"];
  const exit = isRecord(metaExit) ? metaExit["exit_code"] : undefined;
  if (data === "" && !isRecord(metaExit)) return terminal;
  const available = Math.max(0, maxTerminalChars - terminal.output.length);
  return {
    output: terminal.output + data.slice(0, available),
    exit: typeof exit === "number" ? exit : isRecord(metaExit) ? null : terminal.exit,
  };
}
