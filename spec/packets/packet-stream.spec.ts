/**
 * PacketStream: the keys and values of each packet type, and the order of packets.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { block, type SessionUpdate, toolContent, type ToolKind, update } from "../../lib/acp/index.ts";
import { Packet, PacketHistory, PacketStream, strictPackets } from "../../lib/packets/index.ts";
import { fixedNow } from "../support/packets/recorded-packets.ts";

const timestamp = "2026-01-22T19:13:30.917345+00:00";
const options = { now: () => fixedNow, cwd: "/work" };

describe("PacketStream", () => {
  it("messages, thoughts and prompts become chunk packets", () => {
    const stream = new PacketStream(options);
    const content = { _meta: null, annotations: null, text: "I'll help you create", type: "text" };
    assert.deepEqual(stream.update(update.agentMessage("I'll help you create", "msg_1")), [
      { _meta: null, content, sessionUpdate: "agent_message_chunk", type: "agent_message_chunk", timestamp },
    ]);
    assert.deepEqual(stream.update(update.agentThought("I'll help you create")), [
      { _meta: null, content, sessionUpdate: "agent_thought_chunk", type: "agent_thought_chunk", timestamp },
    ]);
    const type = "user_message_chunk";
    assert.deepEqual(stream.prompt([block.text("I'll help you create")]), [
      { _meta: null, content, messageId: "message-1", sessionUpdate: type, type, timestamp },
    ]);
  });

  it("images stay images and every other content block becomes text", () => {
    const stream = new PacketStream(options);
    const contents = stream
      .prompt([
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "audio", data: "AA==", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a.ts", name: "a.ts" },
        { type: "resource", resource: { uri: "file:///b.ts", text: "let b;" } },
        { type: "resource", resource: { uri: "file:///c.bin", blob: "AA==" } },
      ])
      .map((packet) => packet.type === "user_message_chunk" && packet.content);
    const text = (words: string): unknown => ({ _meta: null, annotations: null, text: words, type: "text" });
    assert.deepEqual(contents, [
      { _meta: null, annotations: null, data: "AA==", mimeType: "image/png", uri: null, type: "image" },
      text("(audio, audio/wav)"),
      text("[a.ts](file:///a.ts)"),
      text(" [/b.ts] "),
      text("(file:///c.bin)"),
    ]);
  });

  it("a message of the user has no text of an attached file, and no name in it mentions a file", () => {
    const stream = new PacketStream(options);
    const words = stream
      .prompt([
        { type: "text", text: "see @mine and " },
        { type: "resource", resource: { uri: "file:///a%20@~/secret", text: "see @~/secret" } },
        { type: "resource_link", uri: "https://example.com/@me", name: "News @~/secret" },
        { type: "resource", resource: { uri: "attachment:///a%20b.txt", text: "x" } },
      ])
      .map((packet) => packet.type === "user_message_chunk" && packet.content.type === "text" && packet.content.text);
    assert.deepEqual(words, [
      "see @mine and ",
      " [/a (at)~/secret] ",
      "[News (at)~/secret](https://example.com/@me)",
      " [a b.txt] ",
    ]);
  });

  it("tool_call_start has the tool's name and neither input nor output", () => {
    const stream = new PacketStream(options);
    const call = { toolCallId: "toolu_01", title: "Find **/*.json", name: "Glob", kind: "search" as const };
    assert.deepEqual(stream.update(update.toolCall({ ...call, rawInput: { pattern: "**/*.json" } })), [
      {
        _meta: null,
        content: null,
        kind: "search",
        locations: [],
        rawInput: {},
        rawOutput: null,
        status: "pending",
        title: "glob",
        toolCallId: "toolu_01",
        sessionUpdate: "tool_call",
        type: "tool_call_start",
        timestamp,
      },
    ]);
  });

  it("a running tool call gets one progress packet with its input, and another whenever its output grows", () => {
    const stream = new PacketStream(options);
    stream.update(update.toolCall({ toolCallId: "a", title: "npm test", name: "Bash", kind: "execute" }));
    const runs = update.toolCallUpdate({ toolCallId: "a", status: "in_progress", rawInput: { command: "npm test" } });
    assert.deepEqual(stream.update(runs), [
      {
        _meta: null,
        content: null,
        kind: "execute",
        locations: null,
        rawInput: { command: "npm test", description: "" },
        rawOutput: null,
        status: "in_progress",
        title: "bash",
        toolCallId: "a",
        sessionUpdate: "tool_call_update",
        type: "tool_call_progress",
        timestamp,
      },
    ]);
    assert.deepEqual(stream.update(update.toolCallUpdate({ toolCallId: "a", status: "in_progress" })), []);
    assert.deepEqual(stream.update(update.toolCallUpdate({ toolCallId: "a", title: "npm t" })), []);
    const [grown] = stream.update(update.toolCallUpdate({ toolCallId: "a", content: [toolContent.block("1 passed")] }));
    assert.deepEqual(grown?.type === "tool_call_progress" && [grown.status, grown.content?.length], ["in_progress", 1]);
  });

  it("a tool call that the agent ends twice gets one end packet", () => {
    const stream = new PacketStream(options);
    const end = update.toolCallUpdate({ toolCallId: "a", status: "completed", content: [toolContent.block("done")] });
    assert.deepEqual(typesOf(stream.update(end)), ["tool_call_start", "tool_call_progress"]);
    assert.deepEqual(stream.update(end), []);
    assert.deepEqual(stream.update(update.toolCallUpdate({ toolCallId: "a", status: "in_progress" })), []);
    const corrected = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "failed" }));
    assert.deepEqual(typesOf(corrected), ["tool_call_progress"]);
  });

  it("a plan update carries the complete plan", () => {
    const stream = new PacketStream(options);
    const entries = [
      { content: "Create prepare.sh script", priority: "medium", status: "completed" },
      { content: "Build dashboard page", priority: "high", status: "in_progress" },
    ] as const;
    assert.deepEqual(stream.update(update.plan(entries)), [
      {
        _meta: null,
        entries: entries.map((entry) => ({ _meta: null, ...entry })),
        sessionUpdate: "plan",
        type: "agent_plan_update",
        timestamp,
      },
    ]);
  });

  it("a turn ends with its stop reason, and a failed one with a message and a code as text", () => {
    const stream = new PacketStream(options);
    for (const stopReason of ["end_turn", "max_tokens", "stop_sequence", "refusal", "something_new"]) {
      const expected = [{ _meta: {}, stopReason, type: "prompt_response", timestamp }];
      assert.deepEqual(stream.answered({ stopReason }), expected);
    }
    const expected = [{ type: "error", message: "no", code: "-32603", timestamp }];
    assert.deepEqual(stream.failed({ message: "no", code: -32603 }), expected);
    assert.deepEqual(stream.failed({ message: "no" }), [{ type: "error", message: "no", timestamp }]);
  });

  it("a cancelled or failed turn ends its tool calls and permission requests, and a later end from the agent still counts", () => {
    for (const end of [
      (stream: PacketStream) => stream.answered({ stopReason: "cancelled" }),
      (stream: PacketStream) => stream.failed({ message: "no" }),
    ]) {
      const stream = new PacketStream(options);
      stream.update(update.toolCall({ toolCallId: "a", title: "sleep", name: "Bash", kind: "execute" }));
      stream.update(
        update.toolCallUpdate({
          toolCallId: "a",
          status: "in_progress",
          rawInput: { command: "sleep 9" },
          _meta: { terminal_output: { terminal_id: "a", data: "so far" } },
        }),
      );
      stream.permission("1", { sessionId: "s", toolCall: { toolCallId: "a" }, options: [] });
      const packets = end(stream);
      assert.deepEqual(typesOf(packets).slice(0, 2), ["permission_resolved", "tool_call_progress"]);
      const [, given] = packets;
      assert.ok(given?.type === "tool_call_progress");
      assert.deepEqual([given.status, given.rawOutput?.["output"]], ["failed", "so far"]);
      assert.deepEqual(typesOf(end(stream)).length, 1, "once");
      const late = update.toolCallUpdate({ toolCallId: "a", status: "completed", content: [toolContent.block("all")] });
      const [ended, ...more] = stream.update(late);
      assert.deepEqual(more, []);
      assert.ok(ended?.type === "tool_call_progress");
      assert.deepEqual([ended.status, ended.rawInput["command"]], ["completed", "sleep 9"]);
    }
  });

  it("a running command has the end of its output, in packets whose bytes stay bounded, and none for what it prints at its end", () => {
    const stream = new PacketStream(options);
    const print = (data: string, status?: "in_progress") =>
      stream.update(
        update.toolCallUpdate({
          toolCallId: "a",
          ...(status && { status }),
          _meta: { terminal_output: { terminal_id: "a", data } },
        }),
      );
    const shown = (packets: readonly Packet[]): string | undefined => {
      const [packet] = packets;
      const [item] = packet?.type === "tool_call_progress" ? (packet.content ?? []) : [];
      return item?.type === "content" && item.content.type === "text" ? item.content.text : undefined;
    };
    stream.update(update.toolCall({ toolCallId: "a", title: "make", name: "Bash", kind: "execute" }));
    stream.update(update.toolCallUpdate({ toolCallId: "a", status: "in_progress", rawInput: { command: "make" } }));
    assert.deepEqual(print("all of it\n"), [], "the end may come next");
    assert.equal(shown(print("one\n", "in_progress")), "all of it\none\n");
    let bytes = 0;
    for (let i = 0; i < 20_000; i++) bytes += JSON.stringify(print(`\u{1F600} line ${i}\n`, "in_progress")).length;
    assert.ok(bytes < 6_000_000, `${bytes} bytes`);
    let last: string | undefined;
    while (last === undefined) last = shown(print("last\n", "in_progress"));
    assert.match(last, /^\u{1F600} line \d+\n[^]*last\n$/u);
    assert.ok(last.length <= 4096);
    const strict = stream
      .update(update.toolCallUpdate({ toolCallId: "a", status: "completed" }))
      .flatMap(strictPackets);
    assert.equal(strict.length, 1);
    assert.deepEqual(print("x", "in_progress").flatMap(strictPackets), []);
  });

  it("a background tool call keeps running when its turn ends normally", () => {
    const stream = new PacketStream(options);
    stream.update(update.toolCall({ toolCallId: "a", title: "Count", name: "Agent", kind: "think" }));
    assert.deepEqual(typesOf(stream.answered({ stopReason: "end_turn" })), ["prompt_response"]);
  });

  it("a permission request carries the tool call and its options, and is resolved once", () => {
    const stream = new PacketStream(options);
    const toolCall = {
      toolCallId: "a",
      title: "Write a.md",
      kind: "edit" as const,
      content: [toolContent.diff("/work/a.md", null, "# A")],
      locations: [{ path: "/work/a.md" }],
      rawInput: { file_path: "/work/a.md" },
    };
    const offered = [{ optionId: "y", name: "Yes", kind: "allow_once" as const, _meta: { hidden: 1 } }];
    assert.deepEqual(stream.permission("7", { sessionId: "s", toolCall, options: offered }), [
      {
        _meta: null,
        content: [{ _meta: null, type: "diff", newText: "# A", oldText: "", path: "/work/a.md" }],
        kind: "edit",
        locations: [{ _meta: null, path: "/work/a.md", line: null }],
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
        rawInput: { filePath: "/work/a.md", content: "# A" },
        requestId: "7",
        title: "Write a.md",
        toolCallId: "a",
        type: "permission_request",
        timestamp,
      },
    ]);
    const answer = { outcome: "selected", optionId: "y" } as const;
    assert.deepEqual(stream.permissionResolved("7", answer), [
      { _meta: null, optionId: "y", requestId: "7", type: "permission_resolved", timestamp },
    ]);
    assert.deepEqual(stream.permissionResolved("7", answer), []);
    assert.deepEqual(stream.permissionResolved("8", answer), []);
  });

  it("timestamps are in UTC with microseconds and never go back", () => {
    const times = [1000.5, 999, 1000.4999, NaN, 2000, 1500];
    const stream = new PacketStream({ now: () => times.shift() ?? 0 });
    const stamps = times.slice().map(() => stream.update(update.agentMessage("x"))[0]?.timestamp);
    assert.deepEqual(
      stamps.map((stamp) => stamp?.slice(17)),
      [
        "01.000500+00:00",
        "01.000500+00:00",
        "01.000500+00:00",
        "01.000500+00:00",
        "02.000000+00:00",
        "02.000000+00:00",
      ],
    );
  });

  it("updates that a page does not show give no packets", () => {
    const stream = new PacketStream(options);
    assert.deepEqual(stream.update(update.usage(1, 2)), []);
    assert.deepEqual(stream.update(update.currentMode("plan")), []);
    assert.deepEqual(stream.update(update.availableCommands([])), []);
  });
});

describe("PacketStream with two engines", () => {
  const by = (engine: string, one: SessionUpdate): SessionUpdate => ({ ...one, _meta: { engine } });
  const call = { toolCallId: "codex:1", title: "[Codex] ls", name: "Bash", kind: "execute" } as const;
  const updates = [
    by("claude", update.agentMessage("[Claude] Yes.")),
    by("codex", update.agentMessage("[Codex] No.")),
    by("codex", update.agentMessage(" Look:")),
    by("codex", update.toolCall({ ...call, status: "in_progress" })),
    update.toolCallUpdate({ toolCallId: "codex:1", status: "completed" }),
  ];
  const engines = (packets: readonly Packet[]): readonly unknown[] =>
    packets.map((packet) => ("_meta" in packet ? packet._meta : undefined));

  it("packets name the engine that they come from, and a call keeps its engine to its end", () => {
    const stream = new PacketStream({ now: () => 0 });
    const packets = updates.flatMap((one) => stream.update(one));
    assert.deepEqual(engines(packets), [
      { engine: "claude" },
      { engine: "codex" },
      { engine: "codex" },
      { engine: "codex" },
      { engine: "codex" },
      { engine: "codex" },
    ]);
    for (const packet of packets) assert.equal(Packet.read(packet), packet);
  });

  it("a strict stream has no engine in its packets", () => {
    const stream = new PacketStream({ now: () => 0, isStrict: true });
    assert.deepEqual(new Set(engines(updates.flatMap((one) => stream.update(one)))), new Set([null]));
  });

  it("consecutive chunks of two engines are stored as two messages", () => {
    const [stream, history] = [new PacketStream({ now: () => 0 }), new PacketHistory()];
    for (const one of updates.slice(0, 3)) for (const packet of stream.update(one)) history.add(packet);
    const stored = history.packets.map((packet) => [
      "_meta" in packet && packet._meta,
      "content" in packet && Object(packet.content).text,
    ]);
    assert.deepEqual(stored, [
      [{ engine: "claude" }, "[Claude] Yes."],
      [{ engine: "codex" }, "[Codex] No. Look:"],
    ]);
  });
});

describe("PacketStream with notices and forms", () => {
  it("a notice of the agent becomes a notice packet", () => {
    const stream = new PacketStream(options);
    const [notice] = stream.update(update.notice("warning", "The API is overloaded", "trying again in 4 s"));
    assert.deepEqual(notice, {
      _meta: null,
      severity: "warning",
      title: "The API is overloaded",
      description: "trying again in 4 s",
      sessionUpdate: "notice",
      type: "notice",
      timestamp,
    });
  });

  it("a form is requested and resolved once, and withdrawn when its turn is cancelled", () => {
    const stream = new PacketStream(options);
    const form = { mode: "form", sessionId: "s", message: "Which?", requestedSchema: { type: "object" } } as const;
    assert.deepEqual(typesOf(stream.elicitation("1", form)), ["elicitation_request"]);
    assert.deepEqual(typesOf(stream.elicitationResolved("1", "accept")), ["elicitation_resolved"]);
    assert.deepEqual(stream.elicitationResolved("1", "accept"), []);
    stream.elicitation("2", {
      mode: "url",
      sessionId: "s",
      message: "Open",
      elicitationId: "e",
      url: "https://a.example",
    });
    assert.deepEqual(typesOf(stream.answered({ stopReason: "cancelled" })), [
      "elicitation_resolved",
      "prompt_response",
    ]);
    assert.deepEqual(stream.elicitation("3", { mode: "other", sessionId: "s", message: "?" }), []);
  });
});

describe("PacketStream with isStrict", () => {
  it("a strict stream sends only the packet types and keys of the protocol's description", () => {
    const stream = new PacketStream({ ...options, isStrict: true });
    assert.deepEqual(stream.prompt([block.text("hi")]), []);
    assert.deepEqual(stream.update(update.agentThought("hm")), []);
    assert.deepEqual(stream.permission("1", { sessionId: "s", toolCall: { toolCallId: "a" }, options: [] }), []);
    assert.deepEqual(stream.permissionResolved("1", { outcome: "cancelled" }), []);
    assert.deepEqual(stream.answered({ stopReason: "end_turn" }), [
      { _meta: {}, stopReason: "end_turn", type: "prompt_response" },
    ]);
    const [start, end] = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" }));
    assert.deepEqual([start?.timestamp, end?.timestamp], [undefined, timestamp]);
    assert.ok(start !== undefined && !("timestamp" in start));
  });

  it("a strict stream has text instead of images, and a number as the exit code of a stopped command", () => {
    const stream = new PacketStream({ ...options, isStrict: true });
    const image = block.image("AAAA", "image/png");
    const [chunk] = stream.update(update.agentMessage(image));
    assert.ok(chunk?.type === "agent_message_chunk");
    assert.deepEqual(chunk.content, { _meta: null, annotations: null, text: "(image, image/png)", type: "text" });
    const bash = { toolCallId: "a", title: "Bash", name: "Bash", kind: "execute" } as const;
    const input = { command: "ls", description: "List", timeout: 9 };
    stream.update(update.toolCall({ ...bash, rawInput: input }));
    const content = [toolContent.block(image)];
    const end = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "failed", content })).at(-1);
    assert.ok(end?.type === "tool_call_progress");
    assert.deepEqual(end.rawInput, { command: "ls", description: "List" });
    assert.doesNotMatch(JSON.stringify(end), /"type":"image"|"exit":null/);
    assert.match(JSON.stringify(end.rawOutput), /"exit":1/);
  });

  it("a strict stream has the input of each tool under the keys of the protocol's description", () => {
    const inputs: readonly (readonly [name: string, kind: ToolKind, given: object, sent: object])[] = [
      ["Grep", "search", { pattern: "a", path: "/x", output_mode: "content" }, { pattern: "a", path: "/x" }],
      ["Read", "read", { file_path: "/x", limit: 3 }, { filePath: "/x" }],
      [
        "Edit",
        "edit",
        { file_path: "/x", old_string: "a", new_string: "b", replace_all: true },
        { filePath: "/x", old_string: "a", new_string: "b" },
      ],
      [
        "MultiEdit",
        "edit",
        {
          file_path: "/x",
          edits: [
            { old_string: "a", new_string: "b" },
            { old_string: "c", new_string: "d" },
          ],
        },
        { filePath: "/x", old_string: "a\nc", new_string: "b\nd" },
      ],
      [
        "Task",
        "think",
        { prompt: "p", description: "d", subagent_type: "Plan", model: "m" },
        { prompt: "p", description: "d", subagent_type: "Plan" },
      ],
      ["mcp__x__y", "other", { anything: 1 }, { anything: 1 }],
    ];
    for (const [name, kind, rawInput, sent] of inputs) {
      const stream = new PacketStream({ ...options, isStrict: true });
      stream.update(update.toolCall({ toolCallId: "a", title: name, name, kind, rawInput }));
      const end = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" })).at(-1);
      assert.ok(end?.type === "tool_call_progress");
      assert.deepEqual(end.rawInput, sent, name);
    }
  });
});

function typesOf(packets: readonly Packet[]): readonly string[] {
  return packets.map(({ type }) => type);
}
