/**
 * `readTranscript` on transcripts of the real CLI, which must look like the live
 * conversation, and on damaged transcripts.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { ClaudeEvent, maxUnreadableReported } from "../../../lib/claude/index.ts";
import { maxKeptChars } from "../../../lib/claude/transcript/read-transcript.ts";
import { isExhaustive } from "../../support/exhaustive.ts";
import { filesBelow } from "../../support/files.ts";
import { assertGolden } from "../../support/golden.ts";
import { answered, called, resulted, said, sessionId, tell, told } from "../../support/claude/transcript-file.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/transcripts/", import.meta.url));
const recorded = filesBelow(["fixtures/transcripts"], ".jsonl")
  .map((path) => path.slice("fixtures/transcripts/".length, -".jsonl".length))
  .filter((name) => !name.includes("/"));

describe("readTranscript on the real CLI's files", () => {
  it("the fixtures contain recorded transcripts", () => assert.ok(recorded.length >= 12));

  for (const name of recorded) {
    it(`readTranscript replays ${name} as the live conversation was shown`, async () => {
      const files = { sessionId, transcript: join(fixtures, `${name}.jsonl`), directory: join(fixtures, name) };
      const { shown, events, report } = await tell(files);
      assert.equal(report.unreadableCount, 0);
      assert.equal(report.cwd, "/home/dev/project");
      for (const event of events) {
        assert.notEqual(event.type, "unknown");
        assert.equal(ClaudeEvent.read(event), event);
      }
      const lines = shown.entries.map((entry) => `${JSON.stringify(entry)}\n`);
      assertGolden(`transcripts/${name}.shown.ndjson`, lines.join(""));
    });
  }
});

describe("readTranscript on a file that is not whole", () => {
  // Another third of the lines in each recording.
  const step = isExhaustive ? 1 : 3;
  for (const [nth, name] of recorded.entries()) {
    it(`readTranscript replays the beginning of ${name} wherever the file is cut`, async () => {
      const bytes = readFileSync(join(fixtures, `${name}.jsonl`));
      for (let end = 1; end < bytes.length; end += isExhaustive ? 487 : 1951) {
        const { report, events } = await told([bytes.subarray(0, end)]);
        assert.ok(report.unreadableCount <= 1, `cut at ${end}`);
        assert.ok(events.every(({ type }) => type !== "unknown"));
      }
    });

    it(`readTranscript replays the rest of ${name} when a line is missing or damaged`, async () => {
      const lines = readFileSync(join(fixtures, `${name}.jsonl`), "utf8")
        .split("\n")
        .filter((line) => line !== "");
      const whole = await told([`${lines.join("\n")}\n`]);
      for (let gone = nth % step; gone < lines.length; gone += step) {
        const missing = await told([`${lines.toSpliced(gone, 1).join("\n")}\n`]);
        const spoiled = await told([`${lines.toSpliced(gone, 1, "\0\0").join("\n")}\n`]);
        assert.deepEqual(spoiled.seen, missing.seen);
        // One line contributes at most a prompt, a call, or the end of a turn with its call.
        assert.ok(missing.seen.length >= whole.seen.length - 2, `without line ${gone + 1}`);
      }
    });
  }
});

describe("readTranscript", () => {
  it("readTranscript reports isFound false for a missing file, an empty file or no conversation", async () => {
    const nowhere = { sessionId, transcript: "/nowhere/at/all.jsonl", directory: "/nowhere/at" };
    assert.deepEqual((await tell(nowhere)).report.isFound, false);
    for (const lines of [[], [""], ["\n\n"], [{ type: "mode", mode: "normal" }]]) {
      const { report, events } = await told(lines);
      assert.deepEqual([report.isFound, report.unreadableCount, events.length], [false, 0, 0]);
    }
  });

  it("readTranscript refuses a directory or a symbolic link in place of the file", async () => {
    const root = mkdtempSync(join(tmpdir(), "bowline-spec-"));
    try {
      const files = { sessionId, transcript: join(root, "a.jsonl"), directory: join(root, "a") };
      mkdirSync(files.transcript);
      assert.equal((await tell(files)).report.isFound, false);
      rmSync(files.transcript, { recursive: true });
      writeFileSync(join(root, "b.jsonl"), `${JSON.stringify(said("u1", null, "secret"))}\n`);
      symlinkSync(join(root, "b.jsonl"), files.transcript);
      const { report, seen } = await tell(files);
      assert.deepEqual([report.isFound, report.unreadableCount > 0, seen], [false, true, []]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("the lines before a truncated last line are replayed", async () => {
    const { seen, report } = await told([
      said("u1", null, "hi"),
      answered("a1", "u1", "Hello."),
      '{"parentUuid":"a1","type":"us',
    ]);
    assert.deepEqual(seen, ["hi", "Hello."]);
    assert.deepEqual(report.unreadable, [{ file: "main", line: 3, why: "not JSON" }]);
  });

  it("an entry that was appended to a truncated line is replayed", async () => {
    const { seen, report } = await told([
      said("u1", null, "hi"),
      '{"parentUuid":"u1","type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"He',
      said("u2", "u1", "again"),
      answered("a2", "u2", "Hello."),
    ]);
    assert.deepEqual(seen, ["hi", "again", "Hello."]);
    assert.equal(report.unreadableCount, 1);
  });

  it("garbage, NULs, bad UTF-8 and values that are not entries are skipped and counted", async () => {
    const { seen, report } = await told([
      said("u1", null, "hi"),
      "garbage\n",
      Buffer.alloc(5000),
      "\n",
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
      "[1,2]\nnull\n7\n{}\n",
      answered("a1", "u1", "Hello."),
    ]);
    assert.deepEqual(seen, ["hi", "Hello."]);
    assert.equal(report.unreadableCount, 7);
    const many = await told([said("u1", null, "hi"), "x\n".repeat(100)]);
    assert.equal(many.report.unreadableCount, 100);
    assert.equal(many.report.unreadable.length, maxUnreadableReported);
  });

  it("a missing parent and a cycle of parents are replaced by the line before", async () => {
    const lost = await told([said("u1", null, "hi"), answered("a1", "gone", "Hello."), said("u2", "a1", "bye")]);
    assert.deepEqual(lost.seen, ["hi", "Hello.", "bye"]);
    const circle = await told([said("u1", "u2", "hi"), answered("a1", "u1", "Hello."), said("u2", "a1", "bye")]);
    assert.deepEqual(circle.seen, ["hi", "Hello.", "bye"]);
    const self = await told([said("u1", "u1", "hi"), answered("a1", "a1", "Hello.")]);
    assert.deepEqual(self.seen, ["hi", "Hello."]);
  });

  it("an entry that was written twice is replayed once", async () => {
    const answer = answered("a1", "u1", "Hello.");
    const { seen } = await told([said("u1", null, "hi"), answer, answer, said("u2", "a1", "bye"), answer]);
    assert.deepEqual(seen, ["hi", "Hello.", "bye"]);
  });

  it("an abandoned branch is left out, but parallel tool calls are replayed", async () => {
    const same = { message: { id: "msg_same" } };
    const { seen } = await told([
      said("u1", null, "hi"),
      called("a1", "u1", "one", same),
      called("a2", "a1", "two", same),
      resulted("r2", "a2", "two", "2", { sourceToolAssistantUUID: "a2" }),
      resulted("r1", "a1", "one", "1", { sourceToolAssistantUUID: "a1" }),
      answered("a3", "r1", "Left."),
      said("u2", "a3", "left as well"),
      said("u3", "r1", "instead"),
    ]);
    assert.deepEqual(seen, ["hi", "two: completed", "one: completed", "instead"]);
  });

  it("entries before a compaction are replayed, and the /compact command comes before its compaction", async () => {
    const { seen } = await told([
      said("u1", null, "hi"),
      answered("a1", "u1", "Hello."),
      {
        type: "system",
        subtype: "compact_boundary",
        uuid: "b1",
        parentUuid: null,
        logicalParentUuid: "a1",
        compactMetadata: { trigger: "manual" },
      },
      said("s1", "b1", "This session is being continued", { isCompactSummary: true }),
      said("c1", "s1", "<command-name>/compact</command-name>\n<command-args>keep names</command-args>"),
      said("o1", "c1", "<local-command-stdout>Compacted </local-command-stdout>"),
      said("u2", "o1", "on"),
    ]);
    assert.deepEqual(seen, ["hi", "Hello.", "/compact keep names", "compaction_update completed", "on"]);
  });

  it("text that neither the user nor the model wrote is left out", async () => {
    const { seen } = await told([
      said("u0", null, "<local-command-caveat>Caveat</local-command-caveat>", { isMeta: true }),
      said("u1", "u0", [
        { type: "text", text: "<system-reminder>\nbe kind\n</system-reminder>" },
        { type: "text", text: "<ide_selection>x</ide_selection>" },
        { type: "text", text: "hi" },
      ]),
      answered("a1", "u1", "Invalid API key · Please run /login", {
        isApiErrorMessage: true,
        error: "authentication_failed",
        message: { model: "<synthetic>" },
      }),
      said("u2", "a1", "again"),
      answered("a2", "u2", "half an"),
      said("i1", "a2", [{ type: "text", text: "[Request interrupted by user]" }]),
      answered("n1", "i1", "No response requested.", { message: { model: "<synthetic>" } }),
      said("t1", "n1", "<task-notification>\n<task-id>x</task-id>\n<status>completed</status>\n</task-notification>"),
      said("w1", "t1", "wake up", { origin: { kind: "cron" } }),
      answered("a3", "w1", "Awake."),
      { ...answered("x1", "a3", "a subagent of an older CLI"), isSidechain: true },
    ]);
    assert.deepEqual(seen, ["hi", "again", "half an", "Awake."]);
  });

  it("commands are replayed as the user typed them, with their output", async () => {
    const { seen } = await told([
      said("c1", null, "<command-message>usage</command-message>\n<command-name>/usage</command-name>"),
      {
        type: "system",
        subtype: "local_command",
        uuid: "o1",
        parentUuid: "c1",
        content: "<local-command-stdout>$0.01</local-command-stdout>",
      },
      said("b1", "o1", "<bash-input>ls</bash-input>"),
      said("b2", "b1", "<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>"),
      { type: "custom-title", customTitle: "Named", sessionId },
      { type: "custom-title", customTitle: "Named", sessionId },
    ]);
    assert.deepEqual(seen, ["/usage", "$0.01", "!ls", "a.txt", "session_info_update Named"]);
  });

  it("the metadata of an MCP tool result is replayed as a live CLI sends it", async () => {
    const content = [{ type: "text", text: "Done." }];
    const mcpMeta = { _meta: { "bowline/result": { type: "update" } } };
    const { events } = await told([
      said("u1", null, "hi"),
      called("a1", "u1", "one"),
      resulted("r1", "a1", "one", content, { toolUseResult: content, mcpMeta }),
    ]);
    const results = events.flatMap((event) => (event.type === "user" && event.tool_use_result ? [event] : []));
    assert.deepEqual(
      results.map(({ tool_use_result }) => tool_use_result),
      [{ content, ...mcpMeta }],
    );
  });

  it("tool results that are too large are cut and say by how many bytes", async () => {
    const stdout = "é".repeat(400_000);
    const lines = [
      said("u1", null, "hi"),
      called("a1", "u1", "one"),
      resulted("r1", "a1", "one", stdout, { toolUseResult: { stdout, stderr: "" } }),
      called("a2", "r1", "two"),
      resulted("r2", "a2", "two", [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(5_000_000) } },
      ]),
    ];
    const { report, events, seen } = await told(lines);
    assert.deepEqual(seen, ["hi", "one: completed", "two: completed"]);
    assert.equal(report.leftOutBytes > 2 * (800_000 - 262_144) + 5_000_000, true);
    const text = JSON.stringify(events);
    assert.match(text, /é\\n\[537856 bytes left out\]/);
    assert.match(text, /\[image: 5000\d+ bytes left out\]/);
    assert.ok(text.length < 700_000);
    assert.equal((await told(lines, { maxTextBytes: 1e9, maxImageBytes: 1e9 })).report.leftOutBytes, 0);
  });

  it("a line of 10 MB is read and a line over the limit is skipped", async () => {
    const long = "x".repeat(10 * 1024 * 1024);
    const lines = [said("u1", null, "hi"), answered("a1", "u1", long), said("u2", "a1", "bye")];
    assert.equal((await told(lines)).seen[1]?.length, long.length);
    const { seen, report } = await told(lines, { maxLineBytes: 1024 * 1024 });
    assert.deepEqual(seen, ["hi", "bye"]);
    assert.deepEqual(report.unreadable, [{ file: "main", line: 2, why: "longer than 1048576 bytes" }]);
  });

  it("subagents are replayed below their call, also without a meta file or with a broken transcript", async () => {
    const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
    const below = [
      { ...called("s1", "x", "inner"), isSidechain: true, timestamp: at(2) },
      { ...resulted("s2", "s1", "inner", "ok"), isSidechain: true, timestamp: at(3) },
    ];
    const agent = { type: "tool_use", id: "outer", name: "Agent", input: { description: "Look", prompt: "look" } };
    const lines = [
      said("u1", null, "hi", { timestamp: at(0) }),
      answered("a1", "u1", agent, { timestamp: at(1) }),
      resulted("r1", "a1", "outer", "Report.", { timestamp: at(4), toolUseResult: { agentId: "abc", content: [] } }),
    ];
    const file = below.map((line) => `${JSON.stringify(line)}\n`).join("");
    const expected = ["hi", "inner: completed", "outer: completed"];
    const meta = { "subagents/agent-abc.meta.json": '{"toolUseId":"outer"}' };
    assert.deepEqual((await told(lines, { beside: { "subagents/agent-abc.jsonl": file, ...meta } })).seen, expected);
    assert.deepEqual((await told(lines, { beside: { "subagents/agent-abc.jsonl": file } })).seen, expected);
    const broken = await told(lines, { beside: { "subagents/agent-abc.jsonl": `${file}{"torn`, ...meta } });
    assert.deepEqual(broken.seen, expected);
    assert.deepEqual(broken.report.unreadable, [{ file: "subagent", line: 3, why: "not JSON" }]);
  });

  it("a symbolic link to subagents outside the project is not followed", async () => {
    const root = mkdtempSync(join(tmpdir(), "bowline-spec-"));
    try {
      const files = { sessionId, transcript: join(root, "p", "a.jsonl"), directory: join(root, "p", "a") };
      for (const directory of [files.directory, join(root, "elsewhere")]) mkdirSync(directory, { recursive: true });
      const agent = { type: "tool_use", id: "outer", name: "Agent", input: { description: "Look", prompt: "look" } };
      const main = [said("u1", null, "hi"), answered("a1", "u1", agent)];
      writeFileSync(files.transcript, main.map((line) => `${JSON.stringify(line)}\n`).join(""));
      writeFileSync(join(root, "elsewhere", "agent-abc.jsonl"), `${JSON.stringify(called("s1", "x", "secret"))}\n`);
      writeFileSync(join(root, "elsewhere", "agent-abc.meta.json"), '{"toolUseId":"outer"}');
      symlinkSync(join(root, "elsewhere"), join(files.directory, "subagents"));
      assert.deepEqual((await tell(files)).seen, ["hi", "outer: failed"]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("a line of a short transcript is parsed once, and a long transcript is replayed alike", async (t) => {
    const conversation = (abandoned: string) => [
      said("u1", null, "hi"),
      called("a1", "u1", "t1"),
      resulted("r1", "a1", "t1", "done"),
      answered("a2", "r1", "Hello."),
      said("x1", "u1", abandoned),
      said("u2", "a2", "again"),
    ];
    const parse = t.mock.method(JSON, "parse");
    const short = await told(conversation("short"));
    const parsed = parse.mock.calls.filter(({ arguments: [text] }) => text.includes('"uuid":"u1"'));
    assert.equal(parsed.length, 1);
    const long = await told(conversation("long".repeat(maxKeptChars / 4)));
    assert.equal(parse.mock.calls.filter(({ arguments: [text] }) => text.includes('"uuid":"u1"')).length, 3);
    assert.deepEqual(short.seen, long.seen);
    assert.ok(short.seen.length >= 4, String(short.seen));
  });

  it("readTranscript waits for each onEvent promise and stops when its signal aborts", async () => {
    const lines = [said("u1", null, "hi"), answered("a1", "u1", "Hello."), said("u2", "a1", "bye")];
    let open = 0;
    let count = 0;
    const onEvent = async (): Promise<void> => {
      count++;
      assert.equal(++open, 1);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
    };
    await told(lines, { onEvent });
    assert.equal(count, 5);
    await assert.rejects(told(lines, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
    const failing = (): never => {
      throw new Error("the client is gone");
    };
    await assert.rejects(told(lines, { onEvent: failing }), /the client is gone/);
  });
});
