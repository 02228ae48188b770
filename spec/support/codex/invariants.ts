/**
 * What must hold for the updates of every conversation with Codex.
 */
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { SessionUpdate as Update } from "../../../lib/acp/index.ts";
import { isRecord } from "../../../lib/schema/index.ts";
import { officialFaults } from "../acp/official-schema.ts";
import type { PlayedConversation, Step } from "./recording.ts";

/** Everything that is wrong with a conversation; empty when nothing is. */
export function conversationFaults({ steps }: PlayedConversation): readonly string[] {
  return [...updatesOf(steps).flatMap(schemaFaults), ...lifeFaults(steps)];
}

export function updatesOf(steps: readonly Step[]): readonly SessionUpdate[] {
  return steps.flatMap((step) => (step.kind === "updates" ? step.updates : []));
}

/** The updates are valid by our own schema and by the official one. */
function schemaFaults(one: SessionUpdate): readonly string[] {
  const own = Update.read(one) === one ? [] : [`${one.sessionUpdate} is not what our own schema reads`];
  const isUnstable = one.sessionUpdate === "notice" || one.sessionUpdate === "compaction_update";
  return [...own, ...officialFaults("SessionUpdate", one, isUnstable ? "unstable" : "stable")];
}

/** Each call is announced once, changes only while it is open, and ends once. */
function lifeFaults(steps: readonly Step[]): readonly string[] {
  const faults: string[] = [];
  const open = new Map<string, { title: string }>();
  const ended = new Set<string>();
  for (const step of steps) {
    if (step.kind === "ended") {
      const isCancelled = step.end.kind === "stopped" && step.end.stopReason === "cancelled";
      for (const [id, { title }] of open) {
        if (!isCancelled && !title.endsWith("(in the background)")) faults.push(`${id} is open after its turn`);
      }
    }
    for (const one of step.kind === "updates" ? step.updates : []) {
      if (one.sessionUpdate === "tool_call") {
        if (open.has(one.toolCallId) || ended.has(one.toolCallId)) faults.push(`${one.toolCallId} is announced twice`);
        if (one.title.trim() === "" || one.title.includes("\n")) faults.push(`${one.toolCallId} has no proper title`);
        open.set(one.toolCallId, { title: one.title });
      } else if (one.sessionUpdate === "tool_call_update") {
        const call = open.get(one.toolCallId);
        if (call === undefined) faults.push(`${one.toolCallId} changes but is not open`);
        else call.title = one.title ?? call.title;
        if (one.status !== "completed" && one.status !== "failed") continue;
        open.delete(one.toolCallId);
        ended.add(one.toolCallId);
      }
    }
  }
  return [...faults, ...[...open.keys()].map((id) => `${id} never ends`)];
}

/** The text of the agent's messages, with one blank between words. */
export function shownText(steps: readonly Step[]): string {
  const messages = new Map<unknown, string>();
  for (const one of updatesOf(steps)) {
    if (one.sessionUpdate !== "agent_message_chunk" || one.content.type !== "text") continue;
    messages.set(one.messageId, (messages.get(one.messageId) ?? "") + one.content.text);
  }
  return words([...messages.values()].join(" "));
}

/** What the model said in a thread, by the lines of Codex. The same text again after a break counts once. */
export function saidText(notifications: readonly Readonly<Record<string, unknown>>[], threadId: string): string {
  const texts = new Map<string, string>();
  const broken: string[] = [];
  let ofResponse: string[] = [];
  for (const { method, params } of notifications) {
    if (!isRecord(params) || params["threadId"] !== threadId) continue;
    const item = isRecord(params["item"]) ? params["item"] : undefined;
    const id = String(item?.["id"] ?? params["itemId"]);
    const isText =
      item === undefined ? isTextDelta(method) : item["type"] === "agentMessage" || item["type"] === "plan";
    if (isText && !texts.has(id)) ofResponse.push(id);
    if (isText && item === undefined) texts.set(id, (texts.get(id) ?? "") + String(params["delta"]));
    if (isText && item !== undefined && item["text"] !== "") texts.set(id, String(item["text"]));
    if (method === "error" && params["willRetry"] === true) broken.push(...ofResponse);
    if (method === "thread/tokenUsage/updated" || method === "error") ofResponse = [];
  }
  const kept = [...texts].filter(([id, text], i, all) => {
    const next = all.slice(i + 1).map(([, later]) => later);
    return !broken.includes(id) || !next.some((later) => later.startsWith(text));
  });
  return words(kept.map(([, text]) => text).join(" "));
}

function isTextDelta(method: unknown): boolean {
  return method === "item/agentMessage/delta" || method === "item/plan/delta";
}

function words(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
