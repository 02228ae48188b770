/**
 * agentTapeLink: a recording in place of an agent, with clients that follow it and that depart from it.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import {
  acpTape,
  agentTapeLink,
  type AgentTapeLink,
  type AgentTapeOptions,
  readRows,
} from "../../../lib/tape/index.ts";
import { readText } from "../../support/files.ts";
import { settle } from "../../support/wire/link-log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type RowFields = Readonly<Record<string, unknown>>;
type Line = readonly [dir: "in" | "out", msg: RowFields, t?: number];

const call = (id: unknown, method: string, params: RowFields = {}): RowFields => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const tell = (method: string, params: RowFields): RowFields => ({ jsonrpc: "2.0", method, params });
const answer = (id: unknown, result: unknown): RowFields => ({ jsonrpc: "2.0", id, result });
const prompt = (id: unknown, text = "go", sessionId = "s"): RowFields =>
  call(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });
const says = (text: string, sessionId = "s"): RowFields =>
  tell("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });
const asks = (id: unknown, sessionId = "s"): RowFields =>
  call(id, "session/request_permission", { sessionId, options: [] });
const chose = (id: unknown, optionId: string): RowFields => answer(id, { outcome: { outcome: "selected", optionId } });
const done = { stopReason: "end_turn" };

const opening: readonly Line[] = [
  ["in", call(1, "initialize", { protocolVersion: 1 })],
  ["out", answer(1, { protocolVersion: 1 })],
  ["in", call(2, "session/new", { cwd: "/home/user/work" })],
  ["out", answer(2, { sessionId: "s" })],
];
const asked: readonly Line[] = [
  ...opening,
  ["in", prompt(3)],
  ["out", says("May I?")],
  ["out", asks(1)],
  ["in", chose(1, "yes")],
  ["out", says("Done.")],
  ["out", answer(3, done)],
  ["in", prompt(4)],
  ["out", says("Again.")],
  ["out", answer(4, done)],
];

interface Playing {
  readonly link: AgentTapeLink;
  readonly said: RowFields[];
  readonly departures: string[];
  readonly waits: (string | undefined)[];
  readonly closed: string[];
  /** Sends a message and waits until nothing more follows from it. */
  readonly send: (...messages: readonly (RowFields | string)[]) => Promise<void>;
}

function play(lines: readonly Line[], options: AgentTapeOptions = {}, end: readonly RowFields[] = []): Playing {
  const rows = lines.map(([dir, msg, t = 0]): RowFields => ({ dir, t, side: "acp", msg }));
  const text = [...rows, ...end].map((row) => JSON.stringify(row)).join("\n");
  const said: RowFields[] = [];
  const departures: string[] = [];
  const waits: (string | undefined)[] = [];
  const closed: string[] = [];
  const link = agentTapeLink(acpTape(readRows(text)), {
    onMismatch: (sentence) => departures.push(sentence),
    onWait: (awaited) => waits.push(awaited),
    ...options,
  });
  link.open({
    onLine: (line) => said.push(JSON.parse(line)),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => {},
    onClose: (reason) => closed.push(reason),
  });
  const send = async (...messages: readonly (RowFields | string)[]): Promise<void> => {
    for (const one of messages) {
      link.send(typeof one === "string" ? one : JSON.stringify(one));
      for (let i = 0; i < 4; i++) await settle();
    }
  };
  return { link, said, departures, waits, closed, send };
}

const openAs = (id: (n: number) => unknown): readonly RowFields[] => [
  call(id(1), "initialize", { protocolVersion: 1 }),
  call(id(2), "session/new", { cwd: "/home/user/work" }),
];

describe("agentTapeLink", () => {
  it("an agent tape responds with the client's ids and sends requests with the recorded ids", async () => {
    const { said, send, departures } = play(asked);
    await send(...openAs((n) => `mine-${n}`), prompt("p"), chose(1, "yes"), prompt(77));
    assert.deepEqual(departures, []);
    assert.deepEqual(said, [
      answer("mine-1", { protocolVersion: 1 }),
      answer("mine-2", { sessionId: "s" }),
      says("May I?"),
      asks(1),
      says("Done."),
      answer("p", done),
      says("Again."),
      answer(77, done),
    ]);
  });

  it("an agent tape plays every recording in fixtures/acp word for word", async () => {
    for (const file of readdirSync("fixtures/acp")) {
      const lines = readText(`fixtures/acp/${file}`)
        .trimEnd()
        .split("\n")
        .map((line): Line => {
          const { dir, msg } = JSON.parse(line);
          return [dir, msg];
        });
      const inward = lines.filter(([dir]) => dir === "in").map(([, msg]) => msg);
      const { said, departures, send } = play(lines, { isStrict: true });
      await send(...inward);
      assert.deepEqual(departures, [], file);
      const outward = lines.filter(([dir]) => dir === "out").map(([, msg]) => msg);
      assert.deepEqual(said, outward, file);
    }
  });

  it("an agent tape keeps the recorded order whatever the client sends first", async () => {
    const { said, send } = play(asked);
    await send(...openAs((n) => n), prompt(3), prompt(4), chose(1, "yes"));
    assert.deepEqual(
      said.slice(2).map((msg) => msg["id"] ?? "update"),
      ["update", 1, "update", 3, "update", 4],
    );
  });

  it("a request that was not recorded gets an error, is reported, and playback continues", async () => {
    const { said, send, departures } = play(asked);
    await send(...openAs((n) => n), call(9, "session/set_mode", { sessionId: "s", modeId: "plan" }), prompt(10));
    const sentence = "the client departs from the tape: it sent session/set_mode, the recording has session/prompt";
    assert.deepEqual(departures, [sentence]);
    assert.deepEqual(said[2], { jsonrpc: "2.0", id: 9, error: { code: -32600, message: sentence } });
    assert.deepEqual(said[3], says("May I?"));
  });

  it("a turn whose permission is decided differently is abandoned, and the next one is played", async () => {
    const { said, send, departures } = play(asked);
    await send(...openAs((n) => n), prompt(3), chose(1, "no"), prompt(4));
    const sentence =
      'the client departs from the tape: it sent "no" in answer to session/request_permission, the recording has "yes"';
    assert.deepEqual(departures, [sentence]);
    assert.deepEqual(said.slice(4), [
      { jsonrpc: "2.0", id: 3, error: { code: -32600, message: sentence } },
      says("Again."),
      answer(4, done),
    ]);
  });

  it("a cancelled or failed permission request counts as a different decision", async () => {
    for (const other of [
      answer(1, { outcome: { outcome: "cancelled" } }),
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
    ]) {
      const { send, departures } = play(asked);
      await send(...openAs((n) => n), prompt(3), other);
      assert.equal(departures.length, 1);
      assert.match(departures[0] ?? "", /"(?:cancelled|an error)" in answer to session\/request_permission/);
    }
  });

  it("a prompt that the client cancels without a recorded cancel is answered as cancelled", async () => {
    const { said, send, departures } = play(asked);
    await send(...openAs((n) => n), prompt(3), tell("session/cancel", { sessionId: "s" }), chose(1, "yes"), prompt(4));
    assert.deepEqual(said[4], answer(3, { stopReason: "cancelled" }));
    assert.deepEqual(said.slice(5), [says("Again."), answer(4, done)]);
    assert.equal(departures.length, 1);
    await send(tell("session/cancel", { sessionId: "s" }));
    assert.equal(departures.length, 1, "with nothing to cancel it means nothing");
  });

  it("an agent tape waits for a recorded cancel", async () => {
    const { said, send, waits, departures } = play([
      ...opening,
      ["in", prompt(3)],
      ["out", says("One moment")],
      ["in", tell("session/cancel", { sessionId: "s" })],
      ["out", answer(3, { stopReason: "cancelled" })],
    ]);
    await send(...openAs((n) => n), prompt(3));
    assert.equal(waits.at(-1), "session/cancel");
    assert.equal(said.length, 3);
    await send(tell("session/cancel", { sessionId: "s" }));
    assert.deepEqual(said[3], answer(3, { stopReason: "cancelled" }));
    assert.deepEqual(departures, []);
  });

  it("skip continues an agent tape without the awaited message", async () => {
    const { link, said, send } = play([
      ...opening,
      ["in", prompt(3)],
      ["in", tell("session/cancel", { sessionId: "s" })],
      ["out", answer(3, done)],
    ]);
    await send(...openAs((n) => n), prompt(3));
    assert.equal(link.isAsked(), true);
    assert.equal(link.remaining(), "session/cancel");
    link.skip();
    await settle();
    assert.deepEqual(said.at(-1), answer(3, done));
    assert.equal(link.isAsked(), false);
    assert.equal(link.remaining(), undefined);
  });

  it("each session of an agent tape keeps its own order", async () => {
    const { said, send, departures } = play([
      ["in", prompt(1, "a", "one")],
      ["in", prompt(2, "b", "two")],
      ["out", says("for one", "one")],
      ["out", says("for two", "two")],
      ["out", answer(2, done)],
      ["out", answer(1, done)],
    ]);
    await send(prompt(8, "b", "two"), prompt(9, "a", "one"));
    assert.deepEqual(departures, []);
    assert.deepEqual(
      said.map((msg) => msg["id"]),
      [undefined, undefined, 8, 9],
    );
    const lost = play([["in", prompt(1, "a", "one")]]);
    await lost.send(prompt(1, "a", "other"));
    assert.equal(lost.departures.length, 1);
  });

  it("an agent tape compares modes, options and, when strict, prompts", async () => {
    const mode = (modeId: string): RowFields => call(3, "session/set_mode", { sessionId: "s", modeId });
    const option = (value: string): RowFields =>
      call(3, "session/set_config_option", { sessionId: "s", configId: "model", value });
    for (const [recorded, other, name] of [
      [mode("plan"), mode("auto"), "modeId"],
      [option("a"), option("b"), "value"],
    ] as const) {
      const { send, departures } = play([["in", recorded]]);
      await send(other);
      const method = String(recorded["method"]);
      assert.deepEqual(departures, [
        `the client departs from the tape: it sent ${method} with another ${name}, the recording has the one it had`,
      ]);
    }
    const loose = play([["in", prompt(1, "one thing")]]);
    await loose.send(prompt(1, "another"));
    assert.deepEqual(loose.departures, []);
    const strict = play([["in", prompt(1, "one thing")]], { isStrict: true });
    await strict.send(prompt(1, "another"));
    assert.match(strict.departures[0] ?? "", /session\/prompt with another prompt/);
  });

  it("an agent tape uses the client's directory and terminal ids, also where streaming has split them", async () => {
    const cut = ["see /home/us", "er/wo", "rk/a.ts"];
    const { said, send, departures } = play(
      [
        ...opening,
        ["in", prompt(3, "look at /home/user/work/b.ts")],
        ...cut.map((text): Line => ["out", says(text)]),
        ["out", call(1, "terminal/create", { sessionId: "s", cwd: "/home/user/work" })],
        ["in", answer(1, { terminalId: "t-recorded" })],
        ["out", call(2, "terminal/release", { sessionId: "s", terminalId: "t-recorded" })],
        ["in", answer(2, null)],
        ["out", answer(3, done)],
      ],
      { isStrict: true },
    );
    await send(openAs((n) => n)[0] ?? {}, call(2, "session/new", { cwd: "/w" }), prompt(3, "look at /w/b.ts"));
    await send(answer(1, { terminalId: "mine" }), answer(2, null));
    assert.deepEqual(departures, []);
    const words = said.flatMap((msg) => /"text":"([^"]*)"/.exec(JSON.stringify(msg))?.[1] ?? []);
    assert.equal(words.join(""), "see /w/a.ts");
    assert.equal(words.length, 3);
    assert.deepEqual(said.at(-2), call(2, "terminal/release", { sessionId: "s", terminalId: "mine" }));
  });

  it("an agent tape answers a line that is no message with an error", async () => {
    const { said, send, departures } = play(asked);
    await send("no json", "[]", "null", '{"id":99,"result":1}', '{"method":"$/cancel_request","params":{}}');
    assert.deepEqual(
      said.map((msg) => [msg["id"], (msg["error"] as RowFields)["code"]]),
      [
        [null, -32700],
        [null, -32700],
        [null, -32700],
      ],
    );
    assert.deepEqual(departures, []);
  });

  it("a request after the end of an agent tape gets an error that says so", async () => {
    const { send, departures, waits } = play(opening);
    await send(...openAs((n) => n), prompt(3));
    assert.equal(waits.at(-1), undefined);
    assert.deepEqual(departures, [
      "the client departs from the tape: it sent session/prompt, the recording has nothing more",
    ]);
  });

  it("an agent tape exits as the recorded agent did, unless that agent only followed its client", async () => {
    const exit = { dir: "exit", t: 9, side: "acp", code: 7, signal: null };
    const { closed, link, send } = play(opening, {}, [exit]);
    await send(...openAs((n) => n));
    assert.deepEqual(closed, ["the recorded agent ended with exit code 7"]);
    assert.equal(link.exitCode(), 7);
    const stays = play(opening, {}, [{ dir: "in", side: "acp", eof: true }, exit]);
    await stays.send(...openAs((n) => n));
    assert.deepEqual(stays.closed, []);
  });

  it("an agent tape keeps the recorded pace, and sends nothing of a turn abandoned meanwhile", async () => {
    const clock = fakeClock();
    const { said, send } = play(
      [
        ["in", prompt(1), 0],
        ["out", says("one"), 100],
        ["out", says("two"), 300],
        ["out", answer(1, done), 400],
      ],
      { after: clock.after },
    );
    await send(prompt(1));
    clock.advance(99);
    await settle();
    assert.equal(said.length, 0);
    clock.advance(1);
    await settle();
    assert.deepEqual(said, [says("one")]);
    await send(tell("session/cancel", { sessionId: "s" }));
    clock.advance(1000);
    await settle();
    assert.deepEqual(said, [says("one"), answer(1, { stopReason: "cancelled" })]);
  });
});
