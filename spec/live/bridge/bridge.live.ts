/**
 * Live specs of the bridge with the real CLI: sessions, messages, permissions,
 * interrupts and shutdown.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { AgentProgram } from "../../support/live/agent-program.ts";
import { toolResultTexts } from "../../support/live/api/api-request.ts";
import { LiveBridge, withBridge } from "../../support/live/live-bridge.ts";
import { at, listAt, textAt } from "../../support/json.ts";
import { descendants, type ProcessEntry, waitForCommand, waitUntil, waitUntilGone } from "../../support/processes.ts";
import { answer, call, hold, say, words } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import { tinyPng } from "../../support/live/workspace.ts";

const text = { text: [answer(say("Hello", " there."))] };

describe("a bridge session", () => {
  it("a bridge session is created with the CLI's true id, streams, and goes on in the same process", () =>
    withBridge({ ...text, more: [answer(say("Still here."))] }, async ({ open, bridge, cwd }) => {
      const session = await open("[[text]] hi", { include_partial_messages: true });
      const result = await session.result();
      assert.equal(result["result"], "Hello there.");
      const init = await session.message((message) => message["subtype"] === "init");
      assert.deepEqual([init["session_id"], init["cwd"]], [session.sdkId, cwd]);
      const deltas = session.messages.map((message) => textAt(message, "event.delta.text")).join("");
      assert.equal(deltas, "Hello there.");
      const pids = descendants(bridge.program.pid).filter(({ command }) => command.includes("--session-id"));
      const uuid = session.tell("[[more]] and?");
      const second = await session.result(2);
      assert.equal(second["result"], "Still here.");
      assert.deepEqual(listAt(second, "user_message_uuids"), [uuid], "the client's id is the prompt's");
      const after = descendants(bridge.program.pid).filter(({ command }) => command.includes("--session-id"));
      assert.deepEqual(
        after.map(({ pid }) => pid),
        pids.map(({ pid }) => pid),
      );
      const first = bridge.said.items.find((message) => message["session_id"] === session.id);
      assert.equal(first?.["type"], "session.created");
    }));

  it("a bridge session waits for its first message when the prompt is empty, and accepts images", () =>
    withBridge(text, async ({ open, bridge, api }) => {
      const session = await open("");
      assert.equal(api.requests.length, 0);
      const content = [
        { type: "text", text: "[[text]] what is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: tinyPng.toString("base64") } },
      ];
      bridge.send("session.send", session.id, { content });
      await session.result();
      const [request] = api.requestsOf("text");
      assert.match(JSON.stringify(request?.body.messages), /"media_type":"image\/png"/);
    }));

  it("a bridge session resumes a CLI that was killed, with the conversation so far", () =>
    withBridge({ ...text, more: [answer(say("I remember."))] }, async ({ open, bridge, api }) => {
      const session = await open("[[text]] hi");
      await session.result();
      const [cli] = descendants(bridge.program.pid).filter(({ command }) => command.includes(session.sdkId));
      assert.ok(cli);
      process.kill(cli.pid, "SIGKILL");
      const error = await bridge.said.waitFor(({ type }) => type === "error");
      assert.deepEqual([error["session_id"], at(error, "payload.code")], [session.id, "SDK_ERROR"]);
      assert.equal(at(error, "payload.details.signal"), "SIGKILL");
      session.tell("[[more]] who am I?");
      assert.equal((await session.result(2))["result"], "I remember.");
      const texts = JSON.stringify(api.requestsOf("more")[0]?.body.messages);
      assert.match(texts, /\[\[text\]\] hi/);
      const inits = session.messages.filter((message) => message["subtype"] === "init");
      assert.deepEqual(
        inits.map((init) => init["session_id"]),
        [session.sdkId, session.sdkId],
      );
    }));

  it("a bridge session resumes and forks a conversation of an earlier session by its sdk_session_id", () =>
    withBridge({ ...text, more: [answer(say("I remember."))] }, async ({ open, api }) => {
      const session = await open("[[text]] hi");
      await session.result();
      await session.kill();
      const resumed = await open("[[more]] and?", { resume: session.sdkId });
      assert.equal(resumed.sdkId, session.sdkId);
      await resumed.result();
      const forked = await open("[[more]] and?", { resume: session.sdkId, fork_session: true });
      assert.notEqual(forked.sdkId, session.sdkId);
      await forked.result();
      assert.equal((await forked.message((message) => message["subtype"] === "init"))["session_id"], forked.sdkId);
      for (const request of api.requestsOf("more"))
        assert.match(JSON.stringify(request.body.messages), /\[\[text\]\] hi/);
    }));
});

describe("a permission over the bridge", () => {
  it("a permission over the bridge is requested with all its fields, and an allowed tool runs", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Made."))] },
      async (driver) => {
        const { open, place } = driver;
        const session = await open("[[bash]] go");
        assert.equal((await session.result())["result"], "Made.");
        assert.ok(existsSync(place.path("made.txt")));
        const [asked] = session.asked;
        assert.deepEqual([asked?.["callback_type"], asked?.["tool_name"]], ["can_use_tool", "Bash"]);
        assert.equal(at(asked, "tool_input.command"), "touch made.txt");
        assert.ok(listAt(asked, "suggestions").length > 0);
        assert.equal(asked?.["blocked_path"], place.path("made.txt"));
        assert.match(String(asked?.["tool_use_id"]), /^toolu_/);
        assert.ok(!existsSync(place.path(".claude/settings.local.json")), "nothing was written for the user");
      },
    ));

  it("a permission over the bridge is denied with a reason that the model reads", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Very well."))] },
      async ({ open, place, bridge, api }) => {
        bridge.onCallback = () => ({ behavior: "deny", message: "Not today." });
        const session = await open("[[bash]] go");
        assert.equal((await session.result())["result"], "Very well.");
        assert.ok(!existsSync(place.path("made.txt")));
        assert.deepEqual(toolResultTexts(api.requestsOf("bash")[1] ?? assert.fail()), ["Not today."]);
      },
    ));

  it("a permission over the bridge is denied and ends the turn", () =>
    withBridge({ bash: [answer(call("Bash", { command: "touch made.txt" }))] }, async ({ open, bridge }) => {
      bridge.onCallback = () => ({ behavior: "deny", message: "Stop.", interrupt: true });
      const session = await open("[[bash]] go");
      assert.equal((await session.result())["terminal_reason"], "aborted_tools");
    }));

  it("a permission over the bridge lets the tool run with the input that the client changed", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Done."))] },
      async ({ open, place, bridge }) => {
        bridge.onCallback = () => ({ behavior: "allow", updated_input: { command: "touch other.txt" } });
        const session = await open("[[bash]] go");
        await session.result();
        assert.deepEqual([existsSync(place.path("made.txt")), existsSync(place.path("other.txt"))], [false, true]);
      },
    ));

  it("a permission over the bridge is not requested again after its suggestions were granted", () =>
    withBridge(
      {
        curl: [
          answer(call("Bash", { command: "curl http://127.0.0.1:1/" })),
          answer(call("Bash", { command: "curl http://127.0.0.1:1/" })),
          answer(say("Twice.")),
        ],
      },
      async ({ open, bridge }) => {
        bridge.onCallback = ({ suggestions }) => ({
          behavior: "allow",
          updated_permissions: (suggestions as { destination: string }[]).map((one) => ({
            ...one,
            destination: "session",
          })),
        });
        const session = await open("[[curl]] go");
        await session.result();
        assert.equal(session.asked.length, 1);
      },
    ));

  it("a permission over the bridge times out: the client is notified, the CLI gets a denial, and the turn goes on", () =>
    withBridge(
      { bash: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Nobody home."))] },
      async ({ open, bridge, api, place }) => {
        bridge.onCallback = () => "never";
        const session = await open("[[bash]] go");
        assert.equal((await session.result())["result"], "Nobody home.");
        const timeout = bridge.said.items.find((message) => message["type"] === "error");
        assert.equal(at(timeout, "payload.code"), "CALLBACK_TIMEOUT");
        assert.deepEqual(toolResultTexts(api.requestsOf("bash")[1] ?? assert.fail()), ["Permission request timed out"]);
        assert.ok(!existsSync(place.path("made.txt")));
      },
      { args: ["--callback-timeout", "0.3"] },
    ));

  it("permissions of several subagents are requested at once and answered in any order", () =>
    withBridge(
      {
        main: [
          answer(
            call("Agent", { description: "One", subagent_type: "general-purpose", prompt: "[[one]] look" }),
            call("Agent", { description: "Two", subagent_type: "general-purpose", prompt: "[[two]] look" }),
          ),
          answer(say("Both back.")),
        ],
        one: [answer(call("Bash", { command: "touch one.txt" })), answer(say("I am one."))],
        two: [answer(call("Bash", { command: "touch two.txt" })), answer(say("I am two."))],
      },
      async ({ open, bridge, place }) => {
        bridge.onCallback = () => "never";
        const session = await open("[[main]] go");
        const isAsked = (message: { readonly [key: string]: unknown }): boolean =>
          message["type"] === "callback.request";
        await bridge.said.waitFor(() => bridge.said.items.filter(isAsked).length === 2);
        const asked = bridge.said.items.filter(isAsked).reverse();
        assert.equal(new Set(asked.map((message) => at(message, "payload.agent_id"))).size, 2);
        for (const message of asked) {
          bridge.send("callback.response", session.id, { behavior: "allow" }, textAt(message, "id"));
        }
        await session.result();
        assert.ok(existsSync(place.path("one.txt")) && existsSync(place.path("two.txt")));
      },
      { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } },
    ));
});

describe("an interrupt over the bridge", () => {
  it("an interrupt over the bridge stops a tool in the middle, and the next message works", () =>
    withBridge(
      { sleep: [answer(call("Bash", { command: "touch started && sleep 300" }))], ...text },
      async ({ open, place }) => {
        const session = await open("[[sleep]] go");
        await waitForCommand(place.root, "sleep 300");
        assert.equal((await session.interrupt())["type"], "session.interrupted");
        assert.equal((await session.result())["terminal_reason"], "aborted_tools");
        session.tell("[[text]] hi");
        assert.equal((await session.result(2))["result"], "Hello there.");
      },
    ));

  it("an interrupt that a hung CLI does not confirm replaces the CLI, and the next message resumes the conversation", () =>
    withBridge({ ...text }, async ({ open, api, place }) => {
      const session = await open("[[text]] PERSIMMON");
      await session.result();
      const isCli = ({ command: line }: ProcessEntry): boolean => line.includes("--input-format=stream-json");
      const [cli = assert.fail("no CLI")] = (await waitUntil(place.root, (all) => all.some(isCli))).filter(isCli);
      process.kill(cli.pid, "SIGSTOP");
      assert.equal(textAt(await session.interrupt(), "payload.code"), "SDK_ERROR");
      session.tell("[[text]] again");
      assert.equal((await session.result(2))["result"], "Hello there.");
      const heard = api.requests.items.findLast(({ script }) => script === "text")?.body.messages;
      assert.match(JSON.stringify(heard), /PERSIMMON[^]*again/);
    }));

  it("an interrupt over the bridge stops a stream in the middle of a word", () =>
    withBridge({ long: [answer(words(3), hold("never"))] }, async ({ open, api }) => {
      const session = await open("[[long]] go");
      await api.gate("never").reached();
      await session.interrupt();
      assert.equal((await session.result())["terminal_reason"], "aborted_streaming");
    }));

  it("an interrupt over the bridge withdraws an open permission request, and reports that", () =>
    withBridge({ bash: [answer(call("Bash", { command: "touch made.txt" }))] }, async ({ open, bridge, place }) => {
      bridge.onCallback = () => "never";
      const session = await open("[[bash]] go");
      const asked = await bridge.said.waitFor(({ type }) => type === "callback.request");
      await session.interrupt();
      const cancelled = await bridge.said.waitFor(({ type }) => type === "callback.cancelled");
      assert.equal(cancelled["id"], asked["id"]);
      const id = bridge.send("callback.response", session.id, { behavior: "allow" }, textAt(asked, "id"));
      const late = await bridge.said.waitFor((message) => message["id"] === id && message["type"] === "error");
      assert.equal(at(late, "payload.code"), "CALLBACK_NOT_FOUND");
      await session.result();
      assert.ok(!existsSync(place.path("made.txt")));
    }));

  it("an interrupt of an idle session is answered too", () =>
    withBridge(text, async ({ open }) => {
      const session = await open("");
      assert.equal((await session.interrupt())["type"], "session.interrupted");
    }));
});

describe("the end of a bridge session", () => {
  it("a bridge session killed in the middle of a tool leaves nothing behind and sends nothing more", () =>
    withBridge(
      { sleep: [answer(call("Bash", { command: "touch started && sleep 300" }))] },
      async ({ open, bridge, place }) => {
        const session = await open("[[sleep]] go");
        await waitForCommand(place.root, "sleep 300");
        const from = bridge.said.length;
        assert.equal((await session.kill())["type"], "session.killed");
        // Messages that the CLI had already sent may come before it, and none after it.
        const said = bridge.said.items.slice(from).map(({ type }) => type);
        assert.deepEqual(
          said.filter((type) => type !== "sdk.message"),
          ["session.killed"],
        );
        assert.equal(said.at(-1), "session.killed");
        await waitUntil(place.root, () => descendants(bridge.program.pid).length === 0);
        assert.deepEqual(
          descendants(bridge.program.pid).map(({ command }) => command),
          [],
        );
        assert.equal(at(await session.kill(), "payload.code"), "SESSION_NOT_FOUND");
      },
    ));

  it("a bridge session ends with its client, in the middle of tools, within five seconds", () =>
    withBridge(
      { sleep: [answer(call("Bash", { command: "touch started && sleep 300" }))] },
      async ({ open, bridge, place }) => {
        await Promise.all([open("[[sleep]] go"), open("[[sleep]] go"), open("")]);
        await waitForCommand(place.root, "sleep 300");
        const started = performance.now();
        assert.deepEqual(await bridge.hangUp(), { code: 0, signal: null });
        assert.ok(performance.now() - started < 5000);
        assert.deepEqual(await waitUntilGone(place.root, 1000), []);
      },
    ));

  it("a bridge session ends with a client that is killed, though other processes hold its pipes", () =>
    withEnvironment({}, async ({ own, program, place }) => {
      const { command, args = [], ...rest } = program({ args: ["bridge"] });
      const line = ["-c", 'exec 3<&0; "$0" "$@" <&3 & wait', command, ...args];
      const bridge = own(new LiveBridge(new AgentProgram({ ...rest, command: "/bin/sh", args: line })));
      await bridge.create({ prompt: "", cwd: place.cwd });
      process.kill(bridge.program.pid, "SIGKILL");
      assert.deepEqual(await waitUntilGone(place.root, 10_000), []);
    }));

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
    it(`a bridge session ends with ${signal}`, () =>
      withBridge(
        { sleep: [answer(call("Bash", { command: "touch started && sleep 300" }))] },
        async ({ open, bridge, place }) => {
          await open("[[sleep]] go");
          await waitForCommand(place.root, "sleep 300");
          const exit = await bridge.program.kill(signal);
          if (signal !== "SIGKILL") assert.deepEqual(exit, { code: 0, signal: null });
          assert.deepEqual(await waitUntilGone(place.root), []);
        },
        { mayBeKilled: signal === "SIGKILL" },
      ));
  }
});

describe("a session that cannot start", () => {
  const rows = [
    ["an unknown mode", { options: { permission_mode: "nonsense" } }, /argument 'nonsense' is invalid/],
    [
      "a conversation that is not there",
      { options: { resume: "11111111-1111-4111-8111-111111111111" } },
      /No conversation found/,
    ],
    ["a directory that is not there", { cwd: "/nowhere/at/all" }, /cwd must be a directory/],
  ] as const;
  for (const [name, given, why] of rows) {
    it(`a session that cannot start reports the reason: ${name}`, () =>
      withBridge(text, async ({ bridge, cwd }) => {
        const id = bridge.send("session.create", undefined, { prompt: "", cwd, ...given });
        const error = await bridge.replyTo(id);
        assert.deepEqual([error["type"], at(error, "payload.code")], ["error", "SESSION_CREATE_FAILED"]);
        assert.match(textAt(error, "payload.message"), why);
      }));
  }

  it("a session that cannot start reports the reason: no CLI", () =>
    withBridge(
      text,
      async ({ bridge, cwd }) => {
        const error = await bridge.call("session.create", undefined, { prompt: "", cwd });
        assert.match(textAt(error, "payload.message"), /set it to the path of the Claude CLI/);
      },
      { env: { BOWLINE_CLAUDE: "/nowhere/claude" } },
    ));
});

describe("many sessions over one bridge", () => {
  // Each is a real CLI of some 160 MB; `BOWLINE_MANY=64` is for a machine with enough memory.
  const many = Array.from({ length: Number(process.env["BOWLINE_MANY"] ?? 12) }, (_, n) => n);

  it("many sessions over one bridge stream and request permissions at once, without mixing", () =>
    withBridge(
      Object.fromEntries(
        many.map((n) => [
          `s${n}`,
          [answer(say(`I am ${n}.`), call("Bash", { command: `touch made-${n}.txt` })), answer(say(`I was ${n}.`))],
        ]),
      ),
      async ({ bridge, cwd, place }) => {
        const limitMs = 20_000 + many.length * 3000;
        const open = (n: number) => bridge.create({ prompt: `[[s${n}]] hi`, cwd }, { limitMs });
        const sessions = await Promise.all(many.map(open));
        const results = await Promise.all(sessions.map((session) => session.result(1, { limitMs })));
        assert.deepEqual(
          results.map((result) => result["result"]),
          many.map((n) => `I was ${n}.`),
        );
        for (const [n, session] of sessions.entries()) {
          assert.deepEqual(
            session.asked.map((payload) => at(payload, "tool_input.command")),
            [`touch made-${n}.txt`],
          );
          assert.equal(place.read(`made-${n}.txt`), "");
        }
      },
    ));

  it("many sessions over one bridge lose nothing when the client does not read for a while", () =>
    withBridge({ long: [answer(words(4000))] }, async ({ open, bridge }) => {
      const session = await open("", { include_partial_messages: true });
      bridge.program.pause();
      session.tell("[[long]] go");
      await new Promise((resolve) => setTimeout(resolve, 1500));
      bridge.program.resume();
      const result = await session.result();
      const deltas = session.messages.map((message) => textAt(message, "event.delta.text")).join("");
      assert.equal(deltas, result["result"]);
      assert.match(deltas, /w3999 $/);
    }));
});
