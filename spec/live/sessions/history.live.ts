/**
 * Live specs of loading history: a session replayed from its file looks as it did live,
 * for every scripted conversation.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  findSession,
  listTranscripts,
  projectSlug,
  projectsDirectory,
  readTranscript,
  type TranscriptReport,
} from "../../../lib/claude/index.ts";
import { recordingNames } from "../../support/claude/claude-recording.ts";
import { fileRecordings } from "../scenarios/files.ts";
import { historyRecordings } from "../scenarios/history.ts";
import { reachRecordings } from "../scenarios/reach.ts";
import { promptOnce, type Recording } from "../scenarios/recording.ts";
import { otherwise, reenacted } from "../scenarios/reenacted.ts";
import { workRecordings } from "../scenarios/work.ts";
import { ClaudeHost } from "../../support/live/claude-host.ts";
import { at, textAt } from "../../support/json.ts";
import { killLeftovers, waitForCommand, waitUntil } from "../../support/processes.ts";
import { answer, call, say, type Script } from "../../support/live/api/model-script.ts";
import { LiveShown, Shown } from "../../support/live/client/shown-conversation.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import type { Workspace } from "../../support/live/workspace.ts";

async function told(place: Workspace, sessionId: string): Promise<{ shown: Shown; report: TranscriptReport }> {
  const files = await findSession(join(place.home, ".claude", "projects"), sessionId);
  const shown = new Shown(place.cwd);
  const report = await readTranscript(files ?? assert.fail("no such session"), {
    onEvent: (event) => shown.take(event),
  });
  shown.end();
  return { shown, report };
}

/** Waits until the session's file contains this text: the CLI writes it a little late. */
async function saved({ root, home, cwd }: Workspace, sessionId: string, words: string): Promise<void> {
  const file = join(home, ".claude", "projects", projectSlug(cwd), `${sessionId}.jsonl`);
  await waitUntil(root, () => existsSync(file) && readFileSync(file, "utf8").includes(words));
}

function loadsAsShown(recording: Recording): Promise<void> {
  const { name, args = [], env = {}, initialize = {} } = recording;
  return withEnvironment({}, async (environment) => {
    const { api, place } = environment;
    recording.prepare?.(place, api);
    for (const [marker, script] of Object.entries(recording.scripts(place))) api.script(marker, ...script);
    const live = new LiveShown(place.cwd);
    const host = environment.own(new ClaudeHost({ api, workspace: place, args, env, onTraffic: live.onTraffic }));
    host.usual = recording.usual ?? host.usual;
    await host.initialize(initialize);
    await (recording.play?.(host, environment) ?? promptOnce(host, name));
    await host.end();
    live.end();
    const { shown, report } = await told(place, host.sessionId);
    assert.equal(report.unreadableCount, 0);
    assert.equal(report.leftOutBytes, 0);
    assert.deepEqual(shown.entries, live.entries);
    // Of an answer that broke off and was repeated, the live session shows the first and the file keeps the last.
    if (name !== "failures") assert.deepEqual(shown.messageIds, live.messageIds);
    assert.ok(live.entries.length > 1, "something was shown");
  });
}

/** The text alone, in order. */
function wordsOf({ entries }: Shown): readonly string[] {
  return entries.flatMap((entry) => (at(entry, "text") === undefined ? [] : [textAt(entry, "text")]));
}

describe("a session continued in another process", () => {
  const scripts: Readonly<Record<string, Script>> = {
    one: [answer(say("One."))],
    two: [answer(say("Two."))],
    three: [answer(say("Three."))],
  };

  it("a session is one conversation after --resume, as both processes showed it", () =>
    withEnvironment(scripts, async (environment) => {
      const live = new LiveShown(environment.place.cwd);
      const first = await environment.host({ onTraffic: live.onTraffic });
      await first.prompt("[[one]] a");
      await first.end();
      const second = await environment.host({ args: [`--resume=${first.sessionId}`], onTraffic: live.onTraffic });
      await second.prompt("[[two]] b");
      await second.end();
      live.end();
      const { shown } = await told(environment.place, first.sessionId);
      assert.deepEqual(shown.entries, live.entries);
      assert.deepEqual(wordsOf(shown), ["[[one]] a", "One.", "[[two]] b", "Two."]);
    }));

  it("a forked session has the past of the original, and the original is unchanged", () =>
    withEnvironment(scripts, async (environment) => {
      const first = await environment.host();
      await first.prompt("[[one]] a");
      await first.end();
      const forked = randomUUID();
      const args = [`--resume=${first.sessionId}`, "--fork-session", `--session-id=${forked}`];
      const second = await environment.host({ args });
      await second.prompt("[[two]] b");
      await second.end();
      assert.deepEqual(wordsOf((await told(environment.place, forked)).shown), [
        "[[one]] a",
        "One.",
        "[[two]] b",
        "Two.",
      ]);
      assert.deepEqual(wordsOf((await told(environment.place, first.sessionId)).shown), ["[[one]] a", "One."]);
    }));

  it("a loaded session leaves out what was rewound", () =>
    withEnvironment(scripts, async (environment) => {
      const first = await environment.host();
      await first.prompt("[[one]] a");
      const { uuid } = first.lines.items.find((line) => line["type"] === "assistant") ?? assert.fail("no answer");
      await first.prompt("[[two]] b");
      await first.end();
      const args = [`--resume=${first.sessionId}`, `--resume-session-at=${String(uuid)}`];
      const second = await environment.host({ args });
      await second.prompt("[[three]] c");
      await second.end();
      const { shown } = await told(environment.place, first.sessionId);
      assert.deepEqual(wordsOf(shown), ["[[one]] a", "One.", "[[three]] c", "Three."]);
    }));

  it("a loaded session closes the tool call during which the CLI was killed, and goes on after it", () =>
    withEnvironment(
      { ...scripts, sleep: [answer(say("Running."), call("Bash", { command: "touch started && sleep 302" }))] },
      async (environment) => {
        const first = await environment.host();
        first.tell("[[sleep]] a");
        await waitForCommand(environment.place.root, "sleep 302");
        await saved(environment.place, first.sessionId, "tool_use");
        await first.kill("SIGKILL");
        killLeftovers(environment.place.root);
        const before = await told(environment.place, first.sessionId);
        assert.equal(at(before.shown.entries.at(-1), "ended.status"), "failed");
        const second = await environment.host({ args: [`--resume=${first.sessionId}`] });
        await second.prompt("[[two]] b");
        await second.end();
        const { shown, report } = await told(environment.place, first.sessionId);
        assert.deepEqual(wordsOf(shown), ["[[sleep]] a", "Running.", "[[two]] b", "Two."]);
        const ended = shown.entries.filter((entry) => at(entry, "ended") !== undefined);
        assert.deepEqual(
          ended.map((entry) => at(entry, "ended.status")),
          ["failed"],
        );
        assert.equal(report.unreadableCount, 0);
      },
    ));

  it("a session begins anew after /clear, under the new id", () =>
    withEnvironment(scripts, async (environment) => {
      const host = await environment.host();
      await host.prompt("[[one]] a");
      await host.prompt("/clear");
      const from = host.lines.length;
      await host.prompt("[[two]] b");
      const { session_id } = await host.next("system/init", { from });
      await host.end();
      assert.notEqual(session_id, host.sessionId);
      assert.deepEqual(wordsOf((await told(environment.place, host.sessionId)).shown), ["[[one]] a", "One."]);
      const after = await told(environment.place, String(session_id));
      assert.deepEqual(wordsOf(after.shown), ["/clear", "[[two]] b", "Two."]);
    }));
});

describe("the list of sessions", () => {
  it("the list of sessions has the real CLI's sessions, newest first, with the CLI's titles", () =>
    withEnvironment({ one: [answer(say("One."))] }, async (environment) => {
      const projects = join(environment.place.home, ".claude", "projects");
      assert.equal(projectsDirectory({ CLAUDE_CONFIG_DIR: join(environment.place.home, ".claude") }), projects);
      const first = await environment.host();
      await first.prompt("[[one]] what is\nthis?");
      await first.end();
      const second = await environment.host();
      await second.prompt("[[one]] and that?");
      await second.control("rename_session", { title: "Renamed!" });
      await second.end();
      const listed = await listTranscripts({ projects, cwd: environment.place.cwd });
      assert.ok(listed.kind === "page");
      assert.deepEqual(
        listed.sessions.map(({ sessionId, cwd, title }) => ({ sessionId, cwd, title })),
        [
          { sessionId: second.sessionId, cwd: environment.place.cwd, title: "Renamed!" },
          { sessionId: first.sessionId, cwd: environment.place.cwd, title: "[[one]] what is this?" },
        ],
      );
    }));

  it("the list of sessions finds a directory whose path is longer than a slug may be", () =>
    withEnvironment({ one: [answer(say("One."))] }, async (environment) => {
      const cwd = join(environment.place.cwd, "x".repeat(100), "é_".repeat(50), "z".repeat(60));
      mkdirSync(cwd, { recursive: true });
      const host = await environment.host({ workspace: { ...environment.place, cwd } });
      await host.prompt("[[one]] far");
      await host.end();
      const projects = join(environment.place.home, ".claude", "projects");
      const listed = await listTranscripts({ projects, cwd });
      assert.ok(listed.kind === "page");
      assert.deepEqual(
        listed.sessions.map(({ sessionId }) => sessionId),
        [host.sessionId],
      );
    }));
});

describe("a session loaded from its file", () => {
  const scripted = [...historyRecordings, ...fileRecordings, ...workRecordings, ...reachRecordings];
  const scriptedNames = new Set(scripted.map(({ name }) => name));
  const others = recordingNames().filter((name) => !scriptedNames.has(name) && !(name in otherwise));

  for (const recording of [...scripted, ...others.map(reenacted)]) {
    it(`a session loaded from its file looks as it did live: ${recording.name}, ${recording.what}`, () =>
      loadsAsShown(recording));
  }

  it("every scenario with a recording is loaded from its file, or one that shows the same", () => {
    for (const [name, instead] of Object.entries(otherwise)) {
      assert.ok(recordingNames().includes(name), name);
      if ("shownBy" in instead) {
        assert.ok(
          scriptedNames.has(instead.shownBy) || others.includes(instead.shownBy),
          `${name}: ${instead.shownBy}`,
        );
      }
    }
  });
});
