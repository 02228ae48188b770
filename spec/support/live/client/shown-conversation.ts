/**
 * A conversation as an editor finally shows it, one entry for each item in order of
 * appearance.
 *
 * Consecutive text is one entry. A tool call has an entry where it appears and one where
 * it ends, with its final content; intermediate steps and usage are left out. So a
 * streamed conversation can be compared with the same one loaded from disk.
 */
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { type ConversationEvent, ClaudeConnection } from "../../../../lib/claude/index.ts";
import type { LinkCallbacks } from "../../../../lib/wire/index.ts";
import { fold, foldEnd, TranslationState } from "../../../../lib/claude/translate/index.ts";
import type { Traffic } from "../claude-host.ts";
import { at, isObject, textAt, type JsonObject } from "../../json.ts";

export class Shown {
  readonly updates: SessionUpdate[] = [];
  readonly #state: TranslationState;

  constructor(cwd: string) {
    this.#state = new TranslationState({
      cwd,
      showsTerminals: true,
      showsNotices: true,
      showsCompaction: true,
      textOf: () => undefined,
    });
  }

  take(event: ConversationEvent): void {
    this.updates.push(...fold(this.#state, event));
  }

  end(): void {
    this.updates.push(...foldEnd(this.#state, "It did not run to its end."));
  }

  get entries(): readonly unknown[] {
    return entriesOf(this.updates);
  }

  /** The ids of the model's messages, each where it first appears. */
  get messageIds(): readonly string[] {
    const ids = this.updates.map((update) => textAt(update, "messageId"));
    return [...new Set(ids.filter((id) => id.startsWith("msg_")))];
  }
}

/** What is shown live: takes the traffic of a host. */
export class LiveShown extends Shown {
  readonly #prompts = new Map<string, JsonObject>();
  #callbacks: LinkCallbacks | undefined;

  constructor(cwd: string) {
    super(cwd);
    // The host answers the CLI; the connection only reads its lines.
    const link = {
      open: (callbacks: LinkCallbacks) => void (this.#callbacks = callbacks),
      send: () => true,
      close: () => {},
      pause: () => {},
      resume: () => {},
    };
    const onFailure = (doing: string, cause: unknown): void => {
      throw new Error(doing, { cause });
    };
    new ClaudeConnection(link, { after: () => () => {}, onEvent: (event) => this.#hear(event), onFailure });
  }

  readonly onTraffic = ({ dir, msg }: Traffic): void => {
    if (!isObject(msg)) return;
    if (dir === "in" && msg["type"] === "user") this.#prompts.set(textAt(msg, "uuid"), msg);
    if (dir === "out" && msg["type"] !== "control_request") this.#callbacks?.onLine(JSON.stringify(msg));
  };

  /** An editor shows a prompt itself when it is sent; here a prompt is shown when the CLI reads it. */
  #hear(event: ConversationEvent): void {
    if (event.type === "command_lifecycle" && event.state === "started") {
      const prompt = this.#prompts.get(event.command_uuid);
      this.#prompts.delete(event.command_uuid);
      const content = at(prompt, "message.content");
      const blocks =
        typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
      for (const block of blocks) this.updates.push(promptUpdate(block));
    }
    this.take(event);
  }
}

function promptUpdate(block: unknown): SessionUpdate {
  const content =
    textAt(block, "type") === "text"
      ? ({ type: "text", text: textAt(block, "text") } as const)
      : ({ type: "image", data: textAt(block, "source.data"), mimeType: textAt(block, "source.media_type") } as const);
  return { sessionUpdate: "user_message_chunk", content };
}

/** Updates that are not visible in the conversation, or only report progress. */
const aside: ReadonlySet<string> = new Set(["usage_update", "available_commands_update", "current_mode_update"]);

function entriesOf(updates: readonly SessionUpdate[]): readonly unknown[] {
  const entries: unknown[] = [];
  const calls = new Map<string, Record<string, unknown>>();
  const ids = new Map<string, number>();
  let words: { kind: string; text: string; messageId: number } | undefined;
  for (const update of updates) {
    const kind = update.sessionUpdate;
    if (aside.has(kind) || isPassing(update)) continue;
    const text = at(update, "content.text");
    if (typeof text === "string" && kind !== "tool_call" && kind !== "tool_call_update") {
      const messageId = numbered(ids, textAt(update, "messageId"));
      if (words?.kind === kind && words.messageId === messageId && kind !== "user_message_chunk") words.text += text;
      else entries.push((words = { kind, text, messageId }));
      continue;
    }
    words = undefined;
    if (kind !== "tool_call" && kind !== "tool_call_update") {
      entries.push(without(update, "messageId", "compactionId"));
      continue;
    }
    const id = update.toolCallId;
    const before = calls.get(id);
    const meta = { ...(before?.["meta"] as object | undefined), ...update._meta };
    const now = { ...before, ...without(update, "sessionUpdate", "_meta"), meta };
    calls.set(id, now);
    if (before === undefined) entries.push({ calls: id, kind: at(update, "kind"), name: at(update, "name") });
    if (isEnd(now) && !isEnd(before)) entries.push({ ended: now });
  }
  return entries;
}

/** A turn that is being retried, or a compaction that has begun. */
function isPassing(update: SessionUpdate): boolean {
  if (update.sessionUpdate === "compaction_update") return update.status === "in_progress";
  return update.sessionUpdate === "notice" && update.title.includes("trying again");
}

/** Numbers messages by order of appearance; the CLI's own messages have a new id each time. */
function numbered(ids: Map<string, number>, id: string): number {
  if (!id.startsWith("msg_")) return 0;
  const number = ids.get(id) ?? ids.size + 1;
  ids.set(id, number);
  return number;
}

function without(update: object, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(update).filter(([key]) => !keys.includes(key)));
}

function isEnd(call: Readonly<Record<string, unknown>> | undefined): boolean {
  return call?.["status"] === "completed" || call?.["status"] === "failed";
}
