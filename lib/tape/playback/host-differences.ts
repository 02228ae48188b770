/**
 * Recognises recorded lines of a host that Bowline's agent would not send at that point.
 *
 * Recordings of a CLI alone were made with another host. A tape that waited for such
 * a line would wait for ever, so callers skip it.
 */
import { parseJson } from "../../wire/index.ts";
import { isFields } from "../tape-rows.ts";
import type { AwaitedFrame, Tape } from "../claude-tape.ts";
import type { HostMessage } from "../codex-tape.ts";

/** What the agent sends to Codex in every conversation. */
const sentToCodex: ReadonlySet<string> = new Set([
  "initialize",
  "thread/start",
  "thread/resume",
  "thread/fork",
  "turn/start",
  "turn/interrupt",
]);

/** A request to Codex that another host sent, and that the agent need not send. */
export function isOtherHostsRequest(message: HostMessage): boolean {
  return message.type === "request" && !sentToCodex.has(message.method);
}

export function isHostSpecific(tape: Tape, frame: AwaitedFrame): boolean {
  switch (frame.type) {
    case "user":
      // The agent sends a prompt after the previous turn has ended; other hosts may send it during the turn.
      return isTurnOpen(tape, frame);
    case "request":
      return frame.subtype === "interrupt" ? !isTurnOpen(tape, frame) : frame.subtype !== "initialize";
    case "answer":
      return !linesBefore(tape, frame).some((line) => line["request_id"] === frame.id);
  }
}

/** Whether a prompt recorded before this point has no result yet. */
export function isTurnOpen({ rows }: Tape, frame: AwaitedFrame): boolean {
  const open = new Set<string>();
  for (const row of rows) {
    if (row.kind === "awaited" && row.frame === frame) break;
    if (row.kind === "awaited" && row.frame.type === "user") open.add(row.frame.uuid ?? "");
    const line = row.kind === "said" && row.line.includes('"result"') ? parseJson(row.line) : undefined;
    if (!isFields(line) || line["type"] !== "result") continue;
    const { user_message_uuids: uuids } = line;
    for (const uuid of Array.isArray(uuids) ? uuids : []) open.delete(String(uuid));
    open.delete("");
  }
  return open.size > 0;
}

/** The lines of the CLI before this line of the host. */
export function linesBefore({ rows }: Tape, frame: AwaitedFrame): readonly Readonly<Record<string, unknown>>[] {
  const end = rows.findIndex((row) => row.kind === "awaited" && row.frame === frame);
  return rows.slice(0, end).flatMap((row) => {
    const line = row.kind === "said" ? parseJson(row.line) : undefined;
    return isFields(line) ? [line] : [];
  });
}
