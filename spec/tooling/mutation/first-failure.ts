/**
 * A test reporter that prints the first failing test and ends the run.
 *
 * Tests of timing do not count: on a busy machine they would fail for every mutant.
 */
import type { TestEvent } from "node:test/reporters";

/** Titles of the tests of timing. */
const aboutTime = /in proportion|no longer per|grows with its length|blank lines quickly|without slowing down/;

export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined || aboutTime.test(data.name)) continue;
    // A group fails with its tests, which were reported before.
    if (data.details.type === "suite") continue;
    process.stdout.write(`failed: ${data.name}\n`);
    process.exit(1);
  }
  yield "done\n";
}
