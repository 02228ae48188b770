/**
 * The translator against everything but what it expects: recordings with lines
 * lost, doubled, moved, cut and changed.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { SessionUpdate } from "../../lib/acp/index.ts";
import { ClaudeEvent, type ConversationEvent } from "../../lib/claude/index.ts";
import { fold, foldEnd, TranslationState } from "../../lib/claude/translate/index.ts";
import { isObject } from "../support/json.ts";
import { campaign } from "../tooling/fuzz/campaign.ts";
import { type Damage, damaged, damages, harmless } from "../tooling/fuzz/damage.ts";
import { recorded, recordedLines } from "../tooling/fuzz/recordings.ts";
import { ShownState } from "../tooling/fuzz/shown-state.ts";

const view = { cwd: "/home/dev/project", showsNotices: true, showsCompaction: true, textOf: () => undefined };

/** What an editor holds after the CLI has said these lines and gone. */
function told(lines: readonly string[], showsTerminals: boolean): ShownState {
  const translation = new TranslationState({ ...view, showsTerminals });
  const state = new ShownState();
  const show = (updates: readonly SessionUpdate[]): void => updates.forEach((update) => state.take(update));
  for (const event of lines.flatMap(eventsOf)) show(fold(translation, event));
  show(foldEnd(translation, "It did not run to its end."));
  return state;
}

/** As the engine hands it over. */
function eventsOf(line: string): readonly ConversationEvent[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [];
  }
  const event = isObject(value) ? ClaudeEvent.read(value) : undefined;
  return event === undefined || !("type" in event) || event.type.startsWith("control_")
    ? []
    : [event as ConversationEvent];
}

interface Spoiled {
  readonly name: string;
  readonly damage: readonly Damage[];
  readonly showsTerminals: boolean;
}

const names = fc.constantFrom(...recorded.keys());
const spoiled = fc.record({ name: names, damage: damages, showsTerminals: fc.boolean() });
const disturbed = fc.record({ name: names, damage: harmless, showsTerminals: fc.boolean() });
const shown = (one: object): string => inspect(one, { depth: 6, maxStringLength: 200 });

describe("fold, with recordings that are spoiled", () => {
  it("a fold of a spoiled recording gives updates that hold, and leaves no call open at the end", async () => {
    await campaign<Spoiled>({
      name: "spoiled recordings",
      file: import.meta.filename,
      cases: spoiled,
      count: 600,
      shown,
      check: async ({ name, damage, showsTerminals }) => {
        const state = told(damaged(recorded.get(name) ?? [], damage), showsTerminals);
        assert.deepEqual(state.faults, []);
        assert.deepEqual(state.openCalls, []);
      },
    });
  });

  it("a fold of a spoiled recording holds with lines of all recordings in any order", async () => {
    const lines = fc.array(fc.constantFrom(...recordedLines), { maxLength: 40 });
    await campaign<readonly string[]>({
      name: "mixed recordings",
      file: import.meta.filename,
      cases: lines,
      count: 600,
      shown,
      check: async (said) => {
        const state = told(said, said.length % 2 === 0);
        assert.deepEqual(state.faults, []);
        assert.deepEqual(state.openCalls, []);
      },
    });
  });

  it("a fold of a spoiled recording shows the same when the inserted lines are harmless", async () => {
    await campaign<Spoiled>({
      name: "disturbed recordings",
      file: import.meta.filename,
      cases: disturbed,
      count: 250,
      shown,
      check: async ({ name, damage, showsTerminals }) => {
        const lines = recorded.get(name) ?? [];
        assert.equal(told(damaged(lines, damage), showsTerminals).shown, told(lines, showsTerminals).shown);
      },
    });
  });

  it("a fold of a spoiled recording shows the same words however a stream cuts them", async () => {
    await campaign<{ readonly name: string; readonly cuts: readonly number[] }>({
      name: "recordings cut otherwise",
      file: import.meta.filename,
      cases: fc.record({ name: names, cuts: fc.array(fc.nat(30), { minLength: 1, maxLength: 50 }) }),
      count: 150,
      shown,
      check: async ({ name, cuts }) => {
        const lines = recorded.get(name) ?? [];
        const again = told(cutOtherwise(lines, cuts), false);
        assert.deepEqual([...again.words], [...told(lines, false).words]);
        assert.deepEqual(again.faults, []);
      },
    });
  });
});

/** Every delta in two, at one of these places. */
function cutOtherwise(lines: readonly string[], cuts: readonly number[]): readonly string[] {
  let nth = 0;
  return lines.flatMap((line): readonly string[] => {
    const match = /"(text|thinking|partial_json)":"((?:[^"\\]|\\.)+)"/.exec(line);
    if (!line.includes('"content_block_delta"') || match === null) return [line];
    const [whole, field, written] = match;
    const text = String(JSON.parse(`"${written}"`));
    const cut = (cuts[nth++ % cuts.length] ?? 0) % (text.length + 1);
    const part = (piece: string): string => line.replace(whole, () => `"${field}":${JSON.stringify(piece)}`);
    return [part(text.slice(0, cut)), part(text.slice(cut))];
  });
}
