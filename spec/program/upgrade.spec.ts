/**
 * `bowline upgrade`: how the program was installed, and what npm's answer means.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { howToUpgrade, installationOf, newestVersion } from "../../lib/program/upgrade.ts";
import { bowline } from "../support/program/fake-terminal.ts";

describe("bowline upgrade", () => {
  it("the way of installation is told by the path of the program", () => {
    assert.equal(installationOf("/home/me/.npm/_npx/1a2b/node_modules/bowline/dist/bowline.mjs", false), "npx");
    assert.equal(installationOf("C:\\npm\\node_modules\\bowline\\dist\\bowline.mjs", false), "npm package");
    assert.equal(installationOf("/opt/bowline.mjs", false), "file");
    assert.equal(installationOf("/opt/bowline", true), "single executable");
    assert.match(howToUpgrade("npm package"), /^npm install -g bowline@latest$/);
  });

  it("a newer, an equal and an unreadable answer of npm are told apart, and so is none", async () => {
    assert.deepEqual(await newestVersion(async () => "99.0.0\n"), { kind: "newer", version: "99.0.0" });
    assert.deepEqual(await newestVersion(async () => "0.0.1"), { kind: "newest" });
    for (const answer of ["what?", "99.0.0 && evil", "99.0.0\nevil", "x 99.0.0"])
      assert.equal((await newestVersion(async () => answer)).kind, "unknown", answer);
    assert.equal((await newestVersion(() => Promise.reject(new Error("offline")))).kind, "unknown");
  });

  it("bowline upgrade without --check starts nothing and says how to upgrade", async () => {
    const { code, stdout } = await bowline(["upgrade"], { env: { PATH: "/nowhere" } });
    assert.equal(code, 0);
    assert.match(stdout, /^bowline \d+\.\d+\.\d+ \(.*\); to upgrade: /);
  });
});
