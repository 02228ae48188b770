/**
 * The recordings of fixtures/codex through the translation: golden files, and what must
 * hold for all of them.
 *
 * Recordings of another directory are checked too: those beside this clone (`../shared/recordings-codex`)
 * where they are, or those of the directory that `CODEX_RECORDINGS` names.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { CodexTurn } from "../../../lib/codex/protocol/index.ts";
import { CodexState, foldHistory } from "../../../lib/codex/translate/index.ts";
import type { TurnEnd } from "../../../lib/engine/index.ts";
import { Fault } from "../../../lib/schema/index.ts";
import { conversationFaults, saidText, shownText, updatesOf } from "../../support/codex/invariants.ts";
import {
  cwd,
  notificationsOf,
  play,
  recordedRows,
  recordingNames,
  type Step,
  viewOf,
} from "../../support/codex/recording.ts";
import { assertGolden } from "../../support/golden.ts";

const everything = { showsTerminals: true, showsNotices: true, showsCompaction: true };

describe("updates of a Codex recording", () => {
  for (const name of recordingNames()) {
    it(`${name} is shown as in its golden file`, () => {
      assertGolden(`codex/${name}.shown.ndjson`, golden(name, {}));
    });
  }

  for (const name of ["command-declined", "command-live-output", "command-after-turn", "cancelled-mid-command"]) {
    it(`${name} is shown as in its golden file in a client with terminals`, () => {
      assertGolden(`codex/${name}.shown-terminal.ndjson`, golden(name, everything));
    });
  }

  for (const name of ["compaction", "mcp-broken", "stream-breaks"]) {
    it(`${name} is shown as in its golden file in a client with notices and compaction`, () => {
      assertGolden(`codex/${name}.shown-notices.ndjson`, golden(name, everything));
    });
  }
});

const others = process.env["CODEX_RECORDINGS"] ?? join(import.meta.dirname, "../../../../shared/recordings-codex");
const directories = [undefined, ...(existsSync(others) ? [others] : [])];

describe("every Codex recording", () => {
  for (const directory of directories) {
    for (const name of recordingNames(directory)) {
      const root = directory === undefined ? cwd : "/home/user/project";
      const rows = recordedRows(name, directory);

      it(`${name} becomes valid updates with each call announced once and ended`, () => {
        for (const view of [viewOf({ cwd: root }), viewOf({ ...everything, cwd: root })]) {
          for (const conversation of play(rows, view)) assert.deepEqual(conversationFaults(conversation), []);
        }
      });

      it(`${name} shows the text that the model said, once`, () => {
        const notifications = notificationsOf(rows);
        for (const { state, steps } of play(rows, viewOf({ ...everything, cwd: root }))) {
          assert.equal(shownText(steps), saidText(notifications, state.threadId ?? ""));
        }
      });
    }
  }
});

describe("foldHistory", () => {
  it("a saved thread looks as it did live, but for the plan", () => {
    const [live] = play(recordedRows("many-items"), viewOf());
    const isKept = (one: SessionUpdate): boolean =>
      !["plan", "usage_update", "session_info_update"].includes(one.sessionUpdate);
    const shownLive = merged(updatesOf(live?.steps ?? []).filter(isKept));
    const state = new CodexState(viewOf(), live?.state.threadId);
    const loaded = merged(savedTurns("resume").flatMap((turn) => foldHistory(state, turn)));
    const isPrompt = (one: SessionUpdate): boolean => one.sessionUpdate === "user_message_chunk";
    assert.equal(loaded.filter(isPrompt).length, 2);
    // The query of a search is known from the start in a saved thread.
    assert.deepEqual(withoutTitleChanges(loaded.filter((one) => !isPrompt(one))), withoutTitleChanges(shownLive));
  });
});

function savedTurns(name: string): readonly CodexTurn[] {
  for (const { dir, msg } of recordedRows(name)) {
    const result = dir === "out" ? msg?.["result"] : undefined;
    const turns = (result as { thread?: { turns?: unknown[] } } | undefined)?.thread?.turns;
    if (turns === undefined || turns.length === 0) continue;
    return turns.flatMap((turn) => {
      const read = CodexTurn.read(turn);
      return read instanceof Fault ? [] : [read];
    });
  }
  throw new Error(`${name} has no saved turns`);
}

/** The titles that calls have in the end, as the titles they begin with. */
function withoutTitleChanges(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  const titles = new Map<string, string>();
  for (const one of updates) {
    if (one.sessionUpdate === "tool_call_update" && one.title != null) titles.set(one.toolCallId, one.title);
  }
  return updates.map((one): SessionUpdate => {
    if (one.sessionUpdate === "tool_call") return { ...one, title: titles.get(one.toolCallId) ?? one.title };
    if (one.sessionUpdate !== "tool_call_update" || one.title === undefined) return one;
    const { title: _title, ...rest } = one;
    return rest;
  });
}

/** One line per update, question or end of a turn. */
function golden(name: string, view: Parameters<typeof viewOf>[0]): string {
  const conversations = play(recordedRows(name), viewOf(view));
  const lines = conversations.flatMap(({ steps }) => joined(steps).flatMap(goldenLines));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Steps with the updates of neighbours together, so that chunks can be merged. */
function joined(steps: readonly Step[]): readonly Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (step.kind === "updates" && last?.kind === "updates") {
      all[all.length - 1] = { kind: "updates", updates: [...last.updates, ...step.updates] };
    } else all.push(step);
  }
  return all;
}

function goldenLines(step: Step): readonly unknown[] {
  switch (step.kind) {
    case "updates":
      return merged(step.updates);
    case "ended":
      return [{ turnEnd: plainEnd(step.end) }];
    case "asked": {
      const { asked } = step;
      if (asked.kind === "unknown") return [{ asked: "unknown" }];
      return [{ asked: asked.kind, ...(asked.kind === "user" ? asked.questions : asked.question) }];
    }
  }
}

function plainEnd(end: TurnEnd): unknown {
  if (end.kind !== "failed") return end;
  const { kind, message, resetsAt } = end.failure;
  return { kind: "failed", failure: { kind, message, hasResetTime: resetsAt !== undefined } };
}

/** Consecutive chunks of one message as one chunk. */
function merged(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  const all: SessionUpdate[] = [];
  for (const one of updates) {
    const last = all.at(-1);
    if (
      (one.sessionUpdate === "agent_message_chunk" || one.sessionUpdate === "agent_thought_chunk") &&
      last?.sessionUpdate === one.sessionUpdate &&
      last.messageId === one.messageId &&
      last.content.type === "text" &&
      one.content.type === "text"
    ) {
      all[all.length - 1] = { ...last, content: { type: "text", text: last.content.text + one.content.text } };
    } else all.push(one);
  }
  return all;
}
