/**
 * Replay: every recording through the whole agent, without a network.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readTape } from "../../lib/tape/index.ts";
import { wireFaults } from "../support/acp/wire-check.ts";
import { recordingNames } from "../support/claude/claude-recording.ts";
import { assertGolden } from "../support/golden.ts";
import { goldenTraffic } from "../support/replay/golden-traffic.ts";
import {
  answerFaults,
  backgroundedCalls,
  lateFaults,
  openCallFaults,
  shownWords,
  spokenWords,
} from "../support/replay/invariants.ts";
import { replay } from "../support/replay/replay-recording.ts";

const recordings = join(import.meta.dirname, "../../fixtures/claude");

/** What an editor can show, by the name its traffic is kept under. */
const editors = {
  "": {},
  terminal: { _meta: { terminal_output: true } },
  forms: { elicitation: { form: {} }, session: { notices: {}, compaction: {} } },
} as const;

/** Recordings that look different in an editor that can show more. */
const alsoIn: Readonly<Record<string, keyof typeof editors>> = {
  bash: "terminal",
  "bash-denied": "terminal",
  "bash-fails": "terminal",
  "bash-background": "terminal",
  "cancelled-mid-tool": "terminal",
  "killed-mid-tool": "terminal",
  "agent-permission": "terminal",
  "ask-user-question": "forms",
  elicitation: "forms",
  refusal: "forms",
  "slash-compact": "forms",
};

for (const name of recordingNames()) {
  describe(`the recording ${name}`, async () => {
    const text = readFileSync(join(recordings, `${name}.ndjson`), "utf8");
    const extra = alsoIn[name];
    for (const editor of extra === undefined ? ([""] as const) : (["", extra] as const)) {
      const replayed = await replay(text, { capabilities: editors[editor] });
      const { wire, bugs } = replayed;
      const where = editor === "" ? "" : ` with ${editor}`;

      it(`the recording ${name} gives traffic the official schema accepts${where}`, () => {
        assert.deepEqual(wireFaults(wire, { mayBeOpen: true }), []);
      });

      it(`the recording ${name} answers each prompt once, after all its turn has to show${where}`, () => {
        assert.deepEqual(answerFaults(wire), []);
        assert.deepEqual(lateFaults(wire, readTape(text)), []);
        assert.deepEqual(bugs, []);
      });

      it(`the recording ${name} ends every tool call by the answer of its prompt${where}`, () => {
        assert.deepEqual(openCallFaults(wire, backgroundedCalls(readTape(text))), []);
      });

      it(`the recording ${name} shows what the model said and thought, once${where}`, () => {
        const tape = readTape(text);
        const shown = shownWords(wire, "agent_message_chunk");
        for (const [id, words] of spokenWords(tape, "text")) assert.equal(shown.get(id) ?? "", words, id);
        const thought = shownWords(wire, "agent_thought_chunk");
        for (const [id, words] of spokenWords(tape, "thinking")) assert.equal(thought.get(id) ?? "", words, id);
      });

      it(`the recording ${name} looks as it was reviewed${where}`, () => {
        assertGolden(`acp/${name}${editor === "" ? "" : `.${editor}`}.ndjson`, goldenTraffic(replayed));
      });
    }
  });
}
