/**
 * The official client against our agent, where it does what our client does not:
 * speak too early, ask for another version, advertise nothing, use its own helpers.
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

  it("answers requests before initialize with -32600 and then goes on", async () => {
    const early = connection.agent.request("session/new", { cwd: "/work", mcpServers: [] });
    await assert.rejects(early, (error) => codeOf(error) === -32600);
    const answer = await connection.agent.request("initialize", modest);
    assert.equal(answer.protocolVersion, 1);
  });

  for (const protocolVersion of [0, 1, 2, 7, 65_535]) {
    it(`answers version ${protocolVersion} with version 1`, async () => {
      const answer = await connection.agent.request("initialize", { protocolVersion });
      assert.equal(answer.protocolVersion, 1);
    });
  }

  it("refuses a version that is no integer with -32602", async () => {
    const odd = connection.agent.request("initialize" as string, { protocolVersion: "1" });
    await assert.rejects(odd, (error) => codeOf(error) === -32602);
  });

  it("keeps from a client that advertises nothing what it did not ask for", async () => {
    const { agent } = connection;
    const opened = await open(agent);
    assert.deepEqual(
      opened.configOptions?.map(({ type }) => type),
      ["select", "select"],
    );
    const { sessionId } = opened;
    for (const words of ["files", "terminal", "form", "link", "updates"]) {
      const turn = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
      // The agent was refused by its own side; that is not the client's business.
      await assert.rejects(turn, (error) => codeOf(error) === -32603);
    }
    // The first update it may not send is the list with a boolean option.
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

  it("refuses a directory that is not absolute with -32602", async () => {
    await signIn(connection.agent);
    const relative = connection.agent.request("session/new", { cwd: "work", mcpServers: [] });
    await assert.rejects(relative, (error) => codeOf(error) === -32602);
  });

  it("ends a prompt that is taken back with the stop reason, not with an error", async () => {
    const { agent } = connection;
    const { sessionId } = await open(agent);
    const taken = new AbortController();
    const prompt = [{ type: "text" as const, text: "wait" }];
    const turn = agent.request("session/prompt", { sessionId, prompt }, { cancellationSignal: taken.signal });
    await scripted.updates(sessionId).next();
    taken.abort();
    assert.deepEqual(await turn, { stopReason: "cancelled" });
  });

  it("tells nothing of a handler that broke", async () => {
    const { agent } = connection;
    const { sessionId } = await open(agent);
    const turn = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "bug" }] });
    await assert.rejects(turn, (error) => codeOf(error) === -32603);
    assert.ok(!scripted.wire.some((line) => line.includes("secret")));
  });

  it("serves the official client's own session helper", async () => {
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

/** As a client that can do nothing but talk. */
async function signIn(agent: acp.ClientContext): Promise<void> {
  await agent.request("initialize", modest);
  await agent.request("authenticate", { methodId: "token" });
}

async function open(agent: acp.ClientContext): Promise<acp.NewSessionResponse> {
  await signIn(agent);
  return agent.request("session/new", { cwd: "/work", mcpServers: [] });
}
