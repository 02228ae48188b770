/**
 * Transcript events: lines of a session's file as the events the CLI would say.
 *
 * What comes out goes through the same fold as a live conversation, so the two
 * look alike. Where the file is silent about something the CLI said, such as the
 * end of a turn, it is said again here. Pure but for what it remembers.
 */
import { isRecord } from "../../schema/index.ts";
import type { ConversationEvent } from "../claude-connection.ts";
import { ClaudeEvent } from "../protocol/event.ts";
import { visibleBlocks, hasResult, isFiller, resultIds, soleBlock, soleText, synthetic } from "./raw-blocks.ts";
import { cap, type TranscriptLimits } from "./truncate.ts";
import type { TranscriptEntry } from "./entry.ts";
import { parseUserText, type TaskNotification } from "./user-text.ts";

type Events = readonly ConversationEvent[];

/** Whether a line has no place in the chain and yet something to tell. */
export function isOffChain({ type, content }: TranscriptEntry): boolean {
  if (type === "custom-title") return true;
  return type === "queue-operation" && typeof content === "string" && content.startsWith("<task-notification>");
}

export class TranscriptReplayer {
  readonly #limits: TranscriptLimits;
  #leftOutBytes = 0;
  #title: string | undefined;
  /** A compaction whose command stands behind it in the file, though it was typed before. */
  #boundary: ConversationEvent | undefined;
  #isAfterCompact = false;
  #isTurnOpen = false;
  #interrupt: "aborted_streaming" | "aborted_tools" | undefined;
  #hasFailed = false;
  #isTooLong = false;
  #stopReason: string | undefined;

  constructor(limits: TranscriptLimits) {
    this.#limits = limits;
  }

  /** How much of the tools' inputs and results was too large. */
  get leftOutBytes(): number {
    return this.#leftOutBytes;
  }

  /** The title given last. */
  get title(): string | undefined {
    return this.#title;
  }

  /** A line of the main conversation. `lineChars` saves looking for what is too large in lines that are not. */
  takeMain(entry: TranscriptEntry, lineChars: number): Events {
    switch (entry.type) {
      case "user":
        return this.#user(entry, lineChars);
      case "assistant":
        return this.#flushed(this.#assistant(entry, lineChars, undefined));
      case "attachment":
        return this.#attachment(entry);
      case "system":
        return this.#system(entry);
      default:
        return nothing;
    }
  }

  /** A line of the subagent that this call began. */
  takeSubagent(parent: string, entry: TranscriptEntry, lineChars: number): Events {
    if (entry.type === "assistant") return this.#assistant(entry, lineChars, parent);
    if (entry.type !== "user" || entry.isMeta === true || !hasResult(entry.message)) return nothing;
    return this.#result(entry, lineChars, parent);
  }

  /** A line beside the chain of the conversation: a new title, or news of a background task when it came in. */
  takeOffChain({ type, customTitle, sessionId, content }: TranscriptEntry): Events {
    if (type === "queue-operation") {
      const said = typeof content === "string" ? parseUserText(content) : undefined;
      return said?.kind === "task" ? [taskEvent(said.task)] : nothing;
    }
    if (customTitle === undefined || customTitle === this.#title) return nothing;
    this.#title = customTitle;
    return [read({ type: "system", subtype: "session_title_changed", title: customTitle, session_id: sessionId })];
  }

  /** There are no more lines. */
  end(): Events {
    return this.#flushed(this.#turnEnd());
  }

  #user(entry: TranscriptEntry, lineChars: number): Events {
    const { message } = entry;
    if (entry.isMeta === true || entry.isCompactSummary === true || entry.isVisibleInTranscriptOnly === true) {
      return nothing;
    }
    if (!isRecord(message)) return nothing;
    if (hasResult(message)) return this.#flushed(this.#result(entry, lineChars, undefined));
    return this.#said(message["content"], entry.uuid, entry.origin?.kind, false);
  }

  #attachment({ attachment, uuid }: TranscriptEntry): Events {
    if (attachment?.type !== "queued_command" || attachment.isMeta === true) return nothing;
    return this.#flushed(this.#said(attachment.prompt, attachment.source_uuid ?? uuid, attachment.origin?.kind, true));
  }

  /** What a person, or the CLI in a person's place, said. `isMidTurn`: without ending the turn it came into. */
  #said(content: unknown, uuid: string | undefined, origin: string | undefined, isMidTurn: boolean): Events {
    const text = soleText(content);
    const said = text === undefined ? undefined : parseUserText(text);
    switch (said?.kind) {
      case "aside":
        return nothing;
      case "interrupt":
        this.#interrupt = said.isInTool ? "aborted_tools" : "aborted_streaming";
        return this.#flushed(nothing);
      case "task":
        return [...(isMidTurn ? nothing : this.#flushed(this.#turnEnd())), taskEvent(said.task)];
      case "output":
        // After a compaction the CLI only says that there was one.
        return this.#isAfterCompact || said.text === "" ? nothing : this.#flushed([printed(said.text, uuid)]);
      case "command": {
        this.#isAfterCompact = /^\/compact\b/.test(said.text);
        const events = [...this.#turnEnd(), prompt(said.text, uuid)];
        // Typed before the compaction it led to.
        return this.#isAfterCompact ? this.#flushed(nothing, events) : this.#flushed(events);
      }
      case "prompt":
      case undefined: {
        const events = isMidTurn ? nothing : this.#flushed(this.#turnEnd());
        this.#isTurnOpen = true;
        this.#isAfterCompact = false;
        // A turn nobody asked for has no prompt to show.
        if (origin !== undefined && origin !== "human") return events;
        return said === undefined && !Array.isArray(content)
          ? events
          : [...events, prompt(visibleBlocks(content), uuid)];
      }
    }
  }

  #result(entry: TranscriptEntry, lineChars: number, parent: string | undefined): Events {
    const { permissionDecision: decision, toolDenialKind: kind } = entry;
    const message = this.#capped(entry.message, lineChars);
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
      read({
        type: "user",
        message,
        parent_tool_use_id: parent ?? null,
        ...(entry.toolUseResult !== undefined && { tool_use_result: this.#capped(structuredOf(entry), lineChars) }),
        tool_result_meta: ids.map((id) => ({ id, ...meta })),
        ...entryIds(entry),
      }),
    ];
  }

  #assistant(entry: TranscriptEntry, lineChars: number, parent: string | undefined): Events {
    const { message } = entry;
    if (!isRecord(message) || isFiller(message)) return nothing;
    if (parent === undefined) {
      this.#isTurnOpen = true;
      this.#hasFailed = entry.isApiErrorMessage === true || entry.error !== undefined;
      this.#isTooLong = this.#hasFailed && (soleText(message["content"]) ?? "").startsWith("Prompt is too long");
      this.#stopReason = typeof message["stop_reason"] === "string" ? message["stop_reason"] : undefined;
    }
    const isCall = lineChars > this.#limits.maxTextBytes && isRecord(soleBlock(message["content"])?.["input"]);
    return [
      read({
        type: "assistant",
        message: isCall ? this.#capped(message, lineChars) : message,
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
      const events = this.#flushed(this.#turnEnd());
      const { trigger, preTokens, postTokens, durationMs } = entry.compactMetadata ?? {};
      this.#boundary = read({
        type: "system",
        subtype,
        compact_metadata: { trigger, pre_tokens: preTokens, post_tokens: postTokens, duration_ms: durationMs },
        ...entryIds(entry),
      });
      return trigger === "manual" ? events : this.#flushed(events);
    }
    if (subtype === "local_command") {
      const said = typeof content === "string" ? parseUserText(content) : undefined;
      if (said?.kind === "command") return this.#said(content, uuid, undefined, false);
      return said?.kind === "output" && said.text !== "" ? this.#flushed([printed(said.text, uuid)]) : nothing;
    }
    if (subtype === undefined || !remarks.has(subtype) || typeof content !== "string") return nothing;
    return this.#flushed([read({ type: "system", subtype, content, level: entry.level, ...entryIds(entry) })]);
  }

  /** The CLI ends each turn with a result, which it does not write down. */
  #turnEnd(): Events {
    if (!this.#isTurnOpen) return nothing;
    const event = read({
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

  /** Puts a compaction that was held back before what comes now, and behind what was before it. */
  #flushed(events: Events, earlier: Events = nothing): Events {
    const boundary = this.#boundary;
    if (boundary === undefined) return earlier.length === 0 ? events : [...earlier, ...events];
    this.#boundary = undefined;
    return [...earlier, boundary, ...events];
  }

  #capped(value: unknown, lineChars: number): unknown {
    if (lineChars <= this.#limits.maxTextBytes / maxUtf8Bytes) return value;
    const capped = cap(value, this.#limits);
    this.#leftOutBytes += capped.leftOutBytes;
    return capped.leftOutBytes === 0 ? value : capped.value;
  }
}

const nothing: Events = [];
/** A character of a line is at most so many bytes. */
const maxUtf8Bytes = 3;
/** Remarks that stand in the file as they were said. */
const remarks: ReadonlySet<string> = new Set([
  "informational",
  "model_fallback",
  "model_refusal_fallback",
  "model_refusal_no_fallback",
]);

/** Every fault becomes an `Unknown`, and what is made here is never a control frame. */
function read(value: unknown): ConversationEvent {
  return ClaudeEvent.read(value) as ConversationEvent;
}

function entryIds({ uuid, sessionId, timestamp }: TranscriptEntry): object {
  return { uuid, session_id: sessionId, timestamp };
}

function prompt(content: unknown, uuid: string | undefined): ConversationEvent {
  return read({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
}

function printed(text: string, uuid: string | undefined): ConversationEvent {
  const message = { id: uuid, role: "assistant", model: synthetic, content: [{ type: "text", text }] };
  return read({ type: "assistant", message, parent_tool_use_id: null, uuid });
}

function taskEvent({ taskId, toolUseId, status, summary }: TaskNotification): ConversationEvent {
  const task = { task_id: taskId, tool_use_id: toolUseId, status, summary };
  return read({ type: "system", subtype: "task_notification", ...task });
}

/** As the CLI told it live: an MCP tool's answer in one. */
function structuredOf({ toolUseResult, mcpMeta }: TranscriptEntry): unknown {
  return mcpMeta === undefined ? toolUseResult : { content: toolUseResult, ...mcpMeta };
}
