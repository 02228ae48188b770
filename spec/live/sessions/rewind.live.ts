/**
 * Live specs of rewinding: `/rewind` in clients with forms and without, the extension method
 * `_session/rewind`, and forks at a message, each with the real CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { answer, call, say, type Script } from "../../support/live/api/model-script.ts";
import type { PermissionAnswer } from "../../support/live/client/scripted-editor.ts";
import { inSession, type SessionDriver } from "../../support/live/with-agent.ts";
import type { ApiRequest } from "../../support/live/api/api-request.ts";

/** The path of the project is only known to the CLI, so the file is named relative to it by the request. */
const write = (name: string, content: string): Script => [
  (request: ApiRequest) => answer(call("Write", { file_path: `${projectOf(request)}/${name}`, content })),
  answer(say(`Wrote ${name}.`)),
];
const scripts = {
  first: write("a.txt", "one\n"),
  second: write("b.txt", "two\nthree\n"),
  third: [answer(say("Third."))],
  again: [answer(say("Again."))],
};

function projectOf({ body }: ApiRequest): string {
  return /Primary working directory: ([^\s\\]+)/.exec(JSON.stringify(body))?.[1] ?? "/nowhere";
}

async function threePrompts({ tell }: SessionDriver): Promise<void> {
  for (const one of ["[[first]] write a", "[[second]] write b", "[[third]] talk"]) await tell(one);
}

/** What the model is sent with the next prompt. */
async function nextRequest({ api, tell }: SessionDriver): Promise<string> {
  await tell("[[again]] go on");
  return api.sentTo("again").at(-1) ?? "";
}

/** Chooses the option whose name contains the text. */
function choosing(text: string): PermissionAnswer {
  return ({ options }) => ({ optionId: options.find(({ name }) => name.includes(text))?.optionId ?? "missing" });
}

function listed(sent: Promise<unknown>): Promise<{
  readonly restoresFiles: boolean;
  readonly prompts: readonly { readonly messageId: string; readonly prompt: readonly { readonly text: string }[] }[];
}> {
  return sent as ReturnType<typeof listed>; // the assertions check the shape
}

describe("/rewind", () => {
  it("/rewind asks with forms, restores files and conversation, and gives the prompt back", () =>
    inSession(
      scripts,
      async (driver) => {
        const { client, place, path, tell } = driver;
        await threePrompts(driver);
        // The newest prompt comes first, so the second prompt is the second choice; then files and conversation.
        for (const choice of ["2", "1"])
          client.editor.elicitationAnswers.push({ action: "accept", content: { choice } });
        const seen = await tell("/rewind");
        const forms = client.editor.elicited.items;
        assert.match(forms[0]?.message ?? "", /which prompt/);
        assert.match(JSON.stringify(forms[0]), /\[\[third\]\] talk.*\[\[second\]\] write b.*\[\[first\]\] write a/);
        assert.match(forms[1]?.message ?? "", /1 file, 0 lines added, 2 lines removed: b\.txt/);
        assert.match(seen.join("\n"), /Files restored: 1 file.*Taken back: 2 prompts.*\[\[second\]\] write b/s);
        assert.equal(existsSync(path("b.txt")), false);
        assert.equal(place.read("a.txt"), "one\n");
        const request = await nextRequest(driver);
        assert.match(request, /write a/);
        assert.doesNotMatch(request, /write b|\[\[third\]\]/);
        assert.equal(client.editor.asked.length, 2, "only the two writes were asked as permissions");
      },
      { capabilities: { ...fullCapabilities, terminal: false } },
    ));

  it("a file that has become a link, or lies behind one, is not written by a rewind", () =>
    inSession(
      {},
      async ({ api, client, place, path, sessionId, tell }) => {
        const victims = ["victim.txt", "directory/main.ts"].map((name) => join(place.home, name));
        mkdirSync(join(place.home, "directory"));
        for (const victim of victims) writeFileSync(victim, "precious\n");
        const edit = (name: string, old_string: string) => [
          answer(call("Read", { file_path: path(name) })),
          answer(call("Edit", { file_path: path(name), old_string, new_string: "changed" })),
        ];
        api.script("edit", ...edit("hello.txt", "hello"), ...edit("src/main.ts", "import"), answer(say("Done.")));
        await tell("[[edit]] go");
        rmSync(path("hello.txt"));
        symlinkSync(join(place.home, "victim.txt"), path("hello.txt"));
        renameSync(path("src"), path("moved"));
        symlinkSync(join(place.home, "directory"), path("src"));
        const { prompts } = await listed(client.extension("_session/rewind", { sessionId, list: true }));
        const messageId = prompts[0]?.messageId;
        await client.extension("_session/rewind", { sessionId, messageId, files: true }).catch(() => {});
        for (const victim of victims) assert.equal(readFileSync(victim, "utf8"), "precious\n");
      },
      { env: { BOWLINE_EDITS: "0" } },
    ));

  it("/rewind asks with permission options where the client has no forms", () =>
    inSession(
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
        assert.match(JSON.stringify(what?.toolCall.content), /2 files, 0 lines added, 3 lines removed/);
        assert.match(seen.join("\n"), /The conversation is unchanged/);
        assert.deepEqual([existsSync(path("a.txt")), existsSync(path("b.txt"))], [false, false]);
        assert.match(await nextRequest(driver), /write b/);
      },
      { capabilities: bareCapabilities },
    ));

  it("a client that can replace what it shows gets the conversation as it then is, others a message", () =>
    inSession(
      scripts,
      async (driver) => {
        const { client, sessionId, tell } = driver;
        await threePrompts(driver);
        client.editor.permissionAnswers.push(choosing("The conversation, not the files"));
        const before = client.program.wire.items.length;
        const response = await client.promptWhole(sessionId, "/rewind 2");
        const sent = client.program.wire.items.slice(before).map(({ text }) => text);
        const told = sent.findIndex((text) => text.includes('"_session/rewound"'));
        const replayed = sent.slice(told).join("\n");
        assert.match(replayed, /user_message_chunk.*write a/);
        assert.doesNotMatch(replayed, /user_message_chunk.*write b|Taken back/);
        assert.match(JSON.stringify(response._meta), /"rewound":.*\[\[second\]\] write b/);
        assert.equal((await tell("[[again]] go on")).at(-1), "answers end_turn");
      },
      { capabilities: { ...bareCapabilities, _meta: { bowline: { rewind: true } } } },
    ));

  it("a rewound conversation stays rewound when the session is loaded again", () =>
    inSession(
      scripts,
      async (driver) => {
        const { client, sessionId, cwd, tell } = driver;
        await threePrompts(driver);
        client.editor.permissionAnswers.push(choosing("The conversation, not the files"));
        await tell("/rewind 2");
        await client.request("session/close", { sessionId });
        const before = client.updates.length;
        await client.request("session/load", { sessionId, cwd, mcpServers: [] });
        const shown = JSON.stringify(client.updates.items.slice(before));
        assert.match(shown, /write a/);
        assert.doesNotMatch(shown, /write b|\[\[third\]\]/);
      },
      { capabilities: bareCapabilities },
    ));
});

describe("_session/rewind", () => {
  it("_session/rewind lists prompts, tells a dry run, and takes a prompt back in place with a replay", () =>
    inSession(scripts, async (driver) => {
      const { client, sessionId, path } = driver;
      await threePrompts(driver);
      const { prompts, restoresFiles } = await listed(client.extension("_session/rewind", { sessionId, list: true }));
      assert.equal(restoresFiles, true);
      assert.deepEqual(
        prompts.map(({ prompt }) => prompt[0]?.text),
        ["[[first]] write a", "[[second]] write b", "[[third]] talk"],
      );
      const messageId = prompts[1]?.messageId;
      const both = { sessionId, messageId, files: true, conversation: true };
      const files = { paths: [path("b.txt")], insertions: 0, deletions: 2 };
      const later = [prompts[2]?.messageId];
      const expected = { messageId, prompt: [{ type: "text", text: "[[second]] write b" }], later, files };
      assert.deepEqual(await client.extension("_session/rewind", { ...both, dryRun: true }), expected);
      assert.equal(existsSync(path("b.txt")), true, "a dry run changes nothing");
      const before = client.updates.length;
      assert.deepEqual(await client.extension("_session/rewind", { ...both, replay: true }), expected);
      assert.equal(existsSync(path("b.txt")), false);
      const replayed = client.updates.items.slice(before).map(({ update }) => JSON.stringify(update));
      assert.match(replayed.join("\n"), /user_message_chunk.*write a/);
      assert.doesNotMatch(replayed.join("\n"), /write b/);
      await assert.rejects(client.extension("_session/rewind", both), { code: -32602 }, "it is gone");
      assert.doesNotMatch(await nextRequest(driver), /write b/);
    }));
});

describe("session/fork", () => {
  it("session/fork at a message keeps what came before a prompt, or ends with an answer", () =>
    inSession(scripts, async (driver) => {
      const { api, client, sessionId, cwd } = driver;
      await threePrompts(driver);
      const { prompts } = await listed(client.extension("_session/rewind", { sessionId, list: true }));
      const fork = async (_meta: object): Promise<string> => {
        const forked = await client.extension<{ sessionId: string }>("session/fork", {
          sessionId,
          cwd,
          mcpServers: [],
          _meta,
        });
        await client.prompt(forked.sessionId, "[[again]] in the fork");
        return api.sentTo("again").at(-1) ?? "";
      };
      const before = await fork({ claudeCode: { rewindTo: prompts[1]?.messageId } });
      assert.match(before, /write a.*in the fork/);
      assert.doesNotMatch(before, /write b/);
      const answers = client
        .updatesOf(sessionId)
        .flatMap((one) => (one.sessionUpdate === "agent_message_chunk" ? [one] : []));
      const second = answers.find(({ content }) => content.type === "text" && content.text.includes("Wrote b"));
      const ending = await fork({ jetbrains: { air: { fork: { version: 1, messageId: second?.messageId } } } });
      assert.match(ending, /write b.*Wrote b.*in the fork/);
      assert.doesNotMatch(ending, /\[\[third\]\]/);
      assert.match(await fork({}), /\[\[third\]\]/);
      const unknown = client.extension("session/fork", {
        sessionId,
        cwd,
        mcpServers: [],
        _meta: { claudeCode: { rewindTo: "x" } },
      });
      await assert.rejects(unknown, { code: -32602 });
    }));
});
