/**
 * Live specs of the output of Codex's commands while they run, in clients that show terminals
 * and in clients that show text, with the real Codex.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { run, say } from "../../support/live/api/fake-responses-api.ts";
import { at } from "../../support/json.ts";

const slow = "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.6; done";
const huge =
  "printf 'head-%s\\n' mark; sleep 1; head -c 100000000 /dev/zero | tr '\\0' x | fold -w 80; printf 'tail-%s\\n' mark";
const wait = { yield_time_ms: 30_000 };
const scripts = { slow: [run(slow, wait), say("Counted.")], huge: [run(huge, wait), say("Printed.")] };
const showingTerminals = { ...bareCapabilities, _meta: { terminal_output: true } };

function outputOf(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((update) => {
    const data = at(update, "_meta.terminal_output.data");
    return typeof data === "string" ? [data] : [];
  });
}

/** The updates that came before the call had ended. */
function whileRunning(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  return updates.slice(
    0,
    updates.findIndex((one) => one.sessionUpdate === "tool_call_update" && one.status === "completed"),
  );
}

describe("the output of a running command of Codex", () => {
  it("a client that shows terminals gets the output piece by piece, each piece once", () =>
    inCodexSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        await tell("[[slow]] go");
        const pieces = outputOf(client.updatesOf(sessionId));
        assert.ok(pieces.length >= 3, `it came in ${pieces.length} pieces`);
        // What was printed before Codex announced the command comes at the end.
        const whole = pieces.join("").replace(/^([^]*)\[The output began with:\]\n([^]*)$/, "$2$1");
        assert.equal(whole.trimEnd(), "line 1\nline 2\nline 3\nline 4\nline 5\nline 6");
      },
      { capabilities: showingTerminals },
    ));

  it("a client without terminals gets the output of a command of Codex as content that is replaced, and all of it at the end", () =>
    inCodexSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        await tell("[[slow]] go");
        const running = whileRunning(client.updatesOf(sessionId)).filter((one) => JSON.stringify(one).includes("line"));
        assert.match(JSON.stringify(running), /line 4/);
        assert.ok(running.length >= 4, `it came in ${running.length} updates`);
        assert.match(JSON.stringify(client.toolCalls(sessionId)[0]?.content), /line 1\\nline 2.*line 6/);
      },
      { capabilities: bareCapabilities },
    ));

  for (const [name, capabilities] of [
    ["terminals", showingTerminals],
    ["text", bareCapabilities],
  ] as const) {
    it(`a command that prints 100 MB costs less than 500 KB on the wire in a client that shows ${name}`, () =>
      inCodexSession(
        scripts,
        async ({ client, sessionId, tell }) => {
          assert.equal((await tell("[[huge]] go")).at(-1), "answers end_turn");
          const bytes = client.program.wire.items.reduce((sum, { text }) => sum + text.length, 0);
          assert.ok(bytes < 500_000, `${bytes} bytes`);
          const shown = JSON.stringify(client.updatesOf(sessionId));
          assert.match(shown, /head-mark/);
          assert.match(shown, /tail-mark/);
          assert.match(shown, /characters not shown/);
        },
        { capabilities },
      ));
  }
});
