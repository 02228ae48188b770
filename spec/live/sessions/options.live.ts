/**
 * Live specs of config options: mode, model and effort reach the CLI, in a turn and
 * between turns, and the conversation goes on.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { describe, it } from "node:test";
import { AcpClient, bareCapabilities } from "../../support/live/client/acp-client.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { commandsInEditor, editsInEditor } from "../../support/live/client/editor-mode.ts";

const talk = { talk: [answer(say("Hello."))] };
const tool = { tool: [answer(hold("open"), call("Bash", { command: "echo hi" })), answer(say("Done."))] };

function current(options: readonly SessionConfigOption[] | null | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]));
}

describe("a new session", () => {
  it("a new session offers the modes, models and efforts of the CLI, and reports the current ones", () =>
    withAgent({}, async ({ client, cwd }) => {
      await client.initialize();
      const { modes, configOptions, ...rest } = await client.newSession(cwd);
      assert.deepEqual(
        modes?.availableModes.map(({ id }) => id),
        ["default", "acceptEdits", "plan", "auto", "dontAsk"],
      );
      assert.equal(modes?.currentModeId, "default");
      const chosen = {
        mode: "default",
        model: "default",
        effort: "default",
        auto_resume: "false",
        auto_continue: "false",
        continue_at_reset: "false",
        fast_mode: "false",
        output_style: "default",
        agent: "default",
      };
      const through = { edits: String(editsInEditor), commands: String(commandsInEditor) };
      assert.deepEqual(current(configOptions), { ...chosen, ...through });
      assert.deepEqual(
        configOptions?.map(({ category }) => category),
        ["mode", "model", "thought_level", ...Array(3).fill(undefined), "model_config", ...Array(4).fill(undefined)],
      );
      assert.ok(!("models" in rest), "the older dialect is spoken only when asked for");
    }));

  it("a new session works through the editor where the command line says so", () =>
    withAgent(
      {},
      async ({ client, cwd }) => {
        await client.initialize();
        const { configOptions } = await client.newSession(cwd);
        const { edits, commands } = current(configOptions);
        assert.deepEqual({ edits, commands }, { edits: "true", commands: "true" });
      },
      {
        args: ["--edits-in-editor", "--commands-in-editor"],
        env: { BOWLINE_EDITS: undefined, BOWLINE_COMMANDS: undefined },
      },
    ));

  it("a new session starts in the mode of the user's own settings", () =>
    withAgent({}, async ({ client, cwd, place }) => {
      place.write(".claude/settings.local.json", JSON.stringify({ permissions: { defaultMode: "acceptEdits" } }));
      await client.initialize();
      const { modes, configOptions } = await client.newSession(cwd);
      assert.equal(modes?.currentModeId, "acceptEdits");
      assert.equal(current(configOptions)["mode"], "acceptEdits");
    }));

  it("a new session offers to bypass permissions where the CLI allows it", () =>
    withAgent(
      { touch: [answer(call("Bash", { command: "touch free.txt" })), answer(say("Done."))] },
      async ({ client, cwd, place }) => {
        await client.initialize();
        const { modes, sessionId } = await client.newSession(cwd);
        assert.ok(modes?.availableModes.some(({ id }) => id === "bypassPermissions"));
        await client.request("session/set_mode", { sessionId, modeId: "bypassPermissions" });
        await client.prompt(sessionId, "[[touch]] go");
        assert.equal(client.editor.asked.length, 0);
        assert.equal(place.read("free.txt"), "");
      },
      { env: { IS_SANDBOX: "1" } },
    ));
});

describe("a mode that a hook sets", () => {
  it("the mode that asks nothing is set back when a hook sets it, and the next write is asked about", () =>
    withAgent(
      {},
      async ({ client, api, cwd, path, place }) => {
        const updatedPermissions = [{ type: "setMode", mode: "bypassPermissions", destination: "session" }];
        const decision = { behavior: "allow", updatedPermissions };
        const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
        const hook = { type: "command", command: `printf '%s' '${JSON.stringify(output)}'` };
        const hooks = { PermissionRequest: [{ matcher: "Bash", hooks: [hook] }] };
        place.write(".claude/settings.local.json", JSON.stringify({ hooks }));
        const write = call("Write", { file_path: path("written.txt"), content: "x" });
        api.script("hooked", answer(call("Bash", { command: "touch run.txt" })), answer(write), answer(say("Done.")));
        const sessionId = await client.open(cwd);
        // The question about the command stays open until the hook has answered it.
        client.editor.permissionAnswers.push("wait");
        client.editor.usual = "reject";
        await client.prompt(sessionId, "[[hooked]] go");
        assert.equal(place.read("run.txt"), "");
        assert.ok(!existsSync(path("written.txt")));
        assert.match(JSON.stringify(client.updates), /You have not chosen it, and it was set back/);
      },
      { env: { IS_SANDBOX: "1" } },
    ));
});

describe("the CLI's own options", () => {
  it("fast mode and output style reach the next request, and an agent the next prompt, in the same conversation", () =>
    inSession(talk, async ({ client, api, sessionId, tell }) => {
      const set = (configId: string, value: string) =>
        client.request("session/set_config_option", { sessionId, configId, value });
      await tell("[[talk]] PERSIMMON");
      await set("fast_mode", "true");
      await set("output_style", "Explanatory");
      await tell("[[talk]] hi");
      const styled = api.requestsOf("talk").at(-1) ?? assert.fail("no request");
      assert.equal(at(styled.body, "speed"), "fast");
      assert.match(JSON.stringify(styled.body), /# Output Style: Explanatory/);
      const toolsOf = (): string => JSON.stringify(at(api.requestsOf("talk").at(-1)?.body, "tools"));
      assert.match(toolsOf(), /"name":"Edit"/);
      const { configOptions } = await set("agent", "Explore");
      assert.equal(current(configOptions)["agent"], "Explore");
      await tell("[[talk]] who are you?");
      assert.doesNotMatch(toolsOf(), /"name":"Edit"/, "the agent Explore has no tools that write");
      const last = JSON.stringify(api.requestsOf("talk").at(-1)?.body);
      assert.match(last, /PERSIMMON/);
      assert.match(last, /"speed":"fast"/, "a CLI that was started anew has the other options too");
    }));

  it("a client that shows switches gets them as switches, and may set them so", () =>
    withAgent(
      {},
      async ({ client, cwd }) => {
        await client.initialize();
        const { configOptions, sessionId } = await client.newSession(cwd);
        const switches = configOptions?.flatMap(({ id, type }) => (type === "boolean" ? [id] : []));
        const own = ["auto_resume", "auto_continue", "continue_at_reset", "fast_mode"];
        assert.deepEqual(
          switches?.filter((id) => own.includes(id)),
          own,
        );
        const set = { sessionId, configId: "fast_mode", type: "boolean", value: true } as const;
        const changed = await client.request("session/set_config_option", set);
        assert.equal(current(changed.configOptions)["fast_mode"], true);
      },
      { capabilities: { ...bareCapabilities, session: { configOptions: { boolean: {} } } } },
    ));
});

describe("auto-resume", () => {
  it("auto-resume continues the directory's last conversation in its first session, and only there", () =>
    withAgent(
      { ...talk },
      async ({ client, own, program, api, cwd }) => {
        await client.prompt(await client.open(cwd), "[[talk]] PERSIMMON");
        await client.hangUp();
        const later = own(new AcpClient(program({ env: { BOWLINE_AUTO_RESUME: "1" } })));
        await later.prompt(await later.open(cwd), "[[talk]] hi");
        await later.prompt((await later.newSession(cwd)).sessionId, "[[talk]] hi");
        const asked = api.requestsOf("talk").map(({ body }) => JSON.stringify(body.messages).includes("PERSIMMON"));
        assert.deepEqual(asked, [true, true, false]);
        assert.deepEqual(later.faults({ mayBeOpen: true }), []);
      },
      { env: { BOWLINE_AUTO_RESUME: "1" } },
    ));
});

describe("a change", () => {
  it("a change of an option in a turn reaches its next API request, and a change between turns the next turn", () =>
    inSession({ ...talk, ...tool }, async ({ client, api, sessionId, tell }) => {
      const set = (configId: string, value: string) =>
        client.request("session/set_config_option", { sessionId, configId, value });
      const told = tell("[[tool]] PERSIMMON");
      await api.gate("open").reached();
      const answered = await set("model", "haiku");
      assert.equal(current(answered.configOptions)["model"], "haiku");
      api.gate("open").release();
      assert.equal((await told).at(-1), "answers end_turn");
      await set("model", "sonnet");
      await set("effort", "high");
      assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      const asked = [...api.requestsOf("tool"), ...api.requestsOf("talk")];
      assert.deepEqual(
        asked.map(({ body }) => /opus|haiku|sonnet/.exec(body.model)?.[0]),
        ["opus", "haiku", "sonnet"],
      );
      assert.equal(at(asked[2]?.body, "output_config.effort"), "high");
      assert.match(JSON.stringify(asked[2]?.body.messages), /PERSIMMON/);
    }));

  it("a change of the mode is reported once, as the mode and among the options", () =>
    inSession({ ...talk, ...tool }, async ({ client, api, sessionId, tell, seen }) => {
      await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
      await tell("[[talk]] hi");
      const told = tell("[[tool]] go");
      await api.gate("open").reached();
      await client.request("session/set_config_option", { sessionId, configId: "mode", value: "plan" });
      api.gate("open").release();
      await told;
      seen();
      const modes = client.updatesOf(sessionId).flatMap((one) => {
        if (one.sessionUpdate === "current_mode_update") return [`mode ${one.currentModeId}`];
        if (one.sessionUpdate === "config_option_update")
          return [`options ${String(current(one.configOptions)["mode"])}`];
        return [];
      });
      assert.deepEqual(modes, ["mode acceptEdits", "options acceptEdits", "mode plan"]);
      assert.match(JSON.stringify(api.requestsOf("tool").at(-1)?.body.messages), /[Pp]lan mode/);
    }));

  it("a change to a value that is not offered is refused with the offered values", () =>
    inSession({ ...talk }, async ({ client, sessionId, tell }) => {
      const set = (configId: string, value: string) =>
        client.request("session/set_config_option", { sessionId, configId, value });
      await assert.rejects(set("model", "gpt"), { code: -32602, message: /value must be one of default, opus/ });
      await assert.rejects(set("colour", "red"), { code: -32602, message: /configId must be one of mode, model/ });
      await assert.rejects(set("mode", "bypassPermissions"), { code: -32602 });
      const mode = client.request("session/set_mode", { sessionId, modeId: "chaos" });
      await assert.rejects(mode, { code: -32602, message: /value must be one of default, acceptEdits/ });
      assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
    }));

  it("a change of the model works in the older dialect, which is then notified of it", () =>
    withAgent(
      { ...talk },
      async ({ client, api, cwd }) => {
        await client.initialize();
        const opened = await client.newSession(cwd);
        const { sessionId } = opened;
        assert.equal(at(opened, "models.currentModelId"), "default");
        assert.ok(JSON.stringify(at(opened, "models.availableModels")).includes('"modelId":"haiku","id":"haiku"'));
        await client.extension("session/set_model", { sessionId, modelId: "haiku" });
        await client.prompt(sessionId, "[[talk]] hi");
        assert.match(api.requestsOf("talk")[0]?.body.model ?? "", /haiku/);
        const told = client.program.wire.items.filter(({ text }) => text.includes("current_model_update"));
        assert.equal(told.length, 1);
        assert.equal(at(told[0]?.message, "params.update.currentModelId"), "haiku");
        await assert.rejects(client.extension("session/set_model", { sessionId, modelId: "gpt" }), { code: -32602 });
        // The official schema no longer has this update; everything else is valid.
        assert.ok(
          client
            .faults()
            .every((fault) => JSON.stringify(fault).match(/current_model_update|set_model|refused by the SDK/)),
        );
      },
      { args: ["--legacy"], overlook: "all" },
    ));
});
