/**
 * Live specs of the limits of an account with Codex: notices, `usage_update`, `/usage` and
 * `bowline doctor`, with the real Codex and an API that reports limits as OpenAI's does.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { CheckResult } from "../../../lib/program/doctor/check-outcome.ts";
import { waitUntilGone } from "../../support/processes.ts";
import { chatGptApi, signInWithChatGpt } from "../../support/live/api/fake-chatgpt-api.ts";
import { codexEnvironment } from "../../support/live/real-codex.ts";
import { workspace } from "../../support/live/workspace.ts";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";
import { say, sayLimited } from "../../support/live/api/fake-responses-api.ts";
import { at } from "../../support/json.ts";

const scripts = {
  some: [sayLimited("Some.", 40, 12)],
  much: [sayLimited("Much.", 76, 12)],
  more: [sayLimited("More.", 91, 75)],
  all: [sayLimited("All.", 100, 75)],
  none: [say("None.")],
};
const withNotices = { ...bareCapabilities, session: { notices: {} } };

describe("the limits of an account with Codex", () => {
  for (const [name, capabilities] of [
    ["notices", withNotices],
    ["text", bareCapabilities],
  ] as const) {
    it(`the user is notified once at 75, 90 and 100 percent of each limit, in a client that shows ${name}`, () =>
      inCodexSession(
        scripts,
        async ({ tell }) => {
          const told = async (script: string): Promise<readonly string[]> =>
            (await tell(`[[${script}]] go`))
              .join("\n")
              .match(/The [\w-]+ limit is reached|\d+% of the [\w-]+ limit/g) ?? [];
          assert.deepEqual(await told("some"), []);
          assert.deepEqual(await told("much"), ["76% of the 5-hour limit"]);
          assert.deepEqual(await told("much"), [], "once");
          assert.deepEqual(await told("more"), ["91% of the 5-hour limit", "75% of the weekly limit"]);
          assert.deepEqual(await told("all"), ["The 5-hour limit is reached"]);
          assert.deepEqual(await told("none"), []);
        },
        { capabilities },
      ));
  }

  it("usage_update has the limits, and /usage and _session/usage show them with the tokens of the session", () =>
    inCodexSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        await tell("[[much]] go");
        const last = client.updatesOf(sessionId).findLast(({ sessionUpdate }) => sessionUpdate === "usage_update");
        const limits = [
          { id: "primary", name: "5-hour limit", usedPercent: 76, resetsAt: "2027-01-15T08:00:00Z" },
          { id: "secondary", name: "weekly limit", usedPercent: 12, resetsAt: "2027-01-21T02:53:20Z" },
        ];
        assert.deepEqual(at(last, "_meta.limits"), limits);
        const seen = (await tell("/usage")).join("\n");
        assert.match(seen, /5-hour limit: 76% used.*weekly limit: 12% used.*gpt-5\.5: 100 tokens in, 10 out/s);
        const report = await client.extension("_session/usage", { sessionId });
        assert.deepEqual(at(report, "limits"), limits);
      },
      { capabilities: bareCapabilities },
    ));

  for (const [usedPercent, status] of [
    [42, "ok"],
    [100, "warn"],
  ] as const) {
    it(`bowline doctor shows the limits of an account with a plan, ${usedPercent}% used`, async () => {
      await using place = workspace();
      await using chatGpt = await chatGptApi(usedPercent);
      const env = codexEnvironment(0, place.home, { provider: "openai", config: chatGpt.config });
      signInWithChatGpt(join(place.home, ".codex"));
      const program = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
      const child = spawn(process.execPath, [program, "doctor", "--json"], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const signs: readonly CheckResult[] = JSON.parse(await text(child.stdout)).signs;
      const limits = signs.find(({ name }) => name === "codex limits");
      assert.equal(limits?.status, status);
      const wanted = `^plan plus; 5-hour limit: ${usedPercent}% used, resets .*; weekly limit: 12% used, resets `;
      assert.match(limits?.says ?? "", new RegExp(wanted));
      assert.deepEqual(await waitUntilGone(place.root), []);
    });
  }

  it("an account without limits has no notice and no limits", () =>
    inCodexSession(
      scripts,
      async ({ client, sessionId, tell }) => {
        assert.deepEqual(await tell("[[none]] go"), ["says None.", "answers end_turn"]);
        assert.doesNotMatch(JSON.stringify(client.updatesOf(sessionId)), /"limits"/);
        assert.match((await tell("/usage")).join("\n"), /None are known/);
      },
      { capabilities: bareCapabilities },
    ));
});
