/**
 * Specs of the watchdog that ends a process of the test runner in which a test hangs.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundledProgram } from "../support/bundled-program.ts";

const watchdog = await bundledProgram(fileURLToPath(new URL("../support/runner/hang-watchdog.ts", import.meta.url)));

describe("the watchdog of the specs", () => {
  const place = mkdtempSync(join(tmpdir(), "bowline-watchdog-"));
  after(() => rmSync(place, { recursive: true, force: true }));

  /** Runs a spec file with the watchdog, as the runner of the specs does. */
  function report(code: string, limitMs: number): { readonly status: number | null; readonly text: string } {
    const path = join(place, "one.spec.mjs");
    writeFileSync(
      path,
      `import ${JSON.stringify(pathToFileURL(watchdog).href)};
       import { after, describe, it } from "node:test";
       const live = setInterval(() => {}, 1000);
       ${code}`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", path], {
      encoding: "utf8",
      env: { ...env, BOWLINE_SPEC_LIMIT_MS: String(limitMs) },
    });
    return { status, text: `${stdout}${stderr}` };
  }

  it("a test that hangs fails with its name, and so do the tests after it", () => {
    const { status, text } = report(
      `describe("a suite", () => {
         it("a test that ends", () => {});
         it("a test that hangs", () => new Promise(() => {}));
         it("a test after it", () => {});
       });`,
      1000,
    );
    assert.equal(status, 1);
    assert.match(text, /nothing has happened for 1 s in a test that hangs/);
    assert.match(text, /^ +ok 1 - a test that ends$/m);
    assert.match(text, /^ +not ok 2 - a test that hangs$/m);
    assert.match(text, /^ +not ok 3 - a test after it$/m);
  });

  it("a hook that hangs and a process that does not exit are ended too", () => {
    const hook = report(
      `describe("a suite", () => { after(() => new Promise(() => {})); it("the last test", () => {}); });`,
      1000,
    );
    assert.equal(hook.status, 1);
    assert.match(hook.text, /nothing has happened for 1 s after the last test/);
  });

  it("a test that computes for longer than the limit is not ended", () => {
    const { status, text } = report(
      `it("a test that computes", async () => {
         const end = Date.now() + 900;
         while (Date.now() < end) await new Promise((resolve) => setImmediate(resolve));
         clearInterval(live);
       });`,
      300,
    );
    assert.equal(status, 0, text);
  });
});
