/**
 * Live specs of rewinding Codex: `/rewind` in clients with forms and without, the extension
 * method `_session/rewind`, and forks at a message, each with the real Codex.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AcpClient, bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { type CodexSession, inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { patch, say } from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import type { PermissionAnswer } from "../../support/live/client/scripted-editor.ts";

const patched = (...lines: readonly string[]): ReturnType<typeof patch> =>
  patch(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"));
const scripts = {
  first: [patched("*** Add File: a.txt", "+one", "+two", "+three"), say("Wrote a.")],
  second: [
    patched("*** Update File: a.txt", "@@", " one", "-two", "+TWO", " three", "*** Add File: b.txt", "+b"),
    say("WroteB."),
  ],
  third: [say("Third.")],
  again: [say("Again.")],
};

async function threePrompts({ tell }: CodexSession): Promise<void> {
  for (const one of ["[[first]] write a", "[[second]] write b", "[[third]] talk"]) await tell(one);
}

/** What the model is sent with the next prompt. */
async function nextRequest({ api, tell }: CodexSession): Promise<string> {
  await tell("[[again]] go on");
  return api.sentTo("again").at(-1) ?? "";
}

/** Chooses the option whose name contains the text. */
function choosing(text: string): PermissionAnswer {
  return ({ options }) => ({ optionId: options.find(({ name }) => name.includes(text))?.optionId ?? "missing" });
}

interface Listed {
  readonly restoresFiles: boolean;
  readonly prompts: readonly { readonly messageId: string; readonly prompt: readonly { readonly text: string }[] }[];
}

describe("/rewind with Codex", () => {
  it("/rewind asks with forms, restores files and conversation, and gives the prompt back", () =>
    inCodexSession(
      scripts,
      async (driver) => {
        const { client, place, path, tell } = driver;
        await threePrompts(driver);
        for (const choice of ["2", "1"])
          client.editor.elicitationAnswers.push({ action: "accept", content: { choice } });
        const seen = await tell("/rewind");
        const forms = client.editor.elicited.items;
        assert.match(JSON.stringify(forms[0]), /\[\[third\]\] talk.*\[\[second\]\] write b.*\[\[first\]\] write a/);
        assert.match(forms[1]?.message ?? "", /2 files, 1 line added, 2 lines removed: /);
        assert.match(seen.join("\n"), /Files restored: 2 files.*Taken back: 2 prompts.*\[\[second\]\] write b/s);
        assert.equal(existsSync(path("b.txt")), false);
        assert.equal(place.read("a.txt"), "one\ntwo\nthree\n");
        const request = await nextRequest(driver);
        assert.match(request, /write a/);
        assert.doesNotMatch(request, /write b|\[\[third\]\]/);
      },
      { capabilities: { ...fullCapabilities, terminal: false } },
    ));

  it("/rewind asks with permission options where the client has no forms", () =>
    inCodexSession(
      scripts,
      async (driver) => {
        const { client, path, tell } = driver;
        await threePrompts(driver);
        const asked = client.editor.asked.length;
        client.editor.permissionAnswers.push(choosing("write a"), choosing("The files, not the conversation"));
        const seen = await tell("/rewind");
        const [which, what] = client.editor.asked.items.slice(asked).map(({ request }) => request);
        assert.deepEqual(
          which?.options.map(({ name }) => name),
          ["[[third]] talk", "[[second]] write b", "[[first]] write a", "Cancel"],
        );
        assert.match(JSON.stringify(what?.toolCall.content), /2 files/);
        assert.match(seen.join("\n"), /The conversation is unchanged/);
        assert.deepEqual([existsSync(path("a.txt")), existsSync(path("b.txt"))], [false, false]);
        assert.match(await nextRequest(driver), /write b/);
      },
      { capabilities: bareCapabilities },
    ));

  it("files that were changed since are left alone, and the conversation can still be taken back", () =>
    inCodexSession(
      scripts,
      async (driver) => {
        const { client, place, tell } = driver;
        await threePrompts(driver);
        place.write("a.txt", "mine\n");
        client.editor.permissionAnswers.push(choosing("The conversation"));
        await tell("/rewind 2");
        assert.match(JSON.stringify(client.editor.asked.items.at(-1)), /The files of this prompt cannot be restored/);
        assert.deepEqual([place.read("a.txt"), place.read("b.txt")], ["mine\n", "b\n"]);
        assert.doesNotMatch(await nextRequest(driver), /write b/);
      },
      { capabilities: bareCapabilities },
    ));

  it("a file that has become a link, or lies behind one, is not written by a rewind", () =>
    inCodexSession(
      {
        first: [
          patched(
            "*** Add File: a.txt",
            "+before",
            "*** Add File: sub/key",
            "+made by the model",
            "*** Add File: c",
            "+c",
          ),
          say("Made."),
        ],
        second: [
          patched(
            "*** Update File: a.txt",
            "@@",
            "-before",
            "+precious",
            "*** Delete File: sub/key",
            "*** Delete File: c",
          ),
          say("Changed."),
        ],
      },
      async ({ client, place, path, sessionId, tell }) => {
        for (const one of ["[[first]] go", "[[second]] go"]) await tell(one);
        const [victim, directory, missing] = ["victim.txt", "directory", "missing"].map((name) =>
          join(place.home, name),
        );
        mkdirSync(directory ?? "");
        writeFileSync(victim ?? "", "precious\n");
        const links = [
          ["a.txt", victim],
          ["sub", directory],
          ["c", missing],
        ] as const;
        const { prompts } = await client.extension<Listed>("_session/rewind", { sessionId, list: true });
        const messageId = prompts.find(({ prompt }) => prompt[0]?.text.includes("second"))?.messageId;
        assert.ok(messageId);
        for (const [name, target] of links) {
          if (existsSync(path(name))) renameSync(path(name), path(`${name}.old`));
          symlinkSync(target ?? "", path(name));
          await client.extension("_session/rewind", { sessionId, messageId, files: true }).catch(() => {});
          assert.equal(readFileSync(victim ?? "", "utf8"), "precious\n", name);
          assert.deepEqual([existsSync(join(directory ?? "", "key")), existsSync(missing ?? "")], [false, false], name);
          rmSync(path(name));
          if (existsSync(path(`${name}.old`))) renameSync(path(`${name}.old`), path(name));
        }
        await client.extension("_session/rewind", { sessionId, messageId, files: true });
        assert.deepEqual([place.read("a.txt"), place.read("sub/key")], ["before\n", "made by the model\n"]);
      },
      { capabilities: bareCapabilities },
    ));

  it("the first prompt can be taken back, and a rewound conversation stays rewound when it is loaded again", () =>
    inCodexSession(
      scripts,
      async (driver) => {
        const { client, sessionId, cwd, tell, own, program } = driver;
        await threePrompts(driver);
        client.editor.permissionAnswers.push(choosing("The conversation, not the files"));
        await tell("/rewind 3");
        const request = await nextRequest(driver);
        assert.doesNotMatch(request, /write a|write b|\[\[third\]\]/);
        await client.hangUp();
        const next = own(new AcpClient(program()));
        await next.initialize();
        await next.request("session/load", { sessionId, cwd, mcpServers: [] });
        const shown = JSON.stringify(next.updatesOf(sessionId));
        assert.match(shown, /\[\[again\]\] go on/);
        assert.doesNotMatch(shown, /write a|write b|\[\[third\]\]/);
      },
      { capabilities: bareCapabilities },
    ));
});

describe("_session/rewind with Codex", () => {
  it("_session/rewind lists prompts, answers a dry run, and takes a prompt back in place with a replay", () =>
    inCodexSession(scripts, async (driver) => {
      const { client, sessionId, path, place } = driver;
      await threePrompts(driver);
      const { prompts, restoresFiles } = await client.extension<Listed>("_session/rewind", { sessionId, list: true });
      assert.equal(restoresFiles, true);
      assert.deepEqual(
        prompts.map(({ prompt }) => prompt[0]?.text),
        ["[[first]] write a", "[[second]] write b", "[[third]] talk"],
      );
      const messageId = prompts[1]?.messageId;
      const both = { sessionId, messageId, files: true, conversation: true };
      const files = { paths: [path("b.txt"), path("a.txt")], insertions: 1, deletions: 2 };
      const expected = {
        messageId,
        prompt: [{ type: "text", text: "[[second]] write b" }],
        later: [prompts[2]?.messageId],
        files,
      };
      assert.deepEqual(await client.extension("_session/rewind", { ...both, dryRun: true }), expected);
      assert.equal(existsSync(path("b.txt")), true, "a dry run changes nothing");
      const before = client.updates.length;
      assert.deepEqual(await client.extension("_session/rewind", { ...both, replay: true }), expected);
      assert.equal(existsSync(path("b.txt")), false);
      assert.equal(place.read("a.txt"), "one\ntwo\nthree\n");
      const replayed = client.updates.items.slice(before).map(({ update }) => JSON.stringify(update));
      assert.match(replayed.join("\n"), /user_message_chunk.*write a[^]*"tool_call"[^]*a\.txt[^]*Wrote/);
      assert.doesNotMatch(replayed.join("\n"), /write b/);
      await assert.rejects(client.extension("_session/rewind", both), { code: -32602 }, "it is gone");
      assert.doesNotMatch(await nextRequest(driver), /write b/);
    }));

  it("the mode and the MCP servers of the session still hold after a rewind", () =>
    inCodexSession(
      { ...scripts, second: [patched("*** Add File: b.txt", "+b"), say("Wrote b.")] },
      async (driver) => {
        const { client, sessionId, tell, path } = driver;
        await tell("[[third]] talk");
        await client.request("session/set_config_option", { sessionId, configId: "mode", value: "acceptEdits" });
        await tell("[[third]] more");
        const { prompts } = await client.extension<Listed>("_session/rewind", { sessionId, list: true });
        const messageId = prompts[1]?.messageId;
        await client.extension("_session/rewind", { sessionId, messageId, conversation: true });
        const asked = client.editor.asked.length;
        await tell("[[second]] write b");
        assert.equal(client.editor.asked.length, asked, "an edit is not asked about");
        assert.equal(existsSync(path("b.txt")), true);
        let seen = "";
        for (let i = 0; i < 20 && !seen.includes("echo"); i++) seen = (await tell("/mcp")).join();
        assert.match(seen, /editor.*echo/);
        assert.match(JSON.stringify(driver.api.calls.at(-1)?.body["tools"]), /update_plan/);
      },
      { session: { mcpServers: [{ name: "editor", ...mcpCommand(), env: [] }] } },
    ));
});

describe("session/fork with Codex", () => {
  it("session/fork at a message keeps what came before a prompt, or ends with the turn of an answer", () =>
    inCodexSession(scripts, async (driver) => {
      const { api, client, sessionId, cwd } = driver;
      await threePrompts(driver);
      const { prompts } = await client.extension<Listed>("_session/rewind", { sessionId, list: true });
      const fork = async (_meta: object): Promise<string> => {
        const params = { sessionId, cwd, mcpServers: [], _meta };
        const forked = await client.extension<{ sessionId: string }>("session/fork", params);
        await client.prompt(forked.sessionId, "[[again]] in the fork");
        return api.sentTo("again").at(-1) ?? "";
      };
      const before = await fork({ claudeCode: { rewindTo: prompts[1]?.messageId } });
      assert.match(before, /write a.*in the fork/);
      assert.doesNotMatch(before, /write b/);
      const answers = client
        .updatesOf(sessionId)
        .flatMap((one) => (one.sessionUpdate === "agent_message_chunk" ? [one] : []));
      const second = answers.find(({ content }) => content.type === "text" && content.text.includes("WroteB"));
      const ending = await fork({ jetbrains: { air: { fork: { version: 1, messageId: second?.messageId } } } });
      assert.match(ending, /write b.*WroteB.*in the fork/);
      assert.doesNotMatch(ending, /\[\[third\]\]/);
      assert.match(await fork({}), /\[\[third\]\]/);
      const first = await fork({ claudeCode: { rewindTo: prompts[0]?.messageId } });
      assert.doesNotMatch(first, /write a/);
      const params = { sessionId, cwd, mcpServers: [], _meta: { claudeCode: { rewindTo: "x" } } };
      await assert.rejects(client.extension("session/fork", params), { code: -32602 });
    }));
});
