/**
 * The life of calls in a client with terminals.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { textOf } from "../../../../lib/schema/index.ts";
import {
  CodexHarness,
  command,
  completed,
  edit,
  outputDelta,
  patch,
  started,
  turnCompleted,
} from "../../../support/codex/harness.ts";

describe("a command in a client without terminals", () => {
  const shown = (updates: readonly SessionUpdate[]): string => JSON.stringify(updates);

  it("the end of the output so far replaces what was shown, and the whole output comes at the end", () => {
    const codex = new CodexHarness();
    const first = codex.take(started(command("x")), outputDelta("one\n"));
    assert.match(shown(first), /```console\\none\\n```/);
    assert.deepEqual(codex.take(outputDelta("two\n")), []);
    assert.match(shown(codex.state.calls.tick()), /one\\ntwo\\n/);
    assert.deepEqual(codex.state.calls.tick(), [], "nothing is new");
    assert.equal(codex.state.calls.isPausing, false);
    const whole = "zero\none\ntwo\n";
    const end = codex.take(completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: whole })));
    assert.match(shown(end), /zero\\none\\ntwo\\n/);
  });

  it("a command that prints for long is shown less and less often, at most 4 KB at a time", () => {
    const codex = new CodexHarness();
    codex.take(started(command("x")));
    const updates: SessionUpdate[] = [];
    for (let i = 0; i < 10_000; i++) {
      updates.push(...codex.take(outputDelta(`${"x".repeat(1000)}\n`)), ...codex.state.calls.tick());
    }
    assert.ok(updates.length > 200 && updates.length < 600, `${updates.length} updates`);
    assert.ok(updates.every((one) => shown([one]).length < 4500));
  });

  it("a very long output has its beginning and its end", () => {
    const codex = new CodexHarness();
    const whole = `first\n${"x".repeat(1_000_000)}\nlast\n`;
    const end = completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: whole }));
    const text = shown(codex.take(started(command("x")), end));
    assert.match(text, /first.*\[\d+ characters not shown\].*last/);
    assert.ok(text.length < 110_000);
  });
});

describe("a command in a client with terminals", () => {
  it("output is appended as it comes, and the end adds only what was not shown", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    const live = codex.take(started(command("x")), outputDelta("two\n"), outputDelta("three\n"));
    assert.equal(outputOf(live), "two\n", "the next piece waits for a tick");
    assert.equal(outputOf(codex.state.calls.tick()), "three\n");
    const whole = "one\ntwo\nthree\n";
    const end = codex.take(completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: whole })));
    assert.equal(outputOf(end), "[The output began with:]\none\n");
    assert.deepEqual(exitOf(end), { terminal_id: "call-1", exit_code: 0, signal: null });
  });

  it("output that waits for a tick comes with the end", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x")), outputDelta("one\n"), outputDelta("two\n"));
    const end = completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: "one\ntwo\nthree\n" }));
    assert.equal(outputOf(codex.take(end)), "two\nthree\n");
    assert.equal(codex.state.calls.isPausing, false);
  });

  it("an endless output is shown up to a limit, and its end with the result", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    const line = `${"x".repeat(1000)}\n`;
    const live = [...codex.take(started(command("x")))];
    for (let i = 0; i < 1000; i++) live.push(...codex.take(outputDelta(line)), ...codex.state.calls.tick());
    assert.ok(JSON.stringify(live).length < 400_000);
    const whole = `${line.repeat(1000)}last\n`;
    const end = codex.take(completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: whole })));
    assert.match(outputOf(end), /^\n\[\d+ characters not shown\]\n[^]*last\n$/);
    assert.ok(outputOf(end).length < 70_000);
  });

  it("a long output is sent once", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    const text = "0123456789".repeat(10_000);
    const updates = codex.take(
      started(command("x")),
      outputDelta(text),
      completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: text })),
    );
    assert.ok(JSON.stringify(updates).length < text.length * 1.05);
  });

  it("the terminal is shown when a pending command runs, and its reason until then", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    const [announced] = codex.take(started(command("x", { processId: null, source: "agent" })));
    assert.ok(announced?.sessionUpdate === "tool_call");
    assert.deepEqual([announced.status, announced.content], ["pending", undefined]);
    const asked = codex.askPermission("item/commandExecution/requestApproval", { reason: "May I?" });
    const [allow] = asked.question.choices;
    assert.ok(allow !== undefined);
    assert.deepEqual(asked.settled(allow.decision), [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: "in_progress",
        content: [{ type: "terminal", terminalId: "call-1" }],
      },
    ]);
  });

  it("a rejected command shows its reason and that it was rejected, and no terminal", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x", { processId: null, source: "agent" })));
    codex.askPermission("item/commandExecution/requestApproval", { reason: "May I?" });
    const [end] = codex.take(completed(command("x", { status: "declined", processId: null })));
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "failed");
    const texts = (end.content ?? []).map(
      (one) => one.type === "content" && one.content.type === "text" && one.content.text,
    );
    assert.deepEqual(texts, ["May I?", "Rejected."]);
  });

  it("a command that is stopped says so behind its output", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x")));
    const end = codex.take(completed(command("x", { status: "failed", exitCode: -1, aggregatedOutput: "begin" })));
    assert.equal(outputOf(end), "begin\nStopped.");
  });

  it("a command that goes on after its turn is announced once as background work", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x")));
    assert.equal(codex.take(turnCompleted()).length, 1);
    assert.deepEqual(codex.take(turnCompleted()), []);
  });

  it("a command in the background shows nothing but its end, with the rest of its output", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x")), outputDelta("early "), outputDelta("waiting "));
    assert.equal(outputOf(codex.take(turnCompleted())), "waiting ", "what waits is shown with the turn");
    assert.deepEqual(codex.take(outputDelta("late "), outputDelta("later")), []);
    const end = codex.take(
      completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: "early waiting late later" })),
    );
    assert.equal(outputOf(end), "late later");
  });

  it("a command of which nothing was shown shows its output in order", () => {
    const codex = new CodexHarness({ showsTerminals: true });
    codex.take(started(command("x")), turnCompleted(), outputDelta("late"));
    assert.equal(
      outputOf(
        codex.take(completed(command("x", { status: "completed", exitCode: 0, aggregatedOutput: "first late" }))),
      ),
      "first late",
    );
  });
});

describe("a patch", () => {
  it("a completed patch repeats nothing of its diff", () => {
    const updates = new CodexHarness().take(started(patch([edit])), completed(patch([edit], "completed")));
    assert.equal(JSON.stringify(updates).split("oldText").length, 2);
  });

  it("a rejected patch says so in its title", () => {
    const updates = new CodexHarness().take(started(patch([edit])), completed(patch([edit], "declined")));
    const end = updates.at(-1);
    assert.ok(end?.sessionUpdate === "tool_call_update");
    assert.deepEqual([end.status, end.title], ["failed", "Edit a.ts (rejected)"]);
  });

  it("a long title is shortened, not the word behind it", () => {
    const long = { ...edit, path: `/home/${"x".repeat(300)}` };
    const end = new CodexHarness().take(started(patch([long])), completed(patch([long], "declined"))).at(-1);
    assert.match((end?.sessionUpdate === "tool_call_update" && end.title) || "", /^Edit \/home\/x+… \(rejected\)$/);
  });

  it("hidden characters are marked until the patch has run", () => {
    const hidden = { ...edit, diff: "@@ -1 +1 @@\n-a\n+b\u202e\n" };
    const codex = new CodexHarness();
    assert.match(JSON.stringify(codex.take(started(patch([hidden])))), /b<U\+202E>/);
    assert.match(JSON.stringify(codex.take(completed(patch([hidden], "completed")))), /b\u202e/);
  });
});

function outputOf(updates: readonly SessionUpdate[]): string {
  return updates.map((one) => textOf(field(one, "terminal_output")?.["data"]) ?? "").join("");
}

function exitOf(updates: readonly SessionUpdate[]): unknown {
  return updates.map((one) => field(one, "terminal_exit")).find((exit) => exit !== undefined);
}

function field(one: SessionUpdate, name: string): Readonly<Record<string, unknown>> | undefined {
  const value = one._meta?.[name];
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
