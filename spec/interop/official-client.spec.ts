/**
 * Specs of our agent with the official client, where that client differs from ours: it
 * sends requests too early, asks for another version, advertises nothing, or uses its
 * own helpers.
 */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import * as acp from "@agentclientprotocol/sdk";
import type { AgentConnection } from "../../lib/index.ts";
import { ScriptedClient } from "../support/interop/scripted-client.ts";
import { officialClient } from "../support/interop/official.ts";
import { ourAgent } from "../support/interop/ours.ts";
import { joinMessages } from "../support/interop/pairs.ts";
import { codeOf, plain } from "../support/interop/portable.ts";
import { updates } from "../support/interop/samples.ts";

const modest: acp.InitializeRequest = { protocolVersion: 1, clientCapabilities: {} };

describe("our agent, asked by the official client", { timeout: 30_000 }, () => {
  let scripted: ScriptedClient;
  let served: AgentConnection;
  let connection: acp.ClientConnection;
  beforeEach(() => {
    scripted = new ScriptedClient();
    const { link, stream } = joinMessages();
    served = ourAgent(link);
    connection = officialClient(acp, stream, scripted).connection;
  });
  afterEach(async () => {
    connection.close();
    await served.settled;
  });

  it("our agent answers requests before initialize with -32600 and then goes on", async () => {
    const early = connection.agent.request("session/new", { cwd: "/work", mcpServers: [] });
    await assert.rejects(early, (error) => codeOf(error) === -32600);
    const answer = await connection.agent.request("initialize", modest);
    assert.equal(answer.protocolVersion, 1);
  });

  for (const protocolVersion of [0, 1, 2, 7, 65_535]) {
    it(`our agent answers version ${protocolVersion} of the official client with version 1`, async () => {
      const answer = await connection.agent.request("initialize", { protocolVersion });
      assert.equal(answer.protocolVersion, 1);
    });
  }

  it("our agent refuses a version that is not an integer with -32602", async () => {
    const odd = connection.agent.request("initialize" as string, { protocolVersion: "1" });
    await assert.rejects(odd, (error) => codeOf(error) === -32602);
  });

  it("our agent does not send a client that advertises nothing what needs a capability", async () => {
    const { agent } = connection;
    const opened = await open(agent);
    assert.deepEqual(
      opened.configOptions?.map(({ type }) => type),
      ["select", "select"],
    );
    const { sessionId } = opened;
    for (const words of ["files", "terminal", "form", "link", "updates"]) {
      const turn = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
      // The agent's own library refused the call, which does not concern the client.
      await assert.rejects(turn, (error) => codeOf(error) === -32603);
    }
    // The first update that it may not send is the list with a boolean option.
    const sent = updates.findIndex(({ sessionUpdate }) => sessionUpdate === "config_option_update");
    assert.deepEqual(plain(await scripted.updates(sessionId).take(sent)), plain(updates.slice(0, sent)));
    const called = scripted.wire
      .map((line): unknown => JSON.parse(line).method)
      .filter((method) => method !== undefined);
    assert.deepEqual(
      called,
      Array.from({ length: sent }, () => "session/update"),
    );
  });

  it("our agent refuses a directory that is not absolute with -32602", async () => {
    await signIn(connection.agent);
    const relative = connection.agent.request("session/new", { cwd: "work", mcpServers: [] });
    await assert.rejects(relative, (error) => codeOf(error) === -32602);
  });

  it("our agent ends a cancelled prompt with the stop reason, not with an error", async () => {
    const { agent } = connection;
    const { sessionId } = await open(agent);
    const taken = new AbortController();
    const prompt = [{ type: "text" as const, text: "wait" }];
    const turn = agent.request("session/prompt", { sessionId, prompt }, { cancellationSignal: taken.signal });
    await scripted.updates(sessionId).next();
    taken.abort();
    assert.deepEqual(await turn, { stopReason: "cancelled" });
  });

  it("our agent reveals nothing of a handler's bug", async () => {
    const { agent } = connection;
    const { sessionId } = await open(agent);
    const turn = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "bug" }] });
    await assert.rejects(turn, (error) => codeOf(error) === -32603);
    assert.ok(!scripted.wire.some((line) => line.includes("secret")));
  });

  it("our agent serves the official client's own session helper", async () => {
    const { agent } = connection;
    await signIn(agent);
    await agent.buildSession("/work").withSession(async (session) => {
      assert.equal(session.modes?.currentModeId, "ask");
      const turn = session.prompt("flood 12");
      assert.equal(await session.readText(), "01234567891011");
      assert.deepEqual(await turn, { stopReason: "end_turn" });
    });
  });
});

/** Connects as a client without any capabilities. */
async function signIn(agent: acp.ClientContext): Promise<void> {
  await agent.request("initialize", modest);
  await agent.request("authenticate", { methodId: "token" });
}

async function open(agent: acp.ClientContext): Promise<acp.NewSessionResponse> {
  await signIn(agent);
  return agent.request("session/new", { cwd: "/work", mcpServers: [] });
}
