/**
 * Specs of the time the line reader takes: proportional to the length of a line, however
 * small its chunks.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lineReader } from "../../lib/wire/index.ts";

const megabyte = 1024 * 1024;

/** The CPU time in milliseconds to read one line of this many bytes; the best of three. */
function costOf(lineBytes: number, pieceBytes: number): number {
  const piece = Buffer.alloc(pieceBytes, "x");
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    let length = 0;
    const reader = lineReader(
      { onLine: (line) => (length = line.length), onFault: () => assert.fail() },
      64 * megabyte,
    );
    const start = process.cpuUsage();
    for (let sent = 0; sent < lineBytes; sent += pieceBytes) reader.push(piece);
    reader.end();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
    assert.equal(length, lineBytes);
  }
  return best;
}

describe("the cost of the line reader", () => {
  // A line of eight times the length is eight times the work, or sixty-four times if each chunk copies the earlier ones.
  for (const [name, pieceBytes, longBytes] of [
    ["1 KiB", 1024, 50 * megabyte],
    ["16 bytes", 16, 4 * megabyte],
  ] as const) {
    it(`the cost of a line grows with its length in pieces of ${name}`, () => {
      const short = costOf(longBytes / 8, pieceBytes);
      const long = costOf(longBytes, pieceBytes);
      // A short line may fit a cache that a long one does not, hence the allowance.
      assert.ok(long < 24 * short + 200, `${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`);
    });
  }

  it("the line reader skips megabytes of blank lines quickly", () => {
    const reader = lineReader({ onLine: () => assert.fail(), onFault: () => assert.fail() });
    const start = process.cpuUsage();
    reader.push(Buffer.alloc(4 * megabyte, "\n"));
    assert.ok(process.cpuUsage(start).user < 2_000_000);
  });
});
