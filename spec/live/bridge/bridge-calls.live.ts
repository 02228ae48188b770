/**
 * Live specs of the bridge with the real CLI: queries, hooks and options.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { toolNames, toolResultTexts } from "../../support/live/api/api-request.ts";
import { type BridgePlay, withBridge } from "../../support/live/live-bridge.ts";
import { at, listAt, textAt, type JsonObject } from "../../support/json.ts";
import { descendants } from "../../support/processes.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";

const text = { text: [answer(say("Hello."))] };

describe("query.call with the real CLI", () => {
  it("query.call with the real CLI lists models, commands, the account and MCP servers", () =>
    withBridge(text, async ({ open }) => {
      const { command, args } = mcpCommand();
      const session = await open("", { mcp_servers: { fake: { command, args } } });
      const models = await session.query("supportedModels");
      assert.ok(listAt(models, "result").some((model) => textAt(model, "value") === "default"));
      const commands = await session.query("supportedCommands");
      assert.ok(listAt(commands, "result").some((one) => textAt(one, "name") === "compact"));
      const account = await session.query("accountInfo");
      assert.equal(at(account, "result.apiKeySource"), "ANTHROPIC_API_KEY");
      const servers = await session.query("mcpServerStatus");
      assert.deepEqual(
        listAt(servers, "result").map((server) => textAt(server, "name")),
        ["fake"],
      );
    }));

  it("query.call with the real CLI changes the model of the running session", () =>
    withBridge(text, async ({ open, api }) => {
      const session = await open("[[text]] hi", { model: "opus" });
      await session.result();
      assert.deepEqual(await session.query("setModel", "haiku"), { success: true, result: null });
      session.tell("[[text]] again");
      await session.result(2);
      const [first, second] = api.requestsOf("text").map(({ body }) => body.model);
      assert.match(String(first), /opus/);
      assert.match(String(second), /haiku/);
      const inits = session.messages.filter((message) => message["subtype"] === "init");
      assert.match(textAt(inits[1], "model"), /haiku/);
    }));

  it("query.call with the real CLI changes the permission mode, and refuses bypass that was not allowed at the start", () =>
    withBridge(
      { ...text, bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Made."))] },
      async ({ open, place }) => {
        const session = await open("");
        assert.equal((await session.query("setPermissionMode", "acceptEdits"))["success"], true);
        const status = await session.message((message) => message["subtype"] === "status");
        assert.equal(status["permissionMode"], "acceptEdits");
        const refused = await session.query("setPermissionMode", "bypassPermissions");
        assert.deepEqual([refused["success"], refused["code"]], [false, "QUERY_METHOD_FAILED"]);
        session.tell("[[bash]] go");
        await session.result();
        assert.deepEqual(session.asked, [], "the mode allows it");
        assert.ok(existsSync(place.path("made.txt")));
      },
    ));

  it("query.call with the real CLI bypasses permissions when created so", () =>
    withBridge(
      { curl: [answer(call("Bash", { command: "curl http://127.0.0.1:1/" })), answer(say("Done."))] },
      async ({ open }) => {
        const session = await open("[[curl]] go", { permission_mode: "bypassPermissions" });
        await session.result();
        assert.deepEqual(session.asked, []);
        assert.equal(
          (await session.message((message) => message["subtype"] === "init"))["permissionMode"],
          "bypassPermissions",
        );
      },
      { env: { IS_SANDBOX: "1" } },
    ));

  it("query.call with the real CLI sets and removes the limit of thinking", () =>
    withBridge(text, async ({ open }) => {
      const session = await open("");
      assert.deepEqual(await session.query("setMaxThinkingTokens", 0), { success: true, result: null });
      assert.deepEqual(await session.query("setMaxThinkingTokens", null), { success: true, result: null });
    }));

  it("query.call with the real CLI rewinds files to a message, named by its id", () =>
    withBridge({}, async (driver) => {
      const { open, place } = driver;
      const session = await edited(driver, await open("", { enable_file_checkpointing: true }));
      const uuid = session.uuid;
      assert.match(place.read("hello.txt"), /planet/);
      const dry = await session.query("rewindFiles", uuid, { dry_run: true });
      assert.equal(at(dry, "result.canRewind"), true, JSON.stringify(dry));
      assert.match(place.read("hello.txt"), /planet/);
      const { result } = await session.query("rewindFiles", uuid);
      assert.equal(at(result, "canRewind"), true);
      assert.match(place.read("hello.txt"), /hello world/);
    }));

  it("query.call with the real CLI cannot rewind without checkpoints", () =>
    withBridge({}, async (driver) => {
      const session = await edited(driver, await driver.open(""));
      const { success, code, error } = await session.query("rewindFiles", session.uuid);
      assert.deepEqual([success, code], [false, "QUERY_METHOD_FAILED"], String(error));
    }));
});

/** A turn that reads and edits hello.txt. */
async function edited({ api, place }: BridgePlay, session: Awaited<ReturnType<BridgePlay["open"]>>) {
  const file_path = place.path("hello.txt");
  api.script(
    "edit",
    answer(call("Read", { file_path })),
    answer(call("Edit", { file_path, old_string: "world", new_string: "planet" })),
    answer(say("Edited.")),
  );
  const uuid = session.tell("[[edit]] go");
  await session.result();
  return Object.assign(session, { uuid });
}

describe("hooks over the bridge", () => {
  const all = Object.fromEntries(
    (
      "PreToolUse PostToolUse PostToolUseFailure Notification UserPromptSubmit SessionStart SessionEnd Stop " +
      "SubagentStart SubagentStop PreCompact PermissionRequest"
    )
      .split(" ")
      .map((event) => [event, [{}]]),
  );
  const goOn = ({ callback_type }: JsonObject): JsonObject => (callback_type === "hook" ? {} : { behavior: "allow" });

  it("hooks over the bridge are called for each kind of event that fires, with its input", () =>
    withBridge(
      {
        main: [
          answer(call("Bash", { command: "touch made.txt" })),
          answer(call("Bash", { command: "exit 3" })),
          answer(call("Agent", { description: "One", subagent_type: "general-purpose", prompt: "[[one]] look" })),
          answer(say("Done.")),
        ],
        one: [answer(say("I am one."))],
      },
      async ({ open, bridge }) => {
        bridge.onCallback = goOn;
        const session = await open("[[main]] go", { hooks: all });
        await session.result();
        session.tell("/compact");
        await session.result(2);
        session.tell("/clear");
        await session.message((message) => message["type"] === "conversation_reset");
        await bridge.said.waitFor(() => session.asked.some((payload) => payload["hook_event"] === "SessionEnd"));
        const asked = session.asked.filter((payload) => payload["callback_type"] === "hook");
        const fired = new Set(asked.map((payload) => textAt(payload, "hook_event")));
        for (const event of [
          "UserPromptSubmit",
          "PreToolUse",
          "PermissionRequest",
          "PostToolUse",
          "PostToolUseFailure",
          "SubagentStart",
          "SubagentStop",
          "Stop",
          "PreCompact",
          "SessionStart",
          "SessionEnd",
        ]) {
          assert.ok(fired.has(event), `${event} of ${[...fired].join(" ")}`);
        }
        for (const payload of asked) {
          assert.equal(at(payload, "hook_input.hook_event_name"), payload["hook_event"]);
          assert.equal(typeof at(payload, "hook_input.session_id"), "string");
        }
        const pre = asked.find((payload) => payload["hook_event"] === "PreToolUse");
        assert.equal(at(pre, "hook_input.tool_input.command"), "touch made.txt");
        assert.equal(pre?.["tool_use_id"], at(pre, "hook_input.tool_use_id"));
      },
      { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } },
    ));

  it("hooks of Notification are called when a permission waits, and when an MCP server was answered", () =>
    withBridge(
      {
        bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Well."))],
        form: [answer(call("mcp__one__ask", {})), answer(say("Thanks."))],
      },
      async ({ open, bridge }) => {
        const mcp_servers = { one: { ...mcpCommand() } };
        const hooks = { Notification: [{}] };
        let allow = (): void => {};
        bridge.onCallback = (payload, message) => {
          if (payload["callback_type"] === "hook") return {};
          if (payload["callback_type"] === "elicitation") return { action: "accept", content: { name: "Ada" } };
          if (textAt(payload, "tool_name") !== "Bash") return { behavior: "allow" };
          const about = [textAt(message, "session_id"), textAt(message, "id")] as const;
          allow = () => void bridge.send("callback.response", about[0], { behavior: "allow" }, about[1]);
          return "never";
        };
        const session = await open("[[bash]] go", { hooks, mcp_servers, elicitation_callbacks: true });
        const isOf = (kind: string) => (message: JsonObject) =>
          at(message, "payload.hook_input.notification_type") === kind;
        const waits = await bridge.said.waitFor(isOf("permission_prompt"), { what: "the notification" });
        assert.equal(at(waits, "payload.hook_event"), "Notification");
        assert.match(textAt(waits, "payload.hook_input.message"), /permission to use Bash/);
        allow();
        await session.result();
        session.tell("[[form]] go");
        const answered = await bridge.said.waitFor(isOf("elicitation_response"), { what: "the notification" });
        assert.match(textAt(answered, "payload.hook_input.message"), /"one": accept/);
        await session.result(2);
        const question = session.asked.find((payload) => payload["callback_type"] === "elicitation");
        assert.equal(question?.["mcp_server_name"], "one");
      },
      { env: { ENABLE_TOOL_SEARCH: "false" } },
    ));

  it("hooks of PreToolUse decide before any permission is requested", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Well."))] },
      async ({ open, bridge, place, api }) => {
        bridge.onCallback = () => ({
          hook_specific_output: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
            permissionDecisionReason: "house rules",
          },
        });
        const session = await open("[[bash]] go", { hooks: { PreToolUse: [{ matcher: "Bash" }] } });
        await session.result();
        assert.deepEqual(
          session.asked.map((payload) => payload["callback_type"]),
          ["hook"],
        );
        assert.ok(!existsSync(place.path("made.txt")));
        assert.match(toolResultTexts(api.requestsOf("bash")[1] ?? assert.fail()).join(), /house rules/);
      },
    ));

  it("hooks with a matcher are called for their tools only", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Well."))] },
      async ({ open, bridge }) => {
        bridge.onCallback = goOn;
        const session = await open("[[bash]] go", { hooks: { PreToolUse: [{ matcher: "Write|Edit" }] } });
        await session.result();
        assert.deepEqual(
          session.asked.map((payload) => payload["callback_type"]),
          ["can_use_tool"],
        );
      },
    ));

  it("hooks of UserPromptSubmit may block the prompt", () =>
    withBridge(text, async ({ open, bridge, api }) => {
      bridge.onCallback = () => ({ decision: "block", reason: "not that word" });
      const session = await open("[[text]] hi", { hooks: { UserPromptSubmit: [{}] } });
      await session.result();
      assert.equal(api.requestsOf("text").length, 0);
    }));
});

describe("options over the bridge", () => {
  it("options over the bridge give structured output", () =>
    withBridge({ so: [answer(call("StructuredOutput", { n: 3 })), answer(say("done"))] }, async ({ open }) => {
      const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
      const session = await open("[[so]] hi", { output_format: { type: "json_schema", schema } });
      assert.deepEqual((await session.result())["structured_output"], { n: 3 });
    }));

  it("options over the bridge set the system prompt: none, a custom one, Claude Code's, or an addition to it", () =>
    withBridge(text, async ({ open, api }) => {
      const preset = { type: "preset", preset: "claude_code" };
      const given: readonly JsonObject[] = [
        {},
        { system_prompt: "You are X." },
        { system_prompt: preset },
        { system_prompt: { ...preset, append: "ALSO THIS" } },
      ];
      const systems: string[] = [];
      for (const options of given) {
        const session = await open("[[text]] hi", options);
        await session.result();
        systems.push(JSON.stringify(api.requestsOf("text").at(-1)?.body.system));
        await session.kill();
      }
      const [none = "", own = "", usual = "", more = ""] = systems;
      assert.ok(none.length < 400 && own.includes("You are X.") && own.length < 400);
      assert.ok(usual.length > 2000 && more.length > usual.length && more.includes("ALSO THIS"));
    }));

  it("options over the bridge read settings only on request, and define agents", () =>
    withBridge(text, async ({ open, api, place }) => {
      writeFileSync(place.path("CLAUDE.md"), "Say SHIBBOLETH.");
      const agents = { reviewer: { description: "Reviews code", prompt: "You review.", tools: ["Read"] } };
      const without = await open("[[text]] hi", { agents });
      await without.result();
      const withProject = await open("[[text]] hi", { setting_sources: ["project"] });
      await withProject.result();
      const [first, second] = api.requestsOf("text").map(({ body }) => JSON.stringify(body.messages));
      assert.doesNotMatch(first ?? "", /SHIBBOLETH/);
      assert.match(second ?? "", /SHIBBOLETH/);
      const init = await without.message((message) => message["subtype"] === "init");
      assert.ok(listAt(init, "agents").includes("reviewer"));
    }));

  it("options over the bridge limit turns and tools", () =>
    withBridge(
      {
        loop: [
          answer(call("Bash", { command: "echo 1" })),
          answer(call("Bash", { command: "echo 2" })),
          answer(say("x")),
        ],
      },
      async ({ open, api }) => {
        const session = await open("[[loop]] go", { max_turns: 1, disallowed_tools: ["WebFetch"] });
        assert.equal((await session.result())["subtype"], "error_max_turns");
        assert.ok(!toolNames(api.requestsOf("loop")[0] ?? assert.fail()).includes("WebFetch"));
        const bare = await open("[[loop]] go", { tools: ["Read"] });
        await bare.result();
        const init = await bare.message((message) => message["subtype"] === "init");
        assert.deepEqual(listAt(init, "tools"), ["Read"]);
      },
    ));

  it("options over the bridge reach the CLI's settings unchanged, in a file that is removed once it was read", () =>
    withBridge({ held: [answer(say("a", hold("gate"), "b"))] }, async ({ open, api, place, bridge }) => {
      const sandbox = { enabled: false, auto_allow_bash_if_sandboxed: false, network: { allow_local_binding: true } };
      const session = await open("[[held]] go", { sandbox, mcp_servers: { none: { command: "true" } } });
      await api.gate("gate").reached();
      const cli = readFileSync(`/proc/${cliOf(bridge.program.pid, session.sdkId)}/cmdline`, "utf8").split("\0");
      const settings = cli.find((flag) => flag.startsWith("--settings="))?.slice("--settings=".length) ?? "";
      assert.ok(settings.startsWith(join(place.home, "tmp")), settings);
      assert.ok(!existsSync(settings));
      api.gate("gate").release();
      await session.result();
    }));

  it("sandbox options are the CLI's: a sandbox that cannot be made causes a warning or a failed session", () =>
    withBridge(text, async ({ open, bridge, cwd }) => {
      const hasSandbox = ["bwrap", "socat"].every((name) => spawnSync("which", [name]).status === 0);
      const session = await open("[[text]] hi", { sandbox: { enabled: true } });
      await session.result();
      const options = { sandbox: { enabled: true, fail_if_unavailable: true } };
      const reply = await bridge.call("session.create", undefined, { prompt: "", cwd, options });
      if (hasSandbox) return assert.equal(reply["type"], "session.created");
      assert.match(bridge.program.stderr, /^bowline bridge: the Claude CLI warns: Sandbox disabled/m);
      assert.equal(at(reply, "payload.code"), "SESSION_CREATE_FAILED");
      assert.match(JSON.stringify(at(reply, "payload.details.stderr")), /sandbox required but unavailable/);
    }));

  it("a message's id is carried into the result, and a new id is made when it is used twice", () =>
    withBridge({ ...text, more: [answer(say("Again."))] }, async ({ open, bridge }) => {
      const session = await open("");
      const id = randomUUID();
      bridge.send("session.send", session.id, { message: "[[text]] hi" }, id);
      assert.deepEqual(listAt(await session.result(), "user_message_uuids"), [id]);
      bridge.send("session.send", session.id, { message: "[[more]] hi" }, id);
      assert.equal((await session.result(2))["result"], "Again.");
    }));
});

function cliOf(parent: number, sdkId: string): number {
  const found = descendants(parent).find(({ command }) => command.includes(sdkId));
  return found?.pid ?? assert.fail("no CLI");
}
