/**
 * Specs of the comparison: what counts as looser, and that the lists and the recorded
 * outcomes match.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { comparedCalls } from "./cases.ts";
import { isRuledWrite } from "./comparison.ts";
import { compareOutcomes, verdictOf, type Outcome, type Verdict } from "./outcome.ts";
import { columnOf, RecordedOutcomes } from "./recorded.ts";
import { sampleOf } from "./sample.ts";

const outcome = (verdict: Verdict, ...effects: readonly string[]): Outcome => ({ verdict, effects });

describe("comparing the editor options with the CLI's own tools", () => {
  it("the comparison calls an outcome looser when the call runs without asking and the CLI's own does not", () => {
    for (const cli of ["asked", "denied", "failed"] as const) {
      assert.equal(compareOutcomes(outcome(cli), outcome("ran")).kind, "looser", cli);
      assert.equal(compareOutcomes(outcome(cli), outcome(cli)).kind, "same", cli);
      assert.equal(compareOutcomes(outcome("ran"), outcome(cli)).kind, "stricter", cli);
    }
  });

  it("the comparison calls an outcome looser when the user is asked about what the CLI denies", () => {
    assert.equal(compareOutcomes(outcome("denied"), outcome("asked")).kind, "looser");
    assert.equal(compareOutcomes(outcome("asked"), outcome("denied")).kind, "stricter");
  });

  it("the comparison counts a write apart that the user is asked about because a rule with a pattern denies it", () => {
    assert.equal(compareOutcomes(outcome("denied"), outcome("asked"), true).kind, "asked");
    assert.equal(compareOutcomes(outcome("denied"), outcome("ran"), true).kind, "looser");
    assert.equal(compareOutcomes(outcome("denied"), outcome("asked", "created project/x"), true).kind, "looser");
    const ruled = (deny: readonly string[], tool: "Write" | "Read" | "Bash"): boolean => {
      const settings = [{ path: "project/.claude/settings.json" as const, content: { permissions: { deny } } }];
      return isRuledWrite({ kind: "rules", group: "", id: "", before: [], tool, input: {}, settings });
    };
    assert.equal(ruled(["Edit(app/(auth)/**)"], "Write"), true);
    assert.equal(ruled(["Edit(app/(auth)/**)"], "Read"), false);
    assert.equal(ruled(["Write", "Bash(tee *)"], "Write"), false);
  });

  it("the comparison calls an outcome looser when a file changes that the CLI's own tool leaves alone, whatever the verdict", () => {
    const more = compareOutcomes(outcome("ran", "changed project/a"), outcome("ran", "changed project/a", "created x"));
    assert.deepEqual(more, { kind: "looser", why: "the CLI: ran, with the options on: ran; also created x" });
    assert.equal(compareOutcomes(outcome("asked"), outcome("asked", "created project/x")).kind, "looser");
    assert.equal(compareOutcomes(outcome("ran", "created project/x"), outcome("ran")).kind, "same");
  });

  it("the comparison counts a failed command as run, and a refused one as not run", () => {
    assert.equal(verdictOf("Bash", false, { isError: true, text: "Exit code 2\nno such file" }), "ran");
    assert.equal(verdictOf("Bash", false, { isError: false, text: "" }), "ran");
    assert.equal(verdictOf("Bash", false, { isError: true, text: "Command timed out after 1s" }), "ran");
    const malformed = "<tool_use_error>InputValidationError: ...</tool_use_error>";
    assert.equal(verdictOf("Bash", false, { isError: true, text: malformed }), "failed");
    assert.equal(verdictOf("Bash", true, undefined), "asked");
    assert.equal(verdictOf("Bash", false, undefined), "failed");
    assert.equal(verdictOf("Read", false, { isError: true, text: "File does not exist." }), "failed");
    const denied = "Permission to use Bash with command tee out.txt has been denied.";
    assert.equal(verdictOf("Bash", false, { isError: true, text: denied }), "denied");
  });

  it("the comparison has enough calls of each kind, each with a name of its own", () => {
    const calls = comparedCalls();
    assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
    const count = (kind: string): number => calls.filter((call) => call.kind === kind).length;
    assert.ok(count("commands") >= 400 && count("paths") >= 200 && count("rules") >= 180);
    const settings = new Set(calls.filter(({ kind }) => kind === "rules").map((call) => JSON.stringify(call.settings)));
    assert.ok(settings.size >= 60);
  });

  it("the comparison has the CLI's own outcome of every call in the default mode, without a path of the machine", () => {
    const recorded = RecordedOutcomes.read();
    for (const { id } of comparedCalls()) {
      const found = recorded.get(columnOf("default", "bash"), id) ?? assert.fail(`${id} is not recorded`);
      for (const effect of found.effects)
        assert.match(effect, /^(told a secret|\w+ (project|outside|home|\/dev)\b.*)$/);
    }
  });

  it("the comparison draws the same sample for the same seed, in the order of the list", () => {
    const calls = comparedCalls();
    const first = sampleOf(calls, 50, 7);
    assert.equal(first.length, 50);
    assert.deepEqual(first, sampleOf(calls, 50, 7));
    assert.notDeepEqual(first, sampleOf(calls, 50, 8));
    const places = first.map((call) => calls.indexOf(call));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });
});
