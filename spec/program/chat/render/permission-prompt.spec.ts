/**
 * The keys that answer a permission request; anything else is a refusal.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PermissionOption, permissionOption } from "../../../../lib/acp/index.ts";
import {
  answersTo,
  approval,
  chosen,
  chosenByLine,
  refusal,
} from "../../../../lib/program/chat/render/permission-prompt.ts";

const usual = [
  permissionOption("allow_once", "yes", "Allow"),
  permissionOption("allow_always", "always", "Always"),
  permissionOption("reject_once", "no", "Reject"),
];
const choices = ["Red", "Green", "Blue"].map((name, i) => permissionOption("allow_once", `choice_${i}`, name));

function answer(options: readonly PermissionOption[], key: string): string | undefined {
  const outcome = chosen(answersTo(options), key);
  return outcome?.outcome === "selected" ? outcome.optionId : outcome?.outcome;
}

describe("chosen", () => {
  it("options for one call are chosen by y and n", () => {
    assert.deepEqual(
      ["y", "n", "Y"].map((key) => answer(usual, key)),
      ["yes", "no", "yes"],
    );
  });

  it("numbers are for options without a letter, and have no gap", () => {
    const mixed = [
      permissionOption("allow_always", "always", "Always"),
      ...choices,
      permissionOption("reject_once", "no", "No"),
      permissionOption("reject_once", "reason", "No, with a reason"),
    ];
    assert.deepEqual(
      answersTo(mixed).map(({ key }) => key),
      ["", "1", "2", "3", "n", "4"],
    );
  });

  it("an option that changes permissions for longer has no key", () => {
    const lasting = [...usual, permissionOption("reject_always", "never", "Never")];
    for (const key of ["2", "a", "4", "always", "A"]) assert.equal(answer(lasting, key), undefined, key);
  });

  it("a key without an option is no answer to a permission request", () => {
    for (const key of ["", " ", "4", "0", "\r", "q", "yes", "yn", "\x1b", "constructor", "1", "2", "3"])
      assert.equal(answer(usual, key), undefined, key);
  });

  it("options of the same kind have no letter", () => {
    assert.equal(answer(choices, "y"), undefined);
    assert.equal(answer(choices, "2"), "choice_1");
  });

  it("each of many options has a key, and no two the same", () => {
    const many = Array.from({ length: 30 }, (_, i) => permissionOption("allow_once", `choice_${i}`, `${i}`));
    const keys = answersTo([...many, permissionOption("reject_once", "no", "No")]).map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(!keys.includes(""));
  });
});

describe("chosenByLine", () => {
  const byLine = (options: readonly PermissionOption[], line: string): string | undefined => {
    const outcome = chosenByLine(answersTo(options), line);
    return outcome?.outcome === "selected" ? outcome.optionId : outcome?.outcome;
  };

  it("a lasting permission is granted by a whole word, with a number where there are several", () => {
    assert.equal(byLine(usual, " Always "), "always");
    assert.equal(byLine(usual, "y"), "yes");
    for (const line of ["a", "2", "alway"]) assert.equal(byLine(usual, line), undefined, line);
    const two = [...usual, permissionOption("allow_always", "more", "Always, and more")];
    assert.equal(byLine(two, "always"), undefined);
    assert.equal(byLine(two, "always 2"), "more");
  });
});

describe("refusal", () => {
  it("refusal chooses an option that rejects, and cancels where there is none", () => {
    assert.deepEqual(refusal(usual), { outcome: "selected", optionId: "no" });
    assert.deepEqual(refusal(choices), { outcome: "cancelled" });
    assert.deepEqual(refusal([]), { outcome: "cancelled" });
    assert.deepEqual(refusal([permissionOption("reject_always", "never", "Never")]), {
      outcome: "selected",
      optionId: "never",
    });
  });
});

describe("approval", () => {
  it("approval, which the demo uses without a user, allows a call once and never always", () => {
    assert.deepEqual(approval(usual), { outcome: "selected", optionId: "yes" });
    assert.deepEqual(approval([permissionOption("allow_always", "always", "Always")]), { outcome: "cancelled" });
  });
});
