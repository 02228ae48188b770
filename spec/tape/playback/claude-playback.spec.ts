/**
 * tapeLink: recordings of the CLI, read and played to hosts that follow them and that depart from them.
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
} from "../../../lib/tape/index.ts";
import { recordingNames } from "../../support/claude/claude-recording.ts";
import { readText } from "../../support/files.ts";
import { fakeClock } from "../../support/fake-clock.ts";

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
  /** Waits until nothing more happens without a further line or more time. */
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
  it("readTape reads every recording of the project", () => {
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

  it("readTape reports the number of a line that is no JSON object", () => {
    assert.throws(() => readTape('{"dir":"meta"}\nnot json'), /line 2 of the recording must be JSON/);
    assert.throws(() => readTape("[]"), /line 1 of the recording must be an object/);
  });

  it("readTape leaves out lines that no host sends", () => {
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
  it("a tape sends nothing before the host has sent the awaited line", async () => {
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

  it("a tape responds to a request with the host's own id", async () => {
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

  const changeMode = (id: string, mode: string): object => ({
    type: "control_request",
    request_id: id,
    request: { subtype: "set_permission_mode", mode },
  });
  const modeChanged = (id: string, mode: string): object => ({
    type: "control_response",
    response: { subtype: "success", request_id: id, response: { mode } },
  });
  const withModes = recordingOf([
    ["in", 1, initialize],
    ["out", 2, offers],
    ["in", 3, changeMode("mode-1", "plan")],
    ["out", 4, modeChanged("mode-1", "plan")],
    ["in", 5, prompt],
    ["out", 6, result],
    ["in", 7, changeMode("mode-2", "default")],
    ["out", 8, modeChanged("mode-2", "default")],
    ["in", 9, prompt],
    ["out", 10, result],
  ]);

  it("a request that was skipped is answered when the host sends it after all, and none is answered twice", async () => {
    const { link, said, closed, say, settle } = play(withModes);
    say(initialize);
    await settle();
    link.skip();
    await settle();
    say(changeMode("mine", "plan"));
    say(prompt);
    await settle();
    const answers = said.map((line) => JSON.parse(line)).filter(({ type }) => type === "control_response");
    assert.deepEqual(
      answers.map(({ response }) => response.request_id),
      ["init-1", "mode-1", "mine"],
    );
    assert.deepEqual(answers[2].response.response, { mode: "plan" });
    say(changeMode("again", "default"));
    say(prompt);
    await settle();
    assert.match(said.join("\n"), /"again"/);
    assert.deepEqual(
      closed.filter((why) => why.includes("departs")),
      [],
    );
  });

  it("a request that the recorded host sent later is answered at once, with the recorded answer", async () => {
    const { said, closed, say, settle, link } = play(withModes);
    say(initialize);
    await settle();
    link.skip();
    await settle();
    say(changeMode("one", "default"));
    await settle();
    assert.match(said.at(-1) ?? "", /"one"/, "the tape waits for the prompt");
    say(prompt);
    await settle();
    say(prompt);
    await settle();
    assert.equal(said.filter((line) => line.includes('"result"')).length, 2);
    assert.deepEqual(
      closed.filter((why) => why.includes("departs")),
      [],
    );
  });

  it("a request that the tape does not have is a departure", async () => {
    const { closed, say, settle } = play(recordingOf([["in", 1, prompt]]));
    say(changeMode("mine", "plan"));
    await settle();
    assert.match(closed[0] ?? "", /it sent the request set_permission_mode/);
  });

  it("a tape names a prompt by the host's own uuid", async () => {
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

  it("a tape waits for the response to a permission request", async () => {
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

  it("a tape accepts responses in any order", async () => {
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

  it("a tape does not wait for the response to a request that the CLI cancelled", async () => {
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

  it("a tape reports a host that answers a permission request differently", async () => {
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

  it("a tape reports a host that sends a request that was not recorded", async () => {
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

  it("a host that sends a line and closes the link at once is not reported", async () => {
    const { link, closed, say, settle } = play(recordingOf([["in", 1, prompt]]));
    say({ type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
    link.close("the session was closed");
    await settle();
    assert.deepEqual(closed, ["the session was closed"]);
  });

  it("skip continues a tape without the awaited line", async () => {
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

  it("a tape closes as the recorded CLI exited, with the last lines of stderr", async () => {
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

  it("a tape stays open when the recorded CLI exited only because its host closed stdin", async () => {
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

  it("a paused tape sends no lines", async () => {
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

  it("a tape with a clock keeps the recorded pace", async () => {
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

describe("relocate", () => {
  const delta = (partial_json: string): unknown => ({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } },
  });
  const start = {
    type: "stream_event",
    event: { type: "content_block_start", index: 0, content_block: { type: "tool_use" } },
  };

  it("relocate replaces the directory in every line", () => {
    const tape = relocate(readTape(recordingOf([["out", 1, { cwd: "/home/dev/project" }]])), "/work/here");
    const [row] = tape.rows;
    assert.equal(row?.kind === "said" ? row.line : "", '{"cwd":"/work/here"}');
  });

  it("relocate replaces a directory that streaming has split, and splits at the same positions", () => {
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

  it("relocate changes nothing when the directory is the recorded one", () => {
    const tape = readTape(recordingOf([["out", 1, start]]));
    assert.equal(relocate(tape, "/home/dev/project"), tape);
  });
});
