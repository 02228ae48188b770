/**
 * The packet filter: a byte stream in, packets out with backpressure; and `bowline packets`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { ProgramStreams } from "../../../lib/program/command.ts";
import { type Filtered, filterPackets, type FilterOptions } from "../../../lib/program/packets/packet-filter.ts";
import { runProgram } from "../../../lib/program/program.ts";
import { programArgs } from "../../support/built-program.ts";

const tape = fileURLToPath(new URL("../../../fixtures/acp/write.ndjson", import.meta.url));

interface Run extends Filtered {
  readonly packets: readonly any[];
  readonly remarks: readonly string[];
}

async function filter(
  input: string | readonly (string | Buffer)[],
  options: Partial<FilterOptions> = {},
): Promise<Run> {
  const remarks: string[] = [];
  let written = "";
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const pieces = typeof input === "string" ? [input] : input;
  const filtered = await filterPackets(Readable.from(pieces.map((piece) => Buffer.from(piece))), output, {
    now: () => 0,
    isStrict: false,
    cwd: undefined,
    sessionId: undefined,
    isNamed: false,
    onRemark: (text) => remarks.push(text),
    ...options,
  });
  const packets = written
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { ...filtered, packets, remarks };
}

function line(sessionId: string, text: string): string {
  return JSON.stringify({
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });
}

describe("filterPackets", () => {
  it("lines are read however they are split into chunks and ended, the last one too", async () => {
    const text = `${line("s", "é")}\r\n\n${line("s", "b")}\n   \n${line("s", "c")}`;
    for (const size of [1, 7, 64, 100_000]) {
      const bytes = Buffer.from(text);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { packets, remarks, readLines } = await filter(pieces);
      assert.deepEqual(
        packets.map(({ content }) => content.text),
        ["é", "b", "c"],
      );
      assert.deepEqual([remarks, readLines], [[], 3]);
    }
  });

  it("a bad line is reported with its number and skipped", async () => {
    const bytes = [`${line("s", "a")}\n\nnonsense\n`, Buffer.from([0x7b, 0xff, 0x0a]), `${line("s", "b")}\n[]`];
    const { packets, remarks, readLines, badLines } = await filter(bytes);
    assert.deepEqual(remarks, [
      "line 3 is skipped: it is not JSON",
      "line 4 is skipped: it is not UTF-8",
      "line 6 is skipped: it must be an object",
    ]);
    assert.deepEqual([packets.length, readLines, badLines], [2, 2, 3]);
  });

  it("the first bad lines are reported one by one, the rest are counted", async () => {
    const { remarks, badLines } = await filter("x\n".repeat(1000));
    assert.deepEqual([remarks.length, remarks.at(-1), badLines], [21, "1000 lines were skipped in all", 1000]);
  });

  it("several sessions give one remark, and can be labelled or reduced to one", async () => {
    const text = ["a", "b", "c", "a"].map((id) => line(id, id)).join("\n");
    const plain = await filter(text);
    assert.deepEqual(
      plain.packets.map(({ content }) => content.text),
      ["a", "b", "c", "a"],
    );
    assert.deepEqual(plain.remarks.length, 1);
    assert.match(plain.remarks[0] ?? "", /^line 2 is of another session; --with-session/);
    const named = await filter(text, { isNamed: true });
    assert.deepEqual(
      named.packets.map(({ sessionId }) => sessionId),
      ["a", "b", "c", "a"],
    );
    const one = await filter(text, { sessionId: "a" });
    assert.deepEqual([one.packets.length, one.remarks, named.remarks], [2, [], []]);
  });

  it("the filter reads no faster than its output is read", async () => {
    const input = new PassThrough({ highWaterMark: 1024 });
    const waiting: (() => void)[] = [];
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) });
    const over = filterPackets(input, output, {
      now: () => 0,
      isStrict: false,
      cwd: undefined,
      sessionId: undefined,
      isNamed: false,
      onRemark: () => {},
    });
    let sent = 0;
    for (let isOpen = true; isOpen && sent < 10_000; sent++) {
      isOpen = input.write(`${line("s", "x".repeat(500))}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(sent < 20, `${sent} lines were taken though none was read`);
    input.end();
    for (let i = 0; i < 100; i++) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await over).readLines, sent);
  });

  it("the filter ends silently at EPIPE, and reports any other write error", async () => {
    for (const [code, expected] of [
      ["EPIPE", []],
      ["ENOSPC", ["writing failed: full"]],
    ] as const) {
      const output = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error("full"), { code })),
      });
      const remarks: string[] = [];
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.from(`${line("s", "x")}\n`);
        })(),
      );
      await filterPackets(endless, output, {
        now: () => 0,
        isStrict: false,
        cwd: undefined,
        sessionId: undefined,
        isNamed: false,
        onRemark: (text) => remarks.push(text),
      });
      assert.deepEqual(remarks, expected);
    }
  });
});

/** Runs the command in this process. */
async function run(args: readonly string[], input = ""): Promise<{ status: number; stdout: string; stderr: string }> {
  const told = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof told): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        told[name] += String(chunk);
        done();
      },
    });
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  const terminal = { stdin, stdout: sink("stdout"), stderr: sink("stderr"), env: {} };
  // Streams of the spec instead of the terminal's.
  const status = await runProgram(["packets", ...args], terminal as unknown as ProgramStreams);
  return { status, ...told };
}

describe("bowline packets", () => {
  it("bowline packets reads a file or stdin, and writes one packet a line", async () => {
    const { status, stdout, stderr } = await run([tape]);
    assert.deepEqual([status, stderr], [0, ""]);
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one).type);
    assert.deepEqual(types, [
      "user_message_chunk",
      "tool_call_start",
      "tool_call_progress",
      "permission_request",
      "permission_resolved",
      "tool_call_progress",
      "artifact_created",
      "agent_message_chunk",
      "prompt_response",
    ]);
    const strict = await run(["--strict", "--with-session", "-"], `${line("s", "a")}\n`);
    assert.deepEqual(JSON.parse(strict.stdout), {
      sessionId: "s",
      packet: {
        _meta: null,
        content: { _meta: null, annotations: null, text: "a", type: "text" },
        sessionUpdate: "agent_message_chunk",
        type: "agent_message_chunk",
      },
    });
  });

  it("bowline packets exits with 1 and one sentence when the file is missing or no line can be parsed", async () => {
    const missing = await run(["/no/such/file"]);
    assert.deepEqual([missing.status, missing.stdout], [1, ""]);
    assert.match(missing.stderr, /^bowline: \/no\/such\/file cannot be read \(ENOENT\); .+\n$/);
    const nonsense = await run([], "nonsense\n");
    assert.equal(nonsense.status, 1);
    assert.match(nonsense.stderr, /^bowline: line 1 is skipped: it is not JSON\nbowline: nothing could be read; .+\n$/);
    assert.deepEqual(await run([]), { status: 0, stdout: "", stderr: "" });
    assert.equal((await run([], `${line("s", "a")}\nnonsense\n`)).status, 0, "one line could");
  });

  it("bowline packets refuses a second file and unknown options with exit code 2", async () => {
    for (const args of [["a", "b"], ["--nope"], ["--session"]]) assert.equal((await run(args)).status, 2);
  });

  it("bowline packets exits with 0 when its reader closes the pipe", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bowline-packets-"));
    const file = join(folder, "long.ndjson");
    writeFileSync(file, `${line("s", "x".repeat(1000))}\n`.repeat(20_000));
    const child = spawn(process.execPath, [...programArgs, "packets", file], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (text) => (stderr += String(text)));
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "exit");
    assert.deepEqual([code, stderr], [0, ""]);
    rmSync(folder, { recursive: true });
  });
});
