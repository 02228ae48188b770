/**
 * Live specs of `/mcp`: a server that needs a sign-in, one that failed and one that is well,
 * in clients that open addresses and in clients that only show text, with the real CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { textAt } from "../../support/json.ts";
import { mcpCommand, mcpOverHttp } from "../../support/live/mcp-server.ts";
import { answer, say } from "../../support/live/api/model-script.ts";
import { type Play, type SessionDriver, sessionDriver, withAgent } from "../../support/live/with-agent.ts";

const talk = { talk: [answer(say("Hello."))] };

/** The page at which a browser arrives after the sign-in: an address of the CLI itself. */
function lastPage(url: string): string {
  const { searchParams } = new URL(url);
  const back = new URL(searchParams.get("redirect_uri") ?? assert.fail("no redirect_uri"));
  back.searchParams.set("code", "the-code");
  back.searchParams.set("state", searchParams.get("state") ?? "");
  return back.href;
}

async function open(play: Play): Promise<SessionDriver> {
  const { client, own, cwd } = play;
  const { url } = own(await mcpOverHttp({ needsSignIn: true }));
  const sessionId = await client.open(cwd, {
    mcpServers: [
      { name: "files", ...mcpCommand(), env: [] },
      { type: "http", name: "drive", url, headers: [] },
      { name: "broken", command: "/no/such/program", args: [], env: [] },
    ],
  });
  return sessionDriver(play, sessionId);
}

/** Asks until the text appears: a server connects some time after its sign-in. */
async function until(tell: SessionDriver["tell"], prompt: string, wanted: RegExp): Promise<void> {
  for (let i = 0; i < 50; i++) {
    if (wanted.test((await tell(prompt)).join("\n"))) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail(`${prompt} never showed ${wanted}`);
}

describe("/mcp", () => {
  it("a client that only shows text reads what is wrong, gets the address, and the sign-in is finished by hand", () =>
    withAgent(
      talk,
      async (play) => {
        const { tell, client } = await open(play);
        const first = (await tell("[[talk]] hi")).join("\n");
        assert.match(first, /The MCP server drive needs you to sign in: send \/mcp sign-in drive/);
        assert.match(first, /The MCP server broken could not be started\. \/mcp says why/);
        assert.doesNotMatch((await tell("[[talk]] again")).join("\n"), /The MCP server/);
        client.editor.permissionAnswers.push("reject");
        const listed = (await tell("/mcp")).join("\n");
        assert.match(listed, /\*\*files\*\*: connected, 5 tools: echo, secret/);
        assert.match(listed, /\*\*drive\*\*: needs you to sign in/);
        assert.match(listed, /\*\*broken\*\*: failed: .*ENOENT/);
        assert.match(listed, /Sign in to drive \| Connect drive again .*Nothing was changed/s);
        const text = (await tell("/mcp sign-in drive")).join("\n");
        const [, url = ""] = /<(http[^>]+)>/.exec(text) ?? [];
        const finished = (await tell(`/mcp sign-in drive ${lastPage(url)}`)).join("\n");
        assert.match(finished, /\*\*drive\*\*: connected, 5 tools/);
        assert.match((await tell("/mcp off files")).join("\n"), /\*\*files\*\*: off; `\/mcp on files`/);
        assert.match((await tell("/mcp on files")).join("\n"), /\*\*files\*\*: (connected|starting)/);
        assert.match((await tell("/mcp reconnect broken")).join("\n"), /\*\*broken\*\*: failed/);
      },
      { capabilities: bareCapabilities, env: { BOWLINE_PREWARM: "0" } },
    ));

  it("a client with forms and addresses chooses the sign-in in a form and opens the address", () =>
    withAgent(
      talk,
      async (play) => {
        const { tell, client } = await open(play);
        client.editor.elicitationAnswers.push({ action: "accept", content: { choice: "1" } }, async (asked) => {
          assert.equal(asked.mode, "url");
          const { status } = await fetch(lastPage(textAt(asked, "url")));
          assert.equal(status, 200);
          return { action: "accept" };
        });
        await tell("[[talk]] hi");
        assert.match((await tell("/mcp")).join("\n"), /When you have signed in/);
        await until(tell, "/mcp drive", /\*\*drive\*\*: connected/);
        assert.equal(client.editor.asked.length, 0, "nothing was asked as a permission");
      },
      { capabilities: { ...fullCapabilities, terminal: false }, env: { BOWLINE_PREWARM: "0" } },
    ));
});
