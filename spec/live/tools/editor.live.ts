/**
 * Live specs of the option `edits`: files are read and changed through the editor,
 * unsaved text included.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { type AcpClient, bareCapabilities } from "../../support/live/client/acp-client.ts";
import { promptTexts, sentBlocks, toolNames, toolResultTexts } from "../../support/live/api/api-request.ts";
import { inSession, type PlayOptions, type SessionDriver, withAgent } from "../../support/live/with-agent.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import { at } from "../../support/json.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";

const through: PlayOptions = { env: { BOWLINE_EDITS: "1" } };
const edits = (path: string): string =>
  `[Allow | Always allow all edits in this session | Reject | Never allow changes to ${path} in this session | Reject and tell Claude why]`;

const tinyPdf =
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/** The tool results in the last API request of a script. */
function told({ api }: SessionDriver, script: string): readonly string[] {
  return toolResultTexts(api.requestsOf(script).at(-1) ?? assert.fail("no request"));
}

describe("files through the editor", () => {
  it("files are read through the editor as they are in the buffer, and a change is made there, once", () =>
    inSession(
      {},
      async (driver) => {
        const { client, api, path, place, tell } = driver;
        const file_path = path("hello.txt");
        client.editor.savesToDisk = false;
        client.editor.buffers.set(file_path, "unsaved world\nsecond line\n");
        api.script(
          "edit",
          answer(call("Read", { file_path })),
          answer(call("Edit", { file_path, old_string: "unsaved", new_string: "edited" })),
          answer(call("Write", { file_path: path("new.txt"), content: "new\n" })),
          answer(say("Done.")),
        );
        assert.deepEqual(await tell("[[edit]] go"), [
          "calls read Read hello.txt",
          "completed Read hello.txt · ```txt\nunsaved world\nsecond line\n```",
          "calls edit Edit hello.txt",
          `asks Edit hello.txt · ~/hello.txt: "unsaved world\\nsecond line\\n" -> "edited world\\nsecond line\\n" ${edits("hello.txt")}`,
          'completed Edit hello.txt · ~/hello.txt: "unsaved world\\nsecond line\\n" -> "edited world\\nsecond line\\n"',
          "calls edit Write new.txt",
          `asks Write new.txt · ~/new.txt: null -> "new\\n" ${edits("new.txt")}`,
          'completed Write new.txt · ~/new.txt: null -> "new\\n"',
          "says Done.",
          "answers end_turn",
        ]);
        assert.deepEqual(
          client.editor.writes.map(({ path: written, content }) => [written, content]),
          [
            [file_path, "edited world\nsecond line\n"],
            [path("new.txt"), "new\n"],
          ],
        );
        assert.equal(place.read("hello.txt"), "hello world\nsecond line\nthird line\n", "the disk is the person's");
        assert.ok(!existsSync(path("new.txt")));
        assert.match(told(driver, "edit")[0] ?? "", /^1\tunsaved world\n2\tsecond line$/);
        const names = toolNames(api.requestsOf("edit")[0] ?? assert.fail("no request"));
        assert.ok(names.includes("Edit") && !names.includes("MultiEdit"), "ours have the names of those they replace");
        assert.equal(new Set(names).size, names.length, "and stand alone");
      },
      through,
    ));

  it("files stay unchanged when the user rejects the edit", () =>
    inSession(
      {},
      async ({ client, api, path, place, tell }) => {
        const file_path = path("hello.txt");
        client.editor.buffers.set(file_path, "unsaved\n");
        api.script(
          "edit",
          answer(call("Read", { file_path })),
          answer(call("Edit", { file_path, old_string: "unsaved", new_string: "edited" })),
          answer(say("Very well.")),
        );
        client.editor.permissionAnswers.push("reject");
        const seen = await tell("[[edit]] go");
        assert.equal(
          seen.at(-3),
          'failed Edit hello.txt · Not applied. · Rejected. · ~/hello.txt: "unsaved\\n" -> "edited\\n"',
        );
        assert.deepEqual(client.editor.writes, []);
        assert.equal(client.editor.buffers.get(file_path), "unsaved\n");
        assert.equal(place.read("hello.txt"), "hello world\nsecond line\nthird line\n");
      },
      through,
    ));

  it("files that changed in the meantime are not overwritten, and the model gets the instruction to read them again", () =>
    inSession(
      {},
      async (driver) => {
        const { client, api, path, place, tell } = driver;
        const file_path = path("hello.txt");
        client.editor.buffers.set(file_path, "hello world\n");
        api.script(
          "edit",
          answer(call("Edit", { file_path, old_string: "hello", new_string: "x" })),
          answer(call("Read", { file_path })),
          // The user types into the buffer while the permission request is open.
          answer(call("Edit", { file_path, old_string: "hello", new_string: "x" })),
          answer(call("Read", { file_path: path("README.md") })),
          answer(call("Bash", { command: "echo other > README.md", description: "Change" })),
          answer(call("Edit", { file_path: path("README.md"), old_string: "small", new_string: "x" })),
          answer(say("Done.")),
        );
        client.editor.permissionAnswers.push(() => {
          client.editor.buffers.set(file_path, "hello typed world\n");
          return "allow";
        });
        await tell("[[edit]] go");
        assert.deepEqual(client.editor.writes, []);
        const results = told(driver, "edit");
        assert.match(results[0] ?? "", /File has not been read yet/);
        assert.match(results[2] ?? "", /File has been modified since read/);
        assert.match(results[5] ?? "", /File has been modified since read/);
        assert.equal(place.read("README.md"), "other\n");
        assert.equal(client.editor.buffers.get(file_path), "hello typed world\n");
      },
      through,
    ));

  it("files are changed without a permission request in acceptEdits, never in don't ask, and after a request in plan mode", () =>
    inSession(
      {},
      async ({ client, api, sessionId, path, tell }) => {
        const write = (name: string) => [
          answer(call("Read", { file_path: path("hello.txt") })),
          answer(call("Write", { file_path: path(name), content: name })),
          answer(say("Done.")),
        ];
        for (const mode of ["acceptEdits", "dontAsk", "plan"]) {
          api.script(mode, ...write(`${mode}.txt`));
          await client.request("session/set_mode", { sessionId, modeId: mode });
          client.editor.permissionAnswers.push("reject");
          const seen = await tell(`[[${mode}]] go`);
          assert.ok(
            seen.some((line) => line.startsWith("completed Read")),
            mode,
          );
          assert.equal(existsSync(path(`${mode}.txt`)), mode === "acceptEdits", mode);
          assert.equal(seen.filter((line) => line.startsWith("asks")).length, mode === "plan" ? 1 : 0, mode);
          if (mode === "plan") continue;
          client.editor.permissionAnswers.length = 0;
        }
        assert.equal(client.editor.writes.length, 1);
      },
      through,
    ));

  it("file tools are the CLI's own where a sandbox is set, and nothing is written through the editor once one is", () =>
    withEnvironment({}, async ({ client: start, place, api }) => {
      const file = (name: string): string => join(place.cwd, name);
      const prompt = async (client: AcpClient, sessionId: string, name: string): Promise<string> => {
        api.script(name, answer(call("Write", { file_path: file(name), content: name })), answer(say("Done.")));
        await client.prompt(sessionId, `[[${name}]] go`);
        return JSON.stringify(client.updatesOf(sessionId));
      };
      const open = async (): Promise<readonly [AcpClient, string, string]> => {
        const client = start(through);
        await client.initialize();
        const { sessionId, configOptions } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] });
        await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        return [client, sessionId, configOptions?.find(({ id }) => id === "edits")?.description ?? ""];
      };
      const [first, firstId] = await open();
      await prompt(first, firstId, "one");
      assert.equal(first.editor.writes.length, 1);
      mkdirSync(join(place.home, ".claude"), { recursive: true });
      writeFileSync(join(place.home, ".claude", "settings.json"), '{"sandbox":{"enabled":true}}');
      assert.match(await prompt(first, firstId, "two"), /your Claude settings have a sandbox/);
      assert.deepEqual([first.editor.writes.length, existsSync(file("two"))], [1, false]);
      const [second, secondId, why] = await open();
      assert.match(why, /^Not available: your Claude settings have a sandbox/);
      await prompt(second, secondId, "three");
      assert.deepEqual([second.editor.writes.length, existsSync(file("three"))], [0, true]);
    }));

  it("a plan file needs a permission request until the CLI names the file, then none, and no editor", () =>
    inSession(
      {},
      async ({ client, api, sessionId, place, tell }) => {
        await client.request("session/set_mode", { sessionId, modeId: "plan" });
        const plans = `${place.home}/.claude/plans`;
        let file_path = "";
        api.script(
          "plan",
          (request) => {
            [file_path = ""] = /\/[\w./-]+\/plans\/[\w-]+\.md/.exec(JSON.stringify(request.body)) ?? [];
            return answer(call("Write", { file_path, content: "# Plan\n" }));
          },
          () => answer(call("Edit", { file_path, old_string: "# Plan", new_string: "# My plan" })),
          answer(call("Write", { file_path: `${plans}/other.md`, content: "# Other\n" })),
          answer(say("Planned.")),
        );
        client.editor.permissionAnswers.push("allow");
        const seen = await tell("[[plan]] go");
        // Another file of the directory is denied, as by the CLI's own tool.
        assert.equal(client.editor.asked.length, 1, seen.join("\n"));
        assert.deepEqual(readdirSync(plans), [basename(file_path)]);
        assert.equal(readFileSync(file_path, "utf8"), "# My plan\n");
        assert.ok(client.editor.writes.length <= 1, "the CLI's own file is not opened in the editor again");
      },
      through,
    ));

  it("files that the user's rules deny are not read", () =>
    withAgent(
      {},
      async ({ client, api, cwd, path, place }) => {
        const rules = { deny: ["Read(./hello.txt)"], allow: ["Edit(src/**)"] };
        place.write(".claude/settings.local.json", JSON.stringify({ permissions: rules }));
        const file_path = path("src/greet.ts");
        api.script(
          "rules",
          answer(call("Read", { file_path: path("hello.txt") })),
          answer(call("Read", { file_path })),
          answer(call("Edit", { file_path, old_string: "hello", new_string: "hi" })),
          answer(say("Done.")),
        );
        const sessionId = await client.open(cwd);
        await client.prompt(sessionId, "[[rules]] go");
        assert.equal(client.editor.asked.length, 1, "rules that allow are not applied to writes through the editor");
        assert.match(place.read("src/greet.ts"), /`hi \$\{name\}`/);
        const [denied = ""] = toolResultTexts(api.requestsOf("rules").at(-1) ?? assert.fail("no request"));
        assert.match(denied, /denied/);
        assert.ok(!client.editor.reads.some((read) => read.path === path("hello.txt")));
      },
      through,
    ));

  it("PDF files reach the model as documents, as with the CLI's own tool", async () => {
    const sent: unknown[] = [];
    for (const BOWLINE_EDITS of ["0", "1"]) {
      await inSession(
        {},
        async ({ api, place, tell }) => {
          const file_path = place.write("paper.pdf", tinyPdf);
          api.script("pdf", answer(call("Read", { file_path })), answer(say("Read.")));
          const seen = await tell("[[pdf]] go");
          assert.match(seen[1] ?? "", /^completed Read paper\.pdf · [^]*application\/pdf/);
          const [result] = sentBlocks(api.requestsOf("pdf").at(-1) ?? assert.fail("no request"), "tool_result");
          sent.push(JSON.parse(JSON.stringify(at(result, "content")).replaceAll(place.cwd, "~")));
        },
        { env: { BOWLINE_EDITS } },
      );
    }
    assert.deepEqual(sent[1], sent[0]);
    assert.equal(at(sent[1], "1.source.media_type"), "application/pdf");
  });

  it("subagents get the file tools that their lists of tools allow: no writing tool for one that explores", () =>
    withAgent(
      {},
      async ({ client, api, cwd, path, place }) => {
        place.write(".claude/agents/reader.md", "---\nname: reader\ndescription: Reads\ntools: Read\n---\nRead.\n");
        client.editor.buffers.set(path("hello.txt"), "unsaved\n");
        const delegate = (subagent_type: string) =>
          call("Agent", {
            description: "Help",
            prompt: `[[${subagent_type}]] go`,
            subagent_type,
            run_in_background: false,
          });
        const look = answer(call("Read", { file_path: path("hello.txt") }));
        api.script(
          "Explore",
          look,
          answer(call("Write", { file_path: path("x.txt"), content: "x" })),
          answer(say("Seen.")),
        );
        api.script("reader", look, answer(say("Seen.")));
        api.script("both", answer(delegate("Explore")), answer(delegate("reader")), answer(say("Done.")));
        const sessionId = await client.open(cwd);
        assert.deepEqual(await client.prompt(sessionId, "[[both]] go"), { stopReason: "end_turn" });
        for (const name of ["Explore", "reader"]) {
          const request = api.requestsOf(name).at(-1) ?? assert.fail(`${name} did not run`);
          // A hook in the definition of a subagent could have changed the result, so it is not replaced.
          assert.match(toolResultTexts(request)[0] ?? "", /^1\thello world$/m, name);
        }
        const [explore, reader] = ["Explore", "reader"].map((name) =>
          toolNames(api.requestsOf(name)[0] ?? assert.fail()),
        );
        assert.deepEqual(reader, ["Read"]);
        assert.ok(explore?.includes("Read") && !explore.includes("Write") && !explore.includes("Edit"));
        assert.deepEqual(client.editor.writes, []);
        assert.ok(!existsSync(path("x.txt")));
      },
      through,
    ));

  it("file tools through the editor call the user's own hooks, by the names of the CLI's tools", () =>
    withAgent(
      {},
      async ({ client, api, cwd, path, place }) => {
        const command = `echo "not this file" >&2; exit 2`;
        const hooks = { PreToolUse: [{ matcher: "Write|Edit", hooks: [{ type: "command", command }] }] };
        place.write(".claude/settings.local.json", JSON.stringify({ hooks }));
        api.script("hooked", answer(call("Write", { file_path: path("x.txt"), content: "x" })), answer(say("Done.")));
        const sessionId = await client.open(cwd);
        await client.prompt(sessionId, "[[hooked]] go");
        const [result = ""] = toolResultTexts(api.requestsOf("hooked").at(-1) ?? assert.fail("no request"));
        assert.match(result, /not this file/);
        assert.deepEqual(client.editor.writes, []);
      },
      through,
    ));

  for (const mode of ["default", "acceptEdits"])
    it(`a file that a rule denies is not written when a hook allows every permission request, in the mode ${mode}`, () =>
      withAgent(
        {},
        async ({ client, api, cwd, path, place }) => {
          const decision = { hookEventName: "PermissionRequest", decision: { behavior: "allow" } };
          const command = `printf '%s' '${JSON.stringify({ hookSpecificOutput: decision })}'`;
          const hooks = { PermissionRequest: [{ hooks: [{ type: "command", command }] }] };
          const permissions = { deny: ["Edit(secret/**)"] };
          place.write(".claude/settings.local.json", JSON.stringify({ hooks, permissions }));
          const files = ["secret/a.txt", "secret/b.txt", "secret/c.txt"].map(path);
          const writes = files.map((file_path) => answer(call("Write", { file_path, content: "x" })));
          api.script("denied", ...writes, answer(say("Done.")));
          const sessionId = await client.open(cwd);
          await client.request("session/set_mode", { sessionId, modeId: mode });
          await client.prompt(sessionId, "[[denied]] go");
          assert.deepEqual(client.editor.writes, []);
          assert.deepEqual(files.filter(existsSync), []);
        },
        through,
      ));

  it("file tools stay the same in the turn in which the user changes the option", () =>
    inSession(
      {},
      async ({ client, api, sessionId, path, tell }) => {
        const file_path = path("hello.txt");
        client.editor.buffers.set(file_path, "unsaved\n");
        api.script(
          "edit",
          answer(call("Read", { file_path })),
          answer(call("Edit", { file_path, old_string: "unsaved", new_string: "edited" })),
          answer(call("Read", { file_path })),
          answer(say("Done.")),
        );
        client.editor.permissionAnswers.push(async () => {
          await client.request("session/set_config_option", { sessionId, configId: "edits", value: "false" });
          return "allow" as const;
        });
        const seen = await tell("[[edit]] go");
        assert.equal(client.editor.buffers.get(file_path), "edited\n");
        assert.equal(seen.at(-3), "completed Read hello.txt · ```txt\nedited\n```");
      },
      through,
    ));

  it("file tools are the CLI's own again after the option is changed, and the conversation goes on", () =>
    inSession(
      {},
      async ({ client, api, sessionId, path, place, tell }) => {
        const file_path = path("hello.txt");
        client.editor.buffers.set(file_path, "unsaved\n");
        const set = (value: string) =>
          client.request("session/set_config_option", { sessionId, configId: "edits", value });
        const look = [answer(call("Read", { file_path })), answer(say("Read."))];
        for (const name of ["one", "two", "three"]) api.script(name, ...look);
        const shown = async (name: string): Promise<string | undefined> => (await tell(`[[${name}]] PERSIMMON`)).at(1);
        assert.match((await shown("one")) ?? "", /unsaved/);
        await set("false");
        assert.match((await shown("two")) ?? "", /hello world/);
        await set("true");
        assert.match((await shown("three")) ?? "", /unsaved/);
        const last = api.requestsOf("three").at(-1) ?? assert.fail("no request");
        assert.equal(promptTexts(last).filter((text) => text.includes("PERSIMMON")).length, 3);
        assert.equal(place.read("hello.txt"), "hello world\nsecond line\nthird line\n");
      },
      through,
    ));

  it("file tools through the editor are not offered to a client that cannot read files, and the CLI's own are used", () =>
    withAgent(
      {},
      async ({ client, api, cwd, path, place }) => {
        api.script("write", answer(call("Write", { file_path: path("x.txt"), content: "x" })), answer(say("Done.")));
        await client.initialize();
        const { sessionId, configOptions } = await client.newSession(cwd);
        assert.ok(!configOptions?.some(({ id }) => id === "edits" || id === "commands"));
        await client.prompt(sessionId, "[[write]] go");
        assert.equal(place.read("x.txt"), "x");
      },
      { capabilities: bareCapabilities, env: { BOWLINE_EDITS: "1", BOWLINE_COMMANDS: "1" } },
    ));
});

describe("a linked file", () => {
  const link = (uri: string) => ({ type: "resource_link", uri, name: "hello.txt" }) as const;
  const talk = { talk: [answer(say("Hello."))] };
  const go = { type: "text", text: "[[talk]] look at " } as const;

  it("a linked file is added to the prompt where the editor has unsaved text, from the linked line on and at most 200 lines", () =>
    inSession(talk, async ({ client, api, path, sessionId }) => {
      const lines = Array.from({ length: 500 }, (_, i) => `unsaved ${i + 1}\n`);
      client.editor.buffers.set(path("hello.txt"), lines.join(""));
      await client.prompt(sessionId, [go, link(`file://${path("hello.txt")}#L10`)]);
      const [text = ""] = promptTexts(api.requestsOf("talk")[0] ?? assert.fail("no request")).slice(-1);
      assert.match(text, /unsaved 10\n/);
      assert.match(text, /unsaved 209\n/);
      assert.doesNotMatch(text, /unsaved 9\n|unsaved 210\n/);
    }));

  it("a linked file stays a link where the buffer equals the disk, and where the editor cannot read it", () =>
    inSession(
      { ...talk },
      async ({ client, api, path, sessionId }) => {
        await client.prompt(sessionId, [go, link(`file://${path("hello.txt")}`)]);
        await client.prompt(sessionId, [go, link(`file://${path("nowhere.txt")}`)]);
        const sent = api.requestsOf("talk").map((one) => promptTexts(one).join("\n"));
        assert.match(sent[0] ?? "", /look at @\S+hello\.txt/);
        assert.match(sent[1] ?? "", /look at @\S+nowhere\.txt/);
      },
      { env: { BOWLINE_EDITS: "0" } },
    ));
});
