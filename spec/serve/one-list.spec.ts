/**
 * The page and ACP clients in the same sessions of one server.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../lib/acp/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { load, open, sourceOf, testClient, type TestClient } from "../support/hub/hub-harness.ts";
import { savedId, scriptedAgent } from "../support/serve/scripted-agent.ts";
import { cwd, type Served, served } from "../support/serve/test-server.ts";

/** Connects an ACP client to the server's hub, as a transport does. */
function connect({ server }: Served): Promise<TestClient> {
  const [hubEnd, clientEnd] = memoryPair();
  server.hub.connect(hubEnd, { role: "owner" });
  return testClient(clientEnd);
}

describe("one list of sessions for the page and ACP clients", () => {
  it("a session that an ACP client opens is on the page, which sees its turns and can prompt", async () => {
    const player = scriptedAgent(({ show }) => show(update.agentMessage("hello")));
    const harness = await served({ startAgent: player.start });
    const editor = await connect(harness);
    const id = await open(editor);
    await editor.prompt(id, "from the editor");
    const { sessions } = (await harness.call("GET", "/sessions")).json;
    assert.deepEqual(
      sessions.map((one: any) => [one.id, one.title]),
      [[id, "from the editor"]],
    );
    const sent = await harness.stream("POST", `/sessions/${id}/send-message`, { body: { content: "from the page" } });
    await sent.over();
    assert.equal(sent.packet("prompt_response").stopReason, "end_turn");
    await editor.until(() => editor.text() === "hellohello");
    assert.equal(editor.text("user_message_chunk"), "from the page");
    const { messages } = (await harness.call("GET", `/sessions/${id}/messages`)).json;
    const texts = messages.flatMap((one: any) => (one.type === "user_message" ? [one.content.text] : []));
    assert.deepEqual(texts, ["from the editor", "from the page"]);
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });

  it("a session of the page can be attached to by an ACP client, and is gone for it when the page closes it", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const id = (await harness.open()).slice("/sessions/".length);
    const editor = await connect(harness);
    await load(editor, id);
    assert.equal(await editor.prompt(id, "x"), "end_turn");
    assert.equal((await harness.call("POST", `/sessions/${id}/close`)).status, 204);
    await assert.rejects(editor.prompt(id, "x"), /Session not found/);
    await harness.close();
  });

  it("a session that its last client closes leaves the page's list", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const editor = await connect(harness);
    const id = await open(editor);
    await editor.connection.call("session/close", { sessionId: id });
    await new Promise(setImmediate);
    assert.deepEqual((await harness.call("GET", "/sessions")).json.sessions, []);
    await harness.close();
  });

  it("a question of an editor's session can be answered over HTTP, once", async () => {
    let chosen = "";
    const player = scriptedAgent(async ({ ask }) => void (chosen = await ask({ toolCallId: "t1", title: "Edit" })));
    const harness = await served({ startAgent: player.start });
    const editor = await connect(harness);
    const id = await open(editor);
    const turn = editor.prompt(id, "go");
    await editor.until(() => editor.asked.length === 1);
    const { questions } = (await harness.call("GET", "/questions")).json;
    assert.deepEqual([questions.length, questions[0].sessionId, questions[0].kind], [1, id, "permission"]);
    const path = `/questions/${questions[0].id}`;
    assert.equal((await harness.call("POST", path, { body: { optionId: "other" } })).status, 400);
    assert.equal((await harness.call("POST", path, { body: { optionId: "yes" } })).status, 204);
    assert.equal((await harness.call("POST", path, { body: { optionId: "no" } })).status, 404);
    assert.equal(await turn, "end_turn");
    assert.deepEqual([chosen, editor.asked[0]?.signal.aborted], ["yes", true]);
    await harness.close();
  });

  it("an ACP client may work in the server's directories only", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const editor = await connect(harness);
    const outside = editor.connection.call("session/new", { cwd: "/", mcpServers: [] });
    await assert.rejects(outside, /one of the server's directories/);
    await harness.close();
  });

  it("directories that an ACP client names in _meta must be the server's too", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const editor = await connect(harness);
    const metas = [{ additionalRoots: ["/"] }, { claudeCode: { options: { additionalDirectories: [cwd, "/"] } } }];
    for (const _meta of metas) {
      const created = editor.connection.call("session/new", { cwd, mcpServers: [], _meta });
      await assert.rejects(created, /one of the server's directories/);
      const loaded = editor.connection.call("session/load", { sessionId: savedId, cwd, mcpServers: [], _meta });
      await assert.rejects(loaded, /one of the server's directories/);
    }
    const inside = { claudeCode: { options: { additionalDirectories: [cwd] } } };
    await editor.connection.call("session/new", { cwd, mcpServers: [], _meta: inside });
    await harness.close();
  });

  it("session/new that continues a conversation attaches to an open one, and finds none outside", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const editor = await connect(harness);
    const id = await open(editor);
    const continued = (resume: string): Promise<{ readonly sessionId: string }> =>
      editor.connection.call("session/new", { cwd, mcpServers: [], _meta: { claudeCode: { options: { resume } } } });
    assert.equal((await continued(id)).sessionId, id);
    assert.equal((await harness.call("GET", "/sessions")).json.sessions.length, 1);
    await assert.rejects(continued("cccccccc-0000-4000-8000-000000000001"), /Session not found/);
    await harness.close();
  });

  it("a session can be opened with another agent over HTTP, and an unknown agent gets 400", async () => {
    const other = scriptedAgent(({ show }) => show(update.agentMessage("other")));
    const harness = await served({ startAgent: scriptedAgent().start, agents: [sourceOf("other", other)] });
    const names = (await harness.call("GET", "/agents")).json.agents.map((one: any) => one.name);
    assert.deepEqual(names, ["bowline", "other"]);
    assert.equal((await harness.call("POST", "/sessions", { body: { agent: "nobody" } })).status, 400);
    const { status, json } = await harness.call("POST", "/sessions", { body: { agent: "other" } });
    assert.equal(status, 201);
    const turn = await harness.stream("POST", `/sessions/${json.id}/send-message`, { body: { content: "x" } });
    await turn.over();
    assert.equal(turn.packet("agent_message_chunk").content.text, "other");
    await harness.close();
  });

  it("the metrics have numbers and no content, and need the token; healthz needs none", async () => {
    const player = scriptedAgent(({ show }) => show(update.agentMessage("a secret word")));
    const harness = await served({ startAgent: player.start, counters: () => ({ cliStarts: 3, cliCrashes: 1 }) });
    const editor = await connect(harness);
    const id = await open(editor);
    await editor.prompt(id, "a secret prompt");
    const { text, headers } = await harness.call("GET", "/metrics");
    assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    for (const [name, value] of [
      ["sessions", 1],
      ["turns_total", 1],
      ["clients", 2],
      ["cli_crashes_total", 1],
    ])
      assert.match(text, new RegExp(`^bowline_${name} ${value}$`, "m"));
    for (const line of text.trimEnd().split("\n")) assert.match(line, /^# (?:HELP|TYPE) |^bowline_\w+ \d+$/);
    assert.ok(!text.includes("secret") && !text.includes(id));
    const anonymous = { headers: { authorization: undefined } };
    assert.equal((await harness.call("GET", "/metrics", anonymous)).status, 401);
    assert.deepEqual((await harness.call("GET", "/healthz", anonymous)).text, "ok\n");
    await harness.close();
  });
});
