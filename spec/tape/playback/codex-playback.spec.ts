/**
 * codexTapeLink: recordings of `codex app-server`, played to hosts that follow them and that
 * depart from them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codexTapeLink, codexTapes, readRows, Recorder, scrubber } from "../../../lib/tape/index.ts";
import { LinkLog, settle } from "../../support/wire/link-log.ts";

type Row = readonly [dir: "in" | "out", msg: object] | "meta" | "eof" | "exit";

const initialize = { id: 1, method: "initialize", params: {} };
const ready = { id: 1, result: { userAgent: "x" } };
const start = (id: number, cwd = "/recorded"): object => ({ id, method: "thread/start", params: { cwd } });
const opened = (id: number, thread: string): object => ({
  id,
  result: { thread: { id: thread, cwd: "/recorded" } },
});
const turn = (id: number, threadId: string, message = "m-1"): object => ({
  id,
  method: "turn/start",
  params: { threadId, clientUserMessageId: message },
});
const begun = (id: number): object => ({ id, result: { turn: { id: `turn-${id}` } } });
const delta = (threadId: string, text: string): object => ({
  method: "item/agentMessage/delta",
  params: { threadId, itemId: "i", delta: text },
});
const asks = { id: 0, method: "item/commandExecution/requestApproval", params: { threadId: "A" } };
const accepts = { id: 0, result: { decision: "accept" } };
const resolved = { method: "serverRequest/resolved", params: { threadId: "A", requestId: 0 } };
const done = (threadId: string): object => ({ method: "turn/completed", params: { threadId, turn: {} } });

function recordingOf(rows: readonly Row[]): string {
  return rows
    .map((row, t) => {
      if (row === "meta") return { dir: "meta", t, side: "codex" };
      if (row === "eof") return { dir: "in", t, side: "codex", eof: true };
      if (row === "exit") return { dir: "exit", t, side: "codex", code: 1, signal: null };
      return { dir: row[0], t, side: "codex", msg: row[1] };
    })
    .map((row) => JSON.stringify(row))
    .join("\n");
}

class Playing {
  readonly log = new LinkLog();
  readonly mismatches: string[] = [];
  readonly #link;

  constructor(rows: readonly Row[]) {
    const [tape] = codexTapes(readRows(recordingOf(["meta", ...rows])));
    assert.ok(tape !== undefined);
    this.#link = codexTapeLink(tape, { onMismatch: (sentence) => this.mismatches.push(sentence) });
    this.#link.open(this.log);
  }

  /** Sends a message and waits for this one. */
  async send(message: object, answer?: object): Promise<void> {
    this.#link.send(JSON.stringify(message));
    if (answer === undefined) for (let i = 0; i < 20; i++) await settle();
    else await this.log.has(`line ${JSON.stringify(answer)}`);
  }
}

const opening: readonly Row[] = [
  ["in", initialize],
  ["out", ready],
  ["in", start(2)],
  ["out", opened(2, "A")],
];

describe("codexTapeLink", () => {
  it("a tape of Codex answers under the host's ids and in the host's directory", async () => {
    const playing = new Playing([...opening, ["in", turn(3, "A", "m-1")], ["out", begun(3)]]);
    await playing.send({ ...initialize, id: "x" }, { ...ready, id: "x" });
    await playing.send(start(7, "/mine"), { id: 7, result: { thread: { id: "A", cwd: "/mine" } } });
    await playing.send(turn(8, "A", "m-2"), { ...begun(3), id: 8 });
    assert.deepEqual(playing.mismatches, []);
  });

  it("a tape of Codex replaces the recorded directory also where deltas split it", async () => {
    const playing = new Playing([
      ...opening,
      ["in", turn(3, "A")],
      ["out", delta("A", "in /reco")],
      ["out", delta("A", "rded/a")],
    ]);
    await playing.send(initialize, ready);
    await playing.send(start(2, "/elsewhere"));
    await playing.send(turn(3, "A"), delta("A", "where/a"));
  });

  it("a thread of a tape does not wait for a thread that the host does not open", async () => {
    const playing = new Playing([
      ...opening,
      ["in", start(3)],
      ["out", opened(3, "unused")],
      ["in", turn(4, "A")],
      ["out", begun(4)],
      ["in", start(5)],
      ["out", opened(5, "B")],
      ["in", turn(6, "B")],
      ["out", begun(6)],
    ]);
    await playing.send(initialize, ready);
    await playing.send(start(2), opened(2, "A"));
    await playing.send(turn(3, "A"), { ...begun(4), id: 3 });
    // The thread that was prompted, not the one that was prepared and never used.
    await playing.send(start(4), { ...opened(5, "B"), id: 4 });
    assert.deepEqual(playing.mismatches, []);
  });

  it("the messages of a subagent's thread come with those of the thread that started it", async () => {
    const activity = { method: "item/started", params: { threadId: "A", item: { agentThreadId: "child" } } };
    const playing = new Playing([
      ...opening,
      ["in", turn(3, "A")],
      ["out", activity],
      ["out", delta("child", "hello")],
      ["out", done("A")],
    ]);
    await playing.send(initialize, ready);
    await playing.send(start(2), opened(2, "A"));
    assert.ok(!playing.log.events.some((entry) => entry.includes("hello")));
    await playing.send(turn(3, "A"), done("A"));
    assert.ok(playing.log.events.some((entry) => entry.includes("hello")));
  });

  it("a tape of Codex waits for an answer unless Codex withdraws the question", async () => {
    const asked: readonly Row[] = [...opening, ["in", turn(3, "A")], ["out", asks]];
    const waiting = new Playing([...asked, ["in", accepts], ["out", done("A")]]);
    await waiting.send(initialize, ready);
    await waiting.send(start(2), opened(2, "A"));
    await waiting.send(turn(3, "A"), asks);
    assert.ok(!waiting.log.events.includes(`line ${JSON.stringify(done("A"))}`));
    await waiting.send(accepts, done("A"));

    const withdrawn = new Playing([...asked, ["out", resolved], ["in", accepts], ["out", done("A")]]);
    await withdrawn.send(initialize, ready);
    await withdrawn.send(start(2), opened(2, "A"));
    await withdrawn.send(turn(3, "A"), done("A"));
  });

  it("a host that decides differently from the tape of Codex is told so, and the link closes", async () => {
    const playing = new Playing([...opening, ["in", turn(3, "A")], ["out", asks], ["in", accepts]]);
    await playing.send(initialize, ready);
    await playing.send(start(2), opened(2, "A"));
    await playing.send(turn(3, "A"), asks);
    await playing.send({ id: 0, result: { decision: "decline" } });
    const sentence =
      'the host departs from the tape: it sent the answer "decline" to request 0, the recording has the answer "accept" to request 0';
    assert.deepEqual(playing.mismatches, [sentence]);
    await playing.log.has(`close ${sentence}`);
  });

  it("a request that no tape needs is answered, and any other that is not on the tape closes the link", async () => {
    const playing = new Playing(opening);
    await playing.send(
      { id: 9, method: "thread/loaded/list", params: {} },
      {
        id: 9,
        result: { data: [], nextCursor: null },
      },
    );
    await playing.send({ id: 10, method: "review/start", params: {} });
    assert.deepEqual(playing.mismatches, [
      "the host departs from the tape: it sent the request review/start, the recording has the request initialize",
    ]);
  });

  it("a tape of a Codex that exited by itself ends there, and one that the host ended does not", async () => {
    const crashed = new Playing([...opening, "exit"]);
    await crashed.send(initialize, ready);
    await crashed.send(start(2), opened(2, "A"));
    await crashed.log.has("close Codex ended with exit code 1");
    const ended = new Playing([...opening, "eof", "exit"]);
    await ended.send(initialize, ready);
    await ended.send(start(2), opened(2, "A"));
    assert.ok(!ended.log.events.some((entry) => entry.startsWith("close")));
  });

  it("a recording with two app-servers is two tapes", () => {
    const rows = readRows(recordingOf(["meta", ...opening, "exit", "meta", ...opening, "eof"]));
    assert.equal(codexTapes(rows).length, 2);
  });

  it("a secret that deltas of Codex split over several lines is not on the tape", async () => {
    let text = "";
    const sink = { write: (one: string) => ((text += one), true), end: async () => {} };
    const recorder = new Recorder(sink, { scrub: scrubber({ env: {}, home: undefined }), now: () => 0 });
    const output = (words: string): string =>
      JSON.stringify({
        method: "item/commandExecution/outputDelta",
        params: { threadId: "A", itemId: "c", delta: words },
      });
    for (const words of ["key: sk-ant-api03-", "abcdefgh", "ijklmnop done"])
      recorder.line("out", output(words), { side: "codex" });
    recorder.line("out", JSON.stringify(delta("A", "password=hun")), { side: "codex" });
    recorder.line("out", JSON.stringify(delta("A", "ter22222")), { side: "codex" });
    recorder.line("out", JSON.stringify(done("A")), { side: "codex" });
    await recorder.end();
    assert.doesNotMatch(text, /abcdefgh|ijklmnop|ter22222/);
    assert.match(text, /scrubbed/);
    assert.equal(text.trim().split("\n").length, 6);
  });
});
