/**
 * Saved sessions with both real CLIs: loading them whole and in order, after a restart, after
 * `/clear`, and without the list of sessions.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as codex from "../../support/live/api/fake-responses-api.ts";
import { answer, say } from "../../support/live/api/model-script.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";
import { inSessionOfBoth } from "../../support/live/with-both-engines.ts";

const talk = {
  claude: { hi: [answer(say("Hello from Claude."))], more: [answer(say("More of Claude."))] },
  codex: { hi: [codex.say("Hello from Codex.")], more: [codex.say("More of Codex.")] },
};

describe("a saved session with both CLIs", () => {
  it("a session of both engines is loaded whole and in order by another program", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId, another, cwd }) => {
      await tell("[[hi]] one");
      await tell("/codex [[hi]] two");
      await tell("[[more]] three");
      await client.hangUp();
      const second = another();
      await second.initialize();
      await second.request("session/load", { sessionId, cwd, mcpServers: [] });
      const shown = transcript(second, cwd, sessionId).join("\n");
      assert.match(
        shown,
        /one[\s\S]*Hello from Claude\.[\s\S]*two[\s\S]*Hello from Codex\.[\s\S]*three[\s\S]*More of Claude\./,
      );
      assert.doesNotMatch(shown, /Since you last spoke/);
    }));

  it("a lost list of sessions loads the part of the first engine, and the user is notified", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId, another, cwd, place }) => {
      await tell("[[hi]] one");
      await tell("/codex [[hi]] two");
      await tell("[[more]] three");
      await client.hangUp();
      rmSync(join(place.home, ".local", "state", "bowline"), { recursive: true });
      const second = another();
      await second.initialize();
      await second.request("session/load", { sessionId, cwd, mcpServers: [] });
      const shown = transcript(second, cwd, sessionId).join("\n");
      assert.match(shown, /one[\s\S]*Hello from Claude\.[\s\S]*three[\s\S]*Codex took part in this conversation/);
      assert.doesNotMatch(shown, /Since you last spoke/);
    }));

  it("a session in which an engine answered a command itself is loaded in order", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId, another, cwd }) => {
      await tell("/codex /status");
      await tell("[[hi]] one");
      await tell("/codex /status");
      await tell("/duet [[more]] two");
      await tell("/codex [[hi]] three");
      await client.hangUp();
      const second = another();
      await second.initialize();
      await second.request("session/load", { sessionId, cwd, mcpServers: [] });
      const shown = transcript(second, cwd, sessionId).join("\n");
      assert.match(
        shown,
        /one[^]*Hello from Claude\.[^]*two[^]*More of Claude\.[^]*More of Codex\.[^]*three[^]*Hello from Codex\./,
      );
      assert.equal(shown.split("two").length, 2, `the prompt of a duet is shown once: ${shown}`);
    }));

  it("after /clear the new conversation is loaded with both parts, and the old one as it was", () =>
    inSessionOfBoth(talk, async ({ tell, client, sessionId, another, cwd }) => {
      await tell("[[hi]] one");
      await tell("/codex [[hi]] two");
      await tell("/clear");
      await tell("/codex [[more]] three");
      await tell("[[more]] four");
      await client.hangUp();
      const second = another();
      await second.initialize();
      const { sessions } = await second.request("session/list", { cwd });
      const cleared = sessions.find((one) => one.sessionId !== sessionId)?.sessionId ?? "";
      const shown = async (id: string): Promise<string> => {
        await second.request("session/load", { sessionId: id, cwd, mcpServers: [] });
        return transcript(second, cwd, id).join("\n");
      };
      const fresh = await shown(cleared);
      assert.match(fresh, /three[^]*More of Codex\.[^]*four[^]*More of Claude\./);
      assert.doesNotMatch(fresh, /one|two|Hello/);
      const old = await shown(sessionId);
      assert.match(old, /one[^]*Hello from Claude\.[^]*two[^]*Hello from Codex\./);
      assert.doesNotMatch(old, /three|four|More/);
    }));
});
