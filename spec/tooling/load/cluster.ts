/**
 * Load test of three servers behind haproxy, one of which is killed every ten seconds.
 *
 * `node --import tsx spec/tooling/load/cluster.ts [--seconds 60] [--clients 100]` prints
 * what happened; exits with 1 when an update was lost or came twice.
 * `spec/live/serve/cluster.live.ts` runs a shorter one.
 */
import { parseArgs } from "node:util";
import { runCluster } from "../../support/load/cluster.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "100" },
    every: { type: "string", default: "10" },
  },
});
const report = await runCluster({
  clientCount: Number(values.clients),
  seconds: Number(values.seconds),
  killEverySeconds: Number(values.every),
});
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.faults.length === 0 ? 0 : 1);
