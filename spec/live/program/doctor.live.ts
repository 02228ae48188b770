/**
 * Live specs of `bowline doctor`: the built program inspects the real CLI, signed in and
 * not.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CheckResult } from "../../../lib/program/doctor/check-outcome.ts";
import { claudeVersion, fakeKey } from "../../support/live/real-cli.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

describe("bowline doctor", () => {
  it("bowline doctor reports the real CLI's version and whether the user is signed in, without an API request", () =>
    withEnvironment({}, async ({ api, place, program }) => {
      const look = (env: Readonly<Record<string, string | undefined>>) => {
        const { command, args = [], env: all } = program({ args: ["doctor", "--json"], env });
        const { status, stdout } = spawnSync(command, args, { env: all, encoding: "utf8" });
        assert.ok(!stdout.includes(fakeKey));
        const signs: readonly CheckResult[] = JSON.parse(stdout).signs;
        return { status, says: new Map(signs.map((sign) => [sign.name, `${sign.status} ${sign.says}`])) };
      };
      const signedIn = look({});
      assert.equal(signedIn.status, 0);
      assert.equal(signedIn.says.get("version"), `ok ${claudeVersion}; Bowline is tested with this version`);
      assert.equal(signedIn.says.get("sign-in"), "ok signed in (api_key)");
      assert.match(signedIn.says.get("initialize") ?? "", /^(?:ok|warn) bowline \S+ answered after \d+ ms/);
      const signedOut = look({ ANTHROPIC_API_KEY: undefined });
      assert.equal(signedOut.status, 1);
      assert.equal(signedOut.says.get("sign-in"), "fail not signed in");
      const claudeAiOauth = {
        accessToken: "sk-ant-oat01-fake",
        refreshToken: "sk-ant-ort01-fake",
        expiresAt: Date.UTC(2100),
        scopes: ["user:inference", "user:profile"],
        subscriptionType: "max",
      };
      mkdirSync(join(place.home, ".claude"), { recursive: true });
      writeFileSync(join(place.home, ".claude", ".credentials.json"), JSON.stringify({ claudeAiOauth }));
      assert.match(look({}).says.get("sign-in") ?? "", /^warn .*ANTHROPIC_API_KEY pays, not the plan/);
      assert.equal(api.requests.length, 0);
    }));
});
