/**
 * `bowline guard` on the wire: what reaches the editor, what reaches the agent, what is logged.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import type { LoggedDecision } from "../../../lib/program/guard/decision-log.ts";
import type { Fields } from "../../../lib/schema/index.ts";
import { guard } from "../../../lib/program/guard/guard.ts";
import type { Policy } from "../../../lib/program/guard/policy.ts";
import { bowline, scratch } from "../../support/program/run-program.ts";
import { bowline as inProcess } from "../../support/program/fake-terminal.ts";
import { editor } from "../../support/program/editor-client.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const place = scratch();
const options = [
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "n", name: "No", kind: "reject_once" },
];
const policy: Policy = {
  rules: [
    { effect: "allow", command: "ls *" },
    { effect: "deny", command: "rm *" },
    { effect: "deny", path: "/secret/**" },
  ],
  timeout: 60,
};

function guarded(given = policy, isLogging = true) {
  const [editorEnd, editorLink] = memoryPair();
  const [agentEnd, agentLink] = memoryPair();
  const clock = fakeClock();
  const logged: LoggedDecision[] = [];
  const atEditor: Fields[] = [];
  const atAgent: Fields[] = [];
  const log = { path: "", close: () => {}, append: (one: LoggedDecision) => isLogging && logged.push(one) > 0 };
  void guard({ editor: editorLink, agent: agentLink, policy: given, log, after: clock.after, report: () => {} });
  listen(editorEnd, atEditor);
  listen(agentEnd, atAgent);
  return {
    clock,
    atEditor,
    atAgent,
    decisions: () => logged.map(({ decision, by }) => `${decision} by ${by}`),
    fromAgent: (message: Fields | string) => sent(agentEnd, message),
    fromEditor: (message: Fields) => sent(editorEnd, message),
  };
}

function listen(link: Link, into: Fields[]): void {
  link.open({
    onLine: (line) => into.push(JSON.parse(line)),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => {},
    onClose: () => {},
  });
}

async function sent(link: Link, message: Fields | string): Promise<void> {
  link.send(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }));
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}

const permission = (id: number, command: string, more: Fields = {}): Fields => ({
  id,
  method: "session/request_permission",
  params: {
    sessionId: "s",
    toolCall: { toolCallId: `c${id}`, kind: "execute", rawInput: { command } },
    options,
    ...more,
  },
});
const chosen = (id: number, optionId: string): Fields => ({
  jsonrpc: "2.0",
  id,
  result: { outcome: { outcome: "selected", optionId } },
});

describe("guard", () => {
  it("allowed and denied requests are answered once and never reach the editor; the rest is asked there", async () => {
    const { fromAgent, fromEditor, atAgent, atEditor, decisions } = guarded();
    await fromAgent(permission(1, "ls -l"));
    await fromAgent(permission(2, "rm -rf x"));
    assert.deepEqual(atAgent, [chosen(1, "y"), chosen(2, "n")]);
    assert.deepEqual(atEditor, []);
    await fromAgent(permission(3, "make"));
    assert.equal(atEditor[0]?.["id"], 3);
    await fromEditor(chosen(3, "y"));
    assert.deepEqual(atAgent[2], chosen(3, "y"));
    assert.deepEqual(decisions(), ["allow by rule 1", "deny by rule 2", "ask by otherwise", "allow by editor"]);
  });

  it("a relative path in the text of a patch is below the directory of the session", async () => {
    const { fromAgent, fromEditor, atAgent, decisions } = guarded();
    await fromEditor({ id: 1, method: "session/load", params: { sessionId: "s", cwd: "/secret" } });
    const rawInput = { patchText: "*** Begin Patch\n*** Update File: key\n@@\n-a\n+b\n*** End Patch" };
    const toolCall = { toolCallId: "c2", kind: "edit", locations: [{ path: "/open/a" }], rawInput };
    await fromAgent(permission(2, "", { toolCall }));
    assert.deepEqual(atAgent.at(-1), chosen(2, "n"));
    assert.deepEqual(decisions(), ["deny by rule 3"]);
  });

  it("a question that the editor does not answer in time is denied, and the late answer goes nowhere", async () => {
    const { fromAgent, fromEditor, atAgent, atEditor, clock, decisions } = guarded();
    await fromAgent(permission(1, "make"));
    clock.advance(60_000);
    await fromEditor(chosen(1, "y"));
    assert.deepEqual(atAgent, [chosen(1, "n")]);
    assert.equal(atEditor[1]?.["method"], "$/cancel_request");
    assert.deepEqual(decisions(), ["ask by otherwise", "deny by timeout"]);
  });

  it("a question that is for the user is not answered by a rule for tools", async () => {
    const allowing: Policy = { rules: [{ effect: "allow", kind: "other" }] };
    for (const given of [allowing, { ...allowing, otherwise: "deny" }] satisfies readonly Policy[]) {
      const { fromAgent, atEditor, atAgent } = guarded(given);
      const toolCall = { toolCallId: "configuration-1", title: "Let Claude go on", kind: "other" };
      const ask = (id: number, _meta: object): unknown =>
        fromAgent({
          jsonrpc: "2.0",
          id,
          method: "session/request_permission",
          params: { sessionId: "s", toolCall: { ...toolCall, toolCallId: `c${id}`, _meta }, options },
        });
      await ask(1, {});
      assert.equal(atEditor.length, 0, "the rule holds for tools");
      await ask(2, { bowline: { forUser: true } });
      assert.equal(atEditor.length, given.otherwise === "deny" ? 0 : 1);
      assert.match(JSON.stringify(atAgent), /"id":1,"result":\{"outcome":\{"outcome":"selected","optionId":"y"/);
      assert.doesNotMatch(JSON.stringify(atAgent), /"id":2,"result":\{"outcome":\{"outcome":"selected","optionId":"y"/);
    }
  });

  it("an agent that offers only to allow always is asked about in the editor", async () => {
    const { fromAgent, atAgent, atEditor } = guarded();
    await fromAgent(permission(1, "ls", { options: [{ optionId: "a", name: "Always", kind: "allow_always" }] }));
    assert.deepEqual([atAgent.length, atEditor.length], [0, 1]);
    await fromAgent(permission(2, "rm x", { options: [] }));
    assert.deepEqual(atAgent[0]?.["result"], { outcome: { outcome: "cancelled" } });
  });

  it("a request for a file of the editor is passed on, refused, or asked about first", async () => {
    const { fromAgent, fromEditor, atAgent, atEditor } = guarded();
    const write = (id: number, path: string): Fields => ({
      id,
      method: "fs/write_text_file",
      params: { sessionId: "s", path, content: "" },
    });
    await fromAgent(write(1, "/secret/a"));
    assert.equal((atAgent[0]?.["error"] as Fields | undefined)?.["code"], -32_600);
    await fromAgent(write(2, "/other"));
    const [question] = atEditor;
    assert.equal(question?.["method"], "session/request_permission");
    await fromEditor({ id: question?.["id"], result: { outcome: { outcome: "selected", optionId: "allow" } } });
    assert.equal(atEditor[1]?.["method"], "fs/write_text_file");
    await fromEditor({ id: 2, result: {} });
    assert.deepEqual(atAgent[1], { jsonrpc: "2.0", id: 2, result: {} });
    await fromAgent(write(3, "/other"));
    await fromEditor({ id: atEditor[2]?.["id"], result: { outcome: { outcome: "cancelled" } } });
    assert.equal((atAgent[2]?.["error"] as Fields | undefined)?.["code"], -32_600);
  });

  const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } };
  const reported = (status: string, more: Fields = {}): Fields => {
    const told = { toolCallId: "c1", title: "t", kind: "execute", rawInput: { command: "rm x" }, ...more };
    return {
      method: "session/update",
      params: { sessionId: "s", update: { sessionUpdate: "tool_call_update", status, ...told } },
    };
  };

  it("a turn that runs a denied tool without asking is cancelled, at once when the call has ended", async () => {
    const { fromAgent, atAgent, atEditor, decisions, clock } = guarded();
    await fromAgent(reported("in_progress"));
    clock.advance(999);
    assert.deepEqual(atAgent, []);
    clock.advance(1);
    await fromAgent(reported("in_progress"));
    assert.deepEqual(atAgent, [cancel]);
    assert.equal(atEditor.length, 2);
    await fromAgent(reported("completed", { toolCallId: "c2" }));
    await fromAgent(reported("in_progress", { toolCallId: "c3" }));
    await fromAgent(reported("failed", { toolCallId: "c3" }));
    assert.deepEqual(atAgent, [cancel, cancel, cancel]);
    assert.deepEqual(decisions(), ["cut by rule 2", "cut by rule 2", "cut by rule 2"]);
  });

  it("a denied call that is reported as running before or after its question ends without a cancelled turn", async () => {
    const { fromAgent, atAgent, decisions, clock } = guarded();
    await fromAgent(reported("in_progress"));
    clock.advance(500);
    await fromAgent(permission(1, "rm x"));
    await fromAgent(reported("in_progress"));
    clock.advance(900);
    await fromAgent(reported("failed"));
    clock.advance(60_000);
    assert.deepEqual(atAgent, [chosen(1, "n")]);
    assert.deepEqual(decisions(), ["deny by rule 2"]);
  });

  it("a call that goes on after its denial is cut, also when it asks again or its turn ends", async () => {
    const { fromAgent, fromEditor, atAgent, clock } = guarded();
    await fromAgent(permission(1, "rm x"));
    await fromAgent(reported("in_progress"));
    clock.advance(600);
    await fromAgent(permission(1, "rm x"));
    clock.advance(600);
    await fromAgent(reported("in_progress"));
    assert.deepEqual(atAgent, [chosen(1, "n"), chosen(1, "n"), cancel]);
    await fromEditor({ id: 7, method: "session/prompt", params: { sessionId: "s" } });
    await fromAgent(reported("in_progress", { toolCallId: "c9" }));
    await fromAgent({ id: 7, result: { stopReason: "end_turn" } });
    assert.deepEqual(atAgent.at(-1), cancel);
  });

  it("a batch and a line that is no JSON never reach the editor, and repeated keys are read once for both", async () => {
    const { fromAgent, atEditor, atAgent } = guarded();
    await fromAgent(JSON.stringify([{ jsonrpc: "2.0", ...permission(1, "rm x") }]));
    await fromAgent("{broken");
    await fromAgent(
      '{"jsonrpc":"2.0","id":5,"method":"session/update","method":"session/request_permission","params":{"toolCall":{"kind":"execute","rawInput":{"command":"rm x"}},"options":[]}}',
    );
    assert.deepEqual(atEditor, []);
    assert.equal(atAgent.length, 1);
  });

  it("a decision that cannot be logged is a denial", async () => {
    const { fromAgent, atAgent } = guarded(policy, false);
    await fromAgent(permission(1, "ls"));
    assert.deepEqual(atAgent, [chosen(1, "n")]);
  });

  it("a permission request takes what it leaves out from the tool call it refers to", async () => {
    const { fromAgent, atAgent } = guarded();
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "c9",
      title: "t",
      kind: "execute",
      status: "pending",
      rawInput: { command: "rm x" },
    };
    await fromAgent({ method: "session/update", params: { sessionId: "s", update } });
    await fromAgent({
      id: 9,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "c9" }, options },
    });
    assert.deepEqual(atAgent, [chosen(9, "n")]);
  });

  it("a permission request takes nothing from a call of another session, or from one that has ended", async () => {
    const { fromAgent, fromEditor, atAgent, decisions } = guarded();
    const told = { kind: "execute", rawInput: { command: "ls" } };
    const call = (sessionId: string, toolCallId: string, more: Fields): Promise<void> =>
      fromAgent({ method: "session/update", params: { sessionId, update: { toolCallId, ...more } } });
    const ask = (id: number, sessionId: string, toolCallId: string): Promise<void> =>
      fromAgent({
        id,
        method: "session/request_permission",
        params: { sessionId, toolCall: { toolCallId, title: "Delete all of it" }, options },
      });
    await call("a", "c1", { sessionUpdate: "tool_call", status: "pending", ...told });
    await ask(1, "b", "c1");
    await call("a", "c1", { sessionUpdate: "tool_call_update", status: "completed" });
    await ask(2, "a", "c1");
    await fromEditor({ id: 7, method: "session/prompt", params: { sessionId: "a", prompt: [] } });
    await call("a", "c2", { sessionUpdate: "tool_call", status: "pending", ...told });
    await fromAgent({ id: 7, result: { stopReason: "end_turn" } });
    await ask(3, "a", "c2");
    await call("a", "c3", { sessionUpdate: "tool_call", status: "pending", ...told });
    await call("a", "c3", { sessionUpdate: "tool_call", status: "pending", kind: "execute" });
    await ask(4, "a", "c3");
    assert.deepEqual(
      atAgent.filter((message) => message["result"] !== undefined),
      [],
      "none is allowed by the rule",
    );
    assert.deepEqual(new Set(decisions().map((one) => one.split(" ")[0])), new Set(["ask"]));
  });

  it("an agent cannot have its own question answered for a file that the guard asks about", async () => {
    const { fromAgent, fromEditor, atEditor } = guarded();
    const guesses = ["bowline-guard-1", "bowline-guard-2"];
    for (const id of guesses)
      await fromAgent({
        id,
        method: "session/request_permission",
        params: {
          sessionId: "s",
          toolCall: { toolCallId: id, title: "Harmless", kind: "other" },
          options: [{ optionId: "allow", name: "Yes", kind: "allow_once" }],
        },
      });
    await fromAgent({ id: 5, method: "fs/write_text_file", params: { sessionId: "s", path: "/x", content: "" } });
    for (const id of guesses) await fromEditor({ id, result: { outcome: { outcome: "selected", optionId: "allow" } } });
    assert.deepEqual(
      atEditor.map(({ method }) => method),
      Array(3).fill("session/request_permission"),
    );
  });

  it("a line that is nested too deeply is not passed on, and the next one is", async () => {
    const { fromAgent, fromEditor, atEditor, atAgent, decisions } = guarded();
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    await fromAgent(`{"jsonrpc":"2.0","method":"session/update","params":${deep}}`);
    await fromAgent(`{"jsonrpc":"2.0","id":${deep},"method":"fs/read_text_file","params":{}}`);
    assert.deepEqual([atEditor, decisions().length], [[], 2]);
    await fromAgent({ jsonrpc: "2.0", method: "_x" });
    await fromEditor({ jsonrpc: "2.0", method: "_y" });
    assert.deepEqual([atEditor.length, atAgent.length], [1, 1]);
  });

  it("a request for a file or a terminal without an id is not passed on", async () => {
    const { fromAgent, atEditor, atAgent, decisions } = guarded();
    await fromAgent({ method: "fs/write_text_file", params: { sessionId: "s", path: "/x", content: "" } });
    await fromAgent({ method: "terminal/create", params: { sessionId: "s", command: "ls" } });
    await fromAgent({ method: "_other/notification", params: {} });
    assert.deepEqual(
      atEditor.map(({ method }) => method),
      ["_other/notification"],
    );
    assert.deepEqual(atAgent, []);
    assert.deepEqual(decisions(), Array(2).fill("deny by a request without an id"));
  });
});

describe("bowline guard", () => {
  it("bowline guard decides for a scripted agent and logs to a file that only the owner can read", async () => {
    const path = (name: string, value: unknown): string => {
      writeFileSync(join(place, name), JSON.stringify(value));
      return join(place, name);
    };
    const ask = (command: string, said: string): Fields => ({
      ask: {
        title: command,
        kind: "execute",
        input: { command },
        on: { allow: [{ say: said }] },
        otherwise: [{ say: "no" }],
      },
    });
    const script = path("s.json", {
      turns: [{ do: [ask("ls", "listed"), ask("rm sk-ant-api03-abcdefghijklmnopqrstuvwxyz", "removed")] }],
    });
    const log = join(place, "log.ndjson");
    const agent = bowline(["play", script]);
    const { work, lines, leave } = await editor(
      bowline(["guard", "--policy", path("p.json", policy), "--log", log, "--", ...agent]),
    );
    assert.deepEqual(await work(place, "go"), ["end_turn"]);
    assert.equal(lines.filter((line) => line.includes("session/request_permission")).length, 0);
    assert.match(lines.join("\n"), /listed[^]*"no"/);
    await leave();
    const text = readFileSync(log, "utf8");
    assert.deepEqual(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).decision),
      ["allow", "deny"],
    );
    assert.doesNotMatch(text, /abcdefghijklmnop/);
    assert.equal(statSync(log).mode & 0o777, 0o600);
  });

  it("the published schema of policies is the one that bowline guard --schema prints", async () => {
    const { stdout } = await inProcess(["guard", "--schema"]);
    assert.equal(stdout, readFileSync("docs/schemas/guard.schema.json", "utf8"));
  });
});
