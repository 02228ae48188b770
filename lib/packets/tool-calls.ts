/**
 * Converts the tool call updates of one session into packets.
 *
 * Each call gets one `tool_call_start`, then `tool_call_progress` packets: in_progress
 * when it starts to run and whenever its output grows, and one completed or failed.
 * Only a call that `giveUp` ended can end a second time, when its agent still does so.
 */
import type {
  Diff,
  PermissionOption,
  PlanEntry,
  ToolCallChanged,
  ToolCallContent,
  ToolCallStarted,
  ToolCallUpdate,
} from "../acp/index.ts";
import { type Fields, textIn } from "../schema/index.ts";
import { Artifacts } from "./artifacts.ts";
import { type ToolCallState, type CallFacts, change, factsOf, forget, newCall } from "./tool-call-state.ts";
import { contentItems, locationInfos, textItem } from "./content.ts";
import { type Packet, planPacket, type ToolCallProgressPacket } from "./packet.ts";
import { shownPath } from "./path.ts";
import { todosOf } from "./raw-input.ts";
import { resultOf } from "./raw-output.ts";
import { shapeOf, toolName } from "./tool-names.ts";

/** Calls kept at once. Beyond this the oldest ended call is dropped, or the oldest call when none has ended. */
const maxCalls = 1000;

export interface PacketToolCallsOptions {
  /** The session's directory. */
  readonly cwd: string | undefined;
  readonly stamp: () => string;
}

export class PacketToolCalls {
  readonly #options: PacketToolCallsOptions;
  readonly #calls = new Map<string, ToolCallState>();
  readonly #artifacts = new Artifacts();

  constructor(options: PacketToolCallsOptions) {
    this.#options = options;
  }

  update(update: ToolCallStarted | ToolCallChanged): readonly Packet[] {
    const known = this.#calls.get(update.toolCallId);
    const call = known ?? this.#addCall(update.toolCallId);
    const hasGrown = change(call, update);
    const started = known === undefined ? [this.#startPacket(call)] : [];
    const { status } = update;
    if (status === "completed" || status === "failed") {
      const isNew = call.sentStatus !== status || call.isGivenUp;
      return isNew ? [...started, ...this.#end(call, status)] : started;
    }
    const beginsToRun = status === "in_progress" && call.sentStatus === "pending";
    const hasNewOutput = call.sentStatus === "in_progress" && hasGrown;
    return beginsToRun || hasNewOutput ? [...started, this.#runningPacket(call)] : started;
  }

  /** The agent sent a plan. It becomes the input of a running todo call whose own input the agent left out. */
  planned(entries: readonly PlanEntry[]): void {
    for (const call of this.#calls.values()) {
      if (isEnded(call)) continue;
      call.hasPlan = true;
      if (!Array.isArray(call.input["todos"]) && shapeOf(toolName(call)) === "todo") {
        call.input = { ...call.input, todos: entries };
      }
    }
  }

  permission(requestId: string, asked: ToolCallUpdate, options: readonly PermissionOption[]): Packet {
    // A copy: the permission request must not change the state of the call.
    const known = this.#calls.get(asked.toolCallId) ?? newCall(asked.toolCallId);
    const call = { ...known, sentStatus: "pending" as const };
    change(call, asked);
    const { kind, rawInput, items } = factsOf(call);
    return {
      _meta: call.meta,
      content: items.length > 0 ? items : null,
      kind,
      locations: call.locations.length > 0 ? locationInfos(call.locations) : null,
      options: options.map(({ optionId, name, kind: offer }) => ({ optionId, name, kind: offer })),
      rawInput,
      requestId,
      title: call.title,
      toolCallId: call.id,
      type: "permission_request",
      timestamp: this.#options.stamp(),
    };
  }

  /** Reports every running call as failed, with `why` as its last output. */
  giveUp(why: string): readonly Packet[] {
    return [...this.#calls.values()].flatMap((call) => {
      if (isEnded(call)) return [];
      const block = { type: "content", content: { type: "text", text: why } } as const;
      const packets = this.#endPackets({ ...call, content: [...call.content, block] }, "failed");
      call.sentStatus = "failed";
      call.isGivenUp = true;
      return packets;
    });
  }

  /** Drops the state of ended calls: no further update for them is expected. */
  turnOver(): void {
    for (const [id, call] of this.#calls) if (isEnded(call) && !call.isGivenUp) this.#calls.delete(id);
  }

  #addCall(id: string): ToolCallState {
    const call = newCall(id);
    this.#calls.set(id, call);
    if (this.#calls.size > maxCalls) this.#calls.delete(this.#callToDrop(call).id);
    return call;
  }

  #callToDrop(newest: ToolCallState): ToolCallState {
    for (const call of this.#calls.values()) if (isEnded(call)) return call;
    const [first = newest] = this.#calls.values();
    return first;
  }

  #startPacket(call: ToolCallState): Packet {
    const { name, kind } = factsOf(call);
    return {
      _meta: call.meta,
      content: null,
      kind,
      locations: [],
      rawInput: {},
      rawOutput: null,
      status: "pending",
      title: name,
      toolCallId: call.id,
      sessionUpdate: "tool_call",
      type: "tool_call_start",
      timestamp: this.#options.stamp(),
    };
  }

  #runningPacket(call: ToolCallState): Packet {
    const facts = factsOf(call);
    // `rawInput` has the content sent before the call ran; content sent later is output.
    const items = call.content === call.opening ? [] : facts.items;
    const shown = call.tail === "" ? items : [...items, textItem(call.tail)];
    const content = call.sentStatus === "pending" || shown.length === 0 ? null : shown;
    call.sentStatus = "in_progress";
    return this.#progressPacket(call, facts, { status: "in_progress", title: facts.name, content, rawOutput: null });
  }

  #end(call: ToolCallState, status: "completed" | "failed"): readonly Packet[] {
    const packets = this.#endPackets(call, status);
    call.sentStatus = status;
    forget(call);
    return packets;
  }

  /** The packets of a call's end. A command with an exit code other than 0 is failed, whatever `agentStatus` says. */
  #endPackets(call: ToolCallState, agentStatus: "completed" | "failed"): readonly Packet[] {
    const { content, opening, terminal, rawOutput } = call;
    const facts = factsOf(call);
    const shown = content.some(isDiff) ? content : opening;
    const diffs = shown.filter(isDiff);
    const texts = facts.items.filter(({ type }) => type !== "diff");
    const items = [...texts, ...contentItems(diffs, facts.shape === "notebook")];
    const isNewFile = diffs[0] !== undefined && diffs[0].oldText == null;
    const result = resultOf({ ...facts, isFailed: agentStatus === "failed", isNewFile, items, terminal, rawOutput });
    const status = result.isFailed ? "failed" : "completed";
    const title = this.#title(call, facts);
    const newFiles = result.isFailed ? [] : diffs.filter(({ oldText }) => oldText == null);
    return [
      ...(facts.shape === "todo" && !call.hasPlan && !result.isFailed ? [this.#plan(facts.rawInput)] : []),
      this.#progressPacket(call, facts, { status, title, content: result.content, rawOutput: result.rawOutput }),
      ...this.#artifacts.made(call.id, newFiles).map((artifact): Packet => ({
        type: "artifact_created",
        artifact,
        timestamp: this.#options.stamp(),
      })),
    ];
  }

  #progressPacket(call: ToolCallState, { kind, rawInput }: CallFacts, progress: Progress): Packet {
    return {
      _meta: call.meta,
      content: progress.content,
      kind,
      locations: call.locations.length > 0 ? locationInfos(call.locations) : null,
      rawInput,
      rawOutput: progress.rawOutput,
      status: progress.status,
      title: progress.title,
      toolCallId: call.id,
      sessionUpdate: "tool_call_update",
      type: "tool_call_progress",
      timestamp: this.#options.stamp(),
    };
  }

  /** The title of an ended call. Readers recognise tools by title, so it must not equal another tool's name. */
  #title(call: ToolCallState, { name, shape, kind, rawInput, path }: CallFacts): string {
    if (shape === "todo") return `${todosOf(rawInput["todos"]).filter(isOpen).length} todos`;
    if (kind === "edit" && path !== "") return shownPath(path, this.#options.cwd);
    const title = (shape === "bash" ? textIn(rawInput, "description") : undefined) ?? call.title;
    const isName = /^todo_?write$/i.test(title) || (shape !== "task" && /^task$/i.test(title));
    return title === "" ? name : isName ? `${name}: ${title}` : title;
  }

  /** The plan packet for a todo call whose agent sent no plan of its own. */
  #plan(rawInput: Fields): Packet {
    return planPacket(
      todosOf(rawInput["todos"]).map((todo) => ({ ...todo, priority: "medium" })),
      this.#options.stamp(),
    );
  }
}

type Progress = Pick<ToolCallProgressPacket, "status" | "title" | "content" | "rawOutput">;

function isEnded({ sentStatus }: ToolCallState): boolean {
  return sentStatus === "completed" || sentStatus === "failed";
}

function isDiff(item: ToolCallContent): item is Diff {
  return item.type === "diff";
}

function isOpen({ status }: { readonly status: string }): boolean {
  return status !== "completed";
}
