/**
 * Live specs of the output of commands while they run, in clients that show terminals and in
 * clients that show text, with the real CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { at } from "../../support/json.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { inSession } from "../../support/live/with-agent.ts";

const slow = "for i in 1 2 3 4 5 6; do echo line $i; sleep 1; done";
const huge = "head -c 100000000 /dev/zero | tr '\\0' x | fold -w 80; sleep 3; printf 'tail-%s\\n' mark; sleep 3";
const scripts = {
  slow: [answer(call("Bash", { command: slow, description: "Count" })), answer(say("Counted."))],
  huge: [answer(call("Bash", { command: huge })), answer(say("Printed."))],
};
const environment = { BOWLINE_COMMANDS: "0" };
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

describe("the output of a running command", () => {
  it("a client that shows terminals gets the output piece by piece, each piece once", () =>
    inSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        await tell("[[slow]] go");
        const pieces = outputOf(client.updatesOf(sessionId));
        assert.ok(pieces.length >= 3, `it came in ${pieces.length} pieces`);
        assert.equal(pieces.join("").trimEnd(), "line 1\nline 2\nline 3\nline 4\nline 5\nline 6");
      },
      { capabilities: showingTerminals, env: environment },
    ));

  it("a client without terminals gets the output of a command as content that is replaced, and all of it at the end", () =>
    inSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        await tell("[[slow]] go");
        const running = JSON.stringify(whileRunning(client.updatesOf(sessionId)));
        assert.match(running, /line 4/);
        assert.match(running, /Count.*line 3/, "the description stays");
        assert.match(JSON.stringify(client.toolCalls(sessionId)[0]?.content), /line 1\\nline 2.*line 6/);
      },
      { capabilities: bareCapabilities, env: environment },
    ));

  for (const [name, capabilities] of [
    ["terminals", showingTerminals],
    ["text", bareCapabilities],
  ] as const) {
    it(`a command that prints 100 MB costs less than 400 KB on the wire in a client that shows ${name}`, () =>
      inSession(
        scripts,
        async ({ client, sessionId, tell }) => {
          await tell("[[huge]] go");
          const bytes = client.program.wire.items.reduce((sum, { text }) => sum + text.length, 0);
          assert.ok(bytes < 400_000, `${bytes} bytes`);
          assert.match(JSON.stringify(client.updatesOf(sessionId)), /tail-mark/);
        },
        { capabilities, env: environment },
      ));
  }
});
