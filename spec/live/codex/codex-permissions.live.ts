/**
 * Live specs of permissions, questions, plan mode, modes and options with Codex through
 * the agent.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { type CodexSession, inCodexSession, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import { answer, call, callItem, escalate, patch, run, say } from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { listAt, textAt } from "../../support/json.ts";

const edit = (to: string): ReturnType<typeof patch> =>
  patch(["*** Begin Patch", "*** Add File: made.txt", `+${to}`, "*** End Patch"].join("\n"));

/** Every file of Codex's home that the user owns, with its text. */
function userFiles({ place }: CodexSession): Readonly<Record<string, string>> {
  const home = join(place.home, ".codex");
  const names = ["config.toml", ...listed(join(home, "rules")).map((name) => join("rules", name))];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(home, name), "utf8")]));
}

function listed(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

describe("permissions of Codex", () => {
  it("a command asks with the whole command and the model's reason, and runs once when it is allowed", () =>
    inCodexSession(
      { write: [escalate("echo done > made.txt", "May I write made.txt?"), say("Written.")] },
      async ({ client, tell, place }) => {
        const lines = [
          "calls execute echo done > made.txt",
          "asks echo done > made.txt · May I write made.txt? [Allow | Always allow this command in this session | Reject | Never allow this command in this session | Reject and tell Codex why]",
          "completed echo done > made.txt · May I write made.txt?",
          "says Written.",
          "answers end_turn",
        ];
        assert.deepEqual(await tell("[[write]] go"), lines);
        assert.equal(place.read("made.txt"), "done\n");
        assert.deepEqual(await tell("[[write]] again"), lines, "it asks again");
        assert.equal(client.editor.asked.length, 2);
      },
    ));

  it("a rejected command does not run, its call ends, and the turn goes on", () =>
    inCodexSession(
      { write: [escalate("echo done > made.txt", "May I?"), run("echo else"), say("Then not.")] },
      async ({ client, tell, path }) => {
        client.editor.permissionAnswers.push("reject");
        assert.deepEqual((await tell("[[write]] go")).slice(2), [
          "failed echo done > made.txt · May I? · Rejected.",
          "calls execute echo else",
          "completed echo else · ```console\nelse\n```",
          "says Then not.",
          "answers end_turn",
        ]);
        assert.ok(!existsSync(path("made.txt")));
      },
    ));

  it("a command that is always allowed in the session asks no more, another one does, and no file is written", () =>
    inCodexSession(
      { one: [escalate("echo one", "May I?"), say("One.")], two: [escalate("echo two", "May I?"), say("Two.")] },
      async (driver) => {
        const { client, tell, cwd } = driver;
        const before = userFiles(driver);
        client.editor.permissionAnswers.push("always");
        await tell("[[one]] go");
        await tell("[[one]] go");
        assert.equal(client.editor.asked.length, 1);
        await tell("[[two]] go");
        assert.equal(client.editor.asked.length, 2);
        const other = (await client.newSession(cwd)).sessionId;
        await client.prompt(other, "[[one]] go");
        assert.equal(client.editor.asked.length, 3, "the next session asks");
        assert.deepEqual(userFiles(driver), before);
      },
    ));

  it("a patch asks with its diff, is applied when it is allowed, and ends its call when it is rejected", () =>
    inCodexSession({ edit: [edit("one"), say("Done.")] }, async ({ client, tell, place }) => {
      client.editor.permissionAnswers.push("reject");
      const asks =
        'asks Create made.txt · ~/made.txt: null -> "one\\n" [Allow | Always allow changes to made.txt in this session | Reject | Never allow changes to made.txt in this session | Reject and tell Codex why]';
      const rejected = await tell("[[edit]] go");
      assert.deepEqual(rejected.slice(0, 2), ["calls edit Create made.txt", asks]);
      assert.equal(rejected[2], 'failed Create made.txt (rejected) · ~/made.txt: null -> "one\\n"');
      assert.deepEqual(rejected.slice(3), ["says Done.", "answers end_turn"]);
      assert.throws(() => place.read("made.txt"));
      assert.equal((await tell("[[edit]] go")).at(-1), "answers end_turn");
      assert.equal(place.read("made.txt"), "one\n");
    }));

  it("a patch that is cancelled ends its call and its turn", () =>
    inCodexSession({ edit: [edit("one"), say("Never.")], hi: [say("Hello.")] }, async ({ client, tell, path }) => {
      client.editor.permissionAnswers.push("cancel");
      const seen = await tell("[[edit]] go");
      assert.equal(seen[2], 'failed Create made.txt (cancelled) · ~/made.txt: null -> "one\\n"');
      assert.equal(seen.at(-1), "answers cancelled");
      assert.ok(!existsSync(path("made.txt")));
      assert.deepEqual(await tell("[[hi]] go"), ["says Hello.", "answers end_turn"]);
    }));

  it("several questions are open at once, each answered for itself and in any order", () =>
    inCodexSession(
      {
        both: [
          answer(callItem("exec_command", ask("echo one")), callItem("exec_command", ask("echo two"))),
          say("Both."),
        ],
      },
      async ({ client, tell, sessionId }) => {
        let allowFirst: () => void = () => {};
        const secondIsAnswered = new Promise<void>((resolve) => (allowFirst = resolve));
        client.editor.permissionAnswers.push(
          () => secondIsAnswered.then(() => "allow" as const),
          () => {
            setImmediate(allowFirst);
            return "reject";
          },
        );
        assert.equal((await tell("[[both]] go")).at(-1), "answers end_turn");
        const [first, second] = client.toolCalls(sessionId);
        assert.deepEqual([first?.status, second?.status], ["completed", "failed"]);
      },
    ));

  it("a tool of an MCP server asks with its arguments, and always allows for the session only", () =>
    withCodexAgent({ mcp: [call("echo", { text: "PERSIMMON" }, "mcp__editor"), say("Called.")] }, async (driver) => {
      const { client, cwd } = driver;
      await client.initialize();
      const servers = { mcpServers: [{ name: "editor", ...mcpCommand(), env: [] }] };
      const { sessionId } = await client.newSession(cwd, servers);
      while (!client.text(sessionId).includes("echo")) await client.prompt(sessionId, "/mcp");
      client.editor.permissionAnswers.push("reject", "always");
      for (let i = 0; i < 3; i++) await client.prompt(sessionId, "[[mcp]] go");
      assert.equal(client.editor.asked.length, 2);
      assert.match(JSON.stringify(client.editor.asked.items[0]?.request.toolCall), /PERSIMMON/);
      assert.deepEqual(
        client.toolCalls(sessionId).map(({ status }) => status),
        ["failed", "completed", "completed"],
      );
      const config = readFileSync(join(driver.place.home, ".codex", "config.toml"), "utf8");
      assert.doesNotMatch(config, /mcp_servers|editor/);
    }));
});

describe("questions and plans of Codex", () => {
  it("request_user_input is a form where the client has forms", () =>
    inCodexSession({ ask: [question, say("Noted.")] }, async ({ client, api, sessionId, tell }) => {
      await client.request("session/set_mode", { sessionId, modeId: "plan" });
      client.editor.elicitationAnswers.push(({ requestedSchema }: { readonly requestedSchema?: unknown } & object) => {
        const [name = ""] = Object.keys((requestedSchema as { readonly properties: object }).properties);
        return { action: "accept" as const, content: { [name]: "Blue" } };
      });
      const seen = await tell("[[ask]] go");
      assert.deepEqual(seen.slice(-2), ["says Noted.", "answers end_turn"]);
      assert.match(JSON.stringify(client.editor.elicited.items), /Which colour\?[^]*Red[^]*Blue/);
      assert.match(api.sentTo("ask").at(-1) ?? "", /Blue/);
    }));

  it("request_user_input is a list of options where the client has no forms", () =>
    inCodexSession(
      { ask: [question, say("Noted.")] },
      async ({ client, api, sessionId, tell }) => {
        await client.request("session/set_mode", { sessionId, modeId: "plan" });
        client.editor.permissionAnswers.push((request) => {
          const blue = request.options.find(({ name }) => name === "Blue");
          return { optionId: blue?.optionId ?? assert.fail("there is no Blue") };
        });
        assert.deepEqual((await tell("[[ask]] go")).slice(1), [
          "calls other Which colour?",
          "asks Which colour? · **Which colour?**\n- Red: warm\n- Blue: cold [Red | Blue | Skip]",
          "completed Which colour? · **Which colour?**\nBlue",
          "says Noted.",
          "answers end_turn",
        ]);
        assert.match(api.sentTo("ask").at(-1) ?? "", /Blue/);
      },
      { capabilities: bareCapabilities },
    ));

  it("a plan is proposed in plan mode, and is carried out in the mode that the user chooses", () =>
    inCodexSession(
      { plan: [say("<proposed_plan>\n1. Write a file\n</proposed_plan>")] },
      async ({ client, api, tell }) => {
        client.editor.usual = (request) => {
          const accept = request.options.find(({ optionId }) => optionId === "accept_edits");
          return { optionId: accept?.optionId ?? assert.fail(JSON.stringify(request.options)) };
        };
        const seen = await tell("/plan [[plan]] write a file");
        assert.equal(seen.at(-1), "answers end_turn");
        assert.ok(seen.includes("mode plan") && seen.includes("mode acceptEdits"), seen.join("\n"));
        assert.match(seen.join("\n"), /says 1\. Write a file[^]*asks Go on with this plan\?/);
        assert.match(JSON.stringify(api.calls.at(-1)?.body), /Implement the plan/);
      },
    ));

  it("a plan that the user rejects leaves the session in plan mode", () =>
    inCodexSession(
      { plan: [say("<proposed_plan>\n1. Write a file\n</proposed_plan>")] },
      async ({ client, api, tell }) => {
        client.editor.usual = "reject";
        const seen = await tell("/plan [[plan]] write a file");
        assert.equal(seen.at(-1), "answers end_turn");
        assert.deepEqual(
          seen.filter((line) => line.startsWith("mode")),
          ["mode plan"],
        );
        assert.equal(api.calls.length, 1);
      },
    ));
});

describe("modes and options of Codex", () => {
  it("the six modes are offered, and each decides what is asked", () =>
    inCodexSession(
      {
        write: [run("sleep 0.1; echo done > made.txt"), say("Done.")],
        out: [escalate("echo x", "May I?"), say("Out.")],
      },
      async ({ client, sessionId, tell, path }) => {
        const { modes } = await client.newSession(path("src"));
        assert.deepEqual(
          modes?.availableModes.map(({ id }) => id),
          ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
        );
        assert.equal(modes?.currentModeId, "default");
        await tell("[[write]] go");
        assert.ok(!existsSync(path("made.txt")), "default writes nothing unasked");
        await client.request("session/set_mode", { sessionId, modeId: "dontAsk" });
        await tell("[[write]] go");
        assert.ok(existsSync(path("made.txt")), "dontAsk works in the project");
        await tell("[[out]] go");
        assert.equal(client.editor.asked.length, 0, "dontAsk never asks");
        await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        await tell("[[out]] go");
        assert.equal(client.editor.asked.length, 1, "acceptEdits asks for what leaves the project");
        await client.request("session/set_mode", { sessionId, modeId: "bypassPermissions" });
        await tell("[[out]] go");
        assert.equal(client.editor.asked.length, 1, "bypassPermissions asks for nothing");
        await assert.rejects(client.request("session/set_mode", { sessionId, modeId: "no-such-mode" }), {
          code: -32602,
        });
      },
    ));

  it("model and effort are options whose choice reaches the API", () =>
    inCodexSession({ hi: [say("Hello.")] }, async ({ client, api, sessionId, tell, cwd }) => {
      const { configOptions } = await client.newSession(cwd);
      const ids = (configOptions ?? []).map(({ id }) => id);
      assert.deepEqual(
        ["mode", "model", "effort"].filter((id) => !ids.includes(id)),
        [],
      );
      const model = configOptions?.find(({ id }) => id === "model");
      assert.equal(textAt(model, "currentValue"), "gpt-5.5");
      assert.ok(listAt(model, "options").length > 3);
      const set = (configId: string, value: string): Promise<unknown> =>
        client.request("session/set_config_option", { sessionId, configId, value });
      await set("model", "gpt-5.6-sol");
      await set("effort", "high");
      await tell("[[hi]] go");
      assert.equal(api.calls[0]?.body["model"], "gpt-5.6-sol");
      assert.match(JSON.stringify(api.calls[0]?.body["reasoning"]), /high/);
      await assert.rejects(set("effort", "no-such-effort"), { code: -32602 });
    }));

  it("the model of a provider that Codex does not list stays chosen", () =>
    inCodexSession(
      { hi: [say("Hello.")] },
      async ({ client, api, tell, cwd }) => {
        const { configOptions } = await client.newSession(cwd);
        assert.equal(
          textAt(
            configOptions?.find(({ id }) => id === "model"),
            "currentValue",
          ),
          "my-own-model",
        );
        await tell("[[hi]] go");
        assert.equal(api.calls[0]?.body["model"], "my-own-model");
      },
      { home: { model: "my-own-model" } },
    ));
});

const question = call("request_user_input", {
  questions: [
    {
      id: "colour",
      header: "Colour",
      question: "Which colour?",
      options: [
        { label: "Red", description: "warm" },
        { label: "Blue", description: "cold" },
      ],
    },
  ],
});

function ask(cmd: string): object {
  return { cmd, sandbox_permissions: "require_escalated", justification: "May I?" };
}
