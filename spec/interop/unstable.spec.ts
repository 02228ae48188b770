/**
 * Specs of the unstable methods between the two libraries, with the official SDK's
 * unstable entry point.
 */
import assert from "node:assert/strict";
import { before, it } from "node:test";
import * as unstable from "@agentclientprotocol/sdk/unstable";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import type { Official } from "../support/interop/official.ts";
import { joinMessages, type Pair, officialWithOurs, oursWithOfficial } from "../support/interop/pairs.ts";
import { codeOf, plain } from "../support/interop/portable.ts";
import { updates } from "../support/interop/samples.ts";

// The same names with more methods; the classes differ only in private members.
const acp = unstable as unknown as Official;

const pairs: readonly Pair[] = [
  {
    name: "the official client and our agent",
    client: "official",
    connect: (scripted) => officialWithOurs(acp, joinMessages(), scripted),
  },
  {
    name: "our client and the official agent",
    client: "ours",
    connect: (scripted) => oursWithOfficial(acp, joinMessages(), scripted),
  },
];

describePairs("an unstable method", pairs, ({ scripted, caller }) => {
  let sessionId: string;
  before(async () => {
    sessionId = await openSession(caller);
  });

  it("an agent with handlers for unstable methods advertises them", () => {
    const { fork, status, title } = caller.agent.agentCapabilities?.sessionCapabilities ?? {};
    assert.deepEqual([fork, status, title], [{}, {}, {}]);
  });

  it("session/fork copies a session with its history", async () => {
    await runTurn(caller, sessionId, "flood 2");
    await scripted.updates(sessionId).take(2);
    const forked = await caller.call("session/fork", { sessionId, cwd: "/forked", mcpServers: [] });
    assert.notEqual(forked.sessionId, sessionId);
    assert.equal(forked.modes?.currentModeId, "ask");
    await caller.call("session/load", { sessionId: forked.sessionId, cwd: "/forked", mcpServers: [] });
    const replayed = await scripted.updates(forked.sessionId).take(3);
    assert.deepEqual(
      replayed.map((one) => one.sessionUpdate),
      ["user_message_chunk", "agent_message_chunk", "agent_message_chunk"],
    );
  });

  it("session/set_title sets a session's title and returns the stored one", async () => {
    const titled = await caller.call("session/set_title", { sessionId, title: "  Knots " });
    assert.deepEqual(titled, { title: "Knots" });
    const { sessions } = await caller.call("session/list", {});
    assert.equal(sessions.find((session) => session.sessionId === sessionId)?.title, "Knots");
    const lost = caller.call("session/set_title", { sessionId: "nowhere", title: "Lost" });
    await assert.rejects(lost, (error) => codeOf(error) === -32002);
  });

  it("session/status reports whether a session is open", async () => {
    const other = await openSession(caller);
    assert.deepEqual(await caller.call("session/status", { sessionId: other }), { status: "open" });
    await caller.call("session/close", { sessionId: other });
    assert.deepEqual(await caller.call("session/status", { sessionId: other }), { status: "saved" });
  });

  it("the unstable entry point leaves the stable updates unchanged", async () => {
    await runTurn(caller, sessionId, "updates");
    assert.deepEqual(plain(await scripted.updates(sessionId).take(updates.length)), plain(updates));
  });
});
