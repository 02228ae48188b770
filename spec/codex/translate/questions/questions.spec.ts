/**
 * Codex's requests as questions: what the user sees, and what each answer tells Codex.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ToolCallContent, ToolCallUpdate } from "../../../../lib/acp/index.ts";
import { type CodexDecision, planQuestion } from "../../../../lib/codex/translate/index.ts";
import type { PermissionQuestion } from "../../../../lib/engine/index.ts";
import { CodexHarness, command, completed, edit, patch, started, thread } from "../../../support/codex/harness.ts";

const commandMethod = "item/commandExecution/requestApproval";
const patchMethod = "item/fileChange/requestApproval";
const mcpMethod = "mcpServer/elicitation/request";

describe("the approval of a command", () => {
  const asked = { command: "/bin/bash -lc 'touch made.txt'", reason: "May I run this outside the sandbox?" };

  it("the command is the title and the model's reason is shown", () => {
    const { question } = new CodexHarness().askPermission(commandMethod, asked);
    assert.equal(question.toolCall.title, "touch made.txt");
    assert.deepEqual(textsOf(question.toolCall.content), ["May I run this outside the sandbox?"]);
    assert.equal(ToolCallUpdate.read(question.toolCall), question.toolCall);
  });

  it("each answer sends Codex one decision, and nothing is saved in the user's rules", () => {
    const proposed = { proposedExecpolicyAmendment: ["touch"] };
    const { question } = new CodexHarness().askPermission(commandMethod, { ...asked, ...proposed });
    assert.deepEqual(decisions(question), [
      ["allow_once", { decision: "accept" }],
      ["allow_always", { decision: "acceptForSession" }],
      ["reject_once", { decision: "decline" }],
    ]);
    assert.deepEqual(question.rejected, { result: { decision: "decline" }, isAllowed: false });
    assert.deepEqual(question.unanswered, { result: { decision: "cancel" }, isAllowed: false });
  });

  it("a command too long for the title is shown whole", () => {
    const long = `echo ${"x".repeat(400)}`;
    const { question } = new CodexHarness().askPermission(commandMethod, { command: `/bin/bash -lc '${long}'` });
    assert.deepEqual(textsOf(question.toolCall.content), [`\`\`\`sh\n${long}\n\`\`\``]);
  });

  it("hidden characters of a command are marked", () => {
    const { question } = new CodexHarness().askPermission(commandMethod, { command: "echo \u202e safe" });
    assert.match(question.toolCall.title ?? "", /<U\+202E>/);
  });

  it("another directory, more permissions and a host are shown", () => {
    const more = {
      ...asked,
      cwd: "/elsewhere",
      networkApprovalContext: { host: "example.com", protocol: "https" },
      additionalPermissions: { network: { enabled: true }, fileSystem: { write: ["/data"] } },
    };
    const { question } = new CodexHarness().askPermission(commandMethod, more);
    assert.deepEqual(textsOf(question.toolCall.content).slice(1), [
      "Network access to example.com",
      "With network access, write access to /data:",
      `\`\`\`json\n${JSON.stringify(more.additionalPermissions, undefined, 2)}\n\`\`\``,
      "In /elsewhere",
    ]);
    assert.deepEqual(question.toolCall.rawInput, {
      command: "touch made.txt",
      cwd: "/elsewhere",
      host: "example.com",
      additionalPermissions: more.additionalPermissions,
    });
  });

  it("an answer about a host for the session is named after the host, not after the command", () => {
    const codex = new CodexHarness();
    codex.take(started(command("curl https://example.com")));
    const networkApprovalContext = { host: "example.com", protocol: "https" };
    const { question } = codex.askPermission(commandMethod, { command: null, networkApprovalContext });
    const always = question.choices.find(({ option }) => option.kind === "allow_always");
    assert.equal(always?.option.name, "Always allow network access to example.com for every command in this session");
    assert.deepEqual(question.never?.keys, ["reach example.com"]);
  });

  it("an answer for the session is not offered when its label would hide a part of what it allows", () => {
    const codex = new CodexHarness();
    codex.take(started(command("curl https://example.com")));
    const networkApprovalContext = { host: `${"a.".repeat(70)}example.com`, protocol: "https" };
    const { question } = codex.askPermission(commandMethod, { command: null, networkApprovalContext });
    assert.deepEqual(
      question.choices.map(({ option }) => option.kind),
      ["allow_once", "reject_once"],
    );
  });

  it("the command of the request is shown, not that of the item, when they differ", () => {
    const codex = new CodexHarness();
    codex.take(started(command("all of it")));
    const { question } = codex.askPermission(commandMethod, { command: "/bin/bash -lc 'one part'" });
    assert.equal(question.toolCall.title, "one part");
  });
});

describe("the approval of a patch", () => {
  it("the diff of the item is shown, which the request does not have", () => {
    const codex = new CodexHarness();
    const [announced] = codex.take(started(patch([edit])));
    const { question } = codex.askPermission(patchMethod, { reason: null, grantRoot: null });
    assert.ok(announced?.sessionUpdate === "tool_call");
    assert.deepEqual(question.toolCall.content, announced.content);
    assert.deepEqual(question.toolCall.locations, announced.locations);
    assert.equal(question.choices[1]?.option.name, "Always allow changes to a.ts in this session");
  });

  it("a patch that is not known can only be rejected", () => {
    const { question } = new CodexHarness().askPermission(patchMethod, {});
    assert.deepEqual(decisions(question), [["reject_once", { decision: "decline" }]]);
    const empty = new CodexHarness();
    empty.take(started(patch([])));
    assert.equal(empty.askPermission(patchMethod, {}).question.choices.length, 1);
    const unreadable = new CodexHarness();
    unreadable.take(started({ type: "fileChange", changes: [edit, { path: 7 }], status: "inProgress" }));
    assert.equal(unreadable.askPermission(patchMethod, {}).question.choices.length, 1);
  });

  it("an answer after the turn has ended shows nothing", () => {
    const codex = new CodexHarness();
    codex.take(started(patch([edit])));
    const asked = codex.askPermission(patchMethod, {});
    codex.take(completed(patch([edit], "declined")));
    const [allow] = asked.question.choices;
    assert.ok(allow !== undefined);
    assert.deepEqual(asked.settled(allow.decision), []);
  });
});

describe("the approval of an MCP tool", () => {
  const call = (id: string, text: string): object => ({
    type: "mcpToolCall",
    id,
    server: "fake",
    tool: "write",
    arguments: { text, more: { a: 1, b: 2 } },
    status: "inProgress",
  });
  const approval = (text: string, persist: readonly string[] = []): object => ({
    serverName: "fake",
    mode: "form",
    message: 'Allow the fake MCP server to run tool "write"?',
    _meta: { codex_approval_kind: "mcp_tool_call", persist, tool_params: { more: { b: 2, a: 1 }, text } },
  });

  it("the call is found by its arguments, whatever the order of their keys", () => {
    const codex = new CodexHarness();
    codex.take(started(call("m-1", "one")), started(call("m-2", "two")));
    assert.equal(codex.askPermission(mcpMethod, approval("two")).question.toolCall.toolCallId, "m-2");
  });

  it("always is offered for the session only", () => {
    const codex = new CodexHarness();
    codex.take(started(call("m-1", "one")));
    const { question } = codex.askPermission(mcpMethod, approval("one", ["session", "always"]));
    assert.deepEqual(decisions(question), [
      ["allow_once", { action: "accept", content: null, _meta: null }],
      ["allow_always", { action: "accept", content: null, _meta: { persist: "session" } }],
      ["reject_once", { action: "decline", content: null, _meta: null }],
    ]);
    assert.equal(codex.askPermission(mcpMethod, approval("one")).question.choices.length, 2);
  });

  it("a call that has no item begins and ends with its question", () => {
    const codex = new CodexHarness();
    const asked = codex.askPermission(mcpMethod, approval("one"));
    assert.equal(asked.announced.length, 1);
    assert.equal(asked.question.toolCall.title, "fake: write");
    const [end] = asked.settled(asked.question.rejected);
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "failed");
  });
});

describe("the other requests", () => {
  it("permissions are granted as they were asked for, for the turn or the session, or not at all", () => {
    const permissions = { network: { enabled: true }, fileSystem: { write: ["/data"] } };
    const { question } = new CodexHarness().askPermission("item/permissions/requestApproval", { permissions });
    assert.equal(question.toolCall.title, "More permissions: network access, write access to /data");
    assert.deepEqual(decisions(question), [
      ["allow_once", { permissions, scope: "turn" }],
      ["allow_always", { permissions, scope: "session" }],
      ["reject_once", { permissions: {}, scope: "turn" }],
    ]);
    assert.deepEqual(question.unanswered.result, { permissions: {}, scope: "turn" });
  });

  it("an option is answered by its label, a free text as a note, a skipped question not at all", () => {
    const question = (id: string): object => ({ id, header: id, question: `${id}?`, options: [{ label: "Blue" }] });
    const asked = new CodexHarness().ask("item/tool/requestUserInput", {
      questions: [question("a"), question("b"), question("c")],
    });
    assert.ok(asked.kind === "user");
    assert.deepEqual(asked.answerOf({ kind: "answered", answers: { "a?": "Blue", "b?": "pink" } }), {
      answers: { a: { answers: ["Blue"] }, b: { answers: ["user_note: pink"] } },
    });
    assert.deepEqual(asked.answerOf({ kind: "dismissed" }), { answers: {} });
    const [end] = asked.settled({ kind: "cancelled" });
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "failed");
  });

  it("a form of an MCP server is passed on with the server's name, and its answer back", () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const asked = new CodexHarness().ask(mcpMethod, {
      serverName: "fake",
      mode: "form",
      message: "Name?",
      requestedSchema,
    });
    assert.ok(asked.kind === "elicitation");
    assert.deepEqual(asked.question, { kind: "form", message: "fake: Name?", schema: requestedSchema });
    assert.deepEqual(asked.answerOf({ action: "accept", content: { name: "Ada" } }), {
      action: "accept",
      content: { name: "Ada" },
      _meta: null,
    });
    assert.deepEqual(asked.answerOf({ action: "decline" }), { action: "decline", content: null, _meta: null });
  });

  it("a link of an MCP server is passed on", () => {
    const asked = new CodexHarness().ask(mcpMethod, {
      serverName: "fake",
      mode: "url",
      message: "Sign in",
      url: "https://example.com",
      elicitationId: "e-1",
    });
    assert.ok(asked.kind === "elicitation");
    assert.deepEqual(asked.question, { kind: "url", message: "fake: Sign in", url: "https://example.com", id: "e-1" });
  });

  it("a request that is not known is unknown", () => {
    assert.deepEqual(new CodexHarness().ask("item/tool/call", { tool: "x" }), { kind: "unknown" });
  });
});

describe("the question about a plan", () => {
  it("a proposed plan is asked about once, and its answer is a mode", () => {
    const codex = new CodexHarness();
    assert.equal(planQuestion(codex.state), undefined);
    codex.take(completed({ type: "plan", id: "plan", text: "1. Do it" }));
    const asked = planQuestion(codex.state);
    assert.ok(asked !== undefined);
    assert.deepEqual(
      asked.question.choices.map(({ decision }) => decision),
      [{ mode: "acceptEdits" }, { mode: "default" }, { mode: "acceptEdits", freshPlan: "1. Do it" }, undefined],
    );
    const [end] = asked.settled({ mode: "default" });
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.title === "Plan approved");
    assert.equal(planQuestion(codex.state), undefined);
  });
});

describe("a request of a subagent", () => {
  it("a permission without an item is below the agent's call", () => {
    const codex = new CodexHarness();
    codex.state.agents.set("child-1", "agent-1");
    const asked = codex.askPermission("item/permissions/requestApproval", { threadId: "child-1", permissions: {} });
    const [announced] = asked.announced;
    assert.ok(announced?.sessionUpdate === "tool_call");
    assert.deepEqual(announced._meta?.["claudeCode"], { toolName: "request_permissions", parentToolUseId: "agent-1" });
    assert.notEqual(codex.state.threadId, "child-1");
    assert.equal(codex.state.threadId, thread);
  });
});

function decisions(question: PermissionQuestion<CodexDecision>): readonly unknown[] {
  return question.choices.map(({ option, decision }) => [option.kind, decision.result]);
}

function textsOf(content: readonly ToolCallContent[] | null | undefined): readonly string[] {
  return (content ?? []).flatMap((one) =>
    one.type === "content" && one.content.type === "text" ? [one.content.text] : [],
  );
}
