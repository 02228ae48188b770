/**
 * The ends of turns: stop reasons, and failures by what the user can do about them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CodexErrorInfo, CodexNotification } from "../../../lib/codex/protocol/index.ts";
import { earlyEndOf, turnEndOf } from "../../../lib/codex/translate/index.ts";
import type { EngineFailure } from "../../../lib/engine/index.ts";
import { Fault } from "../../../lib/schema/index.ts";

const now = new Date(2026, 10, 16, 13, 0);

describe("turnEndOf", () => {
  it("completed and interrupted turns have their stop reasons", () => {
    assert.deepEqual(turnEndOf({ id: "t", status: "completed" }, now), { kind: "stopped", stopReason: "end_turn" });
    assert.deepEqual(turnEndOf({ id: "t", status: "interrupted" }, now), { kind: "stopped", stopReason: "cancelled" });
  });

  it("a full context and a cut answer are max_tokens", () => {
    assert.equal(stopOf("contextWindowExceeded", "no room"), "max_tokens");
    assert.equal(stopOf("other", "Incomplete response returned, reason: max_output_tokens"), "max_tokens");
  });

  const rows: readonly [CodexErrorInfo, string, EngineFailure["kind"], string][] = [
    [
      { httpConnectionFailed: { httpStatusCode: 401 } },
      "unexpected status 401 Unauthorized: Incorrect API key provided., url: http://127.0.0.1/v1",
      "not_signed_in",
      "Codex is not signed in: Incorrect API key provided.",
    ],
    [
      "other",
      "Missing environment variable: `KEY`.",
      "not_signed_in",
      "Codex is not signed in: Missing environment variable: `KEY`.",
    ],
    ["unauthorized", "", "not_signed_in", "Codex is not signed in: the turn failed without saying why"],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, "slow", "limit", "A limit of Codex is reached: slow"],
    ["usageLimitExceeded", "Quota exceeded.", "limit", "A limit of Codex is reached: Quota exceeded."],
    [
      { httpConnectionFailed: { httpStatusCode: 403 } },
      "unexpected status 403 Forbidden: Not for you., url: http://x",
      "api",
      "Codex got an error from the API: 403 Forbidden: Not for you.",
    ],
    ["serverOverloaded", "At capacity.", "api", "Codex got an error from the API: At capacity."],
    [
      "modelNotFound",
      "The model `x` does not exist.",
      "api",
      "Codex got an error from the API: The model `x` does not exist.",
    ],
    ["other", '{"error":{"message":"Bad schema.","code":400}}', "other", "Codex failed: Bad schema."],
    ["somethingNew", "Odd.", "other", "Codex failed: Odd."],
  ];
  for (const [info, message, kind, text] of rows) {
    it(`the error ${JSON.stringify(info)} "${message.slice(0, 30)}" is a failure of kind ${kind}`, () => {
      const failure = failureOf(info, message);
      assert.deepEqual([failure.kind, failure.message], [kind, text]);
    });
  }

  it("a limit that names a time of day ends at the next such time", () => {
    const at = (text: string): number | undefined => failureOf("usageLimitExceeded", text).resetsAt;
    const secondsOf = (day: number, hour: number, minute: number): number =>
      new Date(2026, 10, day, hour, minute).getTime() / 1000;
    assert.equal(at("or try again at 8:13 PM."), secondsOf(16, 20, 13));
    assert.equal(at("or try again at 9:05 AM."), secondsOf(17, 9, 5));
    assert.equal(at("or try again at Nov 20th, 2026 12:30 AM."), secondsOf(20, 0, 30));
    assert.equal(at("or try again later."), undefined);
  });

  it("a failed turn without an error still says that it failed", () => {
    const end = turnEndOf({ id: "t", status: "failed", error: null }, now);
    assert.ok(end.kind === "failed" && end.failure instanceof Error);
    assert.equal(end.failure.message, "Codex failed: the turn failed without saying why");
  });
});

describe("earlyEndOf", () => {
  it("a refused key ends the turn at its first refusal", () => {
    const end = earlyEndOf(retry({ responseStreamDisconnected: { httpStatusCode: 401 } }), now);
    assert.ok(end?.kind === "failed");
    assert.deepEqual([end.failure.kind, end.failure.message], ["not_signed_in", "Codex is not signed in: Bad key."]);
  });

  it("a retry after a broken stream or a server error does not end the turn", () => {
    assert.equal(earlyEndOf(retry({ responseStreamDisconnected: { httpStatusCode: null } }), now), undefined);
    assert.equal(earlyEndOf(retry({ responseStreamDisconnected: { httpStatusCode: 500 } }), now), undefined);
  });
});

function retry(codexErrorInfo: CodexErrorInfo): CodexNotification {
  const error = {
    message: "Reconnecting... 1/5",
    codexErrorInfo,
    additionalDetails: "unexpected status 401 Unauthorized: Bad key., url: http://x",
  };
  const read = CodexNotification.read({ method: "error", params: { threadId: "t", error, willRetry: true } });
  assert.ok(!(read instanceof Fault));
  return read;
}

function failureOf(codexErrorInfo: CodexErrorInfo, message: string): EngineFailure {
  const end = turnEndOf({ id: "t", status: "failed", error: { message, codexErrorInfo } }, now);
  assert.ok(end.kind === "failed");
  return end.failure;
}

function stopOf(codexErrorInfo: CodexErrorInfo, message: string): string | undefined {
  const end = turnEndOf({ id: "t", status: "failed", error: { message, codexErrorInfo } }, now);
  return end.kind === "stopped" ? end.stopReason : undefined;
}
