/**
 * Tape: recordings read, played and departed from.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AwaitedFrame,
  relocate,
  readTape,
  tapeLink,
  type TapeLink,
  type TapeOptions,
} from "../../lib/tape/index.ts";
import { recordingNames } from "../support/claude-recording.ts";
import { readText } from "../support/files.ts";
import { fakeClock } from "../support/fake-clock.ts";

type Row = readonly [dir: string, t: number, msg: unknown];

const initialize = { type: "control_request", request_id: "init-1", request: { subtype: "initialize" } };
const offers = {
  type: "control_response",
  response: { subtype: "success", request_id: "init-1", response: { models: [] } },
};
const prompt = { type: "user", uuid: "recorded-uuid", message: { role: "user", content: "go" } };
const question = {
  type: "control_request",
  request_id: "ask-1",
  request: { subtype: "can_use_tool", tool_name: "Bash" },
};
const allow = {
  type: "control_response",
  response: { subtype: "success", request_id: "ask-1", response: { behavior: "allow" } },
};
const result = { type: "result", user_message_uuids: ["recorded-uuid"] };

function recordingOf(rows: readonly Row[], end: object = { dir: "exit", t: 100, code: 0, signal: null }): string {
  const lines = rows.map(([dir, t, msg]) => ({ dir, t, msg }));
  return [{ dir: "meta", t: 0, cwd: "/home/dev/project" }, ...lines, end]
    .map((line) => JSON.stringify(line))
    .join("\n");
}

interface Playing {
  readonly link: TapeLink;
  readonly said: string[];
  readonly waits: (AwaitedFrame | undefined)[];
  readonly closed: string[];
  readonly say: (frame: unknown) => void;
  /** Lets all that is due at once happen. */
  readonly settle: () => Promise<void>;
}

function play(text: string, options: TapeOptions = {}): Playing {
  const said: string[] = [];
  const waits: (AwaitedFrame | undefined)[] = [];
  const closed: string[] = [];
  const link = tapeLink(readTape(text), { ...options, onWait: (frame) => void waits.push(frame) });
  link.open({
    onLine: (line) => void said.push(line),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => {},
    onClose: (reason) => void closed.push(reason),
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { link, said, waits, closed, settle, say: (frame) => void link.send(JSON.stringify(frame)) };
}

describe("readTape", () => {
  it("reads every recording of the project", () => {
    for (const name of recordingNames()) {
      const { rows, cwd } = readTape(readText(`fixtures/claude/${name}.ndjson`));
      assert.equal(cwd, "/home/dev/project");
      assert.ok(rows.length > 2, name);
      assert.ok(
        rows.some(({ kind }) => kind === "exit"),
        name,
      );
    }
  });

  it("names the line that is not JSON or no object", () => {
    assert.throws(() => readTape('{"dir":"meta"}\nnot json'), /line 2 of the recording must be JSON/);
    assert.throws(() => readTape("[]"), /line 1 of the recording must be an object/);
  });

  it("leaves out what no host says", () => {
    const { rows } = readTape(
      recordingOf([
        ["in", 1, { type: "keep_alive" }],
        ["in", 2, { type: "totally_unknown" }],
        ["in", 3, null],
        ["note", 4, "a remark"],
      ]),
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["exit"],
    );
  });
});

describe("tapeLink", () => {
  it("says nothing before the host has said what the recording waits for", async () => {
    const { said, waits, settle } = play(
      recordingOf([
        ["in", 1, initialize],
        ["out", 2, offers],
      ]),
    );
    await settle();
    assert.deepEqual(said, []);
    assert.equal(waits[0]?.type, "request");
  });

  it("answers the host's request under the host's own id", async () => {
    const { said, say, settle } = play(
      recordingOf([
        ["in", 1, initialize],
        ["out", 2, offers],
      ]),
    );
    say({ ...initialize, request_id: "mine" });
    assert.deepEqual(said, [], "not within the call that asked");
    await settle();
    assert.equal(JSON.parse(said[0] ?? "").response.request_id, "mine");
    assert.deepEqual(JSON.parse(said[0] ?? "").response.response, { models: [] });
  });

  it("gives the host's prompt back under its own uuid", async () => {
    const { said, say, settle } = play(
      recordingOf([
        ["in", 1, prompt],
        ["out", 2, result],
      ]),
    );
    say({ ...prompt, uuid: "my-uuid", message: { role: "user", content: "something else" } });
    await settle();
    assert.deepEqual(JSON.parse(said[0] ?? "").user_message_uuids, ["my-uuid"]);
  });

  it("waits for the answer to a permission", async () => {
    const rows: readonly Row[] = [
      ["out", 1, question],
      ["in", 2, allow],
      ["out", 3, result],
    ];
    const { said, waits, say, settle } = play(recordingOf(rows));
    await settle();
    assert.equal(said.length, 1);
    assert.equal(waits[0]?.type, "answer");
    say(allow);
    await settle();
    assert.equal(said.length, 2);
  });

  it("takes answers in any order", async () => {
    const second = { ...question, request_id: "ask-2" };
    const answered = { ...allow, response: { ...allow.response, request_id: "ask-2" } };
    const rows: readonly Row[] = [
      ["out", 1, question],
      ["out", 1, second],
      ["in", 2, allow],
      ["in", 2, answered],
      ["out", 3, result],
    ];
    const { said, say, settle } = play(recordingOf(rows));
    await settle();
    say(answered);
    say(allow);
    await settle();
    assert.equal(said.length, 3);
  });

  it("waits for no answer to a request the CLI took back", async () => {
    const withdrawn = { type: "control_cancel_request", request_id: "ask-1" };
    const rows: readonly Row[] = [
      ["out", 1, question],
      ["out", 2, withdrawn],
      ["in", 3, allow],
      ["out", 4, result],
    ];
    const { said, settle } = play(recordingOf(rows));
    await settle();
    assert.equal(said.length, 3);
  });

  it("says how the host departs when it answers otherwise", async () => {
    const { closed, say, settle } = play(
      recordingOf([
        ["out", 1, question],
        ["in", 2, allow],
        ["out", 3, result],
      ]),
    );
    await settle();
    say({ ...allow, response: { ...allow.response, response: { behavior: "deny" } } });
    await settle();
    assert.deepEqual(closed, [
      'the host departs from the tape: it sent the answer "deny" to ask-1, the recording has the answer "allow" to ask-1',
    ]);
  });

  it("says how the host departs when it asks for what was never recorded", async () => {
    const { closed, say, settle } = play(
      recordingOf([
        ["in", 1, prompt],
        ["out", 2, result],
      ]),
    );
    say({ type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
    await settle();
    assert.deepEqual(closed, [
      "the host departs from the tape: it sent the request interrupt, the recording has a prompt",
    ]);
  });

  it("does not call it a departure when the host says its last words and goes", async () => {
    const { link, closed, say, settle } = play(recordingOf([["in", 1, prompt]]));
    say({ type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
    link.close("the session was closed");
    await settle();
    assert.deepEqual(closed, ["the session was closed"]);
  });

  it("goes on without what the host will not say", async () => {
    const { link, said, settle } = play(
      recordingOf([
        ["in", 1, prompt],
        ["out", 2, result],
      ]),
    );
    await settle();
    link.skip();
    await settle();
    assert.equal(said.length, 1);
  });

  it("ends as the CLI did, with its last words", async () => {
    const lines = [
      { dir: "out", t: 1, msg: result },
      { dir: "stderr", t: 2, text: "Error: no\n" },
      { dir: "exit", t: 3, code: 1, signal: null },
    ];
    const { said, closed, settle } = play(lines.map((line) => JSON.stringify(line)).join("\n"));
    await settle();
    assert.equal(said.length, 1);
    assert.deepEqual(closed, ["the Claude CLI ended with exit code 1: Error: no"]);
  });

  it("stays when the recorded CLI only ended because its host did", async () => {
    const text = [
      { dir: "in", t: 1, eof: true },
      { dir: "out", t: 2, msg: result },
      { dir: "exit", t: 3, code: 0 },
    ];
    const { said, waits, closed, settle } = play(text.map((line) => JSON.stringify(line)).join("\n"));
    await settle();
    assert.equal(said.length, 1);
    assert.deepEqual(waits, [undefined]);
    assert.deepEqual(closed, []);
  });

  it("holds its lines while the host has paused it", async () => {
    const { link, said, settle } = play(
      recordingOf([
        ["out", 1, result],
        ["out", 2, result],
      ]),
    );
    link.pause();
    await settle();
    assert.equal(said.length, 0);
    link.resume();
    await settle();
    assert.equal(said.length, 2);
  });

  it("keeps the recorded pace when it is given a clock", async () => {
    const clock = fakeClock();
    const text = recordingOf([
      ["in", 0, initialize],
      ["out", 40, offers],
      ["out", 90, result],
    ]);
    const { said, say, settle } = play(text, { after: clock.after });
    say(initialize);
    await settle();
    clock.advance(39);
    await settle();
    assert.equal(said.length, 0);
    clock.advance(1);
    await settle();
    assert.equal(said.length, 1);
    clock.advance(49);
    await settle();
    assert.equal(said.length, 1);
    clock.advance(1);
    await settle();
    assert.equal(said.length, 2);
  });
});

describe("inDirectory", () => {
  const delta = (partial_json: string): unknown => ({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } },
  });
  const start = {
    type: "stream_event",
    event: { type: "content_block_start", index: 0, content_block: { type: "tool_use" } },
  };

  it("names another directory in every line", () => {
    const tape = relocate(readTape(recordingOf([["out", 1, { cwd: "/home/dev/project" }]])), "/work/here");
    const [row] = tape.rows;
    assert.equal(row?.kind === "said" ? row.line : "", '{"cwd":"/work/here"}');
  });

  it("finds the directory where a stream has cut it, and cuts at the same places", () => {
    const pieces = ['{"file_path":"/home/d', "ev/proj", 'ect/a.txt"}'];
    const rows: readonly Row[] = [["out", 1, start], ...pieces.map((piece): Row => ["out", 2, delta(piece)])];
    const tape = relocate(readTape(recordingOf(rows)), "/w");
    const words = tape.rows.flatMap((row): string[] => {
      const partial: unknown = row.kind === "said" ? JSON.parse(row.line).event.delta?.partial_json : undefined;
      return typeof partial === "string" ? [partial] : [];
    });
    assert.equal(words.join(""), '{"file_path":"/w/a.txt"}');
    assert.equal(words.length, 3);
    assert.equal(words[0]?.length, pieces[0]?.length);
  });

  it("changes nothing when the directory is the recorded one", () => {
    const tape = readTape(recordingOf([["out", 1, start]]));
    assert.equal(relocate(tape, "/home/dev/project"), tape);
  });
});
