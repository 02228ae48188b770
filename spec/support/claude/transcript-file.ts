/**
 * A session file written by a test, line by line, in a temporary directory.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ConversationEvent,
  readTranscript,
  type SessionFiles,
  type TranscriptOptions,
  type TranscriptReport,
} from "../../../lib/claude/index.ts";
import { Shown } from "../live/client/shown-conversation.ts";
import { at, textAt } from "../json.ts";

export const sessionId = "00000000-0000-4000-8000-000000000001";
const cwd = "/home/dev/project";

export type Line = Readonly<Record<string, unknown>>;

/** A line of the user. Its parent is the line before unless given. */
export function said(uuid: string, parentUuid: string | null, content: unknown, more: Line = {}): Line {
  return {
    parentUuid,
    isSidechain: false,
    type: "user",
    message: { role: "user", content },
    uuid,
    cwd,
    sessionId,
    ...more,
  };
}

export function answered(uuid: string, parentUuid: string | null, block: unknown, more: Line = {}): Line {
  const content = [typeof block === "string" ? { type: "text", text: block } : block];
  const message = {
    id: `msg_${uuid}`,
    role: "assistant",
    content,
    stop_reason: null,
    ...(more["message"] as Line | undefined),
  };
  return { parentUuid, isSidechain: false, type: "assistant", uuid, cwd, sessionId, ...more, message };
}

export function called(uuid: string, parentUuid: string, id: string, more: Line = {}): Line {
  return answered(uuid, parentUuid, { type: "tool_use", id, name: "Bash", input: { command: `echo ${id}` } }, more);
}

export function resulted(
  uuid: string,
  parentUuid: string,
  tool_use_id: string,
  content: unknown,
  more: Line = {},
): Line {
  return said(uuid, parentUuid, [{ type: "tool_result", tool_use_id, content }], more);
}

export interface Told {
  readonly events: readonly ConversationEvent[];
  readonly report: TranscriptReport;
  /** What the user sees: text as it is, tool calls as `id: status`. */
  readonly seen: readonly string[];
}

/** Writes the file, replays it, and removes it. Strings and bytes are written unchanged. */
export async function told(
  lines: readonly (Line | string | Uint8Array)[],
  options: Partial<TranscriptOptions> & { readonly beside?: Readonly<Record<string, string>> } = {},
): Promise<Told> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-spec-")));
  try {
    const files = { sessionId, transcript: join(root, `${sessionId}.jsonl`), directory: join(root, sessionId) };
    const isRaw = (line: Line | string | Uint8Array): line is string | Uint8Array =>
      typeof line === "string" || line instanceof Uint8Array;
    const bytes = lines.map((line) => (isRaw(line) ? Buffer.from(line) : Buffer.from(`${JSON.stringify(line)}\n`)));
    writeFileSync(files.transcript, Buffer.concat(bytes));
    for (const [name, text] of Object.entries(options.beside ?? {})) {
      mkdirSync(dirname(join(files.directory, name)), { recursive: true });
      writeFileSync(join(files.directory, name), text);
    }
    return await tell(files, options);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export async function tell(
  files: SessionFiles,
  options: Partial<TranscriptOptions> = {},
): Promise<Told & { shown: Shown }> {
  const events: ConversationEvent[] = [];
  const shown = new Shown(cwd);
  const onEvent = (event: ConversationEvent): void => {
    events.push(event);
    shown.take(event);
  };
  const report = await readTranscript(files, { onEvent, ...options });
  shown.end();
  const seen = shown.entries.flatMap((entry) => {
    const call = at(entry, "ended");
    if (call !== undefined) return [`${textAt(call, "toolCallId")}: ${textAt(call, "status")}`];
    const kind = textAt(entry, "sessionUpdate");
    if (kind !== "") return [`${kind} ${textAt(entry, "status") || textAt(entry, "title")}`.trim()];
    return at(entry, "text") === undefined ? [] : [textAt(entry, "text")];
  });
  return { events, report, seen, shown };
}
