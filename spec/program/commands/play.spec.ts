/**
 * `bowline play`: every step of a script does what it says on the wire.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { client, type ClientConnection, memoryPair } from "../../../lib/index.ts";
import { Script, type ScriptStep } from "../../../lib/program/play/script.ts";
import { scriptedAgent } from "../../../lib/program/play/scripted-agent.ts";
import { bowline as inProcess } from "../../support/program/fake-terminal.ts";
import { bowline, run, scratch } from "../../support/program/run-program.ts";
import { editor } from "../../support/program/editor-client.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const place = scratch();

interface Played {
  readonly agent: ClientConnection;
  readonly updates: readonly unknown[];
  readonly written: ReadonlyMap<string, string>;
  readonly crashes: readonly (number | string)[];
  readonly clock: FakeClock;
  readonly prompt: (text?: string) => Promise<string>;
  readonly cancel: () => void;
}

async function playing(turns: readonly (readonly ScriptStep[])[], answer?: string): Promise<Played> {
  return playingScript({ turns: turns.map((steps) => ({ do: steps })) }, answer);
}

async function playingScript(script: Script, answer = "allow"): Promise<Played> {
  assert.equal(Script.read(script), script);
  const [near, far] = memoryPair();
  const clock = fakeClock();
  const updates: unknown[] = [];
  const written = new Map<string, string>();
  const crashes: (number | string)[] = [];
  let ids = 0;
  scriptedAgent({
    link: far,
    script,
    version: "1",
    after: clock.after,
    newId: () => `s${++ids}`,
    crash: (how) => crashes.push(how),
    report: () => {},
  });
  const agent = await client(near, {
    info: { name: "spec", version: "1" },
    handlers: () => ({
      "session/update": ({ update }) => void updates.push(update),
      "session/request_permission": () => ({
        outcome: answer === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer },
      }),
      "fs/read_text_file": ({ path }) => ({ content: `text of ${path}` }),
      "fs/write_text_file": ({ path, content }) => void written.set(path, content),
    }),
  });
  const { sessionId } = await agent.call("session/new", { cwd: "/project", mcpServers: [] });
  return {
    agent,
    updates,
    written,
    crashes,
    clock,
    prompt: (text = "go") =>
      agent.prompt({ sessionId, prompt: [{ type: "text", text }] }).then(
        ({ stopReason }) => stopReason,
        (cause: unknown) => String(cause),
      ),
    cancel: () => agent.cancel(sessionId),
  };
}

const texts = (updates: readonly unknown[]): string =>
  updates.map((one) => JSON.stringify(one).match(/"text":"([^"]*)"/)?.[1] ?? "").join("|");

describe("the steps of a script", () => {
  it("a script says, thinks and plans, in chunks if asked", async () => {
    const { prompt, updates } = await playing([
      [{ think: "hm" }, { say: { text: "abcd", chunks: 2 } }, { plan: [{ content: "one", status: "completed" }] }],
    ]);
    assert.equal(await prompt(), "end_turn");
    assert.equal(texts(updates), "hm|ab|cd|");
    assert.deepEqual(updates.at(-1), {
      sessionUpdate: "plan",
      entries: [{ content: "one", priority: "medium", status: "completed" }],
    });
  });

  it("a tool step reports the call with its diff, its place and its end", async () => {
    const { prompt, updates } = await playing([
      [{ tool: { title: "Edit a.txt", diff: { path: "a.txt", old: "1", new: "2" }, output: "done" } }],
    ]);
    await prompt();
    const [first, last] = updates as Readonly<Record<string, unknown>>[];
    assert.deepEqual(first?.["content"], [{ type: "diff", path: "/project/a.txt", oldText: "1", newText: "2" }]);
    assert.deepEqual(first?.["locations"], [{ path: "/project/a.txt" }]);
    assert.deepEqual([first?.["kind"], first?.["status"], last?.["status"]], ["edit", "in_progress", "completed"]);
  });

  it("a question branches on the id or the kind of the answer, and on a cancelled one", async () => {
    const steps: readonly ScriptStep[] = [
      {
        ask: {
          title: "rm -rf",
          kind: "execute",
          on: {
            allow: [{ say: "yes" }],
            reject_once: [{ say: "no" }, { stop: "refusal" }],
            cancelled: [{ say: "gone" }],
          },
        },
      },
    ];
    for (const [answer, said, stop] of [
      ["allow", "yes", "end_turn"],
      ["reject", "no", "refusal"],
      ["cancelled", "gone", "cancelled"],
    ] as const) {
      const { prompt, updates } = await playing([steps], answer);
      assert.equal(await prompt(), stop);
      assert.match(texts(updates), new RegExp(`${said}$`));
    }
  });

  it("files are read and written through the client, and what was read can be said", async () => {
    const { prompt, written, updates } = await playing([
      [
        { read: { path: "in.txt", as: "found" } },
        { write: { path: "/out.txt", text: "${found}!" } },
        { say: "${prompt} ${nothing}" },
      ],
    ]);
    await prompt("hello");
    assert.deepEqual([...written], [["/out.txt", "text of /project/in.txt!"]]);
    assert.equal(texts(updates), "hello ${nothing}");
  });

  it("a turn fails with the code and the message of the script", async () => {
    const { prompt } = await playing([[{ fail: "broken" }], [{ fail: { code: -32000, message: "sign in" } }]]);
    assert.match(await prompt(), /broken/);
    assert.match(await prompt(), /sign in/);
    assert.match(await prompt(), /the script has no turn for this prompt/);
  });

  it("a wait ends when the turn is cancelled, a hang does not", async () => {
    const { prompt, cancel, clock } = await playing([[{ wait: 60 }, { say: "never" }], [{ hang: 60 }]]);
    const waited = prompt();
    await new Promise(setImmediate);
    cancel();
    assert.equal(await waited, "cancelled");
    const hung = prompt();
    await new Promise(setImmediate);
    cancel();
    await new Promise(setImmediate);
    assert.equal(clock.pending(), 1);
    clock.advance(60_000);
    assert.equal(await hung, "cancelled");
  });

  it("a turn is chosen by the text of the prompt, and may repeat", async () => {
    const { prompt, updates } = await playingScript({
      turns: [{ when: "again", repeat: true, do: [{ say: "A" }] }, { do: [{ say: "B" }] }],
    });
    await prompt("once");
    await prompt("again");
    await prompt("and again");
    assert.equal(texts(updates), "B|A|A");
  });

  it("a flood sends every update", async () => {
    const { prompt, updates } = await playing([[{ flood: { updates: 5000, chars: 10 } }]]);
    await prompt();
    assert.equal(updates.length, 5000);
  });

  it("a crash is asked of the process", async () => {
    const { prompt, crashes } = await playing([[{ crash: "SIGKILL" }]]);
    void prompt();
    await new Promise(setImmediate);
    assert.deepEqual(crashes, ["SIGKILL"]);
  });
});

function script(name: string, turns: readonly (readonly ScriptStep[])[]): string {
  const path = join(place, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(path, JSON.stringify({ turns: turns.map((steps) => ({ do: steps })) }));
  return path;
}

describe("bowline play", () => {
  it("bowline play serves the script, and ends when the client leaves even if a step hangs", async () => {
    const { work, lines, agent } = await editor(
      bowline(["play", script("hang.json", [[{ say: "hi" }], [{ hang: "forever" }]])]),
    );
    assert.deepEqual(await work(place, "one"), ["end_turn"]);
    assert.ok(lines.some((line) => line.includes('"text":"hi"')));
    const { sessionId } = await agent.call("session/new", { cwd: place, mcpServers: [] });
    const hung = agent.prompt({ sessionId, prompt: [] }).catch(() => "gone");
    agent.close("the spec leaves");
    assert.equal(await hung, "gone");
    await agent.closed;
  });

  it("bowline play crashes with the exit code, drops the connection and sends invalid lines as the script says", async () => {
    const crashed = await editor(bowline(["play", script("crash.json", [[{ crash: 3 }]])]));
    assert.match((await crashed.work(place, "x"))[0] ?? "", /exited with code 3/);
    const dropped = await editor(bowline(["play", script("drop.json", [[{ say: "a" }, { drop: true }]])]));
    assert.match((await dropped.work(place, "x"))[0] ?? "", /exited with code 0|closed/);
    const invalid = await editor(
      bowline([
        "play",
        script("raw.json", [
          [{ send: "{not json" }, { send: { jsonrpc: "2.0", method: "session/update", params: {} } }],
        ]),
      ]),
    );
    assert.deepEqual(await invalid.work(place, "x"), ["end_turn"]);
    assert.ok(invalid.lines.includes("{not json"));
    await invalid.leave();
  });

  it("bowline play --check names every problem with its line and starts nothing", async () => {
    const path = join(place, "bad.json");
    writeFileSync(
      path,
      '{"turns": [{"do": [\n{"ask": {"title": "t", "on": {"maybe": []}}},\n{"stop": "end_turn"},\n{"say": "x"}]}]}',
    );
    const { code, stderr } = await inProcess(["play", "--check", path]);
    assert.equal(code, 1);
    assert.deepEqual(stderr.split("\n").slice(0, 2), [
      `${path}:2: turns.0.do.0.ask.on.maybe must be one of cancelled, allow, allow_once, reject, reject_once`,
      `${path}:4: turns.0.do.2 is never reached`,
    ]);
    assert.equal((await inProcess(["play", "--check", script("good.json", [[{ say: "x" }]])])).code, 0);
    assert.equal((await inProcess(["play"])).code, 2);
  });

  it("the published schema of scripts is the one that bowline play --schema prints", async () => {
    const { stdout } = await inProcess(["play", "--schema"]);
    assert.equal(stdout, readFileSync("docs/schemas/play.schema.json", "utf8"));
  });

  it("bowline play with faults doubles, cuts and dies as its options say", async () => {
    const many = script("many.json", [[{ flood: { updates: 200, chars: 5 } }]]);
    const doubled = await editor(bowline(["play", "--duplicate", "100%", script("one.json", [[{ say: "twice" }]])]));
    assert.deepEqual(await doubled.work(place, "x"), ["end_turn"]);
    assert.equal(doubled.lines.filter((line) => line.includes("twice")).length, 2);
    await doubled.leave();
    const dead = run(["play", "--die-after", "1", many]);
    dead.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    await dead.says('"id":1');
    dead.child.stdin.write(
      `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":${JSON.stringify(place)},"mcpServers":[]}}\n`,
    );
    assert.equal((await dead.ended).signal, "SIGKILL");
    const cut = run(["play", "--cut-after", "0", many]);
    cut.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    const { stdout } = await cut.ended;
    assert.ok(stdout.length > 10 && !stdout.includes(0x0a));
  });
});
