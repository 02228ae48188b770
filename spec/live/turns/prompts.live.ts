/**
 * Live specs of prompts: their content reaches the model, and several prompts at once
 * are answered in order.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { promptTexts, sentBlocks } from "../../support/live/api/api-request.ts";
import { inSession } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { editsInEditor } from "../../support/live/client/editor-mode.ts";
import { tinyPng } from "../../support/live/workspace.ts";

const text = (said: string): ContentBlock => ({ type: "text", text: said });

describe("a prompt", () => {
  it("a prompt brings its images, links and attachments to the model, in order", () =>
    inSession({ look: [answer(say("Seen."))] }, async ({ api, path, tell }) => {
      const png = tinyPng.toString("base64");
      const blob = Buffer.from("attached bytes").toString("base64");
      const prompt: readonly ContentBlock[] = [
        text("[[look]] at "),
        { type: "resource_link", uri: `file://${path("hello.txt")}#L2:3`, name: "hello.txt" },
        text(" and this:"),
        { type: "image", data: png, mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "file:///elsewhere/a.ts#L10:20", text: "const a = 1;", mimeType: "text/x-ts" },
        },
        { type: "resource", resource: { uri: "file:///elsewhere/b.txt", blob, mimeType: "text/plain" } },
        { type: "resource", resource: { uri: "file:///elsewhere/c.png", blob: png, mimeType: "image/png" } },
        { type: "resource_link", uri: "https://example.com/page", name: "a page" },
      ];
      assert.deepEqual(await tell(prompt), ["says Seen.", "answers end_turn"]);
      const request = api.requestsOf("look")[0] ?? assert.fail("no request");
      const said = promptTexts(request).join("\n");
      // With the option `edits`, a linked file has the content of the editor's buffer.
      const name = `${path("hello.txt")} (lines 2 to 3)`;
      const linked = `\n<context ref="${name}">\nsecond line\nthird line\n</context>\n`;
      assert.equal(said.includes(linked), editsInEditor, said);
      const place = editsInEditor ? ` [${name}] ` : `@${path("hello.txt")}#L2-3`;
      assert.ok(said.includes(`[[look]] at ${place} and this:`), said);
      assert.match(said, /<context ref="\/elsewhere\/a\.ts \(lines 10 to 20\)">\nconst a = 1;\n<\/context>/);
      assert.match(said, /<context ref="\/elsewhere\/b\.txt">\nattached bytes\n<\/context>/);
      assert.match(said, /\[a page\]\(https:\/\/example\.com\/page\)/);
      const images = sentBlocks(request, "image");
      assert.deepEqual(
        images.map((image) => at(image, "source.media_type")),
        ["image/png", "image/png"],
      );
      const kinds = request.body.messages.flatMap(({ content }) => {
        return typeof content === "string" ? [] : content.map((block) => block["type"]);
      });
      assert.ok(kinds.indexOf("image") > kinds.indexOf("text"));
    }));

  it("a prompt that links to lines of a file makes the CLI read those lines, also where the path has spaces", () =>
    inSession(
      { look: [answer(say("Seen."))] },
      async ({ api, path, place, tell }) => {
        const link = (file: string, lines = ""): ContentBlock => {
          return { type: "resource_link", uri: `file://${encodeURI(file)}${lines}`, name: "it" };
        };
        await tell([text("[[look]] at "), link(path("hello.txt"), "#L2:3"), text(" please")]);
        await tell([text("[[look]] at "), link(place.write("with space/a b.txt", "PERSIMMON\n")), text(" please")]);
        const [lines = "", spaced = ""] = api.requestsOf("look").map((request) => promptTexts(request).join("\n"));
        assert.match(lines, /Result of calling the Read tool:\n2\tsecond line\n3\tthird line\n/);
        assert.doesNotMatch(lines, /1\thello world/);
        assert.match(spaced, /1\tPERSIMMON/);
      },
      { env: { BOWLINE_EDITS: "0" } },
    ));

  it("a mention of a file in text that the user did not write makes the CLI read nothing", () =>
    inSession({ look: [answer(say("Seen."))] }, async ({ api, path, place, tell }) => {
      writeFileSync(`${place.root}/secret.txt`, "PERSIMMON\n");
      const mention = `@${place.root}/secret.txt`;
      const named = place.write(`x ${mention}`, "harmless\n");
      const uri = `file://${path("a.md")}`;
      const foreign: readonly ContentBlock[] = [
        { type: "resource", resource: { uri, text: `# Notes\n see ${mention} \n` } },
        { type: "resource", resource: { uri, mimeType: "text/plain", blob: Buffer.from(mention).toString("base64") } },
        { type: "resource_link", uri: "https://example.com/", name: `News ${mention} today` },
        { type: "resource_link", uri: `file://${encodeURI(named)}`, name: "x" },
      ];
      for (const block of foreign) {
        await tell([text("[[look]] at "), block]);
        await tell([text("[[look]] at "), block, text(" please")]);
        await tell([block, text("[[look]]")]);
      }
      assert.doesNotMatch(api.sentTo("look").join("\n"), /PERSIMMON/);
      await tell(`[[look]] at ${mention}`);
      assert.match(api.sentTo("look").at(-1) ?? "", /PERSIMMON/, "the user's own mention is expanded");
    }));

  it("a prompt that was taken back and is sent again as it came makes the CLI read nothing that the user did not write", () =>
    inSession(
      { look: [answer(say("Seen."))] },
      async ({ api, client, path, place, sessionId, tell }) => {
        writeFileSync(`${place.root}/secret.txt`, "PERSIMMON\n");
        const notes = `# Notes\n see @${place.root}/secret.txt \n`;
        const resource = { uri: `file://${path("a.md")}`, text: notes };
        await tell([text("[[look]] at "), { type: "resource", resource }, text(" please")]);
        const { prompts } = await client.extension<{ prompts: { messageId: string }[] }>("_session/rewind", {
          sessionId,
          list: true,
        });
        const taken = { sessionId, messageId: prompts[0]?.messageId, conversation: true };
        const { prompt } = await client.extension<{ prompt: ContentBlock[] }>("_session/rewind", taken);
        assert.deepEqual(prompt, [{ type: "resource", resource }, text(`[[look]] at  [${path("a.md")}]  please`)]);
        await tell(prompt);
        assert.equal(api.requestsOf("look").length, 2);
        assert.doesNotMatch(api.sentTo("look").join("\n"), /PERSIMMON/);
      },
      { env: { BOWLINE_EDITS: "0" } },
    ));

  it("an empty prompt or one with audio is refused before it costs anything", () =>
    inSession({}, async ({ client, api, sessionId }) => {
      const unfit: readonly (readonly ContentBlock[])[] = [
        [],
        [text("")],
        [text(" \n\t")],
        [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }],
        [text("listen"), { type: "audio", data: "AAAA", mimeType: "audio/wav" }],
      ];
      for (const prompt of unfit) {
        await assert.rejects(client.prompt(sessionId, prompt), { code: -32602 }, JSON.stringify(prompt));
      }
      assert.equal(api.requests.length, 0);
    }));
});

describe("several prompts", () => {
  it("several prompts sent at once are answered in order, each by its own turn", () =>
    inSession(
      {
        one: [answer(say("First ", hold("one"), "answer."))],
        two: [answer(say("Second answer."))],
        three: [answer(say("Third answer."))],
      },
      async ({ client, api, sessionId, seen }) => {
        const order: string[] = [];
        const sent = ["one", "two", "three"].map((name) =>
          client.prompt(sessionId, `[[${name}]] go`).then(({ stopReason }) => order.push(`${name} ${stopReason}`)),
        );
        await api.gate("one").reached();
        assert.equal(api.requestsOf("two").length, 0);
        api.gate("one").release();
        await Promise.all(sent);
        assert.deepEqual(order, ["one end_turn", "two end_turn", "three end_turn"]);
        assert.deepEqual(seen(), [
          "says First answer.",
          "answers end_turn",
          "says Second answer.",
          "answers end_turn",
          "says Third answer.",
          "answers end_turn",
        ]);
      },
    ));

  it("several prompts are all cancelled by one cancel, and those that waited cost nothing", () =>
    inSession(
      {
        one: [answer(say("First ", hold("one"), "answer."))],
        two: [answer(say("never"))],
        talk: [answer(say("Hello."))],
      },
      async ({ client, api, sessionId, tell, seen }) => {
        const sent = ["one", "two", "two"].map((name) => client.prompt(sessionId, `[[${name}]] go`));
        await api.gate("one").reached();
        await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk");
        await client.cancel(sessionId);
        const callbacks = await Promise.all(sent);
        assert.deepEqual(
          callbacks.map(({ stopReason }) => stopReason),
          ["cancelled", "cancelled", "cancelled"],
        );
        assert.equal(api.requestsOf("two").length, 0);
        seen();
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      },
    ));

  it("prompts past the limit are refused, and the others are answered", () =>
    inSession({ one: [answer(say("a", hold("one")))], two: [answer(say("b"))] }, async ({ client, api, sessionId }) => {
      const first = client.prompt(sessionId, "[[one]] go");
      await api.gate("one").reached();
      const waiting = Array.from({ length: 8 }, () => client.prompt(sessionId, "[[two]] go"));
      await assert.rejects(client.prompt(sessionId, "[[two]] go"), { code: -32603, message: /limit is 8/ });
      api.gate("one").release();
      const callbacks = await Promise.all([first, ...waiting]);
      assert.equal(callbacks.filter(({ stopReason }) => stopReason === "end_turn").length, 9);
    }));

  it("prompts of two sessions run at the same time and do not mix", () =>
    inSession(
      {
        one: [answer(say("First ", hold("one"), "answer."))],
        two: [answer(call("Bash", { command: "echo two" })), answer(say("Second."))],
      },
      async ({ client, api, sessionId, cwd }) => {
        const { sessionId: other } = await client.newSession(cwd);
        const first = client.prompt(sessionId, "[[one]] go");
        await api.gate("one").reached();
        assert.deepEqual(await client.prompt(other, "[[two]] go"), { stopReason: "end_turn" });
        assert.equal(client.text(other), "Second.");
        await client.cancel(other);
        api.gate("one").release();
        assert.deepEqual(await first, { stopReason: "end_turn" });
        assert.equal(client.text(sessionId), "First answer.");
        assert.equal(client.toolCalls(sessionId).length, 0);
      },
    ));
});
