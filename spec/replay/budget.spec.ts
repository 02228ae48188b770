/**
 * Budget: how often a payload crosses the wire, all messages of the turn counted.
 *
 * Bytes the agent sends from the prompt to its answer, against the bytes of the file
 * that is read, written or edited.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replay } from "../support/replay/replay-recording.ts";

const path = "/home/dev/project/big.txt";
const uuid = "11111111-1111-4111-8111-111111111111";
const line = "The quick brown fox jumps over the lazy dog, 0123456789.\n";

interface Call {
  readonly name: string;
  readonly input: object;
  readonly content: string;
  readonly structured: object;
  readonly isAsked: boolean;
}

/** A recording of one turn with one call, written as the CLI writes it. */
function recordingOf({ name, input, content, structured, isAsked }: Call): string {
  const json = JSON.stringify(input);
  const fragments = Array.from({ length: Math.ceil(json.length / 4000) }, (_, i) =>
    json.slice(i * 4000, (i + 1) * 4000),
  );
  const out = (msg: object): object => ({ dir: "out", t: 0, msg });
  const stream = (event: object): object => out({ type: "stream_event", parent_tool_use_id: null, event });
  const block = { type: "tool_use", id: "call-1", name };
  const response = { subtype: "success", request_id: "init", response: { commands: [], models: [] } };
  const asked = { subtype: "can_use_tool", tool_name: name, input, tool_use_id: "call-1", permission_suggestions: [] };
  const allowed = { subtype: "success", request_id: "ask", response: { behavior: "allow", updatedInput: input } };
  const rows = [
    { dir: "meta", cwd: "/home/dev/project" },
    { dir: "in", msg: { type: "control_request", request_id: "init", request: { subtype: "initialize" } } },
    out({ type: "control_response", response }),
    { dir: "in", msg: { type: "user", uuid, message: { role: "user", content: "go" } } },
    out({ type: "command_lifecycle", command_uuid: uuid, state: "started" }),
    stream({ type: "message_start", message: { id: "msg-1", model: "opus", usage: {} } }),
    stream({ type: "content_block_start", index: 0, content_block: { ...block, input: {} } }),
    ...fragments.map((partial_json) =>
      stream({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } }),
    ),
    out({ type: "assistant", parent_tool_use_id: null, message: { id: "msg-1", content: [{ ...block, input }] } }),
    ...(isAsked
      ? [
          out({ type: "control_request", request_id: "ask", request: asked }),
          { dir: "in", msg: { type: "control_response", response: allowed } },
        ]
      : []),
    out({
      type: "user",
      parent_tool_use_id: null,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "call-1", content }] },
      tool_use_result: structured,
    }),
    out({
      type: "result",
      subtype: "success",
      is_error: false,
      terminal_reason: "completed",
      user_message_uuids: [uuid],
    }),
    { dir: "in", eof: true },
  ];
  return rows.map((row) => JSON.stringify(row)).join("\n");
}

/** Bytes from the agent between the prompt and the end of its answer. */
async function bytesOf(call: Call, capabilities: object = {}): Promise<number> {
  const { wire, answers } = await replay(recordingOf(call), { capabilities: { ...capabilities } });
  assert.deepEqual(answers, [{ result: { stopReason: "end_turn" } }]);
  const begun = wire.findIndex(({ message }) => message?.["method"] === "session/prompt");
  const sent = wire.slice(begun).filter(({ from }) => from === "agent");
  return sent.reduce((bytes, { text }) => bytes + Buffer.byteLength(text) + 1, 0);
}

describe("the wire budget", () => {
  const small = line.repeat(1400);
  const big = line.repeat(3600);

  it("the agent sends a file that is read at most 1.1 times", async () => {
    const numbered = small
      .split("\n")
      .map((one, i) => `${i + 1}\t${one}`)
      .join("\n");
    const structured = { type: "text", file: { filePath: path, content: small } };
    const bytes = await bytesOf({
      name: "Read",
      input: { file_path: path },
      content: numbered,
      structured,
      isAsked: false,
    });
    assert.ok(bytes >= small.length, "the file itself is shown");
    assert.ok(bytes <= 1.1 * small.length, `${(bytes / small.length).toFixed(3)} times`);
  });

  it("the agent sends a file that is written at most 2.1 times, the question included", async () => {
    const input = { file_path: path, content: big };
    const structured = { type: "create", filePath: path, content: big, structuredPatch: [], originalFile: null };
    const bytes = await bytesOf({ name: "Write", input, content: "File created", structured, isAsked: true });
    assert.ok(bytes <= 2.1 * big.length, `${(bytes / big.length).toFixed(3)} times`);
    const unasked = await bytesOf({ name: "Write", input, content: "File created", structured, isAsked: false });
    assert.ok(unasked <= 1.1 * big.length, `${(unasked / big.length).toFixed(3)} times without a question`);
  });

  it("the agent sends an overwrite's two texts at most 2.1 times, the question included", async () => {
    const changed = big.replaceAll("fox", "cat");
    const input = { file_path: path, content: changed };
    const lines = [...big.split("\n").map((one) => `-${one}`), ...changed.split("\n").map((one) => `+${one}`)];
    const structured = { type: "update", filePath: path, structuredPatch: [{ newStart: 1, lines }], originalFile: big };
    const bytes = await bytesOf({ name: "Write", input, content: "File updated", structured, isAsked: true });
    const payload = big.length + changed.length;
    assert.ok(bytes <= 2.1 * payload, `${(bytes / payload).toFixed(3)} times`);
  });

  it("the agent sends less than 4 KB for one word of a file of 200 KB", async () => {
    const input = { file_path: path, old_string: "fox", new_string: "cat", replace_all: false };
    const hunk = {
      oldStart: 97,
      newStart: 97,
      lines: [" a", " b", " c", `-${line.trim()}`, `+${line.trim()}`, " d", " e", " f"],
    };
    const structured = { filePath: path, originalFile: big, structuredPatch: [hunk], replaceAll: false };
    const bytes = await bytesOf({
      name: "Edit",
      input,
      content: "The file has been updated.",
      structured,
      isAsked: true,
    });
    assert.ok(bytes < 4096, `${bytes} bytes`);
  });

  it("the agent sends less than 4 KB for one word of a file that is one long line", async () => {
    const long = line.trim().repeat(3600);
    const input = { file_path: path, old_string: "fox", new_string: "cat", replace_all: false };
    const structured = {
      filePath: path,
      originalFile: long,
      structuredPatch: [{ newStart: 1, lines: [`-${long}`, `+${long}`] }],
    };
    const bytes = await bytesOf({
      name: "Edit",
      input,
      content: "The file has been updated.",
      structured,
      isAsked: true,
    });
    assert.ok(bytes < 4096, `${bytes} bytes`);
  });

  it("the agent sends what a command prints once, terminal or not", async () => {
    const call = {
      name: "Bash",
      input: { command: "cat big.txt" },
      content: small,
      structured: { stdout: small, stderr: "" },
      isAsked: false,
    };
    for (const capabilities of [{}, { _meta: { terminal_output: true } }]) {
      const bytes = await bytesOf(call, capabilities);
      assert.ok(bytes <= 1.1 * small.length, `${(bytes / small.length).toFixed(3)} times`);
    }
  });
});
