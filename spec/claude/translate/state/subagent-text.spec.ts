/**
 * Specs of the text of subagents, by what the client can show.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { assistant, toolResult, toolUse, TranslatorHarness } from "../../../support/translate/cli-events.ts";

const child = { parent_tool_use_id: "call-1" };
const agent = toolUse("Agent", { description: "Find the tests", prompt: "Look for tests." });
const said = (text: string): object => assistant([{ type: "text", text }], child);

/** The texts that the call of the subagent shows, one after the other. */
function shown(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) =>
    one.sessionUpdate === "tool_call_update" && one.toolCallId === "call-1" && one.content != null
      ? [JSON.stringify(one.content)]
      : [],
  );
}

describe("the text of a subagent", () => {
  it("a client that asks for it sees the last words in the subagent's call, and the calls below it", () => {
    const translator = new TranslatorHarness({ wantsSubagentText: true });
    translator.take(assistant([agent]));
    const updates = translator.take(
      said("I look in spec/."),
      assistant([toolUse("Bash", { command: "ls spec" }, "call-2")], child),
      toolResult("a.spec.ts", {}, "call-2"),
      said("Two are left."),
    );
    assert.deepEqual(
      shown(updates).map((content) => /"text":"([^"]*)"/.exec(content)?.[1]),
      ["I look in spec/.", "Two are left."],
    );
    const below = updates.find((one) => one.sessionUpdate === "tool_call");
    assert.deepEqual(below?._meta?.["claudeCode"], { toolName: "Bash", parentToolUseId: "call-1" });
    assert.ok(!updates.some((one) => one.sessionUpdate === "agent_message_chunk"));
  });

  it("a client that does not ask for the text of subagents sees only the final report", () => {
    const translator = new TranslatorHarness();
    translator.take(assistant([agent]));
    assert.deepEqual(shown(translator.take(said("I look in spec/."))), []);
    const structured = { status: "completed", content: [{ type: "text", text: "Found." }] };
    const [content] = shown(translator.take(toolResult("Found.", { tool_use_result: structured })));
    assert.match(content ?? "", /Found\./);
  });

  it("a long text is cut to its end, and an empty one changes nothing", () => {
    const translator = new TranslatorHarness({ wantsSubagentText: true });
    translator.take(assistant([agent]));
    const [content = ""] = shown(translator.take(said(`${"x".repeat(10_000)}\nthe end`)));
    assert.ok(content.length < 6000);
    assert.match(content, /the end/);
    assert.deepEqual(shown(translator.take(said("  "))), []);
  });
});
