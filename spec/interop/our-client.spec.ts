/**
 * Our client against the official agent, where the agent says less of itself or
 * says it in another way.
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import * as acp from "@agentclientprotocol/sdk";
import type { InitializeResponse } from "../../lib/index.ts";
import { type Caller, openSession, runTurn } from "../support/interop/caller.ts";
import { ScriptedClient } from "../support/interop/scripted-client.ts";
import { greeting, officialAgent } from "../support/interop/official.ts";
import { ourClient } from "../support/interop/ours.ts";
import { joinMessages } from "../support/interop/pairs.ts";
import { codeOf } from "../support/interop/portable.ts";

describe("our client, with the official agent", { timeout: 30_000 }, () => {
  let served: acp.AgentConnection | undefined;
  let caller: Caller | undefined;

  const connect = async (response: InitializeResponse, scripted = new ScriptedClient()): Promise<Caller> => {
    const { link, stream } = joinMessages();
    served = officialAgent(acp, stream, response);
    caller = await ourClient(link, scripted);
    return caller;
  };
  afterEach(async () => {
    await caller?.close();
    await served?.closed;
    served = undefined;
    caller = undefined;
  });

  it("refuses another version with -32001 and hangs up", async () => {
    await assert.rejects(connect({ ...greeting, protocolVersion: 2 }), { code: -32001 });
    await served?.closed;
  });

  it("asks nothing of an agent that it did not advertise", async () => {
    const scripted = new ScriptedClient();
    const { call } = await connect({ protocolVersion: 1 }, scripted);
    const heardBefore = scripted.wire.length;
    const sessionId = "session-1";
    const cwd = "/work";
    const refused = [
      call("authenticate", { methodId: "token" }),
      call("logout", {}),
      call("session/load", { sessionId, cwd, mcpServers: [] }),
      call("session/resume", { sessionId, cwd }),
      call("session/list", {}),
      call("session/close", { sessionId }),
      call("session/delete", { sessionId }),
      call("session/fork", { sessionId, cwd }),
      call("session/prompt", { sessionId, prompt: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
    ];
    for (const answer of await Promise.allSettled(refused)) {
      assert.equal(answer.status === "rejected" && codeOf(answer.reason), -32601);
    }
    assert.equal(scripted.wire.length, heardBefore);
  });

  it("takes an agent without a name, and signs in only in the way that is the agent's own", async () => {
    const terminal = { type: "terminal", id: "login", name: "Log in", args: ["login"] } as const;
    const nameless = { ...greeting, agentInfo: null, authMethods: [...greeting.authMethods, terminal] };
    const { agent, call } = await connect(nameless);
    assert.equal(agent.agentInfo, undefined);
    assert.deepEqual(agent.authMethods, nameless.authMethods);
    await call("authenticate", { methodId: "token" });
    await assert.rejects(call("authenticate", { methodId: "login" }), (error) => codeOf(error) === -32601);
  });

  it("has handled every update by the time the turn is answered", async () => {
    const scripted = new ScriptedClient();
    const connected = await connect(greeting, scripted);
    const sessionId = await openSession(connected);
    await runTurn(connected, sessionId, "flood 50");
    assert.equal(scripted.updates(sessionId).rest.length, 50);
  });

  it("hears what the official agent tells of a handler that broke", async () => {
    const connected = await connect(greeting);
    const sessionId = await openSession(connected);
    const told = { name: "RpcError", code: -32603, data: { details: "a secret of the agent" } };
    await assert.rejects(runTurn(connected, sessionId, "bug"), told);
  });
});
