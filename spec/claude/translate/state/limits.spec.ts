/**
 * Specs of the account's limits in the events of the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dateWords } from "../../../../lib/display/index.ts";
import { result, TranslatorHarness } from "../../../support/translate/cli-events.ts";

const resetsAt = 1_800_000_000;
const limit = (utilization: number, more: object = {}): object => ({
  type: "rate_limit_event",
  rate_limit_info: { status: "allowed", rateLimitType: "five_hour", utilization, resetsAt, ...more },
});

describe("the limits of the account", () => {
  const notices = (translator: TranslatorHarness, ...events: readonly object[]): readonly string[] =>
    translator.take(...events).flatMap((one) => (one.sessionUpdate === "notice" ? [one.title] : []));

  it("the user is notified once at 75, 90 and 100 percent, and again after the reset", () => {
    const translator = new TranslatorHarness({ showsNotices: true });
    const told = [0.5, 0.76, 0.8, 0.93, 0.9, 1].flatMap((used) => notices(translator, limit(used)));
    const reset = ` It resets on ${dateWords(resetsAt * 1000)}.`;
    assert.deepEqual(told, [
      `76% of the 5-hour limit is used.${reset}`,
      `93% of the 5-hour limit is used.${reset}`,
      `The 5-hour limit is reached.${reset}`,
    ]);
    assert.equal(notices(translator, limit(0.8, { resetsAt: resetsAt + 18_000 })).length, 1);
    assert.deepEqual(notices(translator, limit(0.99, { rateLimitType: "__proto__" }), limit(Number.NaN)), []);
    assert.deepEqual(
      notices(translator, limit(0, { rateLimitType: "seven_day", status: "rejected", resetsAt: 1e99 })),
      ["The weekly limit is reached."],
    );
  });

  it("usage_update has every limit with its reset in _meta, once there is one", () => {
    const translator = new TranslatorHarness();
    const ended = { modelUsage: { opus: { contextWindow: 1000 } } };
    const [plain] = translator.take(result(ended)).filter((one) => one.sessionUpdate === "usage_update");
    assert.ok(plain !== undefined && plain._meta === undefined);
    const unifiedWindows = { five_hour: { utilization: 0.25, resetsAt }, seven_day: { utilization: 0.5, resetsAt } };
    const [usage] = translator.take(limit(0.25, { unifiedWindows }));
    const at = "2027-01-15T08:00:00Z";
    assert.deepEqual(usage?._meta, {
      limits: [
        { id: "five_hour", name: "5-hour limit", usedPercent: 25, resetsAt: at },
        { id: "seven_day", name: "weekly limit", usedPercent: 50, resetsAt: at },
      ],
    });
    assert.deepEqual(translator.take(limit(0.25, { unifiedWindows })), []);
  });
});
