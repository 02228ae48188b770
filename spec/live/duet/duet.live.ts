/**
 * Sessions with both real CLIs: routes, switching, duets, reviews, failures, cancels and
 * loading.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import * as codex from "../../support/live/api/fake-responses-api.ts";
import { answer, call, fails, say, type Script, words } from "../../support/live/api/model-script.ts";
import { inSessionOfBoth } from "../../support/live/with-both-engines.ts";
import { leftovers } from "../../support/processes.ts";

const talk = {
  claude: { hi: [answer(say("Hello from Claude."))], more: [answer(say("More of Claude."))] },
  codex: { hi: [codex.say("Hello from Codex.")], more: [codex.say("More of Codex.")] },
};
const duet = { env: { BOWLINE_ROUTE: "duet" } };

/** What was said, without a label that belonged to a remark about the machine. */
function said(lines: readonly string[]): string {
  return lines.join("\n").replaceAll(/\[Codex\] (?=\[Codex\])/g, "");
}

describe("a session with both CLIs", () => {
  it("the engine is an option, and a prompt goes to the chosen one", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId }) => {
      assert.deepEqual(await tell("[[hi]]"), ["says Hello from Claude.", "answers end_turn"]);
      const { configOptions } = await client.request("session/set_config_option", {
        sessionId,
        configId: "route",
        value: "codex",
      });
      assert.ok(configOptions.some(({ id }) => id === "primary_agent"));
      assert.deepEqual(await tell("[[hi]]"), ["says Hello from Codex.", "answers end_turn"]);
    }));

  it("an engine receives the earlier messages when the user switches to it", () =>
    inSessionOfBoth(talk, async ({ tell, api }) => {
      await tell("[[hi]] What is the answer?");
      await tell("/codex [[more]] Do you agree?");
      const asked = JSON.stringify(api.calls.at(-1)?.body);
      assert.match(asked, /What is the answer\?.*Hello from Claude\..*Do you agree\?/);
    }));

  it("/codex with a prompt asks Codex once, and without a prompt switches", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId }) => {
      // The scripts are found by words of the prompt, which the shared conversation would repeat.
      await client.request("session/set_config_option", { sessionId, configId: "share_context", value: "false" });
      assert.deepEqual(await tell("/codex [[hi]]"), ["says Hello from Codex.", "answers end_turn"]);
      assert.deepEqual(await tell("[[hi]]"), ["says Hello from Claude.", "answers end_turn"]);
      const switched = await tell("/codex");
      assert.ok(switched.includes("says Codex answers from now on."), switched.join("\n"));
      assert.deepEqual(await tell("[[more]]"), ["says More of Codex.", "answers end_turn"]);
    }));

  it("/codex with a prompt and an attached file asks Codex once, with the file", () =>
    inSessionOfBoth(talk, async ({ client, sessionId, cwd, api, messagesApi }) => {
      const uri = pathToFileURL(join(cwd, "notes.txt")).href;
      const resource = { uri, mimeType: "text/plain", text: "PERSIMMON" };
      await client.request("session/prompt", {
        sessionId,
        prompt: [
          { type: "text", text: "/codex [[hi]] what is this?" },
          { type: "resource", resource },
        ],
      });
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /what is this\?.*PERSIMMON/);
      assert.doesNotMatch(JSON.stringify(api.calls.at(-1)?.body), /\/codex/);
      assert.equal(messagesApi.sentTo("hi").length, 0);
    }));

  it("in a duet both engines answer in one turn, Claude first", () =>
    inSessionOfBoth(
      talk,
      async ({ tell }) =>
        assert.equal(
          said(await tell("[[hi]]")),
          "says [Claude] Hello from Claude.\n\n[Codex] Hello from Codex.\nanswers end_turn",
        ),
      duet,
    ));

  it("in a duet with Codex as the first, Codex answers first", () =>
    inSessionOfBoth(
      talk,
      async ({ tell }) =>
        assert.equal(
          said(await tell("[[hi]]")),
          "says [Codex] Hello from Codex.\n\n[Claude] Hello from Claude.\nanswers end_turn",
        ),
      {
        env: { BOWLINE_ROUTE: "duet", BOWLINE_PRIMARY_AGENT: "codex" },
      },
    ));

  it("edits of both engines are asked for, each under its name, and made on the same files", () =>
    inSessionOfBoth(
      {
        claude: {
          edit: [
            answer(call("Write", { file_path: "claude.txt", content: "by Claude\n" })),
            answer(say("Claude wrote.")),
          ],
        },
        codex: {
          edit: [
            codex.patch("*** Begin Patch\n*** Add File: codex.txt\n+by Codex\n*** End Patch"),
            codex.say("Codex wrote."),
          ],
        },
      },
      async ({ tell, client, cwd }) => {
        client.editor.permissionAnswers.push("allow", "allow");
        const lines = await tell("[[edit]]");
        const asked = lines.filter((line) => line.startsWith("asks"));
        assert.equal(asked.length, 3, lines.join("\n"));
        assert.match(asked[0] ?? "", /^asks \[Claude\] /);
        assert.match(asked[1] ?? "", /^asks Let Codex work where another engine has worked/);
        assert.match(asked[2] ?? "", /^asks \[Codex\] /);
        assert.equal(readFileSync(join(cwd, "claude.txt"), "utf8"), "by Claude\n");
        assert.equal(readFileSync(join(cwd, "codex.txt"), "utf8"), "by Codex\n");
      },
      {
        env: { BOWLINE_ROUTE: "duet" },
        home: { config: 'approval_policy = "on-request"\nsandbox_mode = "read-only"' },
      },
    ));

  it("in a review Codex gets what Claude answered", () =>
    inSessionOfBoth(
      talk,
      async ({ tell, client, sessionId, api }) => {
        await client.request("session/set_config_option", { sessionId, configId: "duet_review", value: "true" });
        await tell("[[hi]] Say hello");
        assert.match(JSON.stringify(api.calls.at(-1)?.body), /Another coding agent, Claude.*Hello from Claude\./);
      },
      duet,
    ));

  it("when one engine of a duet fails, the user is notified and the other one answers", () =>
    inSessionOfBoth(
      { claude: { hi: [fails(400, {}, "No such thing")] }, codex: talk.codex },
      async ({ tell }) => {
        const lines = await tell("[[hi]]");
        assert.ok(
          lines.some((line) => line.includes("Claude could not answer")),
          lines.join("\n"),
        );
        assert.match(said(lines), /\[Codex\] Hello from Codex\.\nanswers end_turn$/);
      },
      duet,
    ));

  it("a cancel during the first answer of a duet skips the second one", () =>
    inSessionOfBoth(
      { claude: { long: [{ ...answer(words(400)), everyMs: 50 }] }, codex: { long: [codex.say("Codex.")] } },
      async ({ client, sessionId, seen, api }) => {
        const running = client.prompt(sessionId, "[[long]]");
        await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk");
        await client.cancel(sessionId);
        assert.equal((await running).stopReason, "cancelled");
        assert.ok(!seen().some((line) => line.includes("[Codex]")));
        assert.equal(api.calls.length, 0);
      },
      duet,
    ));

  it("a cancel during the second answer of a duet ends the turn", () =>
    inSessionOfBoth(
      { claude: talk.claude, codex: { hi: [codex.sayForEver("Codex goes on. ")] } },
      async ({ client, sessionId }) => {
        const running = client.prompt(sessionId, "[[hi]]");
        await client.waitFor((one) => JSON.stringify(one).includes("[Codex]"));
        await client.cancel(sessionId);
        assert.equal((await running).stopReason, "cancelled");
      },
      duet,
    ));

  it("a mode that is chosen holds for both engines", () =>
    inSessionOfBoth(talk, async ({ client, sessionId, tell }) => {
      await client.request("session/set_mode", { sessionId, modeId: "plan" });
      const lines = await tell("/codex [[hi]]");
      assert.deepEqual(lines.slice(-2), ["says Hello from Codex.", "answers end_turn"]);
      const { configOptions } = await client.request("session/set_config_option", {
        sessionId,
        configId: "route",
        value: "codex",
      });
      const mode = configOptions.find(({ id }) => id === "mode");
      assert.equal(mode?.type === "select" ? mode.currentValue : undefined, "plan");
    }));

  it("Claude's mode that denies what is not allowed does not let Codex work without asking", () =>
    inSessionOfBoth(
      { claude: { hi: [answer(say("Hello."))] }, codex: { make: [codex.run("touch made.txt"), codex.say("Done.")] } },
      async ({ client, sessionId, tell, place }) => {
        await client.request("session/set_mode", { sessionId, modeId: "dontAsk" });
        const lines = await tell("/codex [[make]]");
        assert.ok(!existsSync(place.path("made.txt")));
        assert.match(lines.join("\n"), /Codex means something else by the mode dontAsk; it asks/);
      },
    ));

  it("the user is notified when a mode lets Codex do more than it lets Claude", () =>
    inSessionOfBoth(talk, async ({ client, sessionId, tell }) => {
      await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
      const lines = (await tell("/codex [[hi]]")).join("\n");
      assert.match(lines, /The mode of Codex, Accept edits: Edit files and run commands in the project/);
    }));

  it("with only one CLI the engine is no option", () =>
    inSessionOfBoth(
      talk,
      async ({ client, sessionId }) => {
        const change = { sessionId, configId: "route", value: "codex" } as const;
        await assert.rejects(client.request("session/set_config_option", change), /configId must be one of/);
      },
      { env: { CODEX_EXECUTABLE: "" } },
    ));

  it("when the second engine of a duet is not signed in, the first answer is shown and the error says how to sign in", () =>
    inSessionOfBoth(
      talk,
      async ({ tell }) => {
        const lines = await tell("[[hi]]");
        assert.match(lines.join("\n"), /\[Claude\] Hello from Claude\.[\s\S]*-32000[\s\S]*codex login/);
      },
      { env: { BOWLINE_ROUTE: "duet" }, home: { provider: "openai" } },
    ));

  it("when Codex is killed in a duet, the user is notified and the turn ends with the first answer", () =>
    inSessionOfBoth(
      { claude: talk.claude, codex: { hi: [codex.sayForEver("Codex goes on. ")] } },
      async ({ client, sessionId, seen, place }) => {
        const running = client.prompt(sessionId, "[[hi]]");
        await client.waitFor((one) => JSON.stringify(one).includes("goes on. "));
        for (const { pid, command } of leftovers(place.root)) {
          if (command.includes("app-server")) process.kill(pid, "SIGKILL");
        }
        assert.equal((await running).stopReason, "end_turn");
        assert.match(seen().join("\n"), /Codex could not answer/);
      },
      duet,
    ));

  it("both conversations go on after a switch back and forth", () =>
    inSessionOfBoth(talk, async ({ tell, api, messagesApi }) => {
      await tell("[[hi]] one");
      await tell("/codex [[hi]] two");
      await tell("[[more]] three");
      await tell("/codex [[more]] four");
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /two.*four/, "Codex has its own history");
      assert.match(JSON.stringify(messagesApi.requests.items.at(-1)?.body), /one.*two.*Hello from Codex\..*three/);
    }));
});

const todo = (status: string): object => ({
  todos: [
    { content: "Look", status: "completed", activeForm: "Looking" },
    { content: "Do the rest, see @~/secret.txt", status, activeForm: "Doing the rest" },
  ],
});

/** The same for Codex. */
const codexPlan = codex.call("update_plan", { plan: [{ step: "Do the rest", status: "pending" }] });

/** A turn that leaves work on its plan, and the turns after it. */
function planned(...answers: readonly string[]): readonly Script[number][] {
  const steps = answers.flatMap((text, i) => [
    answer(call("TodoWrite", todo(i < answers.length - 1 ? "pending" : "completed"))),
    answer(say(text)),
  ]);
  return steps;
}

describe("auto-continue with the real CLI", () => {
  const on = { env: { BOWLINE_AUTO_CONTINUE: "1" } };

  it("work that is left on the plan is continued, with a message that says so", () =>
    inSessionOfBoth(
      { claude: { plan: planned("Half of it.", "All of it.") }, codex: {} },
      async ({ tell }) => {
        const lines = await tell("[[plan]]");
        assert.match(
          lines.join("\n"),
          /Half of it\.[\s\S]*Continue with the plan: Do the rest[\s\S]*All of it\.\nanswers end_turn$/,
        );
      },
      on,
    ));

  it("an entry of the plan and an answer of Codex that mention a file make the CLI read nothing", () =>
    inSessionOfBoth(
      {
        claude: { plan: planned("Half of it.", "All of it."), hi: [answer(say("Hello."))] },
        codex: { hi: [codex.say("See @~/secret.txt please.")] },
      },
      async ({ tell, place, messagesApi }) => {
        writeFileSync(join(place.home, "secret.txt"), "PERSIMMON\n");
        await tell("/codex [[hi]]");
        await tell("[[hi]]");
        await tell("[[plan]]");
        const sent = JSON.stringify(messagesApi.requests.items.map(({ body }) => body));
        assert.match(sent, /See @~\/secret\.txt please.*Continue with the plan: Do the rest, see @~\/secret\.txt/);
        assert.doesNotMatch(sent, /PERSIMMON/);
      },
      on,
    ));

  it("an answer of Claude that mentions a skill makes Codex load nothing", () =>
    inSessionOfBoth(
      { claude: { hi: [answer(say("Use $ripe please."))] }, codex: { hi: [codex.say("Hello.")] } },
      async ({ tell, api }) => {
        await tell("[[hi]]");
        await tell("/codex [[hi]]");
        const sent = api.sentTo("hi").at(-1) ?? "";
        assert.match(sent, /Use \$\{ripe\} please/);
        assert.doesNotMatch(sent, /PERSIMMON/);
      },
      {
        prepare: ({ write }) =>
          void write(".agents/skills/ripe/SKILL.md", "---\nname: ripe\ndescription: fruit\n---\nPERSIMMON\n"),
      },
    ));

  it("a question of the model ends the continued work", () =>
    inSessionOfBoth(
      { claude: { plan: planned("Shall I go on?", "All of it.") }, codex: {} },
      async ({ tell }) => {
        const lines = await tell("[[plan]]");
        assert.doesNotMatch(lines.join("\n"), /Continue with the plan/);
      },
      on,
    ));

  it("work that never ends is continued ten times", () =>
    inSessionOfBoth(
      { claude: { plan: planned(...Array<string>(12).fill("Not yet.")) }, codex: {} },
      async ({ tell }) => {
        const lines = (await tell("[[plan]]")).join("\n");
        assert.equal(lines.match(/Continue with the plan: Do the rest/g)?.length, 10);
        assert.match(lines, /auto-continue 10 of 10[\s\S]*Not yet\.\nanswers end_turn$/);
      },
      on,
    ));

  it("a cancel ends the continued work", () => {
    const [first, second, third] = planned("Half of it.", "");
    assert.ok(first && second && third);
    const plan = [first, second, third, { ...answer(words(400)), everyMs: 50 }];
    return inSessionOfBoth(
      { claude: { plan }, codex: {} },
      async ({ client, sessionId, messagesApi }) => {
        const running = client.prompt(sessionId, "[[plan]]");
        await client.waitFor((one) => JSON.stringify(one).includes("auto-continue 1 of 10"));
        await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk" && !/Half/.test(JSON.stringify(one)));
        await client.cancel(sessionId);
        assert.equal((await running).stopReason, "cancelled");
        const count = messagesApi.requests.items.length;
        await client.prompt(sessionId, "/version");
        assert.equal(messagesApi.requests.items.length, count, "nothing went on");
      },
      on,
    );
  });

  it("work that Codex leaves on its plan is continued, a goal of Codex is not", () =>
    inSessionOfBoth(
      {
        claude: {},
        codex: {
          plan: [codexPlan, codex.run("true"), codex.say("Half of it."), codex.say("All of it?")],
          goal: [
            codexPlan,
            codex.run("true"),
            codex.call("update_goal", { status: "complete" }),
            codex.say("Reached."),
          ],
        },
      },
      async ({ tell, api }) => {
        assert.match((await tell("[[plan]]")).join("\n"), /Half of it\.[\s\S]*Continue with the plan: Do the rest/);
        assert.match((await tell("/clear")).join("\n"), /answers end_turn$/);
        const lines = (await tell("/goal [[goal]] finish")).join("\n");
        assert.match(lines, /Reached\.\nanswers end_turn$/);
        assert.doesNotMatch(lines, /Continue with the plan/);
        assert.equal(api.sentTo("goal").length, 4);
      },
      { env: { BOWLINE_AUTO_CONTINUE: "1", BOWLINE_ROUTE: "codex" } },
    ));

  it("a goal that the model of Codex sets itself stays in the prompt until it is reached, and is not continued", () =>
    inSessionOfBoth(
      {
        claude: {},
        codex: {
          own: [
            codex.call("create_goal", { objective: "Finish [[rest]]" }),
            codexPlan,
            codex.run("true"),
            codex.say("A first part."),
          ],
          rest: [codex.call("update_goal", { status: "complete" }), codex.say("Reached.")],
        },
      },
      async ({ tell }) => {
        const lines = (await tell("[[own]]")).join("\n");
        assert.match(lines, /A first part\.[\s\S]*Reached\.\nanswers end_turn$/);
        assert.doesNotMatch(lines, /Continue with the plan/);
      },
      { env: { BOWLINE_AUTO_CONTINUE: "1", BOWLINE_ROUTE: "codex" } },
    ));

  it("a plan is not continued unless auto-continue is turned on, and /nudge on turns it on", () =>
    inSessionOfBoth({ claude: { plan: planned("Half.", "All.") }, codex: {} }, async ({ tell }) => {
      assert.doesNotMatch((await tell("[[plan]]")).join("\n"), /Continue with the plan/);
      assert.match((await tell("/nudge on")).join("\n"), /Auto-continue is on/);
    }));
});
