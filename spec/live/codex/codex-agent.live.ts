/**
 * The built program on the route codex, with the real Codex CLI and the official SDK's
 * client.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { call, escalate, patch, run, say, sayForEver, status } from "../../support/live/api/fake-responses-api.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { tinyPng } from "../../support/live/workspace.ts";
import { descendants, leftovers, waitForCommand, waitUntil, waitUntilGone } from "../../support/processes.ts";

// The tests look at the process table, where a prewarmed session would have an app-server too.
process.env["BOWLINE_PREWARM"] = "0";

const talk = { hi: [say("Hello.")] };
const hello = ["says Hello.", "answers end_turn"];
const options =
  "[Allow | Always allow this command in this session | Reject | Never allow this command in this session | Reject and tell Codex why]";

describe("the program on the route codex", () => {
  it("a prompt on the route codex is answered", () =>
    inCodexSession(talk, async ({ tell }) => {
      assert.deepEqual(await tell("[[hi]]"), hello);
    }));

  it("a command is shown with its reason before it is allowed, and with its output after", () =>
    inCodexSession({ ask: [escalate("echo out", "May I print?"), say("Done.")] }, async ({ tell, client }) => {
      client.editor.permissionAnswers.push("allow");
      assert.deepEqual(await tell("[[ask]]"), [
        "calls execute echo out",
        `asks echo out · May I print? ${options}`,
        "completed echo out · May I print? · ```console\nout\n```",
        "says Done.",
        "answers end_turn",
      ]);
    }));

  it("a rejected command fails, and the turn goes on", () =>
    inCodexSession({ ask: [escalate("echo out", "May I?"), say("Then not.")] }, async ({ tell, client }) => {
      client.editor.permissionAnswers.push("reject");
      const lines = await tell("[[ask]]");
      assert.match(lines[2] ?? "", /^failed echo out/);
      assert.deepEqual(lines.slice(3), ["says Then not.", "answers end_turn"]);
    }));

  it("a command that is always allowed asks once in this session, and nothing is saved", () =>
    inCodexSession({ ask: [escalate("echo out", "May I?"), say("Done.")] }, async ({ tell, client, place }) => {
      const codexHome = join(place.home, ".codex");
      client.editor.permissionAnswers.push("always");
      await tell("[[ask]]");
      const before = readFileSync(join(codexHome, "config.toml"), "utf8");
      const lines = await tell("[[ask]]");
      assert.ok(!lines.some((line) => line.startsWith("asks")), lines.join("\n"));
      assert.equal(readFileSync(join(codexHome, "config.toml"), "utf8"), before);
      assert.throws(() => readFileSync(join(codexHome, "rules", "default.rules")));
    }));

  it("a patch is asked for with its diff and applied", () =>
    inCodexSession({ edit: [patch(editPatch), say("Edited.")] }, async ({ tell, client, place }) => {
      client.editor.permissionAnswers.push("allow");
      const lines = await tell("[[edit]]");
      assert.match(lines[1] ?? "", /^asks Edit hello\.txt · ~\/hello\.txt: .*second line.* -> .*changed line/);
      assert.match(lines[2] ?? "", /^completed Edit hello\.txt/);
      assert.match(place.read("hello.txt"), /changed line/);
    }));

  it("a cancelled command is gone, its call failed, and the next prompt is answered", () =>
    inCodexSession({ ...talk, wait: [run("sleep 1234")] }, async ({ tell, client, place, sessionId }) => {
      const told = tell("[[wait]]");
      await waitForCommand(place.root, "sleep 1234");
      await client.waitFor(({ sessionUpdate }) => sessionUpdate === "tool_call");
      await client.cancel(sessionId);
      const lines = await told;
      assert.match(lines.at(-2) ?? "", /^failed sleep 1234/);
      assert.equal(lines.at(-1), "answers cancelled");
      const left = await waitUntil(place.root, (all) => !all.some((one) => one.command.includes("sleep 1234")), 2000);
      assert.ok(!left.some((one) => one.command.includes("sleep 1234")));
      assert.deepEqual(await tell("[[hi]]"), hello);
    }));

  it("a cancelled question is withdrawn, and nothing follows the response", () =>
    inCodexSession({ ...talk, ask: [escalate("echo out", "May I?")] }, async ({ tell, client, sessionId, seen }) => {
      client.editor.permissionAnswers.push("wait");
      const told = tell("[[ask]]");
      await client.editor.asked.waitFor(() => true);
      await client.cancel(sessionId);
      assert.equal((await told).at(-1), "answers cancelled");
      await pause(300);
      assert.deepEqual(seen(), []);
      assert.deepEqual(await tell("[[hi]]"), hello);
    }));

  it("a second prompt waits for the first and gets a turn of its own", () =>
    inCodexSession({ ...talk, wait: [run("sleep 0.3"), say("Waited.")] }, async ({ client, sessionId, api, seen }) => {
      const first = client.prompt(sessionId, "[[wait]]");
      const second = client.prompt(sessionId, "[[hi]]");
      assert.equal((await first).stopReason, "end_turn");
      assert.equal((await second).stopReason, "end_turn");
      assert.deepEqual(seen().slice(-4), ["says Waited.", "answers end_turn", "says Hello.", "answers end_turn"]);
      assert.equal(api.calls.length, 3);
    }));

  it("the app-server is killed in a turn: the prompt fails with the reason, and the next one goes on", () =>
    inCodexSession({ ...talk, talk: [sayForEver("On ")] }, async ({ client, tell, api }) => {
      const told = tell("[[talk]]");
      await client.waitFor((one) => JSON.stringify(one).includes('"On '));
      killServers(client.program.pid);
      const lines = await told;
      assert.match(lines.at(-1) ?? "", /^answers -32603 Codex was ended by SIGKILL/);
      assert.deepEqual(await tell("[[hi]]"), hello);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /\[\[talk\]\]/);
    }));

  it("the app-server is killed before it has taken the prompt: the prompt goes to another one", () =>
    inCodexSession({ ...talk, again: [say("Again.")] }, async ({ client, tell, api }) => {
      await tell("[[hi]]");
      killServers(client.program.pid);
      assert.deepEqual(await tell("[[again]]"), ["says Again.", "answers end_turn"]);
      assert.equal(api.calls.length, 2);
    }));

  it("a conversation is listed, loaded by another program as it was, and deleted", () =>
    inCodexSession(
      { ...talk, ask: [escalate("echo out", "May I?"), say("Done.")] },
      async ({ tell, client, cwd, sessionId, another }) => {
        client.editor.permissionAnswers.push("allow");
        await tell("[[ask]]");
        await client.hangUp();
        const other = another();
        await other.initialize();
        const { sessions } = await other.request("session/list", { cwd });
        assert.deepEqual(
          sessions.map((one) => [one.sessionId, one.title]),
          [[sessionId, "[[ask]]"]],
        );
        await other.request("session/load", { sessionId, cwd, mcpServers: [] });
        assert.equal(other.text(sessionId, "user_message_chunk"), "[[ask]]");
        assert.match(other.text(sessionId), /Done\./);
        assert.deepEqual(
          other.toolCalls(sessionId).map(({ title, status: state }) => [title, state]),
          [["echo out", "completed"]],
        );
        assert.equal((await other.prompt(sessionId, "[[hi]]")).stopReason, "end_turn");
        await other.extension("session/delete", { sessionId });
        assert.deepEqual((await other.request("session/list", { cwd })).sessions, []);
      },
    ));

  it("refused credentials are an authentication error at once", () =>
    inCodexSession({ bad: [status(401)] }, async ({ tell }) => {
      const began = performance.now();
      assert.match((await tell("[[bad]]")).at(-1) ?? "", /^answers -32000/);
      assert.ok(performance.now() - began < 5000);
    }));

  it("a failing API is an error and never the end of a turn", () =>
    inCodexSession(
      {
        ...talk,
        bad: [status(400, { error: { message: "this cannot be" } })],
        down: [status(503, { error: { message: "overloaded", code: "server_is_overloaded" } })],
      },
      async ({ tell }) => {
        assert.match((await tell("[[bad]]")).at(-1) ?? "", /^answers -32603 .*this cannot be/);
        assert.match((await tell("[[down]]")).at(-1) ?? "", /^answers -32603/);
        assert.deepEqual(await tell("[[hi]]"), hello);
      },
    ));

  it("modes, models and efforts can be chosen, and the editor gets the current values", () =>
    inCodexSession(
      { write: [run("echo done > made.txt"), say("Done.")] },
      async ({ client, tell, place, sessionId, api }) => {
        await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        await client.request("session/set_config_option", { sessionId, configId: "effort", value: "high" });
        const lines = await tell("[[write]]");
        assert.ok(!lines.some((line) => line.startsWith("asks")));
        assert.equal(place.read("made.txt"), "done\n");
        assert.match(JSON.stringify(api.calls[0]?.body["reasoning"]), /high/);
        await assert.rejects(client.request("session/set_mode", { sessionId, modeId: "nonsense" }));
      },
    ));

  it("the model's plan is a plan in the editor", () =>
    inCodexSession(
      {
        plan: [
          call("update_plan", {
            plan: [
              { step: "Look", status: "completed" },
              { step: "Do", status: "in_progress" },
            ],
          }),
          say("Planned."),
        ],
      },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[plan]]"), ["plan [x] Look, [>] Do", "says Planned.", "answers end_turn"]);
      },
    ));

  it("an image, a link and an attached file reach the model", () =>
    inCodexSession(talk, async ({ tell, api, cwd }) => {
      await tell([
        { type: "text", text: "[[hi]] look at " },
        { type: "image", data: tinyPng.toString("base64"), mimeType: "image/png" },
        { type: "resource_link", uri: `file://${cwd}/hello.txt`, name: "hello.txt" },
        { type: "resource", resource: { uri: `file://${cwd}/x.txt`, text: "attached text" } },
      ]);
      const body = JSON.stringify(api.calls[0]?.body["input"]);
      assert.match(body, /data:image\/png;base64/);
      assert.match(body, /hello\.txt/);
      assert.match(body, /attached text/);
    }));

  it("a client that only shows text gets the output of commands as text", () =>
    inCodexSession(
      { sh: [run("echo one; exit 3"), say("It failed.")] },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[sh]]"), [
          "calls execute echo one; exit 3",
          "failed echo one; exit 3 · ```console\none\n``` · Exit code 3",
          "says It failed.",
          "answers end_turn",
        ]);
      },
      { capabilities: bareCapabilities },
    ));

  it("the program is killed in the middle of a command: Codex and the command end too", () =>
    inCodexSession(
      { wait: [escalate("sleep 1234 & sleep 4321", "May I?")] },
      async ({ client, place, another, cwd }) => {
        // A second program, because the first is checked at the end.
        const other = another();
        other.editor.permissionAnswers.push("allow");
        const sessionId = await other.open(cwd);
        other.prompt(sessionId, "[[wait]]").catch(() => {});
        await waitForCommand(place.root, "sleep 4321");
        await pause(800);
        process.kill(other.program.pid, "SIGKILL");
        const left = await waitUntil(place.root, (all) => !all.some((one) => one.command.includes("sleep ")), 8000);
        assert.ok(!left.some((one) => one.command.includes("sleep ")), JSON.stringify(left.map(({ pid }) => pid)));
        assert.ok(leftovers(place.root).length > 0);
        await client.hangUp();
        await waitUntilGone(place.root);
      },
    ));

  it("one app-server serves all sessions", () =>
    inCodexSession(talk, async ({ client, cwd, sessionId }) => {
      const { sessionId: second } = await client.newSession(cwd);
      assert.notEqual(second, sessionId);
      await Promise.all([client.prompt(sessionId, "[[hi]]"), client.prompt(second, "[[hi]]")]);
      assert.equal(client.text(sessionId).includes("Hello."), true);
      assert.equal(client.text(second).includes("Hello."), true);
      assert.equal(serversOf(client.program.pid).length, 1);
    }));

  it("a forked session knows the conversation, and the original stays as it was", () =>
    inCodexSession({ ...talk, more: [say("More.")] }, async ({ tell, client, cwd, sessionId, api }) => {
      await tell("[[hi]]");
      const { sessionId: fork } = await client.extension<{ readonly sessionId: string }>("session/fork", {
        sessionId,
        cwd,
        mcpServers: [],
      });
      assert.notEqual(fork, sessionId);
      await client.prompt(fork, "[[more]]");
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /Hello\./);
      await tell("[[hi]]");
      assert.doesNotMatch(JSON.stringify(api.calls.at(-1)?.body), /More\./);
    }));
});

describe("the program on the route codex, before a session", () => {
  const opening = (given: Parameters<typeof inCodexSession>[2]): Promise<string> =>
    inCodexSession({}, async () => {}, given).then(
      () => "opened",
      (cause: unknown) =>
        String(cause instanceof Error && "code" in cause ? `${String(cause.code)} ${cause.message}` : cause),
    );

  it("session/new asks for a sign-in when Codex has none", async () => {
    assert.match(await opening({ home: { provider: "openai" } }), /^-32000 /);
  });

  it("session/new names CODEX_EXECUTABLE when it leads nowhere", async () => {
    const said = await opening({ env: { CODEX_EXECUTABLE: "/no/such/codex" } });
    assert.match(said, /CODEX_EXECUTABLE names a file that does not exist/);
  });

  it("session/new names the fault of a config.toml that cannot be read", async () => {
    assert.match(await opening({ home: { config: "no = = toml" } }), /config/);
  });
});

const editPatch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "@@",
  " hello world",
  "-second line",
  "+changed line",
  " third line",
  "*** End Patch",
].join("\n");

function serversOf(pid: number): readonly number[] {
  return descendants(pid)
    .filter(({ command }) => command.includes("app-server"))
    .map((one) => one.pid);
}

function killServers(pid: number): void {
  for (const server of serversOf(pid)) process.kill(server, "SIGKILL");
}
