/**
 * Specs of the ACP client of the live tests, with an agent made with the official SDK:
 * its answers, what it records, and the faults it finds.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { AcpClient } from "../../support/live/client/acp-client.ts";
import { AgentProgram } from "../../support/live/agent-program.ts";
import { acpxCommand } from "../../support/live/real-cli.ts";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";

const tsx = fileURLToPath(import.meta.resolve("tsx"));
const standIn = [
  process.execPath,
  "--import",
  tsx,
  fileURLToPath(new URL("../../support/live/stand-in-agent.ts", import.meta.url)),
];

/** A client with an open session of the stand-in agent. */
function withClient(
  play: (client: AcpClient, sessionId: string, environment: LiveEnvironment) => Promise<void>,
): Promise<void> {
  return withEnvironment({}, async (environment) => {
    const client = environment.client({ agent: standIn });
    await play(client, await client.open(environment.place.cwd), environment);
  });
}

describe("AcpClient", () => {
  it("AcpClient keeps updates in order, answers permissions from its queue and folds tool calls", () =>
    withClient(async (client, sessionId) => {
      client.editor.permissionAnswers.push("reject");
      assert.deepEqual(await client.prompt(sessionId, "one ask two ask"), { stopReason: "end_turn" });
      assert.equal(client.text(sessionId), "one asked:no two asked:yes ");
      assert.deepEqual(client.toolCalls(), [{ toolCallId: "call-1", title: "Edit", status: "completed" }]);
      assert.deepEqual(
        client.editor.asked.items.map(({ outcome }) => outcome),
        [
          { outcome: "selected", optionId: "no" },
          { outcome: "selected", optionId: "yes" },
        ],
      );
      await client.hangUp();
      assert.deepEqual(client.faults(), []);
    }));

  it("AcpClient serves unsaved text, real terminals and form answers", () =>
    withClient(async (client, sessionId) => {
      client.editor.buffers.set("/buffer.txt", "unsaved");
      client.editor.elicitationAnswers.push({ action: "accept", content: { name: "Ada" } });
      await client.prompt(sessionId, "read run form");
      const form = JSON.stringify({ action: "accept", content: { name: "Ada" } });
      assert.equal(client.text(), `read:unsaved ran:from terminal form:${form} `);
      assert.deepEqual(client.faults(), []);
    }));

  it("AcpClient answers an open permission with cancelled when it cancels", () =>
    withClient(async (client, sessionId) => {
      client.editor.usual = "wait";
      const answer = client.prompt(sessionId, "ask");
      await client.editor.asked.waitFor(() => true);
      await client.cancel(sessionId);
      await answer;
      assert.equal(client.text(), "asked:cancelled ");
    }));

  it("AcpClient waits for an update and then cancels", () =>
    withClient(async (client, sessionId) => {
      const answer = client.prompt(sessionId, "wait");
      await client.waitFor((update) => update.sessionUpdate === "agent_message_chunk");
      await client.cancel(sessionId);
      assert.deepEqual(await answer, { stopReason: "cancelled" });
    }));

  it("AcpClient finds an update that is not in the schema, and reports when no update came", () =>
    withClient(async (client, sessionId) => {
      await client.prompt(sessionId, "bad");
      const [first] = client.faults();
      assert.match(JSON.stringify(first), /session\/update params/);
      const late = client.waitFor((update) => update.sessionUpdate === "current_mode_update", { limitMs: 20 });
      await assert.rejects(late, /not within 20 ms; the last 1 seen:[^]*"entries":"none"/);
    }));

  it("AcpClient can send lines that no correct client would send", () =>
    withEnvironment({}, async (environment) => {
      const program = environment.own(new AgentProgram(environment.program({ agent: standIn })));
      await program.write('{"jsonrpc":"2.0","id":1,"method":"no/such"}\n');
      const { message } = await program.wire.waitFor(({ from }) => from === "agent");
      assert.equal(message?.["id"], 1);
    }));
});

describe("acpx", () => {
  it("acpx runs a prompt against an agent", () =>
    withEnvironment({}, (environment) => {
      const [command, ...args] = acpxCommand();
      const flags = ["--agent", standIn.join(" "), "--cwd", environment.place.cwd, "--approve-all", "--format", "text"];
      const { env } = environment.program();
      const run = spawnSync(command, [...args, ...flags, "exec", "one two"], {
        env,
        encoding: "utf8",
        timeout: 30_000,
      });
      assert.equal(run.status, 0, run.stderr);
      assert.match(run.stdout, /one two/);
      return Promise.resolve();
    }));
});
