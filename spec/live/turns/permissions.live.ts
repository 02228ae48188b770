/**
 * Live specs of permissions: what the user is asked, and that nothing runs that was not
 * allowed.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { toolResultTexts } from "../../support/live/api/api-request.ts";
import { waitForCommand } from "../../support/processes.ts";
import { inSession, type SessionDriver } from "../../support/live/with-agent.ts";
import type { PermissionAnswer } from "../../support/live/client/scripted-editor.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";

/** A model that tries to write a file and accepts any answer. */
function writes({ api, path }: SessionDriver): void {
  api.script("write", answer(call("Write", { file_path: path("x.txt"), content: "no" })), answer(say("Very well.")));
}

const asked =
  'asks Write x.txt · ~/x.txt: null -> "no" [Allow | Always allow all edits in this session | Reject | Never allow changes to x.txt in this session | Reject and tell Claude why]';

describe("a permission", () => {
  it("a rejected permission keeps the diff visible as not applied, and the turn goes on", () =>
    inSession({}, async (driver) => {
      writes(driver);
      driver.client.editor.permissionAnswers.push("reject");
      assert.deepEqual(await driver.tell("[[write]] go"), [
        "calls edit Write x.txt",
        asked,
        'failed Write x.txt · Not applied. · Rejected. · ~/x.txt: null -> "no"',
        "says Very well.",
        "answers end_turn",
      ]);
      assert.ok(!existsSync(driver.path("x.txt")));
    }));

  for (const [name, capabilities] of [
    ["forms", fullCapabilities],
    ["no forms", bareCapabilities],
  ] as const) {
    it(`a call that is never allowed in the session is asked about once, in a client with ${name}`, () =>
      inSession(
        {},
        async ({ client, api, tell, path, cwd }) => {
          const write = (file: string): ReturnType<typeof call> =>
            call("Write", { file_path: path(file), content: "no" });
          const curl = call("Bash", { command: "curl -s http://127.0.0.1:9/", description: "Look" });
          api.script("write", answer(write("x.txt")), answer(write("x.txt")), answer(say("Very well.")));
          api.script("curl", answer(curl), answer(curl), answer(say("Fine.")));
          api.script("other", answer(write("y.txt")), answer(say("Other.")));
          client.editor.permissionAnswers.push("reject_always", "reject_always");
          const seen = [...(await tell("[[write]] go")), ...(await tell("[[curl]] go"))];
          assert.equal(client.editor.asked.length, 2);
          assert.equal(seen.filter((line) => line.startsWith("failed ")).length, 4);
          assert.equal(seen.at(-1), "answers end_turn");
          const [told = ""] = toolResultTexts(api.requestsOf("write")[2] ?? assert.fail("no third request")).slice(-1);
          assert.match(told, /does not allow this in this session|denied by your permission settings/);
          await tell("[[other]] go");
          assert.equal(client.editor.asked.length, 3, "another file is asked about");
          const next = (await client.newSession(cwd)).sessionId;
          await client.prompt(next, "[[curl]] go");
          assert.equal(client.editor.asked.length, 5, "the next session asks");
        },
        { capabilities },
      ));
  }

  it("a call that is never allowed stays so whatever is allowed later: by a rule, by a mode, in a cleared conversation, by the next CLI", () =>
    inSession({}, async ({ client, api, tell, path, place, sessionId }) => {
      place.write("package.json", JSON.stringify({ scripts: { good: "touch good", bad: "touch bad" } }));
      const run = (name: string): ReturnType<typeof call> =>
        call("Bash", { command: `npm run ${name}`, description: "Run" });
      const write = (name: string): ReturnType<typeof call> => call("Write", { file_path: path(name), content: "x" });
      api.script("bad", answer(run("bad")), answer(write("never.txt")), answer(write("[id].txt")), answer(say("No.")));
      api.script("good", answer(run("good")), answer(write("other.txt")), answer(say("Yes.")));
      client.editor.usual = "reject_always";
      await tell("[[bad]] go");
      assert.equal(client.editor.asked.length, 3);
      client.editor.usual = (request) =>
        request.options.some(({ kind }) => kind === "allow_always") ? "always" : "allow";
      await tell("[[good]] go");
      assert.ok(existsSync(path("good")) && existsSync(path("other.txt")));
      const asked = client.editor.asked.length;
      const stays = async (): Promise<void> => {
        await tell("[[bad]] go");
        assert.equal(client.editor.asked.length, asked, "nothing is asked about again");
        for (const name of ["bad", "never.txt", "[id].txt"]) assert.ok(!existsSync(path(name)), name);
      };
      await stays();
      await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
      await stays();
      await tell("/clear");
      await stays();
      process.kill((await waitForCommand(place.root, "stream-json")).pid, "SIGKILL");
      await stays();
    }));

  const unfit: readonly (readonly [string, PermissionAnswer, string])[] = [
    ["dismissed", "cancel", "answers cancelled"],
    ["answered with an option that was never offered", { optionId: "allow_everything" }, "answers end_turn"],
    [
      "answered with an error",
      () => {
        throw new Error("the editor has a bug");
      },
      "answers cancelled",
    ],
  ];
  it("a permission that is dismissed, answered wrongly or answered with an error lets nothing run", () =>
    inSession({}, async (driver) => {
      writes(driver);
      for (const [how, given, end] of unfit) {
        driver.client.editor.permissionAnswers.push(given);
        const seen = await driver.tell("[[write]] go");
        assert.equal(seen.at(-1), end, how);
        assert.match(seen[2] ?? "", /^failed Write x\.txt · Not applied\. · \w+\. · ~\/x\.txt: null -> "no"$/, how);
        assert.ok(!existsSync(driver.path("x.txt")), how);
      }
    }));

  it("a permission granted always is requested once, holds for the session alone and is saved nowhere", () =>
    inSession({}, async ({ client, api, tell, path, place, cwd }) => {
      const command = "curl -s http://127.0.0.1:9/";
      const curl = call("Bash", { command, description: "Look" });
      api.script("curl", answer(curl), answer(curl), answer(say("Twice.")));
      client.editor.permissionAnswers.push("always");
      const seen = await tell("[[curl]] go");
      assert.deepEqual(
        seen.filter((line) => line.startsWith("asks")),
        [
          // The CLI's reason is shown; that we ask needs no reason.
          `asks ${command} · Look · This command requires approval [Allow | Always allow "${command}" in this session | Reject | Never allow this command in this session | Reject and tell Claude why]`,
        ],
      );
      assert.equal(seen.at(-1), "answers end_turn");
      assert.ok(!existsSync(path(".claude")), "nothing is written into the project");
      assert.ok(!existsSync(`${place.home}/.claude/settings.json`));
      const other = await client.newSession(cwd);
      client.editor.permissionAnswers.push("reject");
      await client.prompt(other.sessionId, "[[curl]] go");
      assert.equal(client.editor.asked.length, 3, "another session is asked again, twice");
    }));

  it("a file that is never allowed to change is asked about once, under every spelling of its path", () =>
    inSession({}, async ({ client, api, tell, place, path }) => {
      const write = (file_path: string) => answer(call("Write", { file_path, content: "no" }));
      const spellings = ["x.txt", "./x.txt", path("x.txt"), path("src/../x.txt"), `${place.cwd}//x.txt`];
      api.script("write", ...spellings.map(write), answer(say("Very well.")));
      client.editor.permissionAnswers.push("reject_always");
      const seen = await tell("[[write]] go");
      assert.equal(client.editor.asked.length, 1, "asked once");
      assert.equal(seen.filter((line) => line.startsWith("failed ")).length, spellings.length);
      assert.ok(!existsSync(path("x.txt")));
    }));

  for (const [command, label] of [
    ["curl -s http://127.0.0.1:9/x", '"curl -s http://127.0.0.1:9/x"'],
    ["git add -A && git commit -m x", '"git add *" and "git commit *"'],
    ["ls /etc", '"ls /etc" and reading /etc'],
    ["touch a.txt", '"touch a.txt"'],
    ["rm -f hello.txt", '"rm -f hello.txt"'],
    ["touch a.txt && ls -la", '"touch a.txt" and "ls -la"'],
    ["sed -i s/a/b/ hello.txt && cat hello.txt", '"sed -i s/a/b/ hello.txt" and "cat hello.txt"'],
    ["npm test | tee out.log", '"npm test" and "tee out.log"'],
    ["echo hi > out.txt", undefined],
    ["npm test > out.log 2>&1", undefined],
    ["touch ../outside.txt", undefined],
    ["cd src && touch a.txt", undefined],
  ] as const) {
    const title =
      label === undefined ? "is not offered" : "says what it allows, and the same command is not asked about again";
    it(`"always" for the command ${command} ${title}`, () =>
      inSession({}, async ({ client, api, tell, place }) => {
        const run = call("Bash", { command, description: "Run" });
        api.script("run", answer(run), answer(run), answer(say("Done.")));
        client.editor.permissionAnswers.push(label === undefined ? "allow" : "always");
        const seen = await tell("[[run]] go");
        const always = client.editor.asked.items[0]?.request.options.find(({ kind }) => kind === "allow_always")?.name;
        assert.equal(always, label && `Always allow ${label} in this session`);
        assert.equal(client.editor.asked.length, label === undefined ? 2 : 1);
        assert.ok(!seen.some((line) => line.startsWith("mode ")), "the mode stays");
        assert.ok(!existsSync(place.path(".claude/settings.local.json")));
      }));
  }

  it("a permission granted always for edits says so, changes the mode, and notifies the editor", () =>
    inSession({}, async ({ client, api, tell, path, place }) => {
      const write = (name: string) => answer(call("Write", { file_path: path(name), content: name }));
      api.script("two", write("one.txt"), write("two.txt"), answer(say("Both.")));
      client.editor.permissionAnswers.push("always");
      assert.deepEqual(await tell("[[two]] go"), [
        "calls edit Write one.txt",
        'asks Write one.txt · ~/one.txt: null -> "one.txt" [Allow | Always allow all edits in this session | Reject | Never allow changes to one.txt in this session | Reject and tell Claude why]',
        "mode acceptEdits",
        'completed Write one.txt · ~/one.txt: null -> "one.txt"',
        "calls edit Write two.txt",
        'completed Write two.txt · ~/two.txt: null -> "two.txt"',
        "says Both.",
        "answers end_turn",
      ]);
      assert.equal(place.read("two.txt"), "two.txt");
    }));

  it("a permission for a file outside the project says where the file is and why it is requested", () =>
    inSession({}, async ({ client, api, tell, place }) => {
      const file_path = `${place.root}/elsewhere.txt`;
      api.script("out", answer(call("Write", { file_path, content: "x" })), answer(say("Very well.")));
      client.editor.permissionAnswers.push("reject");
      const question = (await tell("[[out]] go")).find((line) => line.startsWith("asks"));
      assert.match(question ?? "", /Path is outside allowed working directories/);
      assert.match(question ?? "", new RegExp(`Always allow all edits and access to ${place.root} in this session`));
    }));

  it("several permissions are open at once, each answered for itself and in any order", () =>
    inSession(
      {
        both: [
          answer(
            call("WebFetch", { url: "http://127.0.0.1:9/first", prompt: "One" }),
            call("WebFetch", { url: "http://127.0.0.2:9/second", prompt: "Two" }),
          ),
          answer(say("Both.")),
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
        const seen = await tell("[[both]] go");
        assert.equal(seen.filter((line) => line.startsWith("asks")).length, 2);
        const [first, second] = client.toolCalls(sessionId);
        assert.match(JSON.stringify(first?.content), /Unable to verify/, "the first ran");
        assert.match(JSON.stringify(second?.content), /Rejected\./, "the second did not");
        assert.deepEqual(seen.slice(-2), ["says Both.", "answers end_turn"]);
      },
    ));
});

describe("modes", () => {
  it("modes decide what is requested: edits in acceptEdits are not, writing in dontAsk is denied without a request", () =>
    inSession({}, async (driver) => {
      const { client, sessionId, tell, path, api } = driver;
      writes(driver);
      await client.request("session/set_mode", { sessionId, modeId: "dontAsk" });
      const denied = await tell("[[write]] go");
      assert.deepEqual(denied.slice(0, 2), ["mode dontAsk", "calls edit Write x.txt"]);
      assert.match(denied[2] ?? "", /^failed Write x\.txt · Not applied\. · Not allowed in this mode\. · /);
      assert.ok(!existsSync(path("x.txt")));
      await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
      api.script("write", answer(call("Write", { file_path: path("x.txt"), content: "yes" })), answer(say("Done.")));
      assert.deepEqual(await tell("[[write]] go"), [
        "mode acceptEdits",
        "calls edit Write x.txt",
        'completed Write x.txt · ~/x.txt: null -> "yes"',
        "says Done.",
        "answers end_turn",
      ]);
      assert.equal(client.editor.asked.length, 0);
    }));
});
