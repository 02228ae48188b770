/**
 * History, live: a session told from its file is what was shown while it
 * happened, for every conversation we have a script for.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findSession, readTranscript, type TranscriptReport } from "../../lib/claude/index.ts";
import { fileRecordings } from "./scenarios/files.ts";
import { historyRecordings } from "./scenarios/history.ts";
import { reachRecordings } from "./scenarios/reach.ts";
import { promptOnce, type Recording } from "./scenarios/recording.ts";
import { workRecordings } from "./scenarios/work.ts";
import { ClaudeHost } from "./support/claude-host.ts";
import { LiveShown, Shown } from "./support/shown.ts";
import { onStage } from "./support/stage.ts";
import type { Workspace } from "./support/workspace.ts";

async function told(place: Workspace, sessionId: string): Promise<{ shown: Shown; report: TranscriptReport }> {
  const files = await findSession(join(place.home, ".claude", "projects"), sessionId);
  const shown = new Shown(place.cwd);
  const report = await readTranscript(files ?? assert.fail("no such session"), {
    onEvent: (event) => shown.take(event),
  });
  shown.end();
  return { shown, report };
}

function loadsAsShown(recording: Recording): Promise<void> {
  const { name, args = [], env = {}, initialize = {} } = recording;
  return onStage({}, async (stage) => {
    const { api, place } = stage;
    recording.prepare?.(place, api);
    for (const [marker, script] of Object.entries(recording.scripts(place))) api.script(marker, ...script);
    const live = new LiveShown(place.cwd);
    const host = stage.own(new ClaudeHost({ api, workspace: place, args, env, onTraffic: live.onTraffic }));
    host.usual = recording.usual ?? host.usual;
    await host.initialize(initialize);
    await (recording.play?.(host, stage) ?? promptOnce(host, name));
    await host.end();
    live.end();
    const { shown, report } = await told(place, host.sessionId);
    assert.equal(report.unreadableCount, 0);
    assert.equal(report.leftOutBytes, 0);
    assert.deepEqual(shown.entries, live.entries);
    // Of an answer that broke off and came again, live shows the first and the file keeps the last.
    if (name !== "failures") assert.deepEqual(shown.messageIds, live.messageIds);
    assert.ok(live.entries.length > 1, "something was shown");
  });
}

describe("a session told from its file", () => {
  for (const recording of [...historyRecordings, ...fileRecordings, ...workRecordings, ...reachRecordings]) {
    it(`looks as it did live: ${recording.name}, ${recording.what}`, () => loadsAsShown(recording));
  }
});
