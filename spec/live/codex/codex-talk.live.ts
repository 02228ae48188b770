/**
 * Live specs of talking to Codex through the agent: text, thoughts, usage, prompts with
 * pictures and files, and the slash commands.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { pathToFileURL } from "node:url";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inCodexSession, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import {
  answer,
  callItem,
  commentary,
  ending,
  message,
  run,
  say,
  status,
  think,
  tries,
} from "../../support/live/api/fake-responses-api.ts";
import { hold } from "../../support/live/api/model-script.ts";
import { tinyPng } from "../../support/live/workspace.ts";
import { waitForCommand, waitUntil } from "../../support/processes.ts";
import { listAt, textAt } from "../../support/json.ts";

/** Codex asks three times before it tells that it tries again. */
const down = status(503, {});
const showsNotices = { ...fullCapabilities, session: { notices: {}, compaction: {} } };

describe("text of Codex", () => {
  it("text arrives while the model writes it, and the next prompt knows the conversation", () =>
    inCodexSession({ slow: [say("Some ", hold("word"), "more.")], again: [say("Again.")] }, async (driver) => {
      const { client, api, sessionId, tell } = driver;
      const told = tell("[[slow]] PERSIMMON");
      await api.gate("word").reached();
      await client.waitFor((one) => textAt(one, "content.text") === "Some ");
      api.gate("word").release();
      assert.deepEqual(await told, ["says Some more.", "answers end_turn"]);
      assert.deepEqual(await tell("[[again]] hi"), ["says Again.", "answers end_turn"]);
      assert.match(api.sentTo("again")[0] ?? "", /PERSIMMON[^]*Some more\./);
      assert.equal(client.text(sessionId), "Some more.Again.");
    }));

  it("thoughts, commentary and the final answer are messages of their own", () =>
    inCodexSession(
      {
        work: [
          answer(think("Let me ", "see."), commentary("I look first."), callItem("exec_command", { cmd: "echo out" })),
          answer(commentary("Almost."), message("All done.")),
        ],
      },
      async ({ client, sessionId, tell }) => {
        assert.deepEqual(await tell("[[work]] go"), [
          "thinks Let me see.",
          "says I look first.",
          "calls execute echo out",
          "completed echo out · ```console\nout\n```",
          "says Almost.\n\nAll done.",
          "answers end_turn",
        ]);
        const ids = client.updatesOf(sessionId).flatMap((one) => {
          return one.sessionUpdate === "agent_message_chunk" ? [one.messageId] : [];
        });
        assert.equal(new Set(ids).size, 3, "each message has its id");
      },
    ));

  it("text that repeats after a broken stream is shown once, with a notice of the retry", () =>
    inCodexSession(
      { broken: [tries(ending({ kind: "broken" }, message("Half ", "an ")), say("Half ", "an ", "answer."))] },
      async ({ client, tell, sessionId }) => {
        assert.deepEqual(await tell("[[broken]] go"), [
          "says Half an ",
          "notice info The connection to the API broke, trying again (attempt 1 of 2).",
          "says answer.",
          "answers end_turn",
        ]);
        assert.equal(client.text(sessionId), "Half an answer.");
      },
      { capabilities: showsNotices },
    ));

  it("the usage of the context is reported with each response", () =>
    inCodexSession({ hi: [say("Hello.")] }, async ({ client, sessionId, tell }) => {
      await tell("[[hi]] go");
      const usage = client.updatesOf(sessionId).flatMap((one) => {
        return one.sessionUpdate === "usage_update" ? [[one.used, one.size]] : [];
      });
      assert.deepEqual(usage, [[110, 258_400]]);
    }));

  it("the model's pictures, files and links arrive as what they are", () =>
    inCodexSession({ look: [say("Seen.")] }, async ({ api, tell, path }) => {
      const uri = pathToFileURL(path("src/greet.ts")).href;
      await tell([
        { type: "text", text: "[[look]] at these" },
        { type: "image", data: tinyPng.toString("base64"), mimeType: "image/png" },
        { type: "resource_link", uri, name: "greet.ts" },
        { type: "resource", resource: { uri: "file:///notes/idea.md", text: "PERSIMMON", mimeType: "text/markdown" } },
      ]);
      const [sent = ""] = api.sentTo("look");
      assert.match(sent, new RegExp(`data:image/png;base64,${tinyPng.toString("base64").replaceAll("+", "\\+")}`));
      assert.match(sent, /src\/greet\.ts/);
      assert.match(sent, /idea\.md[^]*PERSIMMON/);
    }));

  it("a mention of a skill in text that the user did not write makes Codex load nothing", () =>
    inCodexSession({ look: [say("Seen.")] }, async ({ api, client, cwd, place }) => {
      const skill = place.write(
        ".agents/skills/ripe/SKILL.md",
        "---\nname: ripe\ndescription: about fruit\n---\nPERSIMMON\n",
      );
      const attached = (text: string, uri = "file:///notes/idea.md"): ContentBlock => {
        return { type: "resource", resource: { uri, text, mimeType: "text/markdown" } };
      };
      const foreign: readonly ContentBlock[] = [
        attached("please $ripe now"),
        attached("```\n\\$ripe\n```"),
        attached(`[$other](${skill}) [$other]  ( skill://${skill} )`),
        attached("harmless", `file://${cwd}/a%20$ripe.txt`),
        { type: "resource_link", uri: "https://example.com/", name: "see $ripe" },
        { type: "resource_link", uri: `file://${cwd}/a%20$ripe.txt`, name: "x" },
        { type: "image", data: "QUJD", mimeType: "image/ $ripe" },
      ];
      const sent = async (...more: readonly ContentBlock[]): Promise<string> => {
        const { sessionId } = await client.newSession(cwd);
        await client.prompt(sessionId, [{ type: "text", text: "[[look]] at " }, ...more]);
        return api.sentTo("look").at(-1) ?? "";
      };
      for (const one of foreign) {
        const said = await sent(one);
        assert.doesNotMatch(said, /PERSIMMON/, JSON.stringify(one));
      }
      // What the user writes is a mention, and a shell script stays as it is.
      assert.match(
        await sent({ type: "text", text: "$ripe" }, attached("echo $HOME $1")),
        /echo \$HOME \$1[^]*PERSIMMON/,
      );
    }));

  it("a prompt that is too long for Codex is refused before it is sent", () =>
    inCodexSession({ hi: [say("Hello.")] }, async ({ api, tell }) => {
      const [refused = ""] = await tell(`[[hi]] ${"x".repeat(1_048_577)}`);
      assert.match(refused, /^answers -32602 /);
      assert.equal(api.calls.length, 0);
      assert.deepEqual(await tell("[[hi]] short"), ["says Hello.", "answers end_turn"]);
    }));
});

describe("slash commands of Codex", () => {
  it("the commands are offered, and those about Codex itself are answered without the model", () =>
    inCodexSession({}, async ({ client, api, sessionId, tell }) => {
      const offered = await client.waitFor((one, id) => id === sessionId && "availableCommands" in one);
      assert.deepEqual(
        listAt(offered.update, "availableCommands").map((one) => textAt(one, "name")),
        "compact review plan clear status skills goal stop rewind usage mcp tasks nudge version setup".split(" "),
      );
      const [shown = ""] = await tell("/status");
      assert.match(shown, /gpt-5\.5[^]*Ask[^]*on-request[^]*readOnly[^]*~[^]*provider fake[^]*0\.166\.0/);
      assert.deepEqual(await tell("/mcp"), ["says There are no MCP servers.\n", "answers end_turn"]);
      assert.match((await tell("/skills"))[0] ?? "", /^says - \*\*\$/);
      assert.deepEqual(await tell("/stop"), ["says No command runs in the background.", "answers end_turn"]);
      assert.equal(api.calls.length, 0);
    }));

  it("/compact shows that it runs and ends, and the conversation goes on", () =>
    inCodexSession(
      { hi: [say("Hello.")] },
      async ({ tell }) => {
        await tell("[[hi]] first");
        assert.deepEqual(await tell("/compact"), [
          "compaction in_progress",
          "compaction completed",
          "answers end_turn",
        ]);
        assert.deepEqual(await tell("[[hi]] again"), ["says Hello.", "answers end_turn"]);
      },
      { capabilities: showsNotices },
    ));

  it("/review reviews the changes of the project and shows the findings once", () =>
    inCodexSession({}, async ({ api, tell, cwd }) => {
      execFileSync("git", ["init", "-q"], { cwd });
      const seen = await tell("/review");
      assert.equal(seen.at(-1), "answers end_turn");
      assert.match(seen.join("\n"), /Reviewing/);
      assert.equal(seen.join("\n").split("There is no script for this prompt.").length, 2);
      assert.equal(api.calls.length, 1);
    }));

  it("/clear begins a new conversation in the same session", () =>
    inCodexSession({ hi: [say("Hello.")], again: [say("Who?")] }, async ({ client, api, sessionId, tell, cwd }) => {
      await tell("[[hi]] PERSIMMON");
      assert.equal((await tell("/clear")).at(-1), "answers end_turn");
      assert.deepEqual(await tell("[[again]] do you know?"), ["says Who?", "answers end_turn"]);
      assert.doesNotMatch(api.sentTo("again")[0] ?? "", /PERSIMMON/);
      const { sessions } = await client.request("session/list", { cwd });
      assert.equal(sessions.length, 2, "both conversations are saved");
      assert.ok(sessions.some((one) => one.sessionId === sessionId));
    }));

  it("/goal works on until the user cancels it, as one prompt", () =>
    inCodexSession({ goal: [say("Working.")] }, async ({ client, api, sessionId, tell, seen }) => {
      const told = tell("/goal [[goal]] finish");
      await api.requests.waitFor(() => api.calls.length > 2);
      await client.waitFor(() => client.text(sessionId).split("Working.").length > 2);
      await client.cancel(sessionId);
      assert.equal((await told).at(-1), "answers cancelled");
      const count = api.calls.length;
      assert.equal((await tell("/goal clear")).at(-1), "answers end_turn");
      assert.ok(api.calls.length <= count + 1);
      assert.deepEqual(seen(), []);
    }));

  it("/stop ends the command that a turn left in the background, and its call", () =>
    inCodexSession(
      { back: [run("sleep 481", { yield_time_ms: 250 }), say("It runs.")] },
      async ({ client, sessionId, tell, place }) => {
        assert.equal((await tell("[[back]] go")).at(-1), "answers end_turn");
        await waitForCommand(place.root, "sleep 481");
        assert.match((await tell("/stop")).join("\n"), /Stopped 1/);
        await client.waitFor(() => client.toolCalls(sessionId)[0]?.status === "failed");
        const left = await waitUntil(place.root, (all) => !all.some(({ command }) => command.includes("sleep 481")));
        assert.ok(!left.some(({ command }) => command.includes("sleep 481")));
      },
    ));

  it("a slash that is no command goes to the model as it is", () =>
    inCodexSession({ path: [say("A path.")] }, async ({ api, tell }) => {
      assert.deepEqual(await tell("/etc/hosts [[path]]"), ["says A path.", "answers end_turn"]);
      assert.match(api.sentTo("path")[0] ?? "", /\/etc\/hosts \[\[path\]\]/);
    }));
});

describe("a client that can show little", () => {
  it("a client without forms, notices and terminals gets the same in text", () =>
    withCodexAgent(
      { work: [run("echo out"), say("Done.")], busy: [tries(down, down, down, say("Up again."))] },
      async ({ client, cwd }) => {
        const sessionId = await client.open(cwd);
        await client.prompt(sessionId, "[[work]] go");
        assert.match(JSON.stringify(client.toolCalls(sessionId)[0]?.content), /out/);
        await client.prompt(sessionId, "[[busy]] go");
        assert.match(client.text(sessionId, "agent_thought_chunk"), /trying again \(attempt 1 of 2\)/);
        assert.match(client.text(sessionId), /Up again\.$/);
      },
      { capabilities: bareCapabilities },
    ));
});
