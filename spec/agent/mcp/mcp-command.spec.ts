/**
 * `/mcp` on the scripted engine: what the user reads and is asked, and what the engine is
 * told to do. spec/claude/engine/claude-controls.spec.ts has the requests to the Claude CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ElicitationCapabilities } from "../../../lib/acp/index.ts";
import type { McpControl, McpServerState } from "../../../lib/engine/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import {
  scriptedHarness,
  type ScriptedHarness,
  type ScriptedHarnessOptions,
} from "../../support/agent/scripted-harness.ts";

const files: McpServerState = { name: "files", status: "connected", tools: ["read", "write"] };
const servers: readonly McpServerState[] = [
  files,
  { name: "drive", status: "needs_sign_in", tools: [] },
  { name: "broken", status: "failed", error: "ENOENT: no such file\nat spawn", tools: [] },
  { name: "quiet", status: "off", tools: [] },
];

interface Opened extends ScriptedHarness {
  /** The calls that the engine received. */
  readonly done: string[];
  /** Sends a prompt, and returns what the user reads. */
  readonly run: (text: string) => Promise<string>;
}

/** A session whose engine lists each of these servers in turn, and the last list from then on. */
async function opened(
  lists: readonly (readonly McpServerState[])[] = [servers],
  mcp: Partial<McpControl> = {},
  options: ScriptedHarnessOptions = {},
): Promise<Opened> {
  const harness = await scriptedHarness(options);
  const { sessionId, conversation } = await harness.open();
  const done: string[] = [];
  let listed = 0;
  conversation.controls = {
    mcp: {
      servers: async () => lists[Math.min(listed++, lists.length - 1)] ?? [],
      reconnect: async (name) => void done.push(`reconnect ${name}`),
      setEnabled: async (name, isEnabled) => void done.push(`${isEnabled ? "on" : "off"} ${name}`),
      signIn: async () => "https://auth.example/authorize?x=1",
      finishSignIn: async (name, address) => void done.push(`finish ${name} ${address}`),
      ...mcp,
    },
  };
  const run = async (text: string): Promise<string> => {
    harness.updates.length = 0;
    await harness.prompt(sessionId, text);
    return messageText(harness.updates);
  };
  return { ...harness, done, run };
}

describe("/mcp", () => {
  it("/mcp lists the servers with what can be done, and asks about those that need something", async () => {
    const { run, asked } = await opened();
    const text = await run("/mcp");
    assert.match(text, /- \*\*files\*\*: connected, 2 tools: read, write\n/);
    assert.match(text, /- \*\*drive\*\*: needs you to sign in; `\/mcp sign-in drive` starts it\n/);
    assert.match(
      text,
      /- \*\*broken\*\*: failed: ENOENT: no such file at spawn; `\/mcp reconnect broken` tries again\n/,
    );
    assert.match(text, /- \*\*quiet\*\*: off; `\/mcp on quiet` turns it on\n/);
    assert.match(text, /Nothing was changed\./);
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      [
        "Sign in to drive",
        "Connect drive again",
        "Turn drive off in this project",
        "Connect broken again",
        "Turn broken off in this project",
        "Cancel",
      ],
    );
  });

  it("/mcp offers nothing that the engine cannot do", async () => {
    const unable = { reconnect: undefined, setEnabled: undefined, signIn: undefined, finishSignIn: undefined };
    const { run, asked } = await opened([servers], unable);
    assert.doesNotMatch(await run("/mcp"), /`/);
    assert.equal(asked.length, 0);
    assert.match(await run("/mcp reconnect broken"), /cannot do that/);
    assert.match(await run("/mcp off files"), /cannot do that/);
    assert.match(await run("/mcp sign-in drive"), /cannot sign in to MCP servers/);
  });

  it("/mcp asks nothing when every server is connected", async () => {
    const { run, asked } = await opened([[files], []]);
    await run("/mcp");
    assert.match(await run("/mcp"), /There are no MCP servers\./);
    assert.equal(asked.length, 0);
  });

  it("/mcp reconnect, off and on change the server, and the answer has its new state", async () => {
    const cases = [
      ["reconnect broken", { ...files, name: "broken" }, /broken.*: connected/],
      ["off files", { name: "files", status: "off", tools: [] }, /files.*: off/],
      ["on quiet", { name: "quiet", status: "starting", tools: [] }, /quiet.*: starting/],
    ] as const;
    for (const [what, then, said] of cases) {
      const { run, done } = await opened([servers, [then]]);
      assert.match(await run(`/mcp ${what}`), said);
      assert.deepEqual(done, [what]);
    }
  });

  it("a server that cannot be connected again is shown with its reason", async () => {
    const { run } = await opened([servers], { reconnect: () => Promise.reject(new Error("Connection failed")) });
    assert.match(await run("/mcp reconnect broken"), /broken.*: failed: ENOENT/);
  });

  it("a sign-in shows the address, in a client that opens addresses by asking for it", async () => {
    const plain = await opened();
    const text = await plain.run("/mcp sign-in drive");
    assert.match(text, /Sign in to the MCP server drive: <https:\/\/auth\.example\/authorize\?x=1>/);
    assert.match(text, /send `\/mcp sign-in drive <address of that page>`/);
    const elicited: object[] = [];
    const elicitation: ElicitationCapabilities = { url: {} };
    const elicit = (one: object) => (elicited.push(one), { action: "accept" } as const);
    const able = await opened([servers], {}, { elicitation, elicit });
    assert.match(await able.run("/mcp sign-in drive"), /When you have signed in/);
    assert.match(JSON.stringify(elicited), /"mode":"url".*"url":"https:\/\/auth\.example\/authorize\?x=1"/);
  });

  it("a sign-in is finished with the address of the browser's last page", async () => {
    const { run, done } = await opened([servers, [{ name: "drive", status: "connected", tools: [] }]]);
    const address = "http://localhost:3118/callback?code=c&state=s";
    assert.match(await run(`/mcp sign-in drive ${address}`), /drive.*: connected, no tools/);
    assert.deepEqual(done, [`finish drive ${address}`]);
  });

  it("/mcp does not show an address that is no web address", async () => {
    const { run } = await opened([servers], { signIn: async () => "javascript:alert(1)" });
    const text = await run("/mcp sign-in drive");
    assert.match(text, /drive gave no web address/);
    assert.doesNotMatch(text, /javascript/);
  });

  it("an unknown server and a wrong word get a sentence", async () => {
    const { run, done } = await opened();
    assert.match(await run("/mcp off nothing"), /There is no MCP server nothing\. There is: files, drive/);
    assert.match(await run("/mcp explode files"), /Use `\/mcp`.*for example `\/mcp reconnect files`/);
    assert.deepEqual(done, []);
  });
});
