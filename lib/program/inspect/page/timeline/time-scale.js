/**
 * Maps times to positions between 0 and 1, with long silences shortened.
 */

/** @typedef {import("../recording/model.ts").TimeScale} TimeScale */
/** @typedef {import("../recording/model.ts").Tool} Tool */
/** @typedef {import("../recording/model.ts").ToolBar} ToolBar */
/** @typedef {{ readonly t: number, readonly at: number }} Point */

const minSilenceMs = 2000;
/** The minimum width of a bar, so that it stays visible. */
const minBar = 0.004;
const maxBarLines = 5;

/** @param {readonly number[]} times @param {number} end @returns {TimeScale} */
export function timeScale(times, end) {
  const silenceMs = Math.max(minSilenceMs, end / 12);
  // A typed array is sorted by number, and ten times as fast.
  const moments = Float64Array.from(new Set(times.map(Math.round))).sort();
  /** @type {Point[]} */
  const points = [{ t: 0, at: 0 }];
  /** @type {number[]} */
  const breaks = [];
  let [before, at] = [0, 0];
  for (const t of moments) {
    const gap = t - before;
    if (gap > silenceMs) breaks.push(before);
    at += gap > silenceMs ? silenceMs / 4 : gap;
    points.push({ t, at });
    before = t;
  }
  const total = at || 1;
  return { breaks, x: (t) => placeOf(t, points) / total };
}

/** Puts each tool call on the first free line; on the last one when none is free. @param {readonly Tool[]} tools @param {TimeScale} scale @returns {ToolBar[]} */
export function toolBars(tools, scale) {
  /** Where the last bar of each line ends. @type {number[]} */
  const lineEnds = [];
  return tools.map((tool) => {
    const from = scale.x(tool.from);
    const to = Math.max(scale.x(tool.to), from + minBar);
    const free = lineEnds.findIndex((end) => end <= from);
    const line = free === -1 ? Math.min(lineEnds.length, maxBarLines - 1) : free;
    lineEnds[line] = to;
    return { tool, from, to, line };
  });
}

/** Interpolates between the neighbouring points. @param {number} t @param {readonly Point[]} points */
function placeOf(t, points) {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((points[middle]?.t ?? 0) <= t) low = middle;
    else high = middle - 1;
  }
  const from = points[low] ?? { t: 0, at: 0 };
  const to = points[low + 1] ?? from;
  return from.at + (to.t > from.t ? ((Math.min(t, to.t) - from.t) / (to.t - from.t)) * (to.at - from.at) : 0);
}
