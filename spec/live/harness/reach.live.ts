/**
 * Specs of the live test harness beyond prompts: MCP servers over stdio and HTTP,
 * elicitation, images, titles and compaction, with the real CLI and without Bowline.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { promptTexts, sentBlocks, toolResultTexts } from "../../support/live/api/api-request.ts";
import { allow } from "../../support/live/claude-host.ts";
import { at, textAt } from "../../support/json.ts";
import { mcpCommand, mcpOverHttp } from "../../support/live/mcp-server.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import { tinyPng } from "../../support/live/workspace.ts";

describe("the harness beyond a prompt", () => {
  it("the harness serves MCP tools over stdio and HTTP, with environment and headers", () =>
    withEnvironment({}, async ({ host: open, api, own }) => {
      const http = own(await mcpOverHttp());
      const one = { type: "stdio", ...mcpCommand(), env: { SECRET: "from the environment" } };
      const two = { type: "http", url: http.url, headers: { "X-Secret": "from the header" } };
      api.script(
        "mcp",
        answer(call("mcp__one__secret", { name: "SECRET" })),
        answer(call("mcp__two__secret", { name: "X-Secret" })),
        answer(call("mcp__one__ask", {})),
        answer(say("Done.")),
      );
      const config = JSON.stringify({ mcpServers: { one, two } });
      const host = await open({
        args: [`--mcp-config=${config}`, "--strict-mcp-config"],
        env: { ENABLE_TOOL_SEARCH: "false" },
      });
      host.usual = (request) =>
        request["subtype"] === "elicitation" ? { action: "accept", content: { name: "Ada" } } : allow(request);
      assert.equal((await host.prompt("[[mcp]] go"))["result"], "Done.");
      const told = toolResultTexts(api.requestsOf("mcp").at(-1) ?? assert.fail("no request"));
      assert.deepEqual(told, ["from the environment", "from the header", "accept Ada"]);
    }));

  it("the harness sees the image that the model was sent", () =>
    withEnvironment({ look: [answer(say("A dot."))] }, async ({ host: open, api }) => {
      const host = await open();
      const source = { type: "base64", media_type: "image/png", data: tinyPng.toString("base64") };
      await host.prompt([
        { type: "text", text: "[[look]] at this" },
        { type: "image", source },
      ]);
      const [image] = sentBlocks(api.requestsOf("look")[0] ?? assert.fail("no request"), "image");
      assert.deepEqual(at(image, "source.media_type"), "image/png");
    }));

  it("the harness answers the CLI's own API requests, and does not count them as prompts", () =>
    withEnvironment({ text: [answer(say("Hello.")), answer(say("never"))] }, async ({ host: open, api }) => {
      const host = await open();
      await host.prompt("[[text]] hi");
      const { response } = await host.control("generate_session_title", { description: "[[text]] hi", persist: false });
      assert.equal(textAt(response, "title"), "A short title");
      assert.equal((await host.prompt("/compact"))["local_command"], "compact");
      await host.next("system/compact_boundary");
      assert.equal(api.requestsOf("text").length, 1);
      await host.prompt("[[text]] again");
      const again = promptTexts(api.requestsOf("text")[1] ?? assert.fail("no request")).join("\n");
      assert.match(again, /The user said hello\./);
    }));
});
