/**
 * Recorder: traffic is written to a private file, and a failing disk ends only the
 * recording.
 */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { after, describe, it } from "node:test";
import {
  readRows,
  recordedLink,
  Recorder,
  type Recording,
  type RecordingOptions,
  scrubber,
  startRecording,
  type TapeSink,
} from "../../lib/tape/index.ts";
import { tapeSink } from "../../lib/tape/tape-file.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { LinkLog, settle } from "../support/wire/link-log.ts";

const place = mkdtempSync(join(tmpdir(), "bowline-tape-"));
after(() => rmSync(place, { recursive: true, force: true }));

const scrub = scrubber({ env: {}, home: undefined });

/** A sink in memory that fails after a number of writes. */
function memorySink(writes = Infinity): TapeSink & { readonly text: () => string; readonly taken: () => number } {
  let text = "";
  let taken = 0;
  return {
    write: (one) => {
      if (++taken > writes) return false;
      text += one;
      return true;
    },
    end: async () => {},
    text: () => text,
    taken: () => taken,
  };
}

function record(options: Partial<RecordingOptions>): {
  readonly recording: Recording | undefined;
  readonly warned: string[];
} {
  const warned: string[] = [];
  const recording = startRecording({
    to: join(place, "tapes"),
    isDirectory: true,
    isScrubbed: true,
    env: {},
    meta: { recorded: "agent", cwd: "/home/alice/work" },
    warn: (sentence) => warned.push(sentence),
    ...options,
  });
  return { recording, warned };
}

describe("Recorder", () => {
  it("the recorder writes each line as a row with its time, side and session, in order", async () => {
    const sink = memorySink();
    let now = 0;
    const recorder = new Recorder(sink, { scrub, now: () => (now += 1.23456) });
    recorder.line("in", '{"jsonrpc":"2.0","id":1}', { side: "acp" });
    recorder.line("out", "no json", { side: "claude", session: "s" });
    recorder.note({ dir: "exit", side: "claude", code: 0 });
    await recorder.end();
    assert.deepEqual(sink.text().trimEnd().split("\n"), [
      '{"dir":"in","t":1.235,"side":"acp","msg":{"jsonrpc":"2.0","id":1}}',
      '{"dir":"out","t":2.469,"side":"claude","session":"s","raw":"no json"}',
      '{"dir":"exit","t":3.704,"side":"claude","code":0}',
    ]);
  });

  it("the recorder writes nothing inside the call that records a line", async () => {
    const sink = memorySink();
    const recorder = new Recorder(sink, { scrub, now: () => 0 });
    recorder.line("in", "{}", { side: "acp" });
    assert.equal(sink.taken(), 0);
    await settle();
    assert.equal(sink.taken(), 1);
  });

  it("the recorder writes at once when too much is queued", () => {
    const sink = memorySink();
    const recorder = new Recorder(sink, { scrub: undefined, now: () => 0 });
    const line = JSON.stringify({ text: "x".repeat(1024 * 1024) });
    for (let i = 0; i < 5; i++) recorder.line("in", line, { side: "acp" });
    assert.ok(sink.taken() >= 4);
  });

  it("a recorder without scrubbing keeps lines byte for byte", async () => {
    const sink = memorySink();
    const recorder = new Recorder(sink, { scrub: undefined, now: () => 1 });
    const line = '{"id":12345678901234567890,  "token":"abc"}';
    recorder.line("in", line, { side: "acp" });
    await recorder.end();
    assert.equal(sink.text(), `{"dir":"in","t":1,"side":"acp","msg":${line}}\n`);
  });

  it("the recorder does not write to a sink that has failed", async () => {
    const sink = memorySink(2);
    const recorder = new Recorder(sink, { scrub, now: () => 0 });
    for (let i = 0; i < 10; i++) {
      recorder.line("in", "{}", { side: "acp" });
      await settle();
    }
    await recorder.end();
    assert.equal(sink.taken(), 3);
  });

  it("the recorder survives lines nested deeper than the stack", async () => {
    const sink = memorySink();
    const recorder = new Recorder(sink, { scrub, now: () => 0 });
    recorder.line("in", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, { side: "acp" });
    recorder.line("in", '{"b":1}', { side: "acp" });
    await recorder.end();
    assert.equal(readRows(sink.text()).length, 2);
  });
});

describe("startRecording", () => {
  it("startRecording creates a file that only its owner can read, in a directory only its owner can enter", async () => {
    const { recording, warned } = record({});
    recording?.recorder.line("in", '{"prompt":"my key is sk-ant-api03-abcdefgh"}', { side: "acp" });
    await recording?.recorder.end();
    const path = recording?.path ?? "";
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(place, "tapes")).mode & 0o777, 0o700);
    const [meta, message] = readRows(readFileSync(path, "utf8"));
    assert.equal(meta?.kind === "meta" && meta.fields["tape"], 1);
    assert.equal(meta?.kind === "meta" && meta.fields["cwd"], "/home/user/work");
    assert.equal(message?.kind === "message" && message.line, '{"prompt":"my key is scrubbed"}');
    assert.deepEqual(warned, []);
  });

  it("startRecording makes an existing file private, or creates a file in a directory", async () => {
    const path = join(place, "mine.ndjson");
    writeFileSync(path, "old", { mode: 0o644 });
    await record({ to: path, isDirectory: false }).recording?.recorder.end();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.match(readFileSync(path, "utf8"), /^\{"dir":"meta"/);
    const { recording } = record({ to: place, isDirectory: false });
    await recording?.recorder.end();
    assert.match(recording?.path ?? "", /\.ndjson$/);
    assert.ok(readdirSync(place).length > 2);
  });

  it("startRecording follows no symbolic link that was planted under its file name", ({ mock }) => {
    mock.timers.enable({ apis: ["Date"], now: Date.UTC(2030, 0, 2, 3, 4, 5, 6) });
    const target = join(place, "target");
    symlinkSync(target, join(place, `2030-01-02T03-04-05-006Z-${process.pid}.ndjson`));
    const { recording, warned } = record({ to: place });
    assert.equal(recording, undefined);
    assert.match(warned[0] ?? "", /cannot be written \(EEXIST\)$/);
    assert.ok(!existsSync(target), "nothing was written through the link");
  });

  it("startRecording warns once when the file cannot be written, and the program continues", () => {
    writeFileSync(join(place, "file"), "");
    const { recording, warned } = record({ to: join(place, "file", "below") });
    assert.equal(recording, undefined);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? "", /^nothing is recorded: .* cannot be written \(ENOTDIR\)$/);
  });

  it(
    "the recording warns once when the disk is full, and the program continues",
    { skip: !existsSync("/dev/full") },
    async () => {
      const { recording, warned } = record({ to: "/dev/full", isDirectory: false });
      for (let i = 0; i < 50; i++) {
        recording?.recorder.line("in", "{}", { side: "acp" });
        await settle();
      }
      await recording?.recorder.end();
      assert.deepEqual(warned, [
        "the recording /dev/full stopped (no space left on the disk); everything else goes on",
      ]);
    },
  );
});

describe("tapeSink", () => {
  it("the tape sink gives up with one warning when its backlog is too large", async () => {
    const warned: string[] = [];
    // A disk that never completes a write.
    const stream = new Writable({ write: () => {} });
    const sink = tapeSink(stream, "slow.ndjson", (sentence) => warned.push(sentence));
    const text = "x".repeat(1024 * 1024);
    let taken = 0;
    while (sink.write(text) && taken < 100) taken++;
    assert.ok(taken >= 30 && taken <= 34, `${taken} MB`);
    assert.equal(sink.write(text), false);
    await sink.end();
    assert.deepEqual(warned, [
      "the recording slow.ndjson stopped (the disk does not keep up); everything else goes on",
    ]);
  });

  it("the tape sink writes rows in batches, and the last of them at its end", async () => {
    const writes: string[] = [];
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        writes.push(chunk.toString());
        done();
      },
    });
    const sink = tapeSink(stream, "x", () => {});
    for (let i = 0; i < 5; i++) sink.write(`${i}\n`);
    assert.deepEqual(writes, []);
    await sink.end();
    assert.deepEqual(writes, ["0\n1\n2\n3\n4\n"]);
  });
});

describe("recordedLink", () => {
  async function pass(side: "acp" | "claude"): Promise<readonly string[]> {
    const sink = memorySink();
    const recorder = new Recorder(sink, { scrub, now: () => 0 });
    const [near, far] = memoryPair();
    const link = recordedLink(near, recorder, { side, session: "s" });
    const heard = new LinkLog();
    const there = new LinkLog();
    link.open(heard);
    far.open(there);
    far.send('{"from":"far"}');
    link.send('{"from":"near"}');
    await settle();
    far.close("over");
    await settle();
    link.close("over too");
    await settle();
    await recorder.end();
    assert.deepEqual(heard.lines, ['{"from":"far"}']);
    assert.deepEqual(there.lines, ['{"from":"near"}']);
    assert.deepEqual(heard.events.slice(1), ["end", "close over too"]);
    return readRows(sink.text()).map((row) => {
      assert.equal(row.session, "s");
      return row.kind === "message" ? `${row.dir} ${row.line}` : row.kind;
    });
  }

  it("a recorded link of an agent records received lines as in", async () => {
    assert.deepEqual(await pass("acp"), ['out {"from":"near"}', 'in {"from":"far"}', "eof"]);
  });

  it("a recorded link of a CLI records received lines as out", async () => {
    assert.deepEqual(await pass("claude"), ['in {"from":"near"}', 'out {"from":"far"}', "eof"]);
  });
});
