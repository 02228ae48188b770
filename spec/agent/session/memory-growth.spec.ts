/**
 * Memory of a session on the scripted engine: thousands of turns keep no more memory than
 * the first ones. spec/claude/engine/memory-growth.spec.ts tests the same with a fake CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { heapBytesPerTurn } from "../../support/agent/heap-per-turn.ts";
import { ScriptedEngine } from "../../support/agent/scripted-engine.ts";

describe("memory of sessions", () => {
  it("the heap does not grow with the number of turns of three sessions", async () => {
    const [near, far] = memoryPair();
    const engine = new ScriptedEngine();
    let turnCount = 0;
    engine.onCall = (conversation, call) => {
      if (call !== "submit") return;
      const toolCallId = `call-${++turnCount}`;
      conversation.take();
      conversation.say(`Turn ${turnCount}. `.repeat(10));
      conversation.update(
        update.toolCall({ toolCallId, title: `echo ${turnCount}` }),
        update.toolCallUpdate({ toolCallId, status: "completed", rawOutput: `output ${turnCount} `.repeat(20) }),
      );
      conversation.end();
      // The engine's own record of the calls would grow.
      conversation.calls.length = 0;
      conversation.prompts.length = 0;
    };
    const agent = createAgent(near, {
      engine,
      env: {},
      program: { command: "bowline", args: [] },
      prewarms: false,
      idleTimeoutMs: 0,
    });
    const each = await heapBytesPerTurn(far, 3);
    // Optimised code grows by a megabyte once; a leaked turn would be about 700 bytes.
    assert.ok(each < 100, `${Math.round(each)} bytes are held for each turn`);
    await agent.stop("done");
  });
});
