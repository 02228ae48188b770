/**
 * Plays a recording of fixtures/claude again with the real CLI.
 *
 * The model sends again what it sent, the host sends and answers again what it did. What
 * depends on a process, a key or a moment that no script can restore is not played;
 * `otherwise` says where it is shown instead.
 */
import { type RecordedRow, recording } from "../../support/claude/claude-recording.ts";
import type { ClaudeHost, ControlAnswer } from "../../support/live/claude-host.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../../support/json.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { answer, type Block, call, say, type Script, think } from "../../support/live/api/model-script.ts";
import type { Workspace } from "../../support/live/workspace.ts";
import { idleAfter, type Recording } from "./recording.ts";

/** The scenario that shows the same, or why there is none. */
export type Instead = { readonly shownBy: string } | { readonly why: string };

/** Recordings that are not played again. */
export const otherwise: Readonly<Record<string, Instead>> = {
  "api-key-invalid": { shownBy: "failures" },
  "rate-limit": { shownBy: "failures" },
  refusal: { shownBy: "failures" },
  "stream-breaks": { shownBy: "failures" },
  "cancelled-at-permission": { shownBy: "refused-and-cancelled" },
  "cancelled-mid-text": { shownBy: "refused-and-cancelled" },
  "cancelled-mid-tool": { shownBy: "refused-and-cancelled" },
  "slash-compact": { shownBy: "compacted" },
  "prompt-folded-in": { shownBy: "steered" },
  "plan-approved": { shownBy: "plans" },
  "garbage-in": { shownBy: "text" },
  "bash-heartbeat": { shownBy: "bash" },
  "killed-mid-tool": { why: "the CLI is killed: history.live.ts, a session that went on in another process" },
  "slash-clear": { why: "it ends one conversation and begins another: the same place" },
  "not-signed-in": { why: "without an account nothing is said" },
  "resume-missing": { why: "there is no conversation" },
};

const flagsOfHost = 9;
const recordedCwd = "/home/dev/project";

export function reenacted(name: string): Recording {
  const rows = recording(name);
  const meta: unknown = rows[0];
  const said = rows.filter(({ dir }) => dir === "in").flatMap(({ msg }) => (isObject(msg) ? [msg] : []));
  const requests = said.filter((msg) => msg["type"] === "control_request");
  const answers = said.filter((msg) => msg["type"] === "control_response").map((msg) => at(msg, "response.response"));
  const { subtype: _, ...initialize } = Object(at(requests[0], "request")) as JsonObject; // a host always begins with it
  return {
    name,
    what: "as it was recorded",
    args: argsOf(listAt(meta, "argv").slice(1 + flagsOfHost)),
    env: Object(at(meta, "env_extra")) as Record<string, string>, // written so by the recorder
    initialize,
    scripts: (place) => scriptsOf(rows, place),
    usual: inOrder(answers),
    play: (host, { place }) => play(host, rows, place),
  };
}

/** The recorder's own MCP server has another path. */
function argsOf(args: readonly unknown[]): readonly string[] {
  return args.map((arg) =>
    String(arg).includes("/opt/mcp-server.mjs")
      ? JSON.stringify({ mcpServers: { fake: { type: "stdio", ...mcpCommand() } } })
      : String(arg),
  );
}

/** The model's answers, by the marker of the prompt they belong to. */
function scriptsOf(rows: readonly RecordedRow[], place: Workspace): Record<string, Script> {
  const messages = new Map<string, { readonly marker: string; readonly blocks: Block[] }>();
  const agents = new Map<string, string>();
  let main = "";
  for (const { dir, msg } of rows) {
    if (dir === "in" && textAt(msg, "type") === "user") main = markerIn(JSON.stringify(msg)) ?? main;
    if (dir !== "out" || textAt(msg, "type") !== "assistant" || textAt(msg, "message.model") === "<synthetic>")
      continue;
    const parent = textAt(msg, "parent_tool_use_id");
    const marker = parent === "" ? main : (agents.get(parent) ?? "");
    const id = textAt(msg, "message.id");
    const message = messages.get(id) ?? { marker, blocks: [] };
    messages.set(id, message);
    for (const block of listAt(msg, "message.content")) {
      message.blocks.push(...blockOf(block, place));
      const delegated = markerIn(textAt(block, "input.prompt"));
      if (delegated !== undefined) agents.set(textAt(block, "id"), delegated);
    }
  }
  const scripts: Record<string, Script> = {};
  for (const { marker, blocks } of messages.values()) scripts[marker] = [...(scripts[marker] ?? []), answer(...blocks)];
  return scripts;
}

function blockOf(block: unknown, place: Workspace): readonly Block[] {
  switch (textAt(block, "type")) {
    case "text":
      return [say(textAt(block, "text"))];
    case "thinking":
      return [think(textAt(block, "thinking"))];
    case "tool_use":
      return [call(textAt(block, "name"), moved(at(block, "input"), place))];
    default:
      return [];
  }
}

/** The host's answers, in their order; after them it allows everything. */
function inOrder(answers: readonly unknown[]): ControlAnswer {
  const left = [...answers];
  return (request) => {
    const given = left.shift();
    const hasInput = isObject(given) && "updatedInput" in given;
    // A rewritten input would name a path that does not exist here.
    if (isObject(given))
      return hasInput && request["tool_name"] !== "AskUserQuestion"
        ? { ...given, updatedInput: request["input"] }
        : given;
    return { behavior: "allow", updatedInput: request["input"] };
  };
}

/** Sends each recorded frame once everything that preceded it in the recording has happened again. */
async function play(host: ClaudeHost, rows: readonly RecordedRow[], place: Workspace): Promise<void> {
  let results = 0;
  let isBegun = false;
  for (const { dir, msg } of rows) {
    if (dir === "out" && textAt(msg, "type") === "result") results++;
    if (dir !== "in" || !isObject(msg)) continue;
    if (msg["type"] === "control_request" && isBegun) {
      await settled(host, results);
      const { subtype, ...fields } = Object(msg["request"]) as JsonObject; // a control request has one
      await host.control(String(subtype), fields);
    }
    if (msg["type"] !== "user") continue;
    if (isBegun) await settled(host, results);
    isBegun = true;
    host.tell(moved(at(msg, "message.content"), place) as string); // as the recorded prompt had it
  }
  await settled(host, results);
}

async function settled(host: ClaudeHost, results: number): Promise<void> {
  const callbacks = (): number[] => host.lines.items.flatMap((line, i) => (line["type"] === "result" ? [i] : []));
  while (callbacks().length < results) await host.next("result", { from: host.lines.length });
  await idleAfter(host, callbacks()[results - 1] ?? 0);
}

function moved(value: unknown, place: Workspace): unknown {
  return JSON.parse(JSON.stringify(value ?? null).replaceAll(recordedCwd, place.cwd));
}

function markerIn(text: string): string | undefined {
  return [...text.matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1];
}
