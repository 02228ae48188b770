/**
 * First failure: a reporter that says the first test that fails, and ends the run.
 */
import type { TestEvent } from "node:test/reporters";

export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined) continue;
    process.stdout.write(`${data.name}\n`);
    process.exit(1);
  }
  yield "";
}
