/**
 * Live specs of MCP servers: the editor's servers reach the CLI with their secrets,
 * which are visible nowhere else.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { toolResultTexts } from "../../support/live/api/api-request.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { mcpCommand, mcpOverHttp } from "../../support/live/mcp-server.ts";
import { leftovers } from "../../support/processes.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";

const secret = "a-secret-nobody-may-see";

describe("MCP servers", () => {
  it("MCP servers over stdio and HTTP get their environment and headers, and no command line shows them", () =>
    withAgent(
      {},
      async ({ client, api, own, cwd, place }) => {
        const http = own(await mcpOverHttp());
        api.script(
          "mcp",
          answer(hold("open"), call("mcp__one__secret", { name: "SECRET" })),
          answer(call("mcp__two__secret", { name: "X-Secret" })),
          answer(call("mcp__one__picture", {})),
          answer(call("mcp__one__fails", {})),
          answer(call("mcp__one__ask", {})),
          answer(say("Done.")),
        );
        const sessionId = await client.open(cwd, {
          mcpServers: [
            { name: "one", ...mcpCommand(), env: [{ name: "SECRET", value: secret }] },
            { type: "http", name: "two", url: http.url, headers: [{ name: "X-Secret", value: `${secret} too` }] },
          ],
        });
        client.editor.elicitationAnswers.push({ action: "accept", content: { name: "Ada" } });
        const told = client.prompt(sessionId, "[[mcp]] go");
        await api.gate("open").reached();
        for (const { command } of leftovers(place.root)) assert.ok(!command.includes(secret), command);
        assert.deepEqual(filesWith(`${place.home}/tmp`, secret), []);
        api.gate("open").release();
        assert.deepEqual(await told, { stopReason: "end_turn" });
        const results = toolResultTexts(api.requestsOf("mcp").at(-1) ?? assert.fail("no request"));
        assert.deepEqual(results.slice(0, 2), [secret, `${secret} too`]);
        assert.equal(results.at(-1), "accept Ada");
        const calls = client.toolCalls(sessionId);
        assert.deepEqual(
          calls.map(({ title, kind, status }) => `${kind} ${title} ${status}`),
          [
            "other one: secret (SECRET) completed",
            "other two: secret (X-Secret) completed",
            "other one: picture completed",
            "other one: fails failed",
            "other one: ask completed",
          ],
        );
        const kinds = (calls[2]?.content ?? []).map((part) =>
          part.type === "content" ? part.content.type : part.type,
        );
        assert.deepEqual(kinds, ["text", "image"]);
        const [asked] = client.editor.asked.items;
        assert.deepEqual(
          asked?.request.options.map(({ name }) => name),
          [
            "Allow",
            "Always allow one: secret in this session",
            "Reject",
            "Never allow one: secret in this session",
            "Reject and tell Claude why",
          ],
        );
        assert.deepEqual(
          client.editor.elicited.items.map(({ message }) => message),
          ["one: Your name?"],
        );
      },
      { env: { ENABLE_TOOL_SEARCH: "false", BOWLINE_PREWARM: "0" } },
    ));

  it("MCP servers that cannot be started are named once, and the session works without them", () =>
    inSession(
      { talk: [answer(say("Hello."))] },
      async ({ tell }) => {
        const all = [...(await tell("[[talk]] hi")), ...(await tell("[[talk]] again"))];
        assert.equal(
          all.filter((line) => line.includes("The MCP server broken could not be started.")).length,
          1,
          all.join("\n"),
        );
        assert.equal(all.filter((line) => line === "answers end_turn").length, 2);
      },
      { session: { mcpServers: [{ name: "broken", command: "/no/such/program", args: [], env: [] }] } },
    ));

  it("two MCP servers of one name are refused", () =>
    withAgent({}, async ({ client, cwd }) => {
      await client.initialize();
      const server = { name: "same", command: "true", args: [], env: [] };
      const refused = client.newSession(cwd, { mcpServers: [server, server] });
      await assert.rejects(refused, { code: -32602, message: /mcpServers\.1\.name/ });
    }));
});

function filesWith(directory: string, text: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`)
    .filter((path) => readFileSync(path, "utf8").includes(text));
}
