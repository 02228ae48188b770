/**
 * A reporter for Node's test runner: the test files in which a test failed, one on each line.
 */
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failed = new Set<string>();
  for await (const { type, data } of events) if (type === "test:fail" && data.file !== undefined) failed.add(data.file);
  for (const file of failed)
    yield `${file.replace(/^.*[/\\](?=spec[/\\])/, "").replace(/(?<=\.(?:spec|win))\.mjs$/, ".ts")}\n`;
}
