/**
 * The demo's tape and its two branches, played through the whole agent.
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { claudeAgent } from "../../support/claude/claude-agent.ts";
import { block, client, type RequestPermissionOutcome, type SessionUpdate } from "../../../lib/acp/index.ts";
import {
  branchingLink,
  demoTapeText,
  readBranchingTape,
  recordedFile,
} from "../../../lib/program/demo/branching-tape.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { emptyStore } from "../../support/claude/agent-harness.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const cwd = tmpdir();
const maxBytes = 30_000;

interface Played {
  readonly updates: readonly SessionUpdate[];
  readonly asked: readonly string[];
  readonly stopReason: string;
  readonly bugs: readonly unknown[];
}

/** Plays the turn; `answer` is called with the title of each permission request. */
async function play(answer: (title: string) => "allow" | "reject" | "cancel"): Promise<Played> {
  const tape = readBranchingTape(demoTapeText(), cwd);
  const [agentEnd, clientEnd] = memoryPair();
  const bugs: unknown[] = [];
  const clock = fakeClock();
  const { stop } = claudeAgent(agentEnd, {
    launcher: () => ({ link: branchingLink(tape, {}), ready: () => {} }),
    after: clock.after,
    env: {},
    program: { command: "bowline", args: [] },
    store: emptyStore,
    prewarms: false,
    onBug: (doing, cause) => bugs.push([doing, cause]),
    textOf: (path) => recordedFile(tape, path),
  });
  const updates: SessionUpdate[] = [];
  const asked: string[] = [];
  const agent = await client(clientEnd, {
    info: { name: "spec", version: "0" },
    handlers: (connection) => ({
      "session/update": ({ update }) => void updates.push(update),
      "session/request_permission": ({ sessionId, toolCall, options }): { outcome: RequestPermissionOutcome } => {
        asked.push(toolCall.title ?? "");
        const said = answer(toolCall.title ?? "");
        if (said === "cancel") connection.cancel(sessionId);
        const kind = said === "allow" ? "allow_once" : "reject_once";
        const option = options.find((one) => one.kind === kind);
        return {
          outcome:
            option && said !== "cancel" ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" },
        };
      },
    }),
  });
  const { sessionId } = await agent.call("session/new", { cwd, mcpServers: [] });
  const { stopReason } = await agent.prompt({ sessionId, prompt: [block.text(tape.prompt.text)] });
  agent.close();
  await stop("the spec is over");
  return { updates, asked, stopReason, bugs };
}

function words(updates: readonly SessionUpdate[]): string {
  return updates
    .map((one) => (one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : ""))
    .join("");
}

function ends(updates: readonly SessionUpdate[]): Readonly<Record<string, string>> {
  const calls = updates.filter((one) => one.sessionUpdate === "tool_call" || one.sessionUpdate === "tool_call_update");
  return Object.fromEntries(calls.map(({ toolCallId, status }) => [toolCallId, status ?? ""]));
}

describe("the demo's tape", () => {
  it("the demo's tape is small, comes from the real CLI, and names no machine", () => {
    const text = demoTapeText();
    assert.ok(Buffer.byteLength(text) <= maxBytes);
    assert.match(text, /"claude_code_version":"2\.\d+\.\d+"/);
    assert.doesNotMatch(text, /bowline-live|\/tmp\/|sk-ant/);
  });

  it("the demo plays to its end when everything is allowed", async () => {
    const { updates, asked, stopReason, bugs } = await play(() => "allow");
    assert.deepEqual(asked, ["Edit src/slug.js", "npm test --silent"]);
    assert.match(words(updates), /## Fixed: letters with accents are kept[^]*All \*\*3 tests\*\* pass\.$/);
    assert.equal(stopReason, "end_turn");
    assert.deepEqual(bugs, []);
    const { toolu_edit, toolu_test } = ends(updates);
    assert.deepEqual([toolu_edit, toolu_test], ["completed", "completed"]);
    const plan = updates.findLast((one) => one.sessionUpdate === "plan");
    assert.deepEqual(
      plan?.entries.map(({ status }) => status),
      ["completed", "completed", "completed"],
    );
    assert.ok(updates.some((one) => one.sessionUpdate === "agent_thought_chunk"));
    assert.ok(updates.some((one) => one.sessionUpdate === "usage_update"));
  });

  it("the demo continues with its own branch when the edit is refused", async () => {
    const { updates, asked, stopReason, bugs } = await play(() => "reject");
    assert.deepEqual(asked, ["Edit src/slug.js"]);
    assert.match(words(updates), /I have not changed[^]*Tell me if you want it\.$/);
    assert.equal(ends(updates)["toolu_edit"], "failed");
    assert.deepEqual([stopReason, bugs], ["end_turn", []]);
  });

  it("the demo continues with its own branch when the tests are refused", async () => {
    const { updates, asked, stopReason, bugs } = await play((title) => (title.startsWith("Edit") ? "allow" : "reject"));
    assert.equal(asked.length, 2);
    assert.match(words(updates), /\*\*not been run\*\*\.[^]*to pass\.$/);
    assert.deepEqual(ends(updates)["toolu_test"], "failed");
    assert.deepEqual([stopReason, bugs], ["end_turn", []]);
  });

  it("the demo's turn ends as cancelled when it is stopped", async () => {
    const { stopReason, updates } = await play(() => "cancel");
    assert.equal(stopReason, "cancelled");
    assert.ok(!Object.values(ends(updates)).some((status) => status === "in_progress" || status === "pending"));
  });

  it("the demo's edit is shown with its line number before it is made", async () => {
    const { updates } = await play(() => "allow");
    const lines = updates.flatMap((one) =>
      one.sessionUpdate === "tool_call_update" && one.toolCallId === "toolu_edit"
        ? (one.locations ?? []).map(({ line }) => line)
        : [],
    );
    assert.ok(lines.includes(4), `lines ${lines.join()}`);
  });
});
