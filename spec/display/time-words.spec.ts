/**
 * Specs of durations and times in words.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dateWords, durationWords, timeWords } from "../../lib/display/index.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

describe("durations and times in words", () => {
  it("a duration has its two largest units", () => {
    const words = [-1, 400, 59_000, minuteMs, 90 * minuteMs, 5 * hourMs, dayMs, 3 * dayMs + 4 * hourMs + minuteMs];
    assert.deepEqual(words.map(durationWords), [
      "0 s",
      "0 s",
      "59 s",
      "1 min",
      "1 h 30 min",
      "5 h",
      "1 day",
      "3 days 4 h",
    ]);
  });

  it("a time is an hour within a day, and has its date beyond that", () => {
    const now = new Date(2026, 10, 17, 12, 0).getTime();
    assert.equal(timeWords(now + 2 * hourMs, now), "14:00");
    assert.equal(timeWords(now + 3 * dayMs, now), "Fri 20 Nov, 12:00");
  });

  it("a date has its day and its time zone", () => {
    assert.match(dateWords(new Date(2026, 10, 20, 12, 0).getTime()), /^Fri 20 Nov, 12:00 \S+$/);
    assert.equal(dateWords(1e300), "an unknown day");
  });
});
