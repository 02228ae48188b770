/**
 * Live specs of saved conversations of Codex through the agent: listed, loaded, resumed,
 * forked, renamed, closed and deleted, and shared with Codex's own tools.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { type CodexSession, inCodexSession, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import {
  answer,
  callItem,
  commentary,
  escalate,
  patch,
  run,
  say,
  think,
} from "../../support/live/api/fake-responses-api.ts";
import { hold } from "../../support/live/api/model-script.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";
import { leftovers } from "../../support/processes.ts";

const talk = { talk: [say("Hello.")], more: [say("Of course.")] };

/** The same agent again, with the same home, as after a restart of the editor. */
async function again({ own, program, client }: CodexSession): Promise<AcpClient> {
  await client.hangUp();
  const next = own(new AcpClient(program()));
  await next.initialize();
  return next;
}

/** The part of the live lines that is saved: no answers, no permission requests. */
function lasting(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/^(asks|answers|titled|heard) /.test(line));
}

describe("saved conversations of Codex", () => {
  it("session/list has every conversation with its directory and title, the newest first, and those of one directory", () =>
    withCodexAgent(talk, async ({ client, cwd, path }) => {
      await client.initialize();
      const list = async (where?: string): Promise<readonly unknown[]> => {
        const { sessions } = await client.request("session/list", where === undefined ? {} : { cwd: where });
        return sessions.map((one) => [one.sessionId, one.cwd, one.title]);
      };
      assert.deepEqual(await list(), []);
      mkdirSync(path("other"));
      const first = (await client.newSession(cwd)).sessionId;
      await client.prompt(first, "[[talk]] first");
      const second = (await client.newSession(path("other"))).sessionId;
      await client.prompt(second, "[[talk]] second");
      assert.deepEqual(await list(), [
        [second, path("other"), "[[talk]] second"],
        [first, cwd, "[[talk]] first"],
      ]);
      assert.deepEqual(await list(cwd), [[first, cwd, "[[talk]] first"]]);
      assert.deepEqual(await list(path("nowhere")), []);
      await assert.rejects(client.request("session/list", { cursor: "nonsense" }), { code: -32602 });
    }));

  it("session/load shows the conversation as it was live, before it answers, and the next prompt goes on", () =>
    inCodexSession(
      {
        ...talk,
        work: [
          answer(think("Let me see."), commentary("Looking."), callItem("exec_command", { cmd: "cat hello.txt" })),
          escalate("echo outside", "May I?"),
          run("echo no; exit 3"),
          patch("*** Begin Patch\n*** Update File: hello.txt\n@@\n-second line\n+changed line\n*** End Patch"),
          say("All done."),
        ],
      },
      async (driver) => {
        const { api, cwd, sessionId, tell } = driver;
        const live = [...(await tell("[[talk]] PERSIMMON")), ...(await tell("[[work]] go"))];
        const client = await again(driver);
        await client.request("session/load", { sessionId, cwd, mcpServers: [] });
        const loaded = transcript(client, cwd, sessionId);
        assert.deepEqual(
          loaded.filter((line) => line.startsWith("heard")),
          ["heard [[talk]] PERSIMMON", "heard [[work]] go"],
        );
        // The reason of a question is not saved.
        const expected = lasting(live).map((line) => line.replace(" · May I?", ""));
        assert.deepEqual(lasting(loaded), expected);
        await client.prompt(sessionId, "[[more]] on");
        assert.match(api.sentTo("more")[0] ?? "", /PERSIMMON[^]*All done/);
      },
    ));

  it("session/resume goes on without showing the conversation, with the model that was chosen", () =>
    inCodexSession(talk, async (driver) => {
      const { api, cwd, sessionId, tell, client: first } = driver;
      await first.request("session/set_config_option", { sessionId, configId: "model", value: "gpt-5.6-sol" });
      await tell("[[talk]] PERSIMMON");
      const client = await again(driver);
      await client.request("session/resume", { sessionId, cwd, mcpServers: [] });
      assert.deepEqual(transcript(client, cwd, sessionId), []);
      await client.prompt(sessionId, "[[more]] on");
      assert.match(api.sentTo("more")[0] ?? "", /PERSIMMON/);
      assert.equal(api.calls.at(-1)?.body["model"], "gpt-5.6-sol");
    }));

  it("session/fork makes a copy while the original runs, and leaves the original alone", () =>
    inCodexSession({ ...talk, slow: [say("Some ", hold("word"), "more.")] }, async (driver) => {
      const { client, cwd, sessionId, tell, api } = driver;
      await tell("[[talk]] PERSIMMON");
      const slow = tell("[[slow]] go");
      await api.gate("word").reached();
      const params = { sessionId, cwd, mcpServers: [] };
      const { sessionId: copy } = await client.extension<{ sessionId: string }>("session/fork", params);
      assert.notEqual(copy, sessionId);
      await client.prompt(copy, "[[more]] QUINCE");
      assert.match(api.sentTo("more")[0] ?? "", /PERSIMMON/);
      api.gate("word").release();
      assert.deepEqual(await slow, ["says Some more.", "answers end_turn"]);
      await tell("[[talk]] again");
      assert.doesNotMatch(api.sentTo("talk").at(-1) ?? "", /QUINCE/);
    }));

  it("a conversation is renamed, closed, and deleted for good", () =>
    inCodexSession(talk, async ({ client, cwd, sessionId, tell }) => {
      await tell("[[talk]] hi");
      const title = async (): Promise<unknown> => {
        const { sessions } = await client.request("session/list", { cwd });
        return sessions.map((one) => one.title);
      };
      assert.deepEqual(await client.extension("session/set_title", { sessionId, title: "By the editor" }), {
        title: "By the editor",
      });
      assert.deepEqual(await title(), ["By the editor"]);
      await client.request("session/close", { sessionId });
      await assert.rejects(client.prompt(sessionId, "[[talk]] hi"), { code: -32002 });
      assert.deepEqual(await title(), ["By the editor"], "it is still saved");
      await client.request("session/delete", { sessionId });
      assert.deepEqual(await title(), []);
      await assert.rejects(client.request("session/load", { sessionId, cwd, mcpServers: [] }), { code: -32002 });
    }));

  it("a conversation that Codex itself made can be loaded, and Codex itself can resume ours", () =>
    withCodexAgent(talk, async ({ client, cwd, program, api }) => {
      const { env } = program();
      // Codex calls the API of this process, so this process must not wait for Codex.
      const codex = async (...args: readonly string[]): Promise<void> => {
        const running = promisify(execFile)(env["CODEX_EXECUTABLE"] ?? "", args, { env, cwd });
        running.child.stdin?.end();
        await running;
      };
      await codex("exec", "--skip-git-repo-check", "[[talk]] PERSIMMON");
      await client.initialize();
      const { sessions } = await client.request("session/list", { cwd });
      const theirs = sessions.find(({ title }) => title?.includes("PERSIMMON"));
      // `codex exec` is a kind of its own, which Codex does not list beside its conversations.
      const sessionId = theirs?.sessionId ?? (await client.newSession(cwd)).sessionId;
      await client.prompt(sessionId, "[[talk]] QUINCE");
      await client.request("session/close", { sessionId });
      // Codex unloads a closed thread a moment later; until then it has a writer.
      const resume = (): Promise<void> => codex("exec", "--skip-git-repo-check", "resume", sessionId, "[[more]] on");
      for (let i = 0; !api.calls.some(({ script }) => script === "more"); i++) {
        await resume().catch((cause: unknown) => {
          if (i > 20 || !String(cause).includes("active writer")) throw cause;
        });
      }
      assert.match(api.sentTo("more")[0] ?? "", /QUINCE/);
      await client.request("session/load", { sessionId, cwd, mcpServers: [] });
      assert.match(client.text(sessionId), /Of course\./);
    }));

  it("a conversation that another program has open is refused with a sentence that says so", () =>
    inCodexSession(talk, async ({ own, program, cwd, sessionId, tell }) => {
      await tell("[[talk]] hi");
      const other = own(new AcpClient(program()));
      await other.initialize();
      await assert.rejects(other.request("session/load", { sessionId, cwd, mcpServers: [] }), {
        message: /open in another Codex/,
      });
      await other.hangUp();
    }));

  it("an unknown conversation is refused", () =>
    withCodexAgent(talk, async ({ client, cwd }) => {
      await client.initialize();
      for (const sessionId of [crypto.randomUUID(), "nonsense"]) {
        const params = { sessionId, cwd, mcpServers: [] };
        await assert.rejects(client.request("session/load", params), { code: -32002 });
        await assert.rejects(client.request("session/resume", params), { code: -32002 });
      }
    }));
});

describe("sessions of Codex together", () => {
  it("all sessions share one app-server, which starts with the first of them", () =>
    withCodexAgent(talk, async ({ client, cwd, place }) => {
      const servers = (): number =>
        leftovers(place.root).filter(({ command }) => command.includes("app-server")).length;
      await client.initialize();
      const ids = await Promise.all([1, 2, 3, 4].map(async () => (await client.newSession(cwd)).sessionId));
      assert.equal(new Set(ids).size, 4);
      const ends = await Promise.all(ids.map((id) => client.prompt(id, `[[talk]] ${id}`)));
      assert.deepEqual(new Set(ends.map(({ stopReason }) => stopReason)), new Set(["end_turn"]));
      for (const id of ids) assert.equal(client.text(id), "Hello.");
      assert.equal(servers(), 1);
    }));

  it("a second prompt waits for the first, and gets a turn and an answer of its own", () =>
    inCodexSession({ ...talk, slow: [say("Some ", hold("word"), "more.")] }, async (driver) => {
      const { client, api, sessionId, seen } = driver;
      const first = client.prompt(sessionId, "[[slow]] one");
      await api.gate("word").reached();
      const second = client.prompt(sessionId, "[[talk]] two");
      await client.request("session/list", {});
      assert.equal(api.calls.length, 1);
      api.gate("word").release();
      assert.deepEqual([(await first).stopReason, (await second).stopReason], ["end_turn", "end_turn"]);
      assert.deepEqual(seen(), ["says Some more.", "answers end_turn", "says Hello.", "answers end_turn"]);
    }));

  it("a prompt that steers belongs to the running turn, and is refused when none runs", () =>
    inCodexSession({ wait: [run("until test -e go; do sleep 0.05; done"), say("Done.")] }, async (driver) => {
      const { client, api, sessionId, tell, place } = driver;
      const steer = (text: string): Promise<unknown> =>
        client.extension("_session/steer", { sessionId, prompt: [{ type: "text", text }] });
      const told = tell("[[wait]] go");
      await client.waitFor(() => client.toolCalls(sessionId).length === 1);
      await steer("and hurry");
      place.write("go", "");
      assert.equal((await told).at(-1), "answers end_turn");
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /and hurry/);
    }));
});
