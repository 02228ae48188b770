/**
 * Live specs of what the user decides beside yes and no, with the real Codex: rejections
 * with a reason, rejections for the session, and a plan in a cleared conversation.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { answer, callItem, escalate, patch, say } from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";

const remove = { remove: [escalate("rm -r made", "May I?"), say("Then another way.")] };
const forms = { ...fullCapabilities, terminal: false };
const told = /I rejected \\"rm -r made\\": Use git rm instead\./;

describe("a rejection of Codex with a reason", () => {
  it("a client with forms gets an option that opens one, and the model reads the reason in the same turn", () =>
    inCodexSession(
      remove,
      async ({ client, api, tell }) => {
        client.editor.permissionAnswers.push({ optionId: "reject_reason" });
        client.editor.elicitationAnswers.push({ action: "accept", content: { reason: "Use git rm instead." } });
        const seen = await tell("[[remove]] go");
        assert.match(seen.join("\n"), /Reject and tell Codex why/);
        assert.deepEqual(seen.slice(-3), [
          "failed rm -r made · May I? · Rejected.",
          "says Then another way.",
          "answers end_turn",
        ]);
        const sent = api.sentTo("remove");
        assert.equal(sent.length, 2, "the rejection and its reason are one request");
        assert.match(sent[1] ?? "", told);
      },
      { capabilities: forms },
    ));

  it("a client with a text field sends the reason with its answer, and others get canned reasons", () =>
    inCodexSession(
      remove,
      async ({ client, api, tell }) => {
        client.editor.permissionAnswers.push(
          { optionId: "reject", _meta: { reason: "Use git rm instead." } },
          { optionId: "reject_reason_1" },
        );
        assert.equal((await tell("[[remove]] go")).at(-1), "answers end_turn");
        assert.match(api.sentTo("remove")[1] ?? "", told);
        const seen = await tell("[[remove]] go");
        assert.match(seen.join("\n"), /Reject: not now \| Reject: ask first/);
        assert.match(api.sentTo("remove")[3] ?? "", /I rejected \\"rm -r made\\": ask first/);
      },
      { capabilities: bareCapabilities, env: { BOWLINE_REJECT_REASONS: "not now; ask first" } },
    ));

  it("the reason for one of several open questions names its call", () =>
    inCodexSession(
      {
        both: [
          answer(callItem("exec_command", asking("echo one")), callItem("exec_command", asking("echo two"))),
          say("Both."),
        ],
      },
      async ({ client, api, tell }) => {
        client.editor.usual = ({ toolCall }) =>
          toolCall.title === "echo two" ? { optionId: "reject", _meta: { reason: "Not two." } } : "allow";
        assert.equal((await tell("[[both]] go")).at(-1), "answers end_turn");
        assert.match(api.sentTo("both").at(-1) ?? "", /I rejected \\"echo two\\": Not two\./);
      },
      { capabilities: bareCapabilities },
    ));

  it("a reason is part of the saved conversation, and taking its prompt back takes it back too", () =>
    inCodexSession(
      remove,
      async ({ client, api, sessionId, cwd, tell }) => {
        client.editor.permissionAnswers.push({ optionId: "reject", _meta: { reason: "Use git rm instead." } });
        await tell("[[remove]] go");
        await client.request("session/load", { sessionId, cwd, mcpServers: [] });
        const { prompts } = await client.extension<{ readonly prompts: readonly { readonly messageId: string }[] }>(
          "_session/rewind",
          { sessionId, list: true },
        );
        assert.equal(prompts.length, 1, "the reason is no prompt of its own");
        const messageId = prompts[0]?.messageId;
        await client.extension("_session/rewind", { sessionId, messageId, conversation: true });
        await tell("[[remove]] again");
        assert.doesNotMatch(api.sentTo("remove").at(-2) ?? "", told);
      },
      { capabilities: bareCapabilities },
    ));
});

describe("a rejection of Codex for the session", () => {
  it("a command that is never allowed is not asked about again, another one is", () =>
    inCodexSession(
      { ...remove, other: [escalate("rm -r other", "May I?"), say("Other.")] },
      async ({ client, tell, cwd }) => {
        client.editor.permissionAnswers.push("reject_always");
        const first = await tell("[[remove]] go");
        assert.match(first.join("\n"), /\| Reject \| Never allow this command in this session\]/);
        const second = await tell("[[remove]] go");
        assert.deepEqual(second.slice(-3), [
          "failed rm -r made · May I? · Rejected.",
          "says Then another way.",
          "answers end_turn",
        ]);
        assert.equal(client.editor.asked.length, 1);
        await tell("[[other]] go");
        assert.equal(client.editor.asked.length, 2);
        const next = (await client.newSession(cwd)).sessionId;
        await client.prompt(next, "[[remove]] go");
        assert.equal(client.editor.asked.length, 3, "the next session asks");
      },
      { capabilities: bareCapabilities },
    ));

  it("changes to a file and a tool of an MCP server can be rejected for the session too", () =>
    inCodexSession(
      {
        edit: [patch("*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch"), say("Edited.")],
        mcp: [answer(callItem("echo", { text: "x" }, "mcp__editor")), say("Called.")],
      },
      async ({ client, sessionId, tell, path }) => {
        while (!client.text(sessionId).includes("echo")) await tell("/mcp");
        client.editor.usual = "reject_always";
        const seen = [...(await tell("[[edit]] go")), ...(await tell("[[mcp]] go"))].join("\n");
        assert.match(seen, /Never allow changes to made\.txt in this session/);
        assert.match(seen, /Never allow editor: echo in this session/);
        await tell("[[edit]] go");
        await tell("[[mcp]] go");
        assert.equal(client.editor.asked.length, 2);
        assert.ok(!existsSync(path("made.txt")));
      },
      {
        capabilities: bareCapabilities,
        session: { mcpServers: [{ name: "editor", ...mcpCommand(), env: [] }] },
      },
    ));
});

describe("a plan of Codex", () => {
  it("a plan is carried out in a cleared conversation of the same session", () =>
    inCodexSession(
      {
        plan: [say("<proposed_plan>\n1. Write a file [[build]]\n</proposed_plan>")],
        build: [say("Building.")],
      },
      async ({ client, api, tell }) => {
        client.editor.permissionAnswers.push({ optionId: "clear_context" });
        const seen = await tell("/plan [[plan]] PERSIMMON");
        assert.match(seen.join("\n"), /Yes, and clear the conversation and accept edits without asking/);
        assert.ok(seen.includes("mode acceptEdits"), seen.join("\n"));
        assert.deepEqual(seen.slice(-2), ["says Building.", "answers end_turn"]);
        const sent = api.sentTo("build")[0] ?? "";
        assert.match(sent, /Implement the following plan:.*Write a file/);
        assert.doesNotMatch(sent, /PERSIMMON/);
      },
      { capabilities: bareCapabilities },
    ));
});

function asking(cmd: string): object {
  return { cmd, sandbox_permissions: "require_escalated", justification: "May I?" };
}
