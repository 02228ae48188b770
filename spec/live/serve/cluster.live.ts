/**
 * Three servers behind haproxy, with servers that are killed, in a short form.
 *
 * `spec/tooling/load/cluster.ts` is the long one.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { runCluster } from "../../support/load/cluster.ts";

const isMissing = spawnSync("haproxy", ["-v"]).error !== undefined;

describe("three servers behind haproxy", { skip: isMissing && "haproxy is not installed" }, () => {
  it("clients that reconnect lose and double no update while servers are killed", { timeout: 120_000 }, async () => {
    const report = await runCluster({ clientCount: 12, seconds: 16, killEverySeconds: 4 });
    assert.deepEqual(report.faults, []);
    assert.ok(report.kills >= 2, "servers were killed");
    assert.ok(report.reconnects > 0 && report.failedTurns > 0, "clients were on them");
    assert.ok(report.turns >= 12);
  });
});
