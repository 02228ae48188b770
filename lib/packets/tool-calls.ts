/**
 * Tool calls: ACP's tool calls as they change, in packets.
 *
 * A call is started once, shown in progress when it runs and when its output grows,
 * and ended once. One that was given up here may still be ended by its agent, whose
 * word counts more.
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
import { textIn } from "../schema/index.ts";
import { Artifacts } from "./artifacts.ts";
import { type ToolCallState, type CallFacts, change, factsOf, forget, newCall } from "./tool-call-state.ts";
import { contentItems, locationInfos } from "./content.ts";
import type { Packet, ToolCallProgressPacket } from "./packet.ts";
import { shownPath } from "./path.ts";
import { planPacket } from "./plan.ts";
import { todosOf } from "./raw-input.ts";
import { resultOf } from "./raw-output.ts";
import { type Fields, shapeOf, toolName } from "./tool-names.ts";

/** Calls remembered at once; the oldest is forgotten first, and one that is over before one that runs. */
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
    const call = known ?? this.#begin(update.toolCallId);
    const hasGrown = change(call, update);
    const started = known === undefined ? [this.#start(call)] : [];
    const { status } = update;
    if (status === "completed" || status === "failed") {
      const isNews = call.told !== status || call.isGivenUp;
      return isNews ? [...started, ...this.#end(call, status)] : started;
    }
    const runs = status === "in_progress" && call.told === "pending";
    const goesOn = call.told === "in_progress" && hasGrown;
    return runs || goesOn ? [...started, this.#progress(call)] : started;
  }

  /** The agent's plan: what a list of todos without an input of its own was about. */
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
    // A question about a call changes nothing in it.
    const call = { ...(this.#calls.get(asked.toolCallId) ?? newCall(asked.toolCallId)), told: "pending" as const };
    change(call, asked);
    const { kind, rawInput, items } = factsOf(call);
    return {
      _meta: null,
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

  /** Nothing that still runs will come to an end by itself. */
  giveUp(why: string): readonly Packet[] {
    return [...this.#calls.values()].flatMap((call) => {
      if (isEnded(call)) return [];
      const block = { type: "content", content: { type: "text", text: why } } as const;
      const packets = this.#ended({ ...call, content: [...call.content, block] }, "failed");
      call.told = "failed";
      call.isGivenUp = true;
      return packets;
    });
  }

  /** Calls that are over will not be spoken of again. */
  turnOver(): void {
    for (const [id, call] of this.#calls) if (isEnded(call) && !call.isGivenUp) this.#calls.delete(id);
  }

  #begin(id: string): ToolCallState {
    const call = newCall(id);
    this.#calls.set(id, call);
    if (this.#calls.size > maxCalls) this.#calls.delete(this.#oldest(call).id);
    return call;
  }

  /** The first that is over, or else the first. */
  #oldest(newest: ToolCallState): ToolCallState {
    for (const call of this.#calls.values()) if (isEnded(call)) return call;
    const [first = newest] = this.#calls.values();
    return first;
  }

  #start(call: ToolCallState): Packet {
    const { name, kind } = factsOf(call);
    return {
      _meta: null,
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

  #progress(call: ToolCallState): Packet {
    const facts = factsOf(call);
    // What was shown before it ran is in `rawInput`; what comes later is its output.
    const content = call.told === "pending" || call.content === call.opening ? null : facts.items;
    call.told = "in_progress";
    return this.#told(call, facts, { status: "in_progress", title: facts.name, content, rawOutput: null });
  }

  #end(call: ToolCallState, status: "completed" | "failed"): readonly Packet[] {
    const packets = this.#ended(call, status);
    call.told = status;
    forget(call);
    return packets;
  }

  #ended(call: ToolCallState, asTold: "completed" | "failed"): readonly Packet[] {
    const { content, opening, terminal, rawOutput } = call;
    const facts = factsOf(call);
    const shown = content.some(isDiff) ? content : opening;
    const diffs = shown.filter(isDiff);
    const words = facts.items.filter(({ type }) => type !== "diff");
    const items = [...words, ...contentItems(diffs, facts.shape === "notebook")];
    const isNewFile = diffs[0] !== undefined && diffs[0].oldText == null;
    const result = resultOf({ ...facts, isFailed: asTold === "failed", isNewFile, items, terminal, rawOutput });
    const status = result.isFailed ? "failed" : "completed";
    const title = this.#title(call, facts);
    const made = result.isFailed ? [] : diffs.filter(({ oldText }) => oldText == null);
    return [
      ...(facts.shape === "todo" && !call.hasPlan && !result.isFailed ? [this.#plan(facts.rawInput)] : []),
      this.#told(call, facts, { status, title, content: result.content, rawOutput: result.rawOutput }),
      ...this.#artifacts.made(call.id, made).map((artifact): Packet => ({
        type: "artifact_created",
        artifact,
        timestamp: this.#options.stamp(),
      })),
    ];
  }

  #told(call: ToolCallState, { kind, rawInput }: CallFacts, news: News): Packet {
    return {
      _meta: null,
      content: news.content,
      kind,
      locations: call.locations.length > 0 ? locationInfos(call.locations) : null,
      rawInput,
      rawOutput: news.rawOutput,
      status: news.status,
      title: news.title,
      toolCallId: call.id,
      sessionUpdate: "tool_call_update",
      type: "tool_call_progress",
      timestamp: this.#options.stamp(),
    };
  }

  /** What was done, in words that no reader takes for another tool's name. */
  #title(call: ToolCallState, { name, shape, kind, rawInput, path }: CallFacts): string {
    if (shape === "todo") return `${todosOf(rawInput["todos"]).filter(isOpen).length} todos`;
    if (kind === "edit" && path !== "") return shownPath(path, this.#options.cwd);
    const title = (shape === "bash" ? textIn(rawInput, "description") : undefined) ?? call.title;
    const isName = /^todo_?write$/i.test(title) || (shape !== "task" && /^task$/i.test(title));
    return title === "" ? name : isName ? `${name}: ${title}` : title;
  }

  /** A list of todos that its agent has made no plan of. */
  #plan(rawInput: Fields): Packet {
    return planPacket(
      todosOf(rawInput["todos"]).map((todo) => ({ ...todo, priority: "medium" })),
      this.#options.stamp(),
    );
  }
}

type News = Pick<ToolCallProgressPacket, "status" | "title" | "content" | "rawOutput">;

function isEnded({ told }: ToolCallState): boolean {
  return told === "completed" || told === "failed";
}

function isDiff(item: ToolCallContent): item is Diff {
  return item.type === "diff";
}

function isOpen({ status }: { readonly status: string }): boolean {
  return status !== "completed";
}
