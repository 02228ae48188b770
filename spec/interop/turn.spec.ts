/**
 * Specs of turns between the two libraries: updates, and what an agent requests from its
 * client.
 */
import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { RequestPermissionOutcome } from "../../lib/index.ts";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import { pairs } from "../support/interop/pairs.ts";
import { plain } from "../support/interop/portable.ts";
import {
  blocks,
  filledIn,
  linkOf,
  permission,
  requestForm,
  sessionForm,
  stopReasons,
  updates,
} from "../support/interop/samples.ts";

const outcomes: readonly (readonly [string, RequestPermissionOutcome])[] = [
  ["allows", { outcome: "selected", optionId: "yes" }],
  ["rejects", { outcome: "selected", optionId: "no" }],
  ["dismisses", { outcome: "cancelled" }],
];

describePairs("a turn", pairs, ({ scripted, caller }) => {
  let sessionId: string;
  before(async () => {
    sessionId = await openSession(caller);
  });

  it("a turn sends every kind of update, unchanged and in order", async () => {
    assert.equal(await runTurn(caller, sessionId, "updates"), "end_turn");
    assert.deepEqual(plain(await scripted.updates(sessionId).take(updates.length)), plain(updates));
    assert.equal(new Set(updates.map(({ sessionUpdate }) => sessionUpdate)).size, 14);
  });

  it("a turn accepts every kind of content in a prompt and sends it back", async () => {
    const prompt = [{ type: "text", text: "echo" } as const, ...blocks];
    await caller.call("session/prompt", { sessionId, prompt });
    const said = await scripted.updates(sessionId).take(blocks.length);
    assert.deepEqual(
      said.map((one) => one.sessionUpdate === "agent_message_chunk" && plain(one.content)),
      plain(blocks),
    );
  });

  for (const stopReason of stopReasons) {
    it(`a turn stops with ${stopReason}`, async () => {
      assert.equal(await runTurn(caller, sessionId, `stop ${stopReason}`), stopReason);
    });
  }

  for (const [does, outcome] of outcomes) {
    it(`a turn learns that the user ${does} its request`, async () => {
      scripted.outcome = outcome;
      assert.equal(await runTurn(caller, sessionId, "permission"), "end_turn");
      assert.deepEqual(plain((await scripted.asked.next()).params), plain({ sessionId, ...permission }));
      assert.deepEqual(await scripted.report(sessionId), outcome);
    });
  }

  it("a turn has its open permission request answered when it is cancelled, and stops", async () => {
    scripted.outcome = undefined;
    const turn = runTurn(caller, sessionId, "permission");
    await scripted.asked.next();
    caller.cancel(sessionId);
    assert.equal(await turn, "cancelled");
    assert.deepEqual(await scripted.report(sessionId), { outcome: "cancelled" });
  });

  it("a turn reads and writes the client's files", async () => {
    scripted.files.set("/notes.txt", "one\ntwo\nthree");
    await runTurn(caller, sessionId, "files");
    assert.deepEqual(await scripted.report(sessionId), {
      all: { content: "one\ntwo\nthree" },
      part: { content: "two" },
      written: {},
    });
    assert.equal(scripted.files.get("/loud.txt"), "ONE\nTWO\nTHREE");
  });

  it("a turn runs a command in the client's terminal, kills it and releases it", async () => {
    await runTurn(caller, sessionId, "terminal");
    assert.deepEqual((await scripted.asked.next()).params, {
      sessionId,
      command: "serve",
      args: ["--port", "0"],
      env: [{ name: "LANG", value: "C" }],
      cwd: "/tmp",
      outputByteLimit: 1024,
    });
    const killed = { exitCode: null, signal: "SIGTERM" };
    assert.deepEqual(await scripted.report(sessionId), {
      running: { output: "up", truncated: false, exitStatus: null },
      killed: {},
      exited: killed,
      final: { output: "up\ndown", truncated: false, exitStatus: killed },
      released: {},
      afterwards: -32002,
    });
  });

  for (const scope of ["session", "request"]) {
    it(`a turn gets a form of a ${scope} back filled in`, async () => {
      scripted.elicitationAnswer = { action: "accept", content: filledIn };
      await runTurn(caller, sessionId, `form ${scope}`);
      const form = scope === "request" ? requestForm : sessionForm(sessionId);
      assert.deepEqual(plain((await scripted.asked.next()).params), form);
      assert.deepEqual(await scripted.report(sessionId), { action: "accept", content: filledIn });
    });
  }

  for (const action of ["decline", "cancel"]) {
    it(`a turn gets ${action} for a form`, async () => {
      scripted.elicitationAnswer = { action };
      await runTurn(caller, sessionId, "form");
      await scripted.asked.next();
      assert.deepEqual(await scripted.report(sessionId), { action });
    });
  }

  it("a turn sends the user to a URL and reports completion", async () => {
    scripted.elicitationAnswer = { action: "accept" };
    await runTurn(caller, sessionId, "link");
    assert.deepEqual(plain((await scripted.asked.next()).params), linkOf(sessionId));
    assert.deepEqual(await scripted.report(sessionId), { action: "accept" });
    const completed = { method: "elicitation/complete", params: { elicitationId: "link-1" } };
    assert.deepEqual(plain(await scripted.notifications.next()), completed);
  });

  it("a turn stops when it is cancelled, after its last update", async () => {
    const turn = runTurn(caller, sessionId, "wait");
    const heardBefore = scripted.wire.length;
    await scripted.updates(sessionId).next();
    caller.cancel(sessionId);
    assert.equal(await turn, "cancelled");
    const last = await scripted.updates(sessionId).next();
    assert.deepEqual(plain(last), {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "stopped" },
    });
    const received = scripted.wire.slice(heardBefore).map((line): object => JSON.parse(line));
    assert.deepEqual(
      received.map((message) => ("result" in message ? "answer" : "update")),
      ["update", "update", "answer"],
    );
    assert.equal(await runTurn(caller, sessionId, "stop end_turn"), "end_turn");
  });
});
