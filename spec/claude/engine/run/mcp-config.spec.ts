/**
 * Specs of the client's MCP servers as a configuration for the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mcpConfiguration } from "../../../../lib/claude/engine/run/mcp-config.ts";

describe("mcpConfiguration", () => {
  it("lists of pairs become maps, for each kind of MCP server", () => {
    const pair = { name: "KEY", value: "v" };
    assert.deepEqual(
      mcpConfiguration([
        { name: "one", command: "/bin/one", args: ["-x"], env: [pair] },
        { type: "http", name: "two", url: "https://example.com", headers: [pair] },
        { type: "sse", name: "three", url: "https://example.com", headers: [] },
      ]),
      {
        one: { type: "stdio", command: "/bin/one", args: ["-x"], env: { KEY: "v" } },
        two: { type: "http", url: "https://example.com", headers: { KEY: "v" } },
        three: { type: "sse", url: "https://example.com", headers: {} },
      },
    );
  });

  it("an empty or duplicate server name is refused, and a server named __proto__ is kept", () => {
    const server = (name: string) => ({ name, command: "x", args: [], env: [] });
    assert.throws(() => mcpConfiguration([server("")]), { kind: "invalid", message: /mcpServers\.0\.name/ });
    assert.throws(() => mcpConfiguration([server("a"), server("a")]), {
      kind: "invalid",
      message: /mcpServers\.1\.name/,
    });
    assert.deepEqual(Object.keys(mcpConfiguration([server("__proto__")])), ["__proto__"]);
  });
});
