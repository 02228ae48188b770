/**
 * Memory of a session with a fake CLI: thousands of turns keep no more memory than the first ones.
 * spec/live/faults/soak.live.ts tests the same with the real CLI, over minutes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claudeAgent } from "../../support/claude/claude-agent.ts";
import type { ClaudeLink } from "../../../lib/claude/index.ts";
import { memoryPair, realTimer } from "../../../lib/wire/index.ts";
import { ends, emptyStore, says, takes, wants } from "../../support/claude/agent-harness.ts";
import { type Frame, offers } from "../../support/claude/fake-cli.ts";
import { heapBytesPerTurn } from "../../support/agent/heap-per-turn.ts";

/** A CLI that answers every prompt at once and keeps nothing. */
function busyCli(): ClaudeLink {
  const [near, far] = memoryPair();
  let turns = 0;
  const say = (...frames: readonly Frame[]): void => frames.forEach((frame) => far.send(JSON.stringify(frame)));
  far.open({
    onLine: (line) => {
      const frame: Frame = JSON.parse(line);
      if (frame["request"]?.subtype === "initialize") {
        const { request_id } = frame;
        say({ type: "control_response", response: { subtype: "success", request_id, response: offers } });
      }
      if (frame["type"] !== "user") return;
      const id = `toolu_${++turns}`;
      const content = [{ type: "tool_result", tool_use_id: id, content: `output ${turns} `.repeat(20) }];
      say(
        ...takes(frame),
        says(`Turn ${turns}. `.repeat(10), `msg_${turns}`),
        wants("Bash", { command: `echo ${turns}` }, id),
        { type: "user", message: { role: "user", content }, parent_tool_use_id: null },
        ...ends(frame),
      );
    },
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => far.close("the host went"),
    onClose: () => {},
  });
  return near;
}

describe("memory of sessions", () => {
  it("the heap does not grow with the number of turns of three CLIs", async () => {
    const [near, far] = memoryPair();
    const agent = claudeAgent(near, {
      launcher: () => ({ link: busyCli(), ready: () => {} }),
      after: realTimer,
      env: {},
      program: { command: "bowline", args: [] },
      store: emptyStore,
      prewarms: false,
      idleTimeoutMs: 0,
    });
    const each = await heapBytesPerTurn(far, 4);
    // Optimised code grows by a megabyte once; a leaked turn would be about 700 bytes.
    assert.ok(each < 100, `${Math.round(each)} bytes are held for each turn`);
    await agent.stop("done");
  });
});
