/**
 * Specs of our client with the official agent, where that agent advertises less, or in
 * another form, than ours.
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

  it("our client refuses an official agent of another version with -32001 and closes", async () => {
    await assert.rejects(connect({ ...greeting, protocolVersion: 2 }), { code: -32001 });
    await served?.closed;
  });

  it("our client calls nothing that the official agent did not advertise", async () => {
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

  it("our client accepts an agent without a name, and authenticates only by the agent's own method", async () => {
    const terminal = { type: "terminal", id: "login", name: "Log in", args: ["login"] } as const;
    const nameless = { ...greeting, agentInfo: null, authMethods: [...greeting.authMethods, terminal] };
    const { agent, call } = await connect(nameless);
    assert.equal(agent.agentInfo, undefined);
    assert.deepEqual(agent.authMethods, nameless.authMethods);
    await call("authenticate", { methodId: "token" });
    await assert.rejects(call("authenticate", { methodId: "login" }), (error) => codeOf(error) === -32601);
  });

  it("our client has handled every update by the time the turn is answered", async () => {
    const scripted = new ScriptedClient();
    const connected = await connect(greeting, scripted);
    const sessionId = await openSession(connected);
    await runTurn(connected, sessionId, "flood 50");
    assert.equal(scripted.updates(sessionId).rest.length, 50);
  });

  it("our client gets the error that the official agent sends for a handler's bug", async () => {
    const connected = await connect(greeting);
    const sessionId = await openSession(connected);
    const reported = { name: "RpcError", code: -32603, data: { details: "a secret of the agent" } };
    await assert.rejects(runTurn(connected, sessionId, "bug"), reported);
  });
});
