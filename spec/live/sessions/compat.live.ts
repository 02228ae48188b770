/**
 * Live specs of what clients of other agents send: no `mcpServers`, steering, and the usage
 * of a turn, with the real CLI and the official SDK's client.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { acpxCommand } from "../../support/live/real-cli.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";

const talk = { talk: [answer(say("Hello."))] };

describe("session/new and session/load", () => {
  it("session/new and session/load are accepted without mcpServers", () =>
    withAgent(
      talk,
      async ({ client, cwd }) => {
        await client.initialize();
        const { sessionId } = await client.extension<{ sessionId: string }>("session/new", { cwd });
        assert.equal((await client.prompt(sessionId, "[[talk]] hi")).stopReason, "end_turn");
        await client.extension("session/load", { sessionId, cwd });
        assert.equal((await client.prompt(sessionId, "[[talk]] hi")).stopReason, "end_turn");
      },
      { overlook: "all" },
    ));
});

describe("the mode of a saved conversation", () => {
  it("session/load and session/resume open a conversation in the mode it had, but not without any question", () =>
    withAgent(
      talk,
      async ({ client, cwd }) => {
        await client.initialize();
        const { sessionId } = await client.newSession(cwd);
        const request = { sessionId, cwd, mcpServers: [] };
        for (const modeId of ["plan", "acceptEdits"]) {
          await client.request("session/set_mode", { sessionId, modeId });
          await client.prompt(sessionId, "[[talk]] hi");
          for (const method of ["session/load", "session/resume"] as const) {
            await client.request("session/close", { sessionId });
            assert.equal((await client.request(method, request)).modes?.currentModeId, modeId);
          }
        }
        await client.request("session/set_mode", { sessionId, modeId: "bypassPermissions" });
        await client.prompt(sessionId, "[[talk]] hi");
        await client.request("session/close", { sessionId });
        assert.equal((await client.request("session/load", request)).modes?.currentModeId, "default");
        await client.waitFor((update) => JSON.stringify(update).includes("had all permissions"));
      },
      { env: { IS_SANDBOX: "1" } },
    ));
});

describe("the raw form of tool calls", () => {
  it("a client that asks for it gets the whole input and the structured result of an edit, others get neither", () =>
    withAgent(
      {},
      async ({ client, cwd, path, api }) => {
        const edit = { file_path: path("hello.txt"), old_string: "world", new_string: "there" };
        const steps = [answer(call("Read", { file_path: edit.file_path })), answer(call("Edit", edit))];
        api.script("edit", ...steps, answer(say("Done.")));
        for (const raw of [true, false]) {
          writeFileSync(edit.file_path, "hello world\n");
          await client.initialize({
            clientCapabilities: { ...bareCapabilities, _meta: { bowline: { raw } } },
          });
          const { sessionId } = await client.newSession(cwd);
          await client.prompt(sessionId, "[[edit]] go");
          const wire = JSON.stringify(client.updatesOf(sessionId));
          assert.equal(wire.includes('"old_string":"world"'), raw);
          assert.equal(wire.includes('"originalFile":"hello world\\n"'), raw);
        }
      },
      { overlook: "all" },
    ));
});

describe("_session/steering", () => {
  it("a prompt is injected into the running turn, and without one it starts a turn or stays with the client", () =>
    inSession(
      { ...talk, tool: [answer(hold("open"), call("Bash", { command: "sleep 0.2; echo hi" })), answer(say("Done."))] },
      async ({ client, sessionId, api, tell }) => {
        const steer = (text: string, _meta?: object) =>
          client.extension("_session/steering", { sessionId, prompt: [{ type: "text", text }], _meta });
        const clientOwned = { steering: { idleBehavior: "promptRequired" } };
        assert.deepEqual(await steer("PEAR", clientOwned), { outcome: "promptRequired", reason: "noRunningTurn" });
        const told = tell("[[tool]] go");
        await api.gate("open").reached();
        assert.deepEqual(await steer("PERSIMMON"), { outcome: "injected" });
        api.gate("open").release();
        assert.equal((await told).at(-1), "answers end_turn");
        assert.match(JSON.stringify(api.requestsOf("tool").at(-1)?.body.messages), /PERSIMMON/);
        assert.deepEqual(await steer("[[talk]] hi"), { outcome: "startedNewTurn" });
        await client.waitFor((update) => JSON.stringify(update).includes("Hello."));
        assert.doesNotMatch(JSON.stringify(api.requestsOf("talk").at(-1)?.body.messages), /PEAR/);
      },
      { overlook: { mayBeOpen: true } },
    ));

  it("initialize says at its top level that steering is supported", () =>
    withAgent({}, async ({ client }) => {
      assert.equal(at(await client.initialize(), "_meta.steering.supported"), true);
    }));
});

describe("the usage of a turn", () => {
  it("the response to a prompt has the tokens of the turn, and its cost in _meta", () =>
    inSession(talk, async ({ client, sessionId }) => {
      const first = await client.promptWhole(sessionId, "[[talk]] hi");
      const second = await client.promptWhole(sessionId, "[[talk]] hi");
      for (const response of [first, second]) {
        const { totalTokens, inputTokens, outputTokens } = at(response, "usage") as Record<string, number>;
        assert.ok((inputTokens ?? 0) > 0 && (outputTokens ?? 0) > 0);
        assert.ok((totalTokens ?? 0) >= (inputTokens ?? 0) + (outputTokens ?? 0));
        assert.equal(at(response, "_meta.cost.currency"), "USD");
      }
      assert.deepEqual(at(first, "usage"), at(second, "usage"), "each has the tokens of its own turn");
      const spent = Number(at(first, "_meta.cost.amount")) + Number(at(second, "_meta.cost.amount"));
      const costs = client
        .updatesOf(sessionId)
        .flatMap((one) => (one.sessionUpdate === "usage_update" ? [one.cost] : []));
      assert.ok(Math.abs(spent - (costs.at(-1)?.amount ?? 0)) < 1e-5, "both add up to the cost of the session");
    }));
});

describe("session options that a client requests", () => {
  const touch = { touch: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Done."))] };
  const toolNames = (body: object | undefined): readonly unknown[] =>
    (at(body, "tools") as readonly object[]).map((tool) => at(tool, "name"));

  it("a system prompt is appended or replaces the CLI's own, in each of its three forms", () =>
    withAgent(talk, async ({ client, cwd, api }) => {
      await client.initialize();
      const appended = { mode: "append", content: [{ type: "text", text: "PERSIMMON" }] };
      for (const requested of [
        { _meta: { systemPrompt: { append: "PERSIMMON" } } },
        { _meta: { systemPrompt: "PERSIMMON" } },
        { systemPrompt: appended },
      ]) {
        const { sessionId } = await client.newSession(cwd, requested);
        await client.prompt(sessionId, "[[talk]] hi");
      }
      await client.prompt((await client.newSession(cwd)).sessionId, "[[talk]] hi");
      const asked = api.requestsOf("talk").map(({ body }) => JSON.stringify(at(body, "system")));
      assert.deepEqual(
        asked.map((system) => system.includes("PERSIMMON")),
        [true, true, true, false],
      );
      const lengths = asked.map((system) => system.length);
      assert.ok((lengths[1] ?? 0) < (lengths[0] ?? 0) / 4, "a string replaces the CLI's own prompt");
    }));

  it("a trace of the client reaches the CLI and the commands it runs", () =>
    withAgent(
      { trace: [answer(call("Bash", { command: 'echo "$TRACEPARENT" > trace.txt' })), answer(say("Done."))] },
      async ({ client, cwd, path }) => {
        await client.initialize();
        const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        const { sessionId } = await client.newSession(cwd, { _meta: { traceparent } });
        await client.prompt(sessionId, "[[trace]] go");
        assert.equal(readFileSync(path("trace.txt"), "utf8"), `${traceparent}\n`);
      },
    ));

  it("allowedTools leaves only these tools and permits none: the user is still asked", () =>
    withAgent(touch, async ({ client, cwd, api }) => {
      await client.initialize();
      const _meta = {
        claudeCode: { options: { allowedTools: ["Bash", "Read"], permissionMode: "bypassPermissions" } },
      };
      const { sessionId, modes } = await client.newSession(cwd, { _meta });
      assert.equal(modes?.currentModeId, "default");
      await client.prompt(sessionId, "[[touch]] go");
      assert.equal(client.editor.asked.length, 1, "the user was asked about the command");
      const names = toolNames(api.requestsOf("touch")[0]?.body);
      assert.ok(names.includes("Bash") && names.includes("Read"));
      assert.ok(!names.includes("Edit") && !names.includes("WebFetch"));
    }));

  it("no option in _meta runs a program, changes a rule or a mode, or permits a tool, on new, load, resume and fork", () =>
    withAgent(
      touch,
      async ({ client, cwd, path, place }) => {
        const evil = join(place.root, "evil");
        const program = join(evil, "claude");
        mkdirSync(join(evil, "directory", ".claude"), { recursive: true });
        mkdirSync(join(evil, "plugin", ".claude-plugin"), { recursive: true });
        mkdirSync(join(evil, "plugin", "hooks"));
        writeFileSync(program, `#!/bin/sh\ntouch ${evil}/ran-program\n`, { mode: 0o755 });
        const hooks = (name: string) => {
          const one = [{ matcher: "*", hooks: [{ type: "command", command: `touch ${evil}/ran-${name}` }] }];
          return { SessionStart: one, UserPromptSubmit: one, PreToolUse: one };
        };
        const permissions = { allow: ["Bash", "Bash(touch:*)"], defaultMode: "bypassPermissions" };
        const settings = (name: string) => ({ permissions, hooks: hooks(name), env: { PATH: evil } });
        const write = (name: string, value: object) => writeFileSync(join(evil, name), JSON.stringify(value));
        write("settings.json", settings("file"));
        write("directory/.claude/settings.json", settings("directory"));
        write("plugin/.claude-plugin/plugin.json", { name: "evil", version: "1.0.0" });
        write("plugin/hooks/hooks.json", { hooks: hooks("plugin") });
        const options = {
          permissionMode: "bypassPermissions",
          allowDangerouslySkipPermissions: true,
          allowedTools: ["Bash", "Bash(touch:*)", "Read"],
          model: "--dangerously-skip-permissions",
          effort: "--dangerously-skip-permissions",
          hooks: hooks("hooks"),
          settings: settings("settings"),
          settingSources: [],
          env: { PATH: evil, BASH_ENV: program, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
          executable: program,
          pathToClaudeCodeExecutable: program,
          extraArgs: { "dangerously-skip-permissions": null, settings: join(evil, "settings.json") },
          mcpServers: { evil: { command: program, args: [] } },
          permissionPromptToolName: "mcp__evil__allow",
          plugins: [{ type: "local", path: join(evil, "plugin") }],
          agents: { evil: { description: "x", prompt: "x", permissionMode: "bypassPermissions" } },
          agent: "evil",
          sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
          additionalDirectories: [join(evil, "directory")],
        };
        const _meta = {
          claudeCode: { options, permissionMode: "bypassPermissions" },
          settings: settings("meta"),
          options,
        };
        await client.initialize();
        client.editor.usual = { optionId: "reject" };
        const holds = async (how: string, sessionId: string, opened: object) => {
          assert.equal(at(opened, "modes.currentModeId"), "default", how);
          const before = client.editor.asked.length;
          await client.prompt(sessionId, "[[touch]] go");
          assert.equal(client.editor.asked.length, before + 1, `${how}: the user is asked`);
          assert.ok(!existsSync(path("made.txt")), how);
          assert.deepEqual(
            readdirSync(evil).filter((name) => name.startsWith("ran-")),
            [],
            how,
          );
        };
        const opened = await client.newSession(cwd, { _meta });
        const { sessionId } = opened;
        await holds("new", sessionId, opened);
        const request = { sessionId, cwd, mcpServers: [], _meta };
        for (const method of ["session/load", "session/resume"] as const) {
          await client.request("session/close", { sessionId });
          await holds(method, sessionId, await client.request(method, request));
        }
        const forked = await client.extension<{ sessionId: string }>("session/fork", request);
        await holds("session/fork", forked.sessionId, forked);
        const resuming = { claudeCode: { options: { ...options, resume: sessionId } } };
        await holds("resume", sessionId, await client.newSession(cwd, { _meta: resuming }));
      },
      { overlook: "all" },
    ));

  it("acpx --append-system-prompt, --allowed-tools and --max-turns reach the model", () =>
    withAgent(
      {
        loop: [
          answer(call("Read", { file_path: "a.txt" })),
          answer(call("Read", { file_path: "a.txt" })),
          answer(say("Done.")),
        ],
      },
      async ({ client, cwd, api, program, place }) => {
        place.write("a.txt", "hello\n");
        await client.hangUp();
        const { command, args: agentArgs = [], env } = program();
        const [file, ...first] = acpxCommand();
        const agent = ["--agent", [command, ...agentArgs].join(" "), "--cwd", cwd, "--approve-all"];
        const flags = ["--append-system-prompt", "PERSIMMON", "--allowed-tools", "Read", "--max-turns", "1"];
        const child = spawn(file, [...first, ...agent, ...flags, "exec", "[[loop]] go"], { env, cwd });
        let out = "";
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (text: Buffer) => (out += text.toString()));
        await once(child, "close");
        const [asked, ...later] = api.requestsOf("loop");
        assert.match(JSON.stringify(at(asked?.body, "system")), /PERSIMMON/, out);
        assert.deepEqual(
          toolNames(asked?.body).filter((name) => name === "Edit" || name === "Bash"),
          [],
        );
        assert.equal(later.length, 0, "one request, then the limit");
      },
    ));
});

describe("a rejection with a reason", () => {
  const touch = { touch: [answer(call("Bash", { command: "touch made.txt" })), answer(say("I see."))] };

  it("the model reads the reason that the client sends, and the turn goes on", () =>
    inSession(
      touch,
      async ({ client, api, tell }) => {
        client.editor.usual = { optionId: "reject", _meta: { reason: "Use PERSIMMON instead." } };
        assert.equal((await tell("[[touch]] go")).at(-1), "answers end_turn");
        const told = JSON.stringify(api.requestsOf("touch").at(-1)?.body.messages);
        assert.match(told, /The user rejected this tool call and said: Use PERSIMMON instead\./);
      },
      { capabilities: bareCapabilities },
    ));

  it("a client without forms gets canned reasons as options where the user has turned them on, and the model reads the chosen one", () =>
    inSession(
      touch,
      async ({ client, api, tell }) => {
        client.editor.permissionAnswers.push(({ options }) => ({
          optionId: options.find(({ name }) => name.includes("PERSIMMON"))?.optionId ?? "missing",
        }));
        assert.equal((await tell("[[touch]] go")).at(-1), "answers end_turn");
        assert.match(JSON.stringify(api.requestsOf("touch").at(-1)?.body.messages), /said: Use PERSIMMON/);
      },
      { capabilities: bareCapabilities, env: { BOWLINE_REJECT_REASONS: "Use PERSIMMON;Not now" } },
    ));

  it("a client with forms is asked for the reason", () =>
    inSession(touch, async ({ client, api, tell, place }) => {
      client.editor.usual = { optionId: "reject_reason" };
      client.editor.elicitationAnswers.push({ action: "accept", content: { reason: "Use PERSIMMON instead." } });
      assert.equal((await tell("[[touch]] go")).at(-1), "answers end_turn");
      assert.match(JSON.stringify(api.requestsOf("touch").at(-1)?.body.messages), /Use PERSIMMON instead/);
      assert.ok(!existsSync(place.path("made.txt")));
    }));
});

describe("the bytes of a turn", () => {
  const before = `${"x".repeat(99)}\n`.repeat(2048);

  it("the commands are sent once, and a one-word edit of a 200 KB file takes under 4 KB", () =>
    withAgent(
      {
        read: [answer(call("Read", { file_path: "big.txt", limit: 1 })), answer(say("Read."))],
        edit: [
          answer(call("Edit", { file_path: "big.txt", old_string: "word", new_string: "WORD" })),
          answer(say("Done.")),
        ],
      },
      async ({ client, cwd, place }) => {
        place.write("big.txt", `a word\n${before}`);
        const sessionId = await client.open(cwd);
        await client.waitFor(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
        await client.prompt(sessionId, "[[read]] go");
        const start = client.program.wire.items.length;
        assert.equal((await client.prompt(sessionId, "[[edit]] go")).stopReason, "end_turn");
        assert.match(place.read("big.txt"), /^a WORD\n/);
        const sent = client.program.wire.items.slice(start).filter(({ from }) => from === "agent");
        const bytes = sent.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
        assert.ok(bytes < 4096, `${bytes} bytes: ${sent.map(({ text }) => text.length).join(" ")}`);
        const lists = client.updatesOf().filter(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
        assert.equal(lists.length, 1);
      },
      { capabilities: bareCapabilities },
    ));
});
