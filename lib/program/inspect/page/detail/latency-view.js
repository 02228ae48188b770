/**
 * Shows the latencies of the recording in the detail pane: a histogram for each method.
 */
import { make } from "../dom.js";
import { bucketLimitsMs, latenciesOf } from "../recording/latency.js";
import { many, short, time } from "../format.js";

/** @typedef {import("../recording/model.ts").LatencyGroup} LatencyGroup */
/** @typedef {import("../recording/model.ts").MessageRow} Row */

/** Methods shown; a recording may have any number of names. */
const maxGroups = 60;
/** The height of the highest bar of a histogram. */
const maxBarPx = 34;

/** @param {Iterable<Row>} rows The rows that the filters show. @param {(row: Row) => void} onReveal @returns {readonly HTMLElement[]} */
export function latencyView(rows, onReveal) {
  const groups = latenciesOf(rows);
  const title = make("h2", "", "Latency");
  if (groups.length === 0) return [title, make("p", "hint", "No request of these rows was answered.")];
  const about =
    "From each request to its response, and each tool call from start to end; of the rows that the filters show. A bar selects its slowest row.";
  const shown = groups.slice(0, maxGroups).map((group) => groupView(group, onReveal));
  const rest = groups.length - shown.length;
  return [
    title,
    make("p", "hint", about),
    ...shown,
    ...(rest > 0 ? [make("p", "hint", `${many(rest, "more method")} took less time`)] : []),
  ];
}

/** @param {LatencyGroup} group @param {(row: Row) => void} onReveal */
function groupView({ name, side, count, p50Ms, p95Ms, maxMs, buckets }, onReveal) {
  const highest = buckets.reduce((most, bucket) => Math.max(most, bucket.count), 1);
  const bars = buckets.map(({ count: inBucket, slowest }, i) => {
    const range = rangeName(i);
    const cell = make("span", "bucket");
    if (slowest !== undefined) {
      const bar = make("button", side);
      const label = `${many(inBucket, "time")} ${range}`;
      bar.type = "button";
      bar.title = label;
      bar.setAttribute("aria-label", label);
      bar.style.height = `${Math.max(3, (inBucket / highest) * maxBarPx)}px`;
      bar.addEventListener("click", () => onReveal(slowest));
      cell.append(bar);
    }
    cell.append(make("small", "", limitName(i)));
    return cell;
  });
  const facts = `${many(count, "time")} · median ${time(p50Ms)} · 95 % ${time(p95Ms)} · slowest ${time(maxMs)}`;
  return make(
    "section",
    "latency",
    make("h3", side, short(name, 80)),
    make("p", "hint", facts),
    make("div", "histogram", ...bars),
  );
}

/** The label below a bucket: its upper limit. @param {number} i */
function limitName(i) {
  const limitMs = bucketLimitsMs[i];
  if (limitMs === undefined) return "more";
  return limitMs < 1000 ? `${limitMs} ms` : `${limitMs / 1000} s`;
}

/** @param {number} i */
function rangeName(i) {
  const belowName = limitName(i);
  if (i === 0) return `below ${belowName}`;
  return bucketLimitsMs[i] === undefined ? `from ${limitName(i - 1)}` : `from ${limitName(i - 1)} to ${belowName}`;
}
