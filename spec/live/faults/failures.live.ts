/**
 * Live specs of failures: the user learns what to do, and the session survives.
 */
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { AcpClient, bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { waitForCommand } from "../../support/processes.ts";
import { answer, call, fails, forever, hold, say, tries } from "../../support/live/api/model-script.ts";
import { ended } from "../../support/live/client/editor-mode.ts";

const talk = { talk: [answer(say("Hello."))] };
const hello = ["says Hello.", "answers end_turn"];
const fewRetries = { env: { CLAUDE_CODE_MAX_RETRIES: "1" } };

// Prewarming is off: the test looks for the session's own CLI in the process table.
process.env["BOWLINE_PREWARM"] = "0";

describe("an API that fails", () => {
  it("an API that fails causes an error with its text, and the session goes on", () =>
    inSession(
      {
        ...talk,
        e400: [forever(fails(400))],
        e429: [forever(fails(429))],
        e500: [forever(fails(500))],
        e529: [forever(fails(529))],
      },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[e400]] go"), [
          "answers -32603 API Error: 400 messages: the request was malformed.",
        ]);
        assert.deepEqual(await tell("[[e429]] go"), [
          "thinks The API's rate limit is reached, trying again in 1 s (attempt 1 of 1).\n",
          "answers -32603 API Error: Request rejected (429) · This request would exceed your account's rate limit.",
        ]);
        const [retry, failed = ""] = await tell("[[e500]] go");
        assert.equal(retry, "thinks The API failed, trying again in 1 s (attempt 1 of 1).\n");
        assert.match(failed, /^answers -32603 API Error: 500 Internal server error\./);
        const overloaded = await tell("[[e529]] go");
        assert.equal(overloaded[0], "thinks The API is overloaded, trying again in 1 s (attempt 1 of 1).\n");
        assert.match(overloaded[1] ?? "", /^answers -32603 .*[Oo]verloaded/);
        assert.deepEqual(await tell("[[talk]] hi"), hello);
      },
      fewRetries,
    ));

  it("an API that fails once is retried, and the user sees why it takes longer", () =>
    inSession(
      { busy: [tries(fails(529), answer(say("Made it.")))] },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[busy]] go"), [
          "thinks The API is overloaded, trying again in 1 s (attempt 1 of 1).\n",
          "says Made it.",
          "answers end_turn",
        ]);
      },
      fewRetries,
    ));

  it("an API that refuses the key is reported at its first refusal, as a matter of signing in", () =>
    inSession({ ...talk, key: [forever(fails(401))] }, async ({ tell, api }) => {
      const began = performance.now();
      const [line = "", ...more] = await tell("[[key]] go");
      assert.match(line, /^answers -32000 Claude is not signed in \(.*\): run `claude auth login`/);
      assert.deepEqual(more, []);
      assert.ok(performance.now() - began < 2000);
      assert.deepEqual(await tell("[[talk]] hi"), hello);
      assert.ok(api.requestsOf("key").length <= 2, "it is not asked again and again");
    }));
});

describe("a user who is not signed in", () => {
  const how = { code: -32000, message: /run `claude auth login` in a terminal/ };
  const noKey = { ANTHROPIC_API_KEY: undefined };

  it("a user who is not signed in is told so by session/new and by authenticate, and how to sign in", () =>
    withAgent(
      {},
      async ({ client, cwd, api }) => {
        const { authMethods } = await client.initialize();
        assert.match(authMethods?.[0]?.description ?? "", /run `claude auth login` in a terminal/);
        await assert.rejects(client.newSession(cwd), how);
        await assert.rejects(client.request("authenticate", { methodId: "claude-login" }), how);
        await assert.rejects(client.request("authenticate", { methodId: "magic" }), { code: -32602 });
        assert.equal(api.requests.length, 0);
      },
      { env: noKey, capabilities: bareCapabilities },
    ));

  it("a user who is not signed in is offered a terminal where the client has one, in both dialects", () =>
    withAgent(
      {},
      async ({ client, cwd }) => {
        const { authMethods } = await client.initialize();
        const [method] = authMethods ?? [];
        assert.deepEqual([at(method, "type"), at(method, "args")], ["terminal", ["login"]]);
        assert.equal(at(method, "_meta.terminal-auth.args.1"), "login");
        await assert.rejects(client.newSession(cwd), how);
      },
      { env: noKey, capabilities: { ...fullCapabilities, _meta: { "terminal-auth": true } } },
    ));

  it("authenticate succeeds once there is a key", () =>
    withAgent(
      {},
      async ({ client }) => {
        await client.initialize();
        await client.request("authenticate", { methodId: "claude-login" });
      },
      { capabilities: bareCapabilities },
    ));
});

describe("a CLI that cannot be used", () => {
  const cases: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    ["is missing", () => {}, /BOWLINE_CLAUDE names a file that does not exist; set it to the path of the Claude CLI/],
    ["is no program", (path) => writeFileSync(path, "hello"), /BOWLINE_CLAUDE names a file that cannot be run/],
    ["ends at once", program("echo oh no >&2; exit 7"), /exited with code 7: oh no|--version failed \(exit code 7\)/],
    [
      "is too old",
      program('[ "$1" = --version ] && echo "1.0.9 (Claude Code)" || exit 1'),
      /is 1\.0\.9; 2\.1\.197 or newer is needed: run `claude update`/,
    ],
  ];
  for (const [how, make, says] of cases) {
    it(`a CLI that cannot be used because it ${how} is reported by session/new`, () =>
      withAgent({}, async ({ client, cwd, own, program: launch, place }) => {
        await client.hangUp();
        const path = `${place.root}/claude`;
        make(path);
        const other = own(new AcpClient(launch({ env: { BOWLINE_CLAUDE: path } })));
        await other.initialize();
        await assert.rejects(other.newSession(cwd), (error: Error & { code?: number }) => {
          assert.equal(error.code, -32603);
          assert.match(error.message, says);
          return true;
        });
        assert.deepEqual(other.faults(), []);
      }));
  }

  it("a missing CLI is reported with how to install it", () =>
    withAgent(
      {},
      async ({ client, cwd }) => {
        await client.initialize();
        await assert.rejects(client.newSession(cwd), { message: /was not found; install it with `npm install -g/ });
      },
      { env: { BOWLINE_CLAUDE: undefined, PATH: "/nowhere" } },
    ));
});

describe("a CLI that dies", () => {
  it("a CLI that exits in a turn is reported with the reason, its tool calls are closed, and the next prompt has the conversation", () =>
    inSession(
      {
        ...talk,
        sleep: [answer(say("Waiting."), call("Bash", { command: "echo on; sleep 473", description: "Wait" }))],
      },
      async ({ tell, place, api, sessionId, client }) => {
        await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        const told = tell("[[sleep]] PERSIMMON");
        await waitForCommand(place.root, "sleep 473");
        const cli = await waitForCommand(place.root, "--input-format=stream-json");
        process.kill(cli.pid, "SIGKILL");
        assert.deepEqual(await told, [
          "mode acceptEdits",
          "says Waiting.",
          "calls execute echo on; sleep 473",
          ended("failed", "echo on; sleep 473", "Wait", "The Claude CLI ended."),
          "answers -32603 the Claude CLI was ended by SIGKILL",
        ]);
        assert.deepEqual(await tell("[[talk]] hi"), hello);
        assert.match(JSON.stringify(api.requestsOf("talk")[0]?.body.messages), /PERSIMMON/);
        const again = await waitForCommand(place.root, "--input-format=stream-json");
        assert.match(again.command, /--resume=.*--permission-mode=acceptEdits/, "with the mode that was set");
      },
    ));

  it("a CLI that exits between two turns is replaced without a message", () =>
    inSession({ ...talk }, async ({ tell, place, api }) => {
      assert.deepEqual(await tell("[[talk]] PERSIMMON"), hello);
      const cli = await waitForCommand(place.root, "--input-format=stream-json");
      process.kill(cli.pid, "SIGKILL");
      assert.deepEqual(await tell("[[talk]] again"), hello);
      assert.match(JSON.stringify(api.requestsOf("talk")[1]?.body.messages), /PERSIMMON/);
    }));

  it("a prompt that waits for a new CLI after the old one exited can be cancelled", () =>
    inSession({ ...talk, never: [answer(hold("never"))] }, async ({ tell, place, client, sessionId }) => {
      await tell("[[talk]] hi");
      const cli = await waitForCommand(place.root, "--input-format=stream-json");
      process.kill(cli.pid, "SIGKILL");
      const told = tell("[[never]] go");
      await client.cancel(sessionId);
      assert.deepEqual(await told, ["answers cancelled"]);
      assert.deepEqual(await tell("[[talk]] hi"), hello);
    }));
});

function program(script: string): (path: string) => void {
  return (path) => {
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  };
}
