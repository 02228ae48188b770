/**
 * A server with a scripted agent, as a process of its own: for the load tests.
 *
 * `spec/tooling/load/server.ts <port> <directory>`, bundled, serves the stored
 * agent on the conversations of the directory; without a directory the timed one. Prints
 * its address. The token is in BOWLINE_TOKEN, the pace in LOAD_UPDATES and LOAD_PAUSE_MS.
 * A line on stdin is answered with the bytes of the heap after a collection.
 */
import { createInterface } from "node:readline";
import { startServer } from "../../../lib/serve/index.ts";
import { cwd } from "../../support/serve/test-server.ts";
import { storedAgent, timedAgent } from "./agents.ts";

const [port = "0", directory] = process.argv.slice(2);
const pace = {
  updatesPerTurn: Number(process.env["LOAD_UPDATES"] ?? 20),
  pauseMs: Number(process.env["LOAD_PAUSE_MS"] ?? 20),
};
const server = await startServer({
  token: process.env["BOWLINE_TOKEN"] ?? "",
  host: "127.0.0.1",
  port: Number(port),
  version: "1",
  roots: [directory ?? cwd],
  maxSessions: 10_000,
  maxConnections: 4000,
  keepMs: 0,
  startAgent: directory === undefined ? timedAgent(pace) : storedAgent(directory, pace),
});
process.stdout.write(`${server.url}\n`);
createInterface({ input: process.stdin }).on("line", () => {
  globalThis.gc?.();
  process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
});
process.on("SIGTERM", () => void server.close("ended by SIGTERM").then(() => process.exit(143)));
