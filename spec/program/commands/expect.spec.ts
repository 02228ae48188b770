/**
 * `bowline expect`: judges recordings and live runs, and never takes silence for success.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkExpectations, type Expectations } from "../../../lib/program/expect/expectations.ts";
import { runFacts } from "../../../lib/program/expect/run-facts.ts";
import { junitXml } from "../../../lib/program/junit.ts";
import { readRows } from "../../../lib/tape/index.ts";
import { bowline as inProcess } from "../../support/program/fake-terminal.ts";
import { bowline, run, scratch } from "../../support/program/run-program.ts";

const place = scratch();

function file(name: string, value: unknown): string {
  const path = join(place, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

type Message = Readonly<Record<string, unknown>>;
const update = (of: Message): Message => ({ method: "session/update", params: { sessionId: "s", update: of } });
const messages: readonly (readonly ["in" | "out", number, Message])[] = [
  ["in", 0, { id: 1, method: "session/prompt", params: { sessionId: "s", prompt: [] } }],
  [
    "out",
    10,
    update({ sessionUpdate: "tool_call", toolCallId: "a", title: "Read a.ts", kind: "read", status: "completed" }),
  ],
  [
    "out",
    20,
    update({
      sessionUpdate: "tool_call",
      toolCallId: "b",
      title: "Edit b.ts",
      kind: "edit",
      status: "pending",
      content: [{ type: "diff", path: "/p/src/b.ts", newText: "" }],
    }),
  ],
  [
    "out",
    30,
    {
      id: 7,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "b" }, options: [{ optionId: "y", kind: "allow_once" }] },
    },
  ],
  ["in", 40, { id: 7, result: { outcome: { outcome: "selected", optionId: "y" } } }],
  ["out", 50, update({ sessionUpdate: "tool_call_update", toolCallId: "b", status: "completed" })],
  ["out", 60, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "All " } })],
  ["out", 61, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "done" } })],
  [
    "out",
    70,
    update({ sessionUpdate: "usage_update", used: 1200, size: 10_000, cost: { amount: 0.5, currency: "USD" } }),
  ],
  ["out", 2000, { id: 1, result: { stopReason: "end_turn" } }],
];
const tape = messages.map(([dir, t, msg]) => JSON.stringify({ dir, t, side: "acp", msg })).join("\n");
const facts = runFacts(readRows(tape));

function failed(expected: Expectations, of = facts): readonly string[] {
  return checkExpectations(expected, of).flatMap(({ name, status, why }) =>
    status === "fail" ? [`${name}: ${why}`] : [],
  );
}

describe("runFacts", () => {
  it("a tape tells tools, files, permissions, stop reasons, tokens, cost, time and text", () => {
    assert.deepEqual(
      facts.toolCalls.map(({ title, status }) => `${title} ${status}`),
      ["Read a.ts completed", "Edit b.ts completed"],
    );
    assert.deepEqual(facts.filesChanged, ["/p/src/b.ts"]);
    assert.deepEqual(facts.permissions, [{ title: "Edit b.ts", kind: "edit", name: "", answer: "allow_once" }]);
    assert.deepEqual(
      [facts.stops, facts.tokens, facts.cost, facts.seconds, facts.text],
      [["end_turn"], 1200, 0.5, 2, "All done"],
    );
  });
});

describe("checkExpectations", () => {
  it("expectations that are met pass", () => {
    const met: Expectations = {
      tools: ["read", "Edit b.ts"],
      noTools: ["execute"],
      files: ["src/b.ts", "*.ts"],
      noFiles: ["*.lock"],
      permissions: ["edit"],
      maxPermissions: 1,
      stop: "end_turn",
      maxTokens: 1200,
      maxCost: 0.5,
      maxSeconds: 2,
      says: ["^All done$"],
      never: ["sk-ant-"],
    };
    assert.deepEqual(failed(met), []);
    assert.equal(checkExpectations(met, facts).length, 13);
  });

  it("each expectation that is not met fails with its own reason", () => {
    assert.deepEqual(failed({ tools: ["edit", "read"] }), ["tools: edit, read: read is not called after edit"]);
    assert.deepEqual(failed({ noTools: ["edit"], files: ["c.ts"], noFiles: ["b.ts"] }).length, 3);
    assert.deepEqual(failed({ files: ["rc/b.ts"] }).length, 1);
    assert.deepEqual(failed({ permissions: ["edit", "edit"], maxPermissions: 0 }).length, 2);
    assert.deepEqual(failed({ stop: ["end_turn", "refusal"] }).length, 1);
    assert.deepEqual(failed({ maxTokens: 1, maxCost: 0.1, maxSeconds: 1 }).length, 3);
    assert.deepEqual(failed({ says: ["nothing"], never: ["All done", "a\\.ts"] }).length, 3);
  });

  it("an expectation about a value that the run does not report is not met", () => {
    const nothing = runFacts([]);
    assert.deepEqual(failed({ maxTokens: 1, maxCost: 1, stop: "end_turn" }, nothing), [
      "stops with end_turn: the run has no prompt",
      "at most 1 token: the run does not tell its tokens",
      "at most 1 cost: the run does not tell its cost",
    ]);
    assert.deepEqual(runFacts(readRows(tape.split("\n").slice(0, 1).join("\n"))).stops, ["unanswered"]);
  });
});

describe("junitXml", () => {
  it("junitXml escapes every text and counts failures and skips", () => {
    const xml = junitXml("a<b", [
      { group: "g", name: '"x" & <y>\u0000\n', status: "fail", why: "<w>" },
      { group: "g", name: "ok", status: "pass" },
      { group: "g", name: "later", status: "not run", why: "off" },
    ]);
    assert.match(xml, /tests="3" failures="1" skipped="1"/);
    assert.match(xml, /name="&quot;x&quot; &amp; &lt;y&gt;\ufffd "><failure message="&lt;w&gt;"\/>/);
    assert.match(xml, /<skipped message="off"\/>/);
  });
});

describe("bowline expect", () => {
  it("bowline expect judges a tape as text, JSON and JUnit, and its exit code is for CI", async () => {
    const path = file("tape.ndjson", tape);
    const junit = join(place, "out.xml");
    const good = await inProcess([
      "expect",
      path,
      "--expect",
      file("good.json", { tools: ["read"] }),
      "--junit",
      junit,
    ]);
    assert.deepEqual([good.code, good.stdout], [0, "ok    tools: read\n"]);
    assert.match(readFileSync(junit, "utf8"), /<testcase classname="expect" name="tools: read"\/>/);
    const bad = await inProcess(["expect", path, "--json", "--expect", file("bad.json", { noTools: ["read"] })]);
    assert.deepEqual([bad.code, JSON.parse(bad.stdout).isMet], [1, false]);
    const wrong = await inProcess(["expect", path, "--expect", file("wrong.json", '{\n"tols": []}')]);
    assert.deepEqual([wrong.code, /wrong.json:2: tols is not a field here/.test(wrong.stderr)], [1, true]);
    assert.equal((await inProcess(["expect", path])).code, 2);
    const pattern = await inProcess(["expect", path, "--expect", file("re.json", { never: ["("] })]);
    assert.match(pattern.stderr, /never.0 must be a regular expression/);
  });

  it("bowline expect runs an agent, answers its permissions and judges the run", async () => {
    const script = file("s.json", {
      turns: [{ do: [{ ask: { title: "Edit x", kind: "edit", on: { allow: [{ say: "did it" }] } } }] }],
    });
    const expected = file("live.json", { permissions: ["Edit x"], says: ["did it"], stop: "end_turn" });
    const live = ["expect", "--expect", expected, "--prompt", "go", "--cwd", place];
    const agent = ["--", ...bowline(["play", script])];
    assert.equal((await run([...live, "--allow", ...agent]).ended).code, 0);
    const denied = await run([...live, ...agent]).ended;
    assert.equal(denied.code, 1);
    assert.match(denied.stdout.toString(), /FAIL {2}says \/did it\//);
  });

  it("bowline check --junit writes its findings", async () => {
    const junit = join(place, "check.xml");
    const script = file("empty.json", { turns: [] });
    const checked = run([
      "check",
      "--no-prompt",
      "--only",
      "initialize",
      "--junit",
      junit,
      "--",
      ...bowline(["play", script]),
    ]);
    assert.equal((await checked.ended).code, 0);
    assert.match(readFileSync(junit, "utf8"), /<testsuite name="bowline check" tests="\d+" failures="0"/);
  });

  it("the published schema of expectations is the one that bowline expect --schema prints", async () => {
    const { stdout } = await inProcess(["expect", "--schema"]);
    assert.equal(stdout, readFileSync("docs/schemas/expect.schema.json", "utf8"));
  });
});
