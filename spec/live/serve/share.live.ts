/**
 * Live specs of `bowline agent --share`: the official client on stdio, the real CLI, and
 * a `bowline serve` of the same user beside it.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import { answerQuestion, sessionShown, sharedPage } from "../../support/live/shared-page.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const scripts = {
  write: [
    answer(say("I will write it. "), call("Write", { file_path: "notes.md", content: "# Notes\n" })),
    answer(say("Written.")),
  ],
  hello: [answer(say("Hello from the page."))],
};
const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

describe("bowline agent --share with the real CLI", () => {
  it("the page's API answers a permission of the editor's turn, and prompts in the editor's session", () =>
    withEnvironment(scripts, async (environment) => {
      const { client, place } = environment;
      const page = await sharedPage(environment);
      const editor = client({ args: ["agent", "--share"], capabilities });
      // The editor never answers: the page does.
      editor.editor.usual = "wait";
      const id = await editor.open(place.cwd);
      await sessionShown(page, id);
      const events = await page.stream("GET", `/sessions/${id}/events`);
      const turn = editor.prompt(id, "[[write]] a note");
      await events.untilPacket("permission_request");
      assert.equal(existsSync(place.path("notes.md")), false);
      await answerQuestion(page, "allow_once");
      assert.deepEqual(await turn, { stopReason: "end_turn" });
      assert.equal(readFileSync(place.path("notes.md"), "utf8"), "# Notes\n");
      await events.untilPacket("prompt_response");
      const sent = await page.stream("POST", `/sessions/${id}/send-message`, { body: { content: "[[hello]] you" } });
      await sent.over();
      assert.equal(sent.packet("prompt_response").stopReason, "end_turn");
      assert.match(transcript(editor, place.cwd, id).join("\n"), /Hello from the page\./);
      events.leave();
      assert.deepEqual(await editor.hangUp(), { code: 0, signal: null });
      assert.deepEqual(editor.faults(), []);
      assert.deepEqual((await page.call("GET", "/sessions")).json.sessions, []);
    }));

  it("without a server the editor is served as usual, and a signal ends the agent with its exit code", () =>
    withEnvironment(scripts, async ({ client, place }) => {
      const editor = client({ env: { BOWLINE_SHARE: "1" }, capabilities });
      const id = await editor.open(place.cwd);
      assert.deepEqual(await editor.prompt(id, "[[hello]] you"), { stopReason: "end_turn" });
      assert.deepEqual(await editor.program.kill("SIGTERM"), { code: 143, signal: null });
      assert.equal(editor.program.stderr, "");
    }));
});
