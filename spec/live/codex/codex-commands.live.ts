/**
 * Slash commands, modes, MCP servers, steering and saved conversations of the Codex engine,
 * with the real Codex CLI.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { realTimer } from "../../../lib/wire/index.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { withCodex } from "../../support/live/codex/codex-environment.ts";
import { call, escalate, run, say, sayForEver, status } from "../../support/live/api/fake-responses-api.ts";
import { mcpOverHttp } from "../../support/live/mcp-server.ts";
import { descendants, waitForCommand, waitUntil } from "../../support/processes.ts";

const endTurn = { kind: "stopped", stopReason: "end_turn" };
const cancelled = { kind: "stopped", stopReason: "cancelled" };

/** Codex tells no event for what is asked here, so it is asked again until it holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 100));
}

describe("the commands of the Codex engine with the real CLI", () => {
  it("/compact summarizes the conversation, and the next prompt is answered", () =>
    withCodex({ hi: [say("Hello there.")] }, async ({ start }) => {
      const driver = await start();
      await driver.tell("[[hi]]");
      assert.deepEqual(await driver.tell("/compact"), endTurn);
      const states = driver.updates.flatMap((one) => (one.sessionUpdate === "compaction_update" ? [one.status] : []));
      assert.deepEqual(states, ["in_progress", "completed"]);
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
    }));

  it("/review reviews the changes of the project", () =>
    withCodex({}, async ({ start, place }) => {
      execFileSync("git", ["init", "-q"], { cwd: place.cwd });
      const driver = await start();
      assert.deepEqual(await driver.tell("/review"), endTurn);
      assert.match(JSON.stringify(driver.updates), /Reviewing/);
    }));

  it("/status, /skills and /stop are answered without the model", () =>
    withCodex({}, async ({ start, api, place }) => {
      const driver = await start();
      for (const command of ["/status", "/skills", "/stop"]) assert.deepEqual(await driver.tell(command), endTurn);
      assert.match(driver.text, /gpt-5\.5/);
      assert.match(driver.text, new RegExp(place.cwd));
      assert.deepEqual(await driver.conversation.controls?.mcp?.servers(), []);
      assert.match(driver.text, /No command runs in the background/);
      assert.equal(api.calls.length, 0);
    }));

  it("/clear begins a new thread, and the model does not know the old one", () =>
    withCodex({ hi: [say("Hello there.")], again: [say("Who?")] }, async ({ start, api }) => {
      const driver = await start();
      await driver.tell("[[hi]]");
      const { id } = driver.conversation;
      assert.deepEqual(await driver.tell("/clear"), endTurn);
      assert.equal(driver.conversation.id, id);
      assert.notEqual(driver.conversation.savedId, id);
      assert.deepEqual(await driver.tell("[[again]]"), endTurn);
      assert.doesNotMatch(JSON.stringify(api.calls.at(-1)?.body), /Hello there/);
    }));

  it("a plan is proposed in plan mode, and carried out after the user agrees", () =>
    withCodex({ plan: [say("<proposed_plan>\n1. Write a file\n</proposed_plan>")] }, async ({ start, api }) => {
      const driver = await start({ answer: () => "accept_edits" });
      assert.deepEqual(await driver.tell("/plan [[plan]] write a file"), endTurn);
      assert.equal(driver.asked.length, 1);
      assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
      assert.equal(api.calls.length, 2);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /Implement the plan/);
    }));

  it("/goal goes on until it is cancelled", () =>
    withCodex({ goal: [say("Working.")] }, async ({ start, api }) => {
      const driver = await start();
      await driver.tell("[[goal]] first");
      await driver.submit("/goal [[goal]] finish it");
      await driver.until(() => driver.text.split("Working.").length > 3);
      assert.equal(driver.ends.length, 1);
      driver.conversation.interrupt();
      const end = await driver.end(1);
      assert.equal(end.kind, "stopped");
      const count = api.calls.length;
      assert.deepEqual(await driver.tell("/goal clear"), endTurn);
      assert.ok(api.calls.length <= count + 1);
      assert.equal(driver.conversation.isBusy, false);
    }));

  it("a chosen mode holds: commands in the project run without a question", () =>
    withCodex(
      {
        write: [run("echo done > made.txt"), say("Written.")],
        out: [escalate("echo x > /nope", "May I?"), say("No.")],
      },
      async ({ start, place }) => {
        const driver = await start({ request: { settings: { mode: "dontAsk", effort: "high" } } });
        assert.equal(driver.conversation.settingsState.mode, "dontAsk");
        assert.equal(driver.conversation.settingsState.effort, "high");
        assert.deepEqual(await driver.tell("[[write]]"), endTurn);
        assert.equal(place.read("made.txt"), "done\n");
        assert.deepEqual(await driver.tell("[[out]]"), endTurn);
        assert.equal(driver.asked.length, 0);
      },
    ));

  it("a model and an effort that are chosen go to the API", () =>
    withCodex({ hi: [say("Hello.")] }, async ({ start, api }) => {
      const driver = await start();
      await driver.conversation.change("model", "gpt-5.6-sol");
      await driver.conversation.change("effort", "high");
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
      assert.equal(api.calls[0]?.body["model"], "gpt-5.6-sol");
      assert.match(JSON.stringify(api.calls[0]?.body["reasoning"]), /high/);
      assert.ok(!driver.events.some(({ type }) => type === "settings_changed"));
    }));

  it("a steered prompt belongs to the running turn", () =>
    withCodex({ wait: [run("sleep 1"), say("Done.")] }, async ({ start, api }) => {
      const driver = await start();
      await driver.submit("[[wait]]");
      await driver.until(() => driver.calls.length === 1);
      assert.equal(driver.conversation.steer({ id: "s", content: [{ type: "text", text: "and hurry" }] }), true);
      assert.deepEqual(await driver.end(0), endTurn);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /and hurry/);
      assert.equal(driver.conversation.steer({ id: "t", content: [{ type: "text", text: "late" }] }), false);
    }));

  it("saved conversations are listed, renamed and removed", () =>
    withCodex({ hi: [say("Hello.")] }, async ({ start, engine, place }) => {
      const driver = await start();
      assert.equal(await engine.conversations.has(driver.conversation.id), false, "nothing is saved yet");
      await driver.tell("[[hi]] one");
      const { id } = driver.conversation;
      const store = engine.conversations;
      const page = await store.list(place.cwd, undefined);
      assert.ok(page.kind === "page");
      assert.deepEqual(
        page.sessions.map(({ sessionId, cwd, title }) => [sessionId, cwd, title]),
        [[id, place.cwd, "[[hi]] one"]],
      );
      assert.deepEqual(await store.list(place.cwd, "nonsense"), { kind: "bad-cursor" });
      assert.equal(await store.has(id), true);
      assert.equal(await store.has(crypto.randomUUID()), false);
      assert.equal(await store.has("nonsense"), false);
      assert.equal(await store.directoryOf(id), place.cwd);
      assert.equal(await store.latest(place.cwd), id);
      assert.equal(await store.latest("/"), undefined);
      assert.equal(await driver.conversation.rename("A name"), true);
      await store.rename(id, "Another name");
      const again = await store.list(undefined, undefined);
      assert.ok(again.kind === "page" && again.sessions[0]?.title === "Another name");
      await driver.conversation.close("done");
      await store.remove(id);
      assert.equal(await store.has(id), false);
      await assert.rejects(store.remove(id), (cause) => cause instanceof EngineFailure);
    }));

  it("a frozen app-server is found out, ended and replaced", () =>
    withCodex(
      { hi: [say("Hello.")], wait: [run("sleep 1234")] },
      async ({ start, place }) => {
        const driver = await start();
        await driver.tell("[[hi]]");
        await driver.submit("[[wait]]");
        await waitForCommand(place.root, "sleep 1234");
        const [server] = descendants(process.pid).filter(({ command }) => command.includes("app-server"));
        process.kill(server!.pid, "SIGSTOP");
        const end = await driver.end(1);
        assert.ok(end.kind === "lost" && end.failure instanceof EngineFailure && end.failure.kind === "hung");
        assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
        await waitUntil(place.root, (all) => !all.some(({ command }) => command.includes("sleep 1234")), 2000);
      },
      // Ten times as fast: the detector would wait for 30 seconds.
      { after: (ms, run) => realTimer(ms / 10, run) },
    ));

  it("a turn that the API fails ends as a failure, with the sentence of the API", () =>
    withCodex(
      {
        bad: [status(400, { error: { message: "this cannot be" } })],
        limit: [status(429, { error: { type: "usage_limit_reached", message: "limit" } })],
      },
      async ({ start }) => {
        const driver = await start();
        const bad = await driver.tell("[[bad]]");
        assert.ok(
          bad.kind === "failed" && /this cannot be/.test(bad.failure.message),
          JSON.stringify([bad, bad.kind === "failed" && bad.failure.message]),
        );
        const limit = await driver.tell("[[limit]]");
        assert.ok(limit.kind === "failed" && limit.failure.kind === "limit", JSON.stringify(limit));
      },
    ));

  it("a directory that does not exist and a config.toml that cannot be read are reported", () =>
    withCodex(
      {},
      async ({ open }) => {
        await assert.rejects(open({ cwd: "/no/such/directory" }).conversation.start(), /existing directory/);
        await assert.rejects(
          open().conversation.start(),
          (cause) => cause instanceof EngineFailure && /config/.test(cause.message),
        );
      },
      { config: "this is = = no toml" },
    ));

  it("an MCP server of the editor serves the thread and ends with it", () =>
    withCodex({ tool: [call("greet", { name: "you" }, "mcp__editor"), say("Greeted.")] }, async ({ start, place }) => {
      place.write("server.mjs", mcpServer);
      const driver = await start({
        answer: () => "allow",
        request: {
          mcpServers: [{ name: "editor", command: process.execPath, args: [place.path("server.mjs")], env: [] }],
        },
      });
      await waitForCommand(place.root, "server.mjs");
      assert.deepEqual(await driver.tell("[[tool]]"), endTurn);
      assert.match(JSON.stringify(driver.updates), /hello you/);
      await driver.conversation.close("done");
      const left = await waitUntil(
        place.root,
        (all) => !all.some(({ command }) => command.includes("server.mjs")),
        5000,
      );
      assert.deepEqual(
        left.filter(({ command }) => command.includes("server.mjs")),
        [],
      );
    }));

  it("a command that runs on in the background is ended by /stop", () =>
    withCodex({ back: [run("sleep 1234", { yield_time_ms: 250 }), say("It runs.")] }, async ({ start, place }) => {
      const driver = await start();
      assert.deepEqual(await driver.tell("[[back]]"), endTurn);
      await waitForCommand(place.root, "sleep 1234");
      assert.equal(driver.conversation.release("idle"), false);
      assert.deepEqual(await driver.tell("/stop"), endTurn);
      assert.match(driver.text, /Stopped 1/);
      await driver.until(() => driver.calls[0]?.endsWith("failed") === true);
    }));

  it("an MCP server that needs a sign-in is listed as such, and connected after the sign-in", async () => {
    await using drive = await mcpOverHttp({ needsSignIn: true });
    await withCodex(
      {},
      async ({ start }) => {
        const driver = await start();
        const { mcp } = driver.conversation.controls ?? {};
        const states = async (): Promise<readonly string[]> =>
          ((await mcp?.servers()) ?? []).map(({ name, status, tools }) => `${name} ${status} ${tools.length}`);
        await until(async () => (await states()).includes("drive needs_sign_in 0"));
        const address = new URL((await mcp?.signIn?.("drive")) ?? "");
        // The browser of the user, after the sign-in at the authorization server.
        const callback = new URL(address.searchParams.get("redirect_uri") ?? "");
        callback.search = new URLSearchParams({
          code: "the-code",
          state: address.searchParams.get("state") ?? "",
        }).toString();
        assert.equal((await fetch(callback)).status, 200);
        await until(async () => (await states()).includes("drive connected 5"));
      },
      { config: `[mcp_servers.drive]\nurl = "${drive.url}"\n` },
    );
  });

  it("/tasks lists a command that runs on in the background, and stops that one alone", () =>
    withCodex(
      {
        first: [run("sleep 1234", { yield_time_ms: 250 }), say("It runs.")],
        second: [run("sleep 4321", { yield_time_ms: 250 }), say("It runs too.")],
      },
      async ({ start, place }) => {
        const driver = await start();
        const { tasks } = driver.conversation.controls ?? {};
        assert.deepEqual(await tasks?.list(), []);
        for (const prompt of ["[[first]]", "[[second]]"]) assert.deepEqual(await driver.tell(prompt), endTurn);
        await waitForCommand(place.root, "sleep 1234");
        await waitForCommand(place.root, "sleep 4321");
        const listed = (await tasks?.list()) ?? [];
        assert.deepEqual(listed.map(({ kind, title }) => `${kind} ${/sleep \d+/.exec(title)?.[0]}`).sort(), [
          "command sleep 1234",
          "command sleep 4321",
        ]);
        const stopped = listed.find(({ title }) => title.includes("sleep 1234"));
        await tasks?.stop(stopped?.id ?? "");
        const left = await waitUntil(place.root, (all) => !all.some(({ command }) => command === "sleep 1234"), 5000);
        assert.ok(left.some(({ command }) => command.includes("sleep 4321")));
        assert.deepEqual(
          (await tasks?.list())?.map(({ id }) => id),
          listed.filter((one) => one !== stopped).map(({ id }) => id),
        );
      },
    ));

  it("two conversations run at the same time, and cancelling one leaves the other", () =>
    withCodex({ talk: [sayForEver("On and on ")], wait: [run("sleep 1"), say("Done.")] }, async ({ start }) => {
      const [first, second] = [await start(), await start()];
      await first.submit("[[talk]]");
      await second.submit("[[wait]]");
      await first.until(() => first.text !== "");
      first.conversation.interrupt();
      assert.deepEqual(await first.end(0), cancelled);
      assert.deepEqual(await second.end(0), endTurn);
      assert.equal(second.text, "Done.");
    }));

  it("an additional directory of the session can be written in the sandbox of the configuration", () =>
    withCodex(
      { out: [run("echo done > ../home/made.txt; cat ../home/made.txt"), say("Done.")] },
      async ({ start, place }) => {
        const without = await start();
        await without.tell("[[out]]");
        assert.match(without.calls[0] ?? "failed", /failed$/);
        const driver = await start({ request: { additionalDirectories: [place.home] } });
        assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
        assert.deepEqual(await driver.tell("[[out]]"), endTurn);
        assert.deepEqual(driver.calls, ["echo done > ../home/made.txt; cat ../home/made.txt: completed"]);
      },
      {
        config: 'sandbox_mode = "workspace-write"',
        tables: "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true",
      },
    ));

  it("a closed conversation can be opened again at once", () =>
    withCodex({ hi: [say("Hello.")], again: [say("Again.")] }, async ({ start, api }) => {
      const driver = await start();
      await driver.tell("[[hi]]");
      const { id } = driver.conversation;
      await driver.conversation.close("it is opened again");
      const other = await start({ request: { start: { kind: "resume", id } } });
      await other.conversation.replay(new AbortController().signal);
      assert.equal(other.text, "Hello.");
      assert.deepEqual(await other.tell("[[again]]"), endTurn);
      assert.equal(other.conversation.release("idle"), true);
      assert.deepEqual(await other.tell("[[again]]"), endTurn);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /Hello/);
    }));

  it("a conversation that another Codex has open is refused with a sentence that says so", () =>
    withCodex({ hi: [say("Hello.")] }, async ({ start, otherEngine, place }) => {
      const driver = await start();
      await driver.tell("[[hi]]");
      const { ConversationDriver } = await import("../../support/codex/conversation-driver.ts");
      const other = new ConversationDriver(otherEngine(), {
        cwd: place.cwd,
        request: { start: { kind: "resume", id: driver.conversation.id } },
      });
      await assert.rejects(other.conversation.start(), /open in another Codex/);
      await driver.conversation.close("done");
    }));
});

const mcpServer = `
import { createInterface } from "node:readline";
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "editor", version: "1" } });
  else if (method === "tools/list") reply(id, { tools: [{ name: "greet", description: "greets", inputSchema: { type: "object", properties: { name: { type: "string" } } } }] });
  else if (method === "tools/call") reply(id, { content: [{ type: "text", text: "hello " + params.arguments.name }] });
  else if (id !== undefined) reply(id, {});
}
`;
