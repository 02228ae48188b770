/**
 * A reporter for Node's test runner: the test files that took longest, with their seconds.
 *
 * The time of a file is that of its outermost tests, without the start of its process.
 */
import type { TestEvent } from "node:test/reporters";

const shownFiles = 12;

export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds = new Map<string, number>();
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting !== 0 || data.file === undefined) continue;
    seconds.set(data.file, (seconds.get(data.file) ?? 0) + data.details.duration_ms / 1000);
  }
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shownFiles);
  yield "# slowest files\n";
  for (const [file, time] of slowest) {
    const name = file.replace(/^.*[/\\](?=spec[/\\])/, "");
    yield `# ${time.toFixed(1).padStart(6)} s  ${name}\n`;
  }
}
