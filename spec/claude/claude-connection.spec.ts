/**
 * `ClaudeConnection` over a link in memory. The spec plays the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeExit } from "../../lib/claude/index.ts";
import { isRecord } from "../../lib/schema/index.ts";
import { saidByCli } from "../support/claude/claude-recording.ts";
import { connectionHarness } from "../support/claude/connection-harness.ts";

describe("ClaudeConnection", () => {
  it("the connection passes the events of a recorded turn to onEvent in order, without control frames", async () => {
    const { events, say, settled } = connectionHarness({ can_use_tool: () => ({ behavior: "allow" }) });
    const said = saidByCli("write");
    for (const value of said) say(value);
    await settled();
    const spoken = said.filter((value) => isRecord(value) && !String(value["type"]).startsWith("control_"));
    assert.deepEqual(events, spoken);
  });

  it("the connection skips a line that is not a JSON object and reads the next one", async () => {
    const { events, say, settled } = connectionHarness();
    for (const line of ["Warning: something", "null", "[]", "7", '{"type":', '""']) say(line);
    say({ type: "keep_alive" });
    await settled();
    assert.deepEqual(events, [{ type: "keep_alive" }]);
  });

  it("the connection passes an unknown event to onEvent under its name", async () => {
    const { events, say, settled } = connectionHarness();
    say({ type: "brand_new" });
    say({ type: "system", subtype: "brand_new" });
    await settled();
    assert.deepEqual(
      events.map((event) => event.type === "unknown" && event.named),
      ["brand_new", "system/brand_new"],
    );
  });

  it("the connection reads the next event after onEvent has thrown", async () => {
    const seen: string[] = [];
    const { failures, say, settled } = connectionHarness({}, (event) => {
      seen.push(event.type);
      throw new Error("a bug");
    });
    say({ type: "keep_alive" });
    say({ type: "keep_alive" });
    await settled();
    assert.deepEqual(
      [seen, failures],
      [
        ["keep_alive", "keep_alive"],
        ["onEvent", "onEvent"],
      ],
    );
  });

  it("the connection sends a prompt as one line", async () => {
    const { claude, frame } = connectionHarness();
    const prompt = { type: "user", message: { role: "user", content: "two\nlines" }, uuid: "u1" } as const;
    claude.prompt(prompt);
    assert.deepEqual(await frame(0), prompt);
  });

  it("stop sends an interrupt before it closes the link, and the exit carries the reason", async () => {
    const { claude, frame } = connectionHarness();
    const exit = await claude.stop("the session was closed");
    assert.deepEqual((await frame(0)).request, { subtype: "interrupt", cancel_queued: true });
    assert.ok(exit instanceof ClaudeExit);
    assert.equal(exit.message, "the session was closed");
    assert.equal(await claude.stop("again"), exit);
    assert.equal(claude.isOpen, false);
  });

  it("the connection closes when the CLI ends its output", async () => {
    const { claude, far } = connectionHarness();
    far.close("gone");
    assert.equal((await claude.closed).message, "the Claude CLI ended its output");
    assert.equal(claude.prompt({ type: "user", message: { role: "user", content: "x" } }), false);
  });
});
