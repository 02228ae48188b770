/**
 * Records the session that `bowline demo` plays, from the real CLI.
 *
 * `node --import tsx spec/live/record/record-demo.ts` records the same turn three times:
 * everything allowed, the edit refused, the tests refused. The first is kept whole; of
 * the others only what follows the refusal, after a line that names the question. What
 * the demo does not need (catalogues, ids, counters) is cut by rule.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { demoAnswer, demoPrompt, demoScript, prepareDemo, type Refused } from "../scenarios/demo.ts";
import { idleAfter } from "../scenarios/recording.ts";
import { ClaudeHost } from "../../support/live/claude-host.ts";
import { at, isObject, type JsonObject, textAt } from "../../support/json.ts";
import { fakeKey } from "../../support/live/real-cli.ts";
import { anonymizeTape } from "../../support/live/anonymize-recording.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

type Row = JsonObject & { readonly dir: string; readonly t: number };

const file = fileURLToPath(new URL("../../../lib/program/demo/tape.ndjson", import.meta.url));
const maxBytes = 30_000;

/** Lines that the demo does not need. */
const skippedSubtypes = new Set(["status", "post_turn_summary", "thinking_tokens"]);
/** Fields that the demo does not need, at any depth. */
const unused =
  /^(?:uuid|session_id|parent_tool_use_id|api_message_id|timestamp|thinking_display|signature|ttft_.*|.*duration.*|stop_sequence|service_tier|context_management|owed_rows|tool_result_meta|user_message_uuid|oldTodos|newTodos|oldString|newString|userModified|replaceAll|role|server_policy.*|display_name|updatedInput|supports.*|argumentHint|aliases|builtin|supportedEffortLevels)$/;
/** The fields to keep in lines with long lists. */
const kept: Readonly<Record<string, readonly string[]>> = {
  initialize: ["commands", "models", "account", "claude_code_version", "current_permission_mode", "session_state"],
  init: ["type", "subtype", "cwd", "model", "permissionMode", "user_message_uuids"],
  assistant: ["type", "message"],
  stream_event: ["type", "event"],
  user: ["type", "message", "tool_use_result"],
  success: ["type", "subtype", "is_error", "stop_reason", "total_cost_usd", "modelUsage", "user_message_uuids"],
};
const maxListed = 3;
const catalogue = ["name", "value", "resolvedModel", "displayName"];

const whole = await record(undefined);
const rows = [...whole, ...tail(await record("Edit"), "Edit"), ...tail(await record("Bash"), "Bash")];
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
assert.ok(text.length <= maxBytes, `the tape has ${text.length} bytes, more than ${maxBytes}`);
writeFileSync(file, text);
process.stderr.write(`record: ${file}, ${rows.length} lines, ${text.length} bytes\n`);

async function record(refused: Refused): Promise<readonly Row[]> {
  const lines: object[] = [];
  let clean: readonly unknown[] = [];
  await withEnvironment({}, async (environment) => {
    const { api, place } = environment;
    prepareDemo(place);
    api.script("demo", ...demoScript(place, refused));
    const started = performance.now();
    const env = { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0", ENABLE_TOOL_SEARCH: "false" };
    const host = environment.own(
      new ClaudeHost({
        api,
        workspace: place,
        env,
        onTraffic: ({ dir, ...rest }) => lines.push({ dir, t: Math.round(performance.now() - started), ...rest }),
      }),
    );
    const { cwd, home, root } = place;
    lines.unshift({ dir: "meta", t: 0, cwd });
    host.usual = demoAnswer(refused);
    await host.initialize();
    await host.prompt(`[[demo]] ${demoPrompt}`);
    await idleAfter(
      host,
      host.lines.items.findLastIndex((line) => line["type"] === "result"),
    );
    await host.end();
    const machine = { cwd, home, root, port: api.port, key: fakeKey, pid: host.pid };
    clean = anonymizeTape(lines, { ...machine, hostname: hostname(), uid: userInfo().uid });
    assert.ok(!JSON.stringify(clean).includes(basename(root)), `${root} was not removed`);
  });
  return clean.flatMap(thinned);
}

/** What follows the refusal, after a line that names the refused question. */
function tail(refusal: readonly Row[], tool: string): readonly Row[] {
  const isQuestion = (row: Row): boolean => textAt(row, "msg.request.tool_name") === tool;
  const from = refusal.findIndex(isQuestion);
  const same = (all: readonly Row[]): string => JSON.stringify(all.map((row) => ({ ...row, t: 0 })));
  const until = whole.findIndex(isQuestion);
  assert.ok(same(refusal.slice(0, from)) === same(whole.slice(0, until)), "the recordings begin alike; try again");
  const asked = textAt(refusal[from], "msg.request_id");
  const answered = refusal.findIndex((row) => textAt(row, "msg.response.request_id") === asked);
  const t = refusal[answered]?.t ?? 0;
  return [{ dir: "meta", t, otherwise: textAt(whole[until], "msg.request_id") }, ...refusal.slice(answered + 1)];
}

function thinned(line: unknown): readonly Row[] {
  if (!isObject(line)) return [];
  const row = line as Row; // every line was made by `record`
  const msg = at(row, "msg");
  const subtype = textAt(msg, "subtype");
  if (skippedSubtypes.has(subtype) || row.dir === "stderr" || textAt(msg, "event.delta.type") === "signature_delta")
    return [];
  if (row.dir === "in" && textAt(msg, "type") === "user") {
    const message = { role: "user", content: demoPrompt };
    return [{ dir: "in", t: row.t, msg: { type: "user", message, uuid: at(msg, "uuid") } }];
  }
  // A plan is complete in its tool call; its partial input shows nothing.
  if (row["eof"] === true || row.dir === "exit" || textAt(msg, "event.delta.partial_json").startsWith('{"todos"'))
    return [];
  const answer = at(msg, "response.response");
  const offers = isObject(answer) && "commands" in answer ? picked(answer, kept["initialize"] ?? []) : undefined;
  const fields = kept[subtype] ?? kept[textAt(msg, "type")];
  const short = {
    ...row,
    ...(isObject(msg) && fields !== undefined && { msg: picked(msg, fields) }),
    ...(offers !== undefined && {
      msg: { type: "control_response", response: { subtype: "success", request_id: "init-1", response: offers } },
    }),
  };
  return [
    JSON.parse(JSON.stringify(short), (key, value: unknown) => {
      if (unused.test(key)) return undefined;
      if (key === "message" && isObject(value)) return picked(value, ["id", "model", "content"]);
      if (key.startsWith("claude-") && isObject(value)) return picked(value, ["contextWindow"]);
      const isCatalogue = (key === "commands" || key === "models") && Array.isArray(value);
      return isCatalogue ? value.slice(0, maxListed).map((one: JsonObject) => picked(one, catalogue)) : value;
    }),
  ];
}

function picked(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field)));
}
