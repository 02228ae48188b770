/**
 * Live specs of failures with Codex through the agent: the API refuses or breaks, the
 * user is not signed in, Codex is missing or cannot start.
 */
import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CodexAgentOptions, inCodexSession, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import { ending, message, say, status } from "../../support/live/api/fake-responses-api.ts";
import { fakeCodexKey } from "../../support/live/real-codex.ts";

const hi = { hi: [say("Hello.")] };
const goesOn = ["says Hello.", "answers end_turn"];
const noWarm = { BOWLINE_PREWARM: "0" };

describe("an API that fails Codex", () => {
  it("credentials that the API refuses end the turn at the first refusal, and the session works once they are right", () =>
    inCodexSession(hi, async ({ api, tell }) => {
      api.keys.clear();
      const began = performance.now();
      const seen = await tell("[[hi]] go");
      assert.match(seen.at(-1) ?? "", /^answers -32000 .*Incorrect API key provided/);
      assert.equal(seen.length, 1, "no retry is shown");
      assert.ok(performance.now() - began < 5000);
      api.keys.add(fakeCodexKey);
      assert.deepEqual(await tell("[[hi]] go"), goesOn);
    }));

  const errors = [
    [
      "a request that the API refuses",
      status(400, { error: { message: "this cannot be" } }),
      /-32603 .*this cannot be/,
    ],
    ["a rate limit", status(429, { error: { message: "slow down" } }), /-32603 A limit of Codex is reached/],
    [
      "a used-up limit",
      status(429, { error: { type: "usage_limit_reached", message: "x" } }),
      /-32603 A limit of Codex/,
    ],
    [
      "a used-up quota",
      ending({ kind: "failed", code: "insufficient_quota", message: "pay" }),
      /-32603 A limit of Codex/,
    ],
    ["an API that is broken", status(500, { error: { message: "oops" } }), /-32603 Codex got an error from the API/],
    ["a model that does not exist", status(404, { error: { message: "no such model" } }), /-32603 .*no such model/],
    ["a full context", ending({ kind: "failed", code: "context_length_exceeded", message: "x" }), /max_tokens/],
    [
      "an answer that is cut",
      ending({ kind: "incomplete", reason: "max_output_tokens" }, message("Half ")),
      /max_tokens/,
    ],
    ["an answer that is filtered", ending({ kind: "incomplete", reason: "content_filter" }), /-32603 .*content_filter/],
  ] as const;
  it("a turn that fails is an error or has its own stop reason, never end_turn, and the session goes on", () =>
    inCodexSession(hi, async ({ api, tell }) => {
      for (const [what, reply, expected] of errors) {
        api.script("bad", reply);
        assert.match((await tell("[[bad]] go")).at(-1) ?? "", expected, what);
        assert.deepEqual((await tell("[[hi]] go")).slice(-2), goesOn, what);
      }
    }));

  it("a missing key is reported as a sign-in", () =>
    inCodexSession(
      hi,
      async ({ tell }) => assert.match((await tell("[[hi]] go")).at(-1) ?? "", /^answers -32000 .*FAKE_KEY/),
      { env: { FAKE_KEY: undefined } },
    ));

  it("an API that cannot be reached is reported while Codex tries again, and a cancel ends it", () =>
    inCodexSession(hi, async ({ client, api, sessionId, tell }) => {
      await api[Symbol.asyncDispose]();
      const told = tell("[[hi]] go");
      await client.waitFor((one) => /trying|no connection/.test(JSON.stringify(one)));
      await client.cancel(sessionId);
      assert.equal((await told).at(-1), "answers cancelled");
    }));
});

describe("a Codex that is not signed in", () => {
  const signedOut: CodexAgentOptions = { home: { provider: "openai" }, env: noWarm };

  it("session/new is refused with -32000, and the ways to sign in are offered", () =>
    withCodexAgent(
      hi,
      async ({ client, cwd }) => {
        const { authMethods, agentInfo } = await client.initialize();
        assert.deepEqual(
          authMethods?.map(({ id }) => id),
          ["codex-login", "codex-device-login"],
        );
        assert.match(JSON.stringify(authMethods), /--device-code/);
        assert.equal(agentInfo?.title, "Codex Agent (Bowline)");
        await assert.rejects(client.newSession(cwd), { code: -32000, message: /codex login/ });
      },
      signedOut,
    ));

  it("a sign-out in a terminal is noticed by the next session, and so is a sign-in", () =>
    withCodexAgent(
      hi,
      async ({ client, cwd, place }) => {
        const file = join(place.home, ".codex", "auth.json");
        const signIn = (): void => writeFileSync(file, JSON.stringify({ OPENAI_API_KEY: "sk-test" }), { mode: 0o600 });
        signIn();
        await client.initialize();
        for (let i = 0; i < 2; i++) await client.newSession(cwd);
        rmSync(file);
        await assert.rejects(client.newSession(cwd), { code: -32000 });
        signIn();
        await client.newSession(cwd);
      },
      signedOut,
    ));
});

describe("a Codex that is not installed or cannot start", () => {
  const cases = [
    [
      "is missing",
      { CODEX_EXECUTABLE: "/no/such/codex" },
      /CODEX_EXECUTABLE names a file that does not exist; set it to the path of the Codex CLI/,
    ],
    ["is no program", { CODEX_EXECUTABLE: "/dev/null" }, /CODEX_EXECUTABLE|Codex/],
  ] as const;
  for (const [how, env, expected] of cases) {
    it(`a Codex that ${how} is reported at session/new, while initialize is answered`, () =>
      withCodexAgent(
        hi,
        async ({ client, cwd }) => {
          assert.equal((await client.initialize()).protocolVersion, 1);
          await assert.rejects(client.newSession(cwd), { code: -32603, message: expected });
        },
        { env: { ...noWarm, ...env } },
      ));
  }

  it("a Codex that ends at once is reported with its last words at session/new, and the next one is tried", () =>
    withCodexAgent(hi, async ({ client, cwd, place, own, program }) => {
      const broken = place.write("broken-codex", "#!/bin/sh\necho 'the library is missing' >&2\nexit 7\n");
      chmodSync(broken, 0o755);
      const { AcpClient } = await import("../../support/live/client/acp-client.ts");
      const other = own(new AcpClient(program({ env: { ...noWarm, CODEX_EXECUTABLE: broken } })));
      await other.initialize();
      await assert.rejects(other.newSession(cwd), { code: -32603, message: /code 7|library is missing/ });
      await other.hangUp();
      await client.hangUp();
    }));

  it("a config.toml that cannot be read is reported at session/new with the place of the error", () =>
    withCodexAgent(
      hi,
      async ({ client, cwd }) => {
        await client.initialize();
        await assert.rejects(client.newSession(cwd), { code: -32603, message: /config/ });
      },
      { home: { config: "this is = = no toml" }, env: noWarm },
    ));

  it("a directory that does not exist is refused", () =>
    withCodexAgent(hi, async ({ client, path }) => {
      await client.initialize();
      await assert.rejects(client.newSession(path("no/such/directory")), { code: -32602 });
      await assert.rejects(client.newSession("relative"), { code: -32602 });
      await assert.rejects(client.newSession(join(path("hello.txt"))), { code: -32602 });
    }));
});
