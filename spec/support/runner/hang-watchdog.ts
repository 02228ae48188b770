/**
 * Ends a process of the test runner in which nothing happens any more, so that a test that
 * hangs fails with its name instead of blocking the run.
 *
 * Imported before the specs of a process. The limit counts from the last start or end of a
 * test, so hooks and a process that does not exit are covered too. A process that computes
 * is slow and does not hang. Node's own `--test-timeout` limits a whole file in Node 20.
 */
import { afterEach, beforeEach, type TestContext } from "node:test";

/** Some tests wait for several programs, and a machine may be busy. */
const limitMs = Number(process.env["BOWLINE_SPEC_LIMIT_MS"] ?? 120_000);
/** A process that used more of the time since the last event computes. */
const busyShare = 0.02;

const running = new Set<TestContext | object>();
let lastName = "";
let usedMs = processorMs();

const timer = setTimeout(onLimit, limitMs);
timer.unref();

beforeEach((test) => {
  running.add(test);
  onEvent();
});
afterEach((test) => {
  running.delete(test);
  lastName = nameOf(test);
  onEvent();
});

function onEvent(): void {
  usedMs = processorMs();
  timer.refresh();
}

function onLimit(): void {
  if (processorMs() - usedMs > limitMs * busyShare) return onEvent();
  const names = [...running].map(nameOf).join(", ");
  const where = names !== "" ? `in ${names}` : lastName === "" ? "before the first test" : `after ${lastName}`;
  process.stderr.write(`nothing has happened for ${limitMs / 1000} s ${where}\n`);
  process.exitCode = 1;
  // The runner reports the tests that have not ended when the event loop is empty, by this event.
  process.emit("beforeExit", 1);
  setTimeout(() => process.exit(1), 1000);
}

function nameOf(test: object): string {
  return "name" in test ? String(test.name) : "a test";
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
