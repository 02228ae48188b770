/**
 * Live specs of background work: `/tasks` in clients with forms and without, the methods
 * `_session/tasks` and `_session/tasks/stop`, and the text of subagents, with the real CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { inSession, type SessionDriver } from "../../support/live/with-agent.ts";

const server = { command: "echo listening; exec sleep 300", description: "Start the server", run_in_background: true };
const agent = { description: "Find the tests", prompt: "[[sub]] look", subagent_type: "general-purpose" };
const scripts = {
  shell: [answer(call("Bash", server)), answer(say("Started."))],
  sub: [answer(say("I look in spec/."), call("Bash", { command: "ls" })), answer(hold("report"), say("Found two."))],
  behind: [answer(call("Agent", { ...agent, run_in_background: true })), answer(say("Launched."))],
  front: [answer(call("Agent", { ...agent, run_in_background: false })), answer(say("All done."))],
};
const forms: ClientCapabilities = { ...fullCapabilities, terminal: false };

interface Listed {
  readonly tasks: readonly { readonly id: string; readonly kind: string; readonly title: string }[];
}

async function listed({ client, sessionId }: SessionDriver): Promise<Listed["tasks"]> {
  return (await client.extension<Listed>("_session/tasks", { sessionId })).tasks;
}

describe("/tasks", () => {
  it("a client without forms reads what runs, and stops it by a permission option", () =>
    inSession(
      scripts,
      async (driver) => {
        const { tell, client } = driver;
        assert.match((await tell("/tasks")).join("\n"), /Nothing runs in the background\./);
        await tell("[[shell]] go");
        client.editor.permissionAnswers.push({ optionId: "choice_0" });
        const text = (await tell("/tasks")).join("\n");
        assert.match(text, /1 task runs in the background/);
        assert.match(text, /1\. Command, for \d+ (s|min)\*\*: Start the server\n\n```\nlistening\n```/);
        assert.match(text, /Stopped: Start the server\./);
        while ((await listed(driver)).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      },
      { capabilities: bareCapabilities },
    ));

  it("a client with forms stops a subagent while the turn runs; the page has the same by methods", () =>
    inSession(
      scripts,
      async (driver) => {
        const { client, sessionId, api } = driver;
        const turn = client.prompt(sessionId, "[[behind]] go");
        await api.gate("report").reached();
        const [task] = await listed(driver);
        assert.equal(`${task?.kind} ${task?.title}`, "subagent Find the tests");
        client.editor.elicitationAnswers.push({ action: "accept", content: { choice: "1" } });
        await client.prompt(sessionId, "/tasks");
        assert.match(client.text(sessionId), /1\. Subagent, for .*Find the tests.*Stopped: Find the tests\./s);
        assert.deepEqual(await turn, { stopReason: "end_turn" });
        assert.equal(client.toolCalls(sessionId)[0]?.status, "failed");
        assert.deepEqual(await listed(driver), []);
        const gone = client.extension("_session/tasks/stop", { sessionId, taskId: task?.id });
        await assert.rejects(gone, { code: -32602 });
      },
      { capabilities: forms },
    ));
});

describe("the text of a subagent", () => {
  const play = async ({ client, sessionId, api }: SessionDriver): Promise<readonly string[]> => {
    const turn = client.prompt(sessionId, "[[front]] go");
    await api.gate("report").reached();
    api.gate("report").release();
    assert.deepEqual(await turn, { stopReason: "end_turn" });
    const [delegated, listing] = client.toolCalls(sessionId);
    assert.equal(at(listing, "_meta.claudeCode.parentToolUseId"), delegated?.toolCallId);
    return client
      .updatesOf(sessionId)
      .flatMap((one) =>
        one.sessionUpdate === "tool_call_update" && one.toolCallId === delegated?.toolCallId && one.content != null
          ? [String(at(one.content, "0.content.text"))]
          : [],
      );
  };

  it("a client that asks for it sees the last words of a subagent in the foreground", () =>
    inSession(
      scripts,
      async (driver) => {
        const texts = await play(driver);
        assert.ok(texts.includes("I look in spec/."), texts.join(" | "));
        assert.equal(texts.at(-1), "Found two.");
      },
      { capabilities: { ...bareCapabilities, _meta: { "subagent-transcript": true } } },
    ));

  it("a client that does not ask for the text of subagents sees only the report of a background agent", () =>
    inSession(
      scripts,
      async (driver) => {
        const texts = await play(driver);
        assert.ok(!texts.includes("I look in spec/."));
        assert.equal(texts.at(-1), "Found two.");
      },
      { capabilities: bareCapabilities },
    ));
});
