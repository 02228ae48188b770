/**
 * Sorts the durations of a recording into histograms: the time from each request to its
 * response, by method, and the duration of the tool calls.
 */

/** @typedef {import("./model.ts").LatencyGroup} LatencyGroup */
/** @typedef {import("./model.ts").MessageRow} Row */

/** The upper limits of the buckets; the last bucket has none. */
export const bucketLimitsMs = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000];

/** The groups with the most time first. @param {Iterable<Row>} rows @returns {readonly LatencyGroup[]} */
export function latenciesOf(rows) {
  /** @type {Map<string, { name: string, side: Row["side"], measured: Row[] }>} */
  const groups = new Map();
  for (const row of rows) {
    const isRequest = row.pair !== undefined && !row.isAnswer;
    if (row.ms === undefined || (!isRequest && row.tool === undefined)) continue;
    const name = isRequest ? row.name : "tool calls";
    const key = `${row.side} ${name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { name, side: row.side, measured: [row] });
    else group.measured.push(row);
  }
  return [...groups.values()].map(groupOf).sort((left, right) => right.totalMs - left.totalMs);
}

/** @param {{ name: string, side: Row["side"], measured: Row[] }} group @returns {LatencyGroup} */
function groupOf({ name, side, measured }) {
  measured.sort((left, right) => msOf(left) - msOf(right));
  /** @type {LatencyGroup["buckets"]} */
  const buckets = [...bucketLimitsMs, Infinity].map((belowMs) => ({ belowMs, count: 0 }));
  let at = 0;
  let totalMs = 0;
  for (const row of measured) {
    while (msOf(row) >= (buckets[at]?.belowMs ?? Infinity)) at++;
    const bucket = buckets[at];
    if (bucket !== undefined) {
      bucket.count++;
      bucket.slowest = row;
    }
    totalMs += msOf(row);
  }
  const [p50Ms, p95Ms, maxMs] = [0.5, 0.95, 1].map((share) => percentile(measured, share));
  return {
    name,
    side,
    count: measured.length,
    totalMs,
    p50Ms: p50Ms ?? 0,
    p95Ms: p95Ms ?? 0,
    maxMs: maxMs ?? 0,
    buckets,
  };
}

/** The smallest duration that is not exceeded by this share of the rows. @param {readonly Row[]} sorted @param {number} share */
function percentile(sorted, share) {
  return msOf(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]);
}

/** A clock that went back gives no negative duration. @param {Row | undefined} row */
function msOf(row) {
  return Math.max(0, row?.ms ?? 0);
}
