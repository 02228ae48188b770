/**
 * Invariants that hold for every replay, whatever was recorded.
 *
 * Each returns a description of what is wrong, or nothing. The model's text is computed
 * from the recording alone, by other means than the translator's.
 */
import type { WireLine } from "../live/agent-program.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";
import type { Tape } from "../../../lib/tape/index.ts";

/** Calls that go on behind the turn's back. */
interface OpenCall {
  readonly name: string;
  readonly parent: string | undefined;
}

/** Every call that was announced has ended when its prompt is answered, but for work in the background. */
export function openCallFaults(wire: readonly WireLine[], backgrounded: ReadonlySet<string>): readonly string[] {
  const open = new Map<string, OpenCall>();
  const ended = new Set<string>();
  const faults: string[] = [];
  const prompts = new Set<unknown>();
  for (const { from, message } of wire) {
    if (from === "client" && message?.["method"] === "session/prompt") prompts.add(message["id"]);
    const update = updateOf(message);
    const id = textAt(update, "toolCallId");
    if (at(update, "sessionUpdate") === "tool_call") {
      if (open.has(id) || ended.has(id)) faults.push(`${id} is announced twice`);
      const parent = textAt(update, "_meta.claudeCode.parentToolUseId");
      open.set(id, { name: textAt(update, "name"), parent: parent === "" ? undefined : parent });
    } else if (at(update, "sessionUpdate") === "tool_call_update") {
      if (!open.has(id)) faults.push(`${id} changes ${ended.has(id) ? "after its end" : "before it is announced"}`);
      if (/^(?:completed|failed)$/.test(textAt(update, "status"))) {
        open.delete(id);
        ended.add(id);
      }
    }
    if (from !== "agent" || message?.["method"] !== undefined || !prompts.delete(message?.["id"])) continue;
    for (const [left, { name, parent }] of open) {
      if (!backgrounded.has(left) && !backgrounded.has(parent ?? ""))
        faults.push(`${left} (${name}) is open at the end`);
    }
  }
  return faults;
}

/** Calls whose work the CLI moved to the background. */
export function backgroundedCalls(tape: Tape): ReadonlySet<string> {
  return new Set(
    saidLines(tape).flatMap((line) => {
      if (at(line, "tool_use_result.isAsync") !== true) return [];
      return listAt(line, "message.content").map((block) => textAt(block, "tool_use_id"));
    }),
  );
}

/** All updates of a prompt's own turn are sent before the prompt is answered. */
export function lateFaults(wire: readonly WireLine[], tape: Tape): readonly string[] {
  const turns = turnsOf(tape);
  const prompts: unknown[] = [];
  const answered = new Set<number>();
  const faults: string[] = [];
  for (const { from, message } of wire) {
    if (from === "client" && message?.["method"] === "session/prompt") prompts.push(message["id"]);
    const prompt = message?.["method"] === undefined && from === "agent" ? prompts.indexOf(message?.["id"]) : -1;
    if (prompt >= 0) answered.add(prompt);
    const update = updateOf(message);
    const turn = turns.get(textAt(update, "messageId")) ?? turns.get(textAt(update, "toolCallId"));
    if (turn !== undefined && answered.has(turn)) faults.push(`${JSON.stringify(update)} comes after its answer`);
  }
  return faults;
}

/** The messages and calls of each prompted turn, by the number of the prompt. */
function turnsOf(tape: Tape): ReadonlyMap<string, number> {
  const turns = new Map<string, number>();
  const background = backgroundedCalls(tape);
  let ids: string[] = [];
  let prompt = 0;
  for (const line of saidLines(tape)) {
    if (at(line, "type") === "assistant" && !background.has(textAt(line, "parent_tool_use_id"))) {
      const calls = listAt(line, "message.content").flatMap((block) => textAt(block, "id"));
      ids.push(textAt(line, "message.id"), ...calls.filter((id) => !background.has(id)));
    }
    if (at(line, "type") !== "result") continue;
    const isPrompted = listAt(line, "user_message_uuids").length > 0;
    for (const id of ids) if (isPrompted && id !== "") turns.set(id, prompt);
    ids = [];
    if (isPrompted) prompt++;
  }
  return turns;
}

/** Each prompt has exactly one answer. */
export function answerFaults(wire: readonly WireLine[]): readonly string[] {
  const faults: string[] = [];
  const answered = new Map<unknown, number>();
  for (const { from, message } of wire) {
    if (from === "client" && message?.["method"] === "session/prompt") answered.set(message["id"], 0);
    if (from === "agent" && message?.["method"] === undefined && answered.has(message?.["id"])) {
      answered.set(message?.["id"], (answered.get(message?.["id"]) ?? 0) + 1);
    }
  }
  for (const [id, times] of answered) if (times !== 1) faults.push(`prompt ${String(id)} has ${times} answers`);
  return faults;
}

/** Text and thoughts by message, as the editor can assemble them. */
export function shownWords(
  wire: readonly WireLine[],
  kind: "agent_message_chunk" | "agent_thought_chunk",
): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const { message } of wire) {
    const update = updateOf(message);
    if (at(update, "sessionUpdate") !== kind) continue;
    const id = textAt(update, "messageId");
    words.set(id, (words.get(id) ?? "") + textAt(update, "content.text"));
  }
  return words;
}

/**
 * The model's text in its main conversation, by message: the deltas where there
 * are any, otherwise the whole message. A message that only repeats a broken one
 * counts for what it adds.
 */
export function spokenWords(tape: Tape, kind: "text" | "thinking"): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  const streamed = new Set<string>();
  let current = "";
  let broken = "";
  for (const line of saidLines(tape)) {
    if (at(line, "type") === "stream_event") {
      const event = at(line, "event");
      if (at(event, "type") === "message_start") streamed.add((current = textAt(event, "message.id")));
      if (at(event, "delta.type") === `${kind}_delta`) add(current, textAt(event, `delta.${kind}`));
      if (at(line, "abandoned_blocks") !== undefined) broken = words.get(current) ?? "";
    } else if (at(line, "type") === "assistant" && at(line, "parent_tool_use_id") == null) {
      const id = textAt(line, "message.id");
      if (streamed.has(id) || at(line, "error") !== undefined) continue;
      for (const block of listAt(line, "message.content")) {
        const text = textAt(block, kind);
        if (at(block, "type") === kind) add(id, text.startsWith(broken) ? text.slice(broken.length) : text);
      }
    } else if (at(line, "type") === "result") {
      broken = "";
    }
  }
  return words;

  function add(id: string, text: string): void {
    if (text !== "") words.set(id, (words.get(id) ?? "") + text);
  }
}

function updateOf(message: JsonObject | undefined): unknown {
  return message?.["method"] === "session/update" ? at(message, "params.update") : undefined;
}

function saidLines({ rows }: Tape): readonly JsonObject[] {
  return rows.flatMap((row) => (row.kind === "said" ? [JSON.parse(row.line) as unknown].filter(isObject) : []));
}
