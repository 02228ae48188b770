/**
 * The MCP servers of the Claude CLI: the control requests behind `/mcp`, and the notices
 * about servers. spec/agent/mcp has `/mcp` for any engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AgentHarness, agentHarness, ends, takes } from "../../support/claude/agent-harness.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import type { FakeCli, Frame } from "../../support/claude/fake-cli.ts";

const servers = [
  { name: "files", status: "connected", tools: [{ name: "read" }, { name: "write" }] },
  { name: "drive", status: "needs-auth" },
  { name: "broken", status: "failed", error: "ENOENT: no such file\nat spawn" },
  { name: "quiet", status: "disabled" },
  { name: "bowline", status: "connected", tools: [] },
];

interface Opened extends AgentHarness {
  readonly sessionId: string;
  readonly fakeCli: FakeCli;
  /** Sends a prompt while the CLI answers each of these requests. */
  readonly run: (text: string, answers: readonly (readonly [subtype: string, answer: Frame])[]) => Promise<string>;
}

async function opened(): Promise<Opened> {
  const harness = await agentHarness();
  const { sessionId, fakeCli } = await harness.open();
  const run: Opened["run"] = async (text, answers) => {
    harness.updates.length = 0;
    const answered = harness.prompt(sessionId, text);
    for (const [subtype, answer] of answers) fakeCli.answer(await fakeCli.hear(subtype), answer);
    await answered;
    return messageText(harness.updates);
  };
  return { ...harness, sessionId, fakeCli, run };
}

const listed = ["mcp_status", { mcpServers: servers }] as const;
const signInAt = "https://auth.example/authorize?x=1";

describe("/mcp", () => {
  it("/mcp lists the CLI's servers, except the one that the agent itself runs", async () => {
    const { run } = await opened();
    const text = await run("/mcp", [listed]);
    assert.match(text, /- \*\*files\*\*: connected, 2 tools: read, write\n/);
    assert.match(text, /- \*\*drive\*\*: needs you to sign in; `\/mcp sign-in drive` starts it\n/);
    assert.match(
      text,
      /- \*\*broken\*\*: failed: ENOENT: no such file at spawn; `\/mcp reconnect broken` tries again\n/,
    );
    assert.match(text, /- \*\*quiet\*\*: off; `\/mcp on quiet` turns it on\n/);
    assert.doesNotMatch(text, /bowline/);
  });

  it("reconnecting, disabling and enabling an MCP server resolve with its new state", async () => {
    const { run, fakeCli } = await opened();
    const [files, , , quiet] = servers;
    const again = ["mcp_status", { mcpServers: [{ ...files, name: "broken" }] }] as const;
    assert.match(await run("/mcp reconnect broken", [listed, ["mcp_reconnect", {}], again]), /broken.*: connected/);
    const off = ["mcp_status", { mcpServers: [{ ...quiet, name: "files" }] }] as const;
    assert.match(await run("/mcp off files", [listed, ["mcp_toggle", {}], off]), /files.*: off/);
    const toggles = fakeCli.frames.flatMap(({ request }) => (request?.subtype === "mcp_toggle" ? [request] : []));
    assert.deepEqual(toggles, [{ subtype: "mcp_toggle", serverName: "files", enabled: false }]);
  });

  it("a server that cannot be connected again is shown with its reason", async () => {
    const { prompt, sessionId, fakeCli, updates } = await opened();
    const answered = prompt(sessionId, "/mcp reconnect broken");
    fakeCli.answer(await fakeCli.hear("mcp_status"), { mcpServers: servers });
    const { request_id } = await fakeCli.hear("mcp_reconnect");
    fakeCli.say({ type: "control_response", response: { subtype: "error", request_id, error: "Connection failed" } });
    fakeCli.answer(await fakeCli.hear("mcp_status"), { mcpServers: servers });
    await answered;
    assert.match(messageText(updates), /broken.*: failed: ENOENT/);
  });

  it("a sign-in is started by mcp_authenticate, whose address the user reads", async () => {
    const { run } = await opened();
    const authenticated = ["mcp_authenticate", { authUrl: signInAt, requiresUserAction: true }] as const;
    assert.ok((await run("/mcp sign-in drive", [listed, authenticated])).includes(`<${signInAt}>`));
  });

  it("a sign-in is finished with the address of the browser's last page", async () => {
    const { run, fakeCli } = await opened();
    const address = "http://localhost:3118/callback?code=c&state=s";
    const finished = ["mcp_oauth_callback_url", {}] as const;
    const after = ["mcp_status", { mcpServers: [{ name: "drive", status: "connected", tools: [] }] }] as const;
    assert.match(
      await run(`/mcp sign-in drive ${address}`, [listed, finished, ["mcp_reconnect", {}], after]),
      /drive.*: connected, no tools/,
    );
    const sent = fakeCli.frames.find(({ request }) => request?.subtype === "mcp_oauth_callback_url");
    assert.deepEqual(sent?.["request"], {
      subtype: "mcp_oauth_callback_url",
      serverName: "drive",
      callbackUrl: address,
    });
  });
});

describe("notices of MCP servers", () => {
  it("a server that failed or needs a sign-in is reported once, with what to do", async () => {
    const { prompt, sessionId, fakeCli, updates } = await opened();
    for (const text of ["one", "two"]) {
      const answered = prompt(sessionId, text);
      const frame = await fakeCli.hear("user");
      const [init, ...others] = takes(frame).toReversed();
      fakeCli.say(...others.toReversed(), { ...init, mcp_servers: servers }, ...ends(frame));
      await answered;
    }
    const told = messageText(updates).match(/The MCP server[^\n]*/g);
    assert.deepEqual(told, [
      "The MCP server drive needs you to sign in: send /mcp sign-in drive",
      "The MCP server broken could not be started. /mcp says why; /mcp reconnect broken tries again.",
    ]);
  });
});
