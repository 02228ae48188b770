/**
 * Live specs of the limits of the account: notices, `usage_update`, `/usage`, `_session/usage`,
 * `bowline doctor`, and a prompt that goes on when the limit resets, each with the real CLI.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, it } from "node:test";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { accountApi, hasOpenssl } from "../../support/live/api/fake-account-api.ts";
import { at } from "../../support/json.ts";
import { answer, answering, fails, say } from "../../support/live/api/model-script.ts";
import { inSession, type PlayOptions, withAgent } from "../../support/live/with-agent.ts";

const hour = 3600;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** What the API tells a user of a plan with each answer. */
function limitHeaders(used: number, resetsAt: number): Record<string, string> {
  const prefix = "anthropic-ratelimit-unified";
  const status = used >= 1 ? "rejected" : "allowed";
  return {
    [`${prefix}-status`]: status,
    [`${prefix}-representative-claim`]: "five_hour",
    [`${prefix}-reset`]: String(resetsAt),
    [`${prefix}-5h-status`]: status,
    [`${prefix}-5h-utilization`]: String(used),
    [`${prefix}-5h-reset`]: String(resetsAt),
    [`${prefix}-7d-status`]: "allowed",
    [`${prefix}-7d-utilization`]: "0.41",
    [`${prefix}-7d-reset`]: String(resetsAt + 72 * hour),
  };
}

/** A user of a plan: the CLI reads limits from the answers to a token only. */
const withPlan = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-fake" };
const waiting = { ...withPlan, BOWLINE_CONTINUE_AT_RESET: "1" };
const withNotices: ClientCapabilities = { ...fullCapabilities, terminal: false, session: { notices: {} } };
const clients: readonly (readonly [string, ClientCapabilities])[] = [
  ["a client that shows notices", withNotices],
  ["a client that only shows text", bareCapabilities],
];
const resetsAt = nowSeconds() + 2 * hour + 300;
const options = (capabilities: ClientCapabilities, env: PlayOptions["env"] = withPlan): PlayOptions => ({
  capabilities,
  env,
});

describe("the limits of the account", () => {
  for (const [who, capabilities] of clients) {
    it(`${who} is notified at 76 percent, and /usage shows limits, resets, cost and tokens`, () =>
      inSession(
        { hi: [answering({ headers: limitHeaders(0.76, resetsAt) }, say("Hello."))] },
        async ({ client, sessionId, tell }) => {
          const seen = await tell("[[hi]] go");
          assert.match(seen.join("\n"), /76% of the 5-hour limit is used\. It resets on \w{3} \d+ \w{3}, \d\d:\d\d /);
          const usage = client.updatesOf(sessionId).findLast((one) => one.sessionUpdate === "usage_update");
          const reset = new Date(resetsAt * 1000).toISOString().replace(/\.\d+/, "");
          assert.deepEqual(at(usage, "_meta.limits.0"), {
            id: "five_hour",
            name: "5-hour limit",
            usedPercent: 76,
            resetsAt: reset,
          });
          const text = (await tell("/usage")).join("\n");
          assert.match(text, /5-hour limit: 76% used, resets at \d\d:\d\d \(in 2 h \d+ min\)/);
          assert.match(text, /weekly limit: 41% used, resets at \w{3} \d+ \w{3}, \d\d:\d\d \(in 3 days 2 h\)/);
          assert.match(text, /Cost: \$0\.00\d\d/);
          assert.match(text, /claude-sonnet-5-5: 100 tokens in, 20 out, 50 read from the cache, 30 written to it/);
          const report: { readonly limits: readonly object[]; readonly cost: object } = await client.extension(
            "_session/usage",
            { sessionId },
          );
          assert.equal(report.limits.length, 2);
        },
        options(capabilities),
      ));
  }

  it("an account with an API key reads that it has no limits", () =>
    inSession({}, async ({ tell }) => {
      const text = (await tell("/usage")).join("\n");
      assert.match(text, /None are known\. Accounts that pay by use/);
    }));

  it("the CLI asks the API for the limits of a plan before the first prompt", { skip: !hasOpenssl }, () =>
    withAgent({}, async ({ own, place, program, client: unused }) => {
      await unused.hangUp();
      const api = own(
        await accountApi({
          five_hour: { utilization: 76.4, resets_at: new Date((nowSeconds() + hour) * 1000).toISOString() },
          seven_day: { utilization: 41, resets_at: null },
        }),
      );
      const env = api.environment(place.home);
      const { command, args, env: all } = program({ env, args: ["doctor"] });
      const { stdout } = await promisify(execFile)(command, [...(args ?? [])], { env: all, cwd: place.cwd });
      assert.match(stdout, /limits +plan max; 5-hour limit: 76% used, resets at \d\d:\d\d .*; weekly limit: 41% used/);
      assert.ok(api.asked.some((path) => path.startsWith("/api/oauth/usage")));
    }),
  );
});

describe("a prompt that the limit stops", () => {
  for (const [who, capabilities] of clients) {
    it(`a prompt that the limit stops waits visibly in ${who}, and a cancel ends it`, () =>
      inSession(
        { out: [fails(429, limitHeaders(1, resetsAt))], other: [answer(say("Other."))] },
        async ({ client, sessionId, tell, seen }) => {
          const answered = client.prompt(sessionId, "[[out]] go");
          await client.waitFor((one) => JSON.stringify(one).includes("This prompt goes on at"));
          assert.match(
            seen().join("\n"),
            /The usage limit is reached\. This prompt goes on at \d\d:\d\d, in 2 h \d+ min\./,
          );
          await client.cancel(sessionId);
          assert.deepEqual(await answered, { stopReason: "cancelled" });
          assert.ok((await tell("[[other]] go")).includes("says Other."));
        },
        options(capabilities, waiting),
      ));
  }

  it("a prompt sent while another waits for the reset runs at once, and the waiting one fails with the limit", () =>
    inSession(
      { out: [fails(429, limitHeaders(1, resetsAt))], other: [answer(say("Other."))] },
      async ({ client, sessionId }) => {
        const answered = client.prompt(sessionId, "[[out]] go");
        answered.catch(() => {});
        await client.waitFor((one) => JSON.stringify(one).includes("This prompt goes on at"));
        assert.deepEqual(await client.prompt(sessionId, "[[other]] go"), { stopReason: "end_turn" });
        await assert.rejects(answered, { code: -32603, data: { errorKind: "limit", resetsAt } });
      },
      options(bareCapabilities, waiting),
    ));

  it("a prompt that the limit stops goes on half a minute after the reset, in the same conversation", () =>
    inSession(
      {},
      async ({ client, sessionId, api }) => {
        // The script is chosen by the newest marker, and the continuation has none.
        api.rule(
          ({ body }) => JSON.stringify(body.messages).includes("The usage limit has been reset"),
          answer(say("I go on.")),
        );
        api.script("out", fails(429, limitHeaders(1, nowSeconds() + 4)));
        assert.deepEqual(await client.prompt(sessionId, "[[out]] go"), { stopReason: "end_turn" });
        assert.match(client.text(sessionId), /This prompt goes on at.*I go on\./s);
        assert.match(client.text(sessionId, "user_message_chunk"), /The usage limit has been reset/);
      },
      options(bareCapabilities, waiting),
    ));

  it("a prompt that the limit stops fails at once without the option, as before", () =>
    inSession(
      { out: [fails(429, limitHeaders(1, resetsAt))] },
      async ({ client, sessionId }) => {
        await assert.rejects(client.prompt(sessionId, "[[out]] go"), {
          code: -32603,
          data: { errorKind: "limit", resetsAt },
        });
      },
      options(bareCapabilities),
    ));
});
