/**
 * Turns entries of a transcript back into the events a live CLI would have sent.
 *
 * The events go through the same fold as a live conversation, so both look alike. Events
 * that the transcript does not store, such as the result at the end of a turn, are created
 * here. Does no IO; its only state is that of the turn being replayed.
 */
import { isRecord } from "../../schema/index.ts";
import type { ConversationEvent } from "../claude-connection.ts";
import { ClaudeEvent } from "../protocol/event.ts";
import { visibleBlocks, hasResult, isFiller, resultIds, soleBlock, soleText, synthetic } from "./raw-blocks.ts";
import { truncate, type TranscriptLimits } from "./truncate.ts";
import type { TranscriptEntry } from "./entry.ts";
import { parseUserText, type TaskNotification } from "./user-text.ts";

type Events = readonly ConversationEvent[];

/** Whether an entry outside the chain of the conversation is replayed: a title or a task notification. */
export function isOffChain({ type, content }: TranscriptEntry): boolean {
  if (type === "custom-title") return true;
  return type === "queue-operation" && typeof content === "string" && content.startsWith("<task-notification>");
}

export class TranscriptReplayer {
  readonly #limits: TranscriptLimits;
  #leftOutBytes = 0;
  #title: string | undefined;
  /** A compaction that is held back until its `/compact` command, which follows it in the file, has been replayed. */
  #heldCompaction: ConversationEvent | undefined;
  #isAfterCompactCommand = false;
  #isTurnOpen = false;
  #interrupt: "aborted_streaming" | "aborted_tools" | undefined;
  #hasFailed = false;
  #isTooLong = false;
  #stopReason: string | undefined;

  constructor(limits: TranscriptLimits) {
    this.#limits = limits;
  }

  /** How many bytes of tool inputs and results were left out because they were too large. */
  get leftOutBytes(): number {
    return this.#leftOutBytes;
  }

  /** The last title in the file. */
  get title(): string | undefined {
    return this.#title;
  }

  /** Replays an entry of the main conversation. Short lines (`lineChars`) are not searched for large values. */
  takeMain(entry: TranscriptEntry, lineChars: number): Events {
    switch (entry.type) {
      case "user":
        return this.#user(entry, lineChars);
      case "assistant":
        return this.#withHeldCompaction(this.#assistant(entry, lineChars, undefined));
      case "attachment":
        return this.#attachment(entry);
      case "system":
        return this.#system(entry);
      default:
        return noEvents;
    }
  }

  /** Replays an entry of the subagent that the tool call `parent` started. */
  takeSubagent(parent: string, entry: TranscriptEntry, lineChars: number): Events {
    if (entry.type === "assistant") return this.#assistant(entry, lineChars, parent);
    if (entry.type !== "user" || entry.isMeta === true || !hasResult(entry.message)) return noEvents;
    return this.#result(entry, lineChars, parent);
  }

  /** Replays an entry outside the chain: a new title, or the notification that a background task has ended. */
  takeOffChain({ type, customTitle, sessionId, content }: TranscriptEntry): Events {
    if (type === "queue-operation") {
      const parsed = typeof content === "string" ? parseUserText(content) : undefined;
      return parsed?.kind === "task" ? [taskEvent(parsed.task)] : noEvents;
    }
    if (customTitle === undefined || customTitle === this.#title) return noEvents;
    this.#title = customTitle;
    return [toEvent({ type: "system", subtype: "session_title_changed", title: customTitle, session_id: sessionId })];
  }

  /** Called after the last entry. */
  end(): Events {
    return this.#withHeldCompaction(this.#turnEnd());
  }

  #user(entry: TranscriptEntry, lineChars: number): Events {
    const { message } = entry;
    if (entry.isMeta === true || entry.isCompactSummary === true || entry.isVisibleInTranscriptOnly === true) {
      return noEvents;
    }
    if (!isRecord(message)) return noEvents;
    if (hasResult(message)) return this.#withHeldCompaction(this.#result(entry, lineChars, undefined));
    return this.#userText(message["content"], entry.uuid, entry.origin?.kind, false);
  }

  #attachment({ attachment, uuid }: TranscriptEntry): Events {
    if (attachment?.type !== "queued_command" || attachment.isMeta === true) return noEvents;
    return this.#withHeldCompaction(
      this.#userText(attachment.prompt, attachment.source_uuid ?? uuid, attachment.origin?.kind, true),
    );
  }

  /** Replays the text of a user entry. `isMidTurn`: the text joined the running turn. */
  #userText(content: unknown, uuid: string | undefined, origin: string | undefined, isMidTurn: boolean): Events {
    const text = soleText(content);
    const parsed = text === undefined ? undefined : parseUserText(text);
    switch (parsed?.kind) {
      case "model-only":
        return noEvents;
      case "interrupt":
        this.#interrupt = parsed.isInTool ? "aborted_tools" : "aborted_streaming";
        return this.#withHeldCompaction(noEvents);
      case "task":
        return [...(isMidTurn ? noEvents : this.#withHeldCompaction(this.#turnEnd())), taskEvent(parsed.task)];
      case "output":
        // The only output of `/compact` is that it compacted, which the compaction itself shows.
        return this.#isAfterCompactCommand || parsed.text === ""
          ? noEvents
          : this.#withHeldCompaction([outputEvent(parsed.text, uuid)]);
      case "command": {
        this.#isAfterCompactCommand = /^\/compact\b/.test(parsed.text);
        const events = [...this.#turnEnd(), promptEvent(parsed.text, uuid)];
        // The user typed `/compact` before the compaction.
        return this.#isAfterCompactCommand
          ? this.#withHeldCompaction(noEvents, events)
          : this.#withHeldCompaction(events);
      }
      case "prompt":
      case undefined: {
        const events = isMidTurn ? noEvents : this.#withHeldCompaction(this.#turnEnd());
        this.#isTurnOpen = true;
        this.#isAfterCompactCommand = false;
        // A turn that the user did not start has no prompt to show.
        if (origin !== undefined && origin !== "human") return events;
        return parsed === undefined && !Array.isArray(content)
          ? events
          : [...events, promptEvent(visibleBlocks(content), uuid)];
      }
    }
  }

  #result(entry: TranscriptEntry, lineChars: number, parent: string | undefined): Events {
    const { permissionDecision: decision, toolDenialKind: kind } = entry;
    const message = this.#truncated(entry.message, lineChars);
    const ids = resultIds(message);
    const meta = {
      ...(kind !== undefined && { non_execution_kind: kind }),
      ...(decision !== undefined && {
        permission_decision: {
          decision: decision.decision,
          source: decision.source,
          ...(decision.reasonType !== undefined && { reason_type: decision.reasonType }),
        },
      }),
    };
    return [
      toEvent({
        type: "user",
        message,
        parent_tool_use_id: parent ?? null,
        ...(entry.toolUseResult !== undefined && { tool_use_result: this.#truncated(structuredOf(entry), lineChars) }),
        tool_result_meta: ids.map((id) => ({ id, ...meta })),
        ...entryIds(entry),
      }),
    ];
  }

  #assistant(entry: TranscriptEntry, lineChars: number, parent: string | undefined): Events {
    const { message } = entry;
    if (!isRecord(message) || isFiller(message)) return noEvents;
    if (parent === undefined) {
      this.#isTurnOpen = true;
      this.#hasFailed = entry.isApiErrorMessage === true || entry.error !== undefined;
      this.#isTooLong = this.#hasFailed && (soleText(message["content"]) ?? "").startsWith("Prompt is too long");
      this.#stopReason = typeof message["stop_reason"] === "string" ? message["stop_reason"] : undefined;
    }
    const isCall = lineChars > this.#limits.maxTextBytes && isRecord(soleBlock(message["content"])?.["input"]);
    return [
      toEvent({
        type: "assistant",
        message: isCall ? this.#truncated(message, lineChars) : message,
        parent_tool_use_id: parent ?? null,
        ...(this.#hasFailed && parent === undefined && { error: entry.error ?? "unknown", is_api_error_message: true }),
        ...(entry.isAbortedMidStream === true && { aborted: true }),
        ...entryIds(entry),
      }),
    ];
  }

  #system(entry: TranscriptEntry): Events {
    const { subtype, uuid, content } = entry;
    if (subtype === "compact_boundary") {
      const events = this.#withHeldCompaction(this.#turnEnd());
      const { trigger, preTokens, postTokens, durationMs } = entry.compactMetadata ?? {};
      this.#heldCompaction = toEvent({
        type: "system",
        subtype,
        compact_metadata: { trigger, pre_tokens: preTokens, post_tokens: postTokens, duration_ms: durationMs },
        ...entryIds(entry),
      });
      return trigger === "manual" ? events : this.#withHeldCompaction(events);
    }
    if (subtype === "local_command") {
      const parsed = typeof content === "string" ? parseUserText(content) : undefined;
      if (parsed?.kind === "command") return this.#userText(content, uuid, undefined, false);
      return parsed?.kind === "output" && parsed.text !== ""
        ? this.#withHeldCompaction([outputEvent(parsed.text, uuid)])
        : noEvents;
    }
    if (subtype === undefined || !storedNotices.has(subtype) || typeof content !== "string") return noEvents;
    return this.#withHeldCompaction([
      toEvent({ type: "system", subtype, content, level: entry.level, ...entryIds(entry) }),
    ]);
  }

  /** The result event of the turn, which the transcript does not contain. */
  #turnEnd(): Events {
    if (!this.#isTurnOpen) return noEvents;
    const event = toEvent({
      type: "result",
      subtype: this.#interrupt === undefined ? "success" : "error_during_execution",
      is_error: this.#hasFailed,
      stop_reason: this.#stopReason ?? null,
      terminal_reason:
        this.#interrupt ?? (this.#isTooLong ? "prompt_too_long" : this.#hasFailed ? "api_error" : "completed"),
    });
    this.#isTurnOpen = false;
    this.#interrupt = undefined;
    this.#hasFailed = false;
    this.#isTooLong = false;
    this.#stopReason = undefined;
    return [event];
  }

  /** Inserts a compaction that was held back between `earlier` and `events`. */
  #withHeldCompaction(events: Events, earlier: Events = noEvents): Events {
    const compaction = this.#heldCompaction;
    if (compaction === undefined) return earlier.length === 0 ? events : [...earlier, ...events];
    this.#heldCompaction = undefined;
    return [...earlier, compaction, ...events];
  }

  #truncated(value: unknown, lineChars: number): unknown {
    if (lineChars <= this.#limits.maxTextBytes / maxUtf8Bytes) return value;
    const truncated = truncate(value, this.#limits);
    this.#leftOutBytes += truncated.leftOutBytes;
    return truncated.leftOutBytes === 0 ? value : truncated.value;
  }
}

const noEvents: Events = [];
/** A UTF-16 code unit has at most this many bytes in UTF-8. */
const maxUtf8Bytes = 3;
/** Subtypes of notices that the transcript stores as the CLI sent them. */
const storedNotices: ReadonlySet<string> = new Set([
  "informational",
  "model_fallback",
  "model_refusal_fallback",
  "model_refusal_no_fallback",
]);

/** The schema turns every fault into an `Unknown`, and this file creates no control frames. */
function toEvent(value: unknown): ConversationEvent {
  return ClaudeEvent.read(value) as ConversationEvent;
}

function entryIds({ uuid, sessionId, timestamp }: TranscriptEntry): object {
  return { uuid, session_id: sessionId, timestamp };
}

function promptEvent(content: unknown, uuid: string | undefined): ConversationEvent {
  return toEvent({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
}

function outputEvent(text: string, uuid: string | undefined): ConversationEvent {
  const message = { id: uuid, role: "assistant", model: synthetic, content: [{ type: "text", text }] };
  return toEvent({ type: "assistant", message, parent_tool_use_id: null, uuid });
}

function taskEvent({ taskId, toolUseId, status, summary }: TaskNotification): ConversationEvent {
  const task = { task_id: taskId, tool_use_id: toolUseId, status, summary };
  return toEvent({ type: "system", subtype: "task_notification", ...task });
}

/** The structured result in the form a live CLI sends: for an MCP tool, content and metadata in one object. */
function structuredOf({ toolUseResult, mcpMeta }: TranscriptEntry): unknown {
  return mcpMeta === undefined ? toolUseResult : { content: toolUseResult, ...mcpMeta };
}
