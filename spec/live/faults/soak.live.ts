/**
 * Live soak test with each engine: hundreds of prompts over several sessions, with random
 * cancels and kills. Every prompt is answered exactly once, no text is lost, and the program holds
 * no more at the end than halfway.
 *
 * Short by default; `BOWLINE_SOAK=<minutes>` makes it long, `BOWLINE_SEED` sets its
 * seed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { AcpClient } from "../../support/live/client/acp-client.ts";
import { type LiveEngine, liveEngines, running, say, type SharedPlay } from "../../support/live/live-engines.ts";
import { openFiles, residentKb, waitUntil } from "../../support/processes.ts";

const seed = Number(process.env["BOWLINE_SEED"] ?? 4711);
const limitMs = Number(process.env["BOWLINE_SOAK"] ?? 0.4) * 60_000;
const sessionCount = 4;
/**
 * How much more heap the program may hold after the second half, garbage collected. The first half
 * loads and compiles each path once: 1 MB, however long it lasts. Measured over the 400 prompts
 * that follow, a prompt leaves less than 450 bytes, and single values are up to 450 KB off.
 */
const maxNoiseBytes = 600_000;
const maxBytesPerPrompt = 1_000;
/** How much more memory the system may have given it; Node returns memory slowly. */
const maxResidentGrowthKb = 80 * 1024;

/** The built program, extended to report its memory on request. */
const probe = `process.on("SIGUSR2", () => {
  gc();
  process.stderr.write("holds " + process.memoryUsage().heapUsed + "\\n");
})`;
const agent = [
  process.execPath,
  "--expose-gc",
  "--import",
  `data:text/javascript,${encodeURIComponent(probe)}`,
  fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url)),
];

const words = Array.from({ length: 200 }, (_, nth) => `word ${nth} `);
const scripts = {
  talk: [say("Hello.")],
  words: [say(...words)],
  slow: [running("sleep 0.4"), say(...words.slice(0, 20))],
  tool: [running("echo done"), say("Ran.")],
  wait: [running("echo on; sleep 477"), say("never")],
};
/** Kinds of turns that end by themselves are more frequent. */
const usual = ["talk", "talk", "words", "slow", "tool", "tool"] as const;

interface Tally {
  prompts: number;
  cancels: number;
  kills: number;
  readonly outcomes: Record<string, number>;
}

for (const engine of liveEngines) {
  describe(`a long run with ${engine.name}`, () => {
    it(`a long run of a ${engine.cli} with random cancels and kills loses nothing and leaves no process`, () =>
      engine.withAgent(
        scripts,
        async (play) => {
          const { client, cwd, api } = play;
          await client.initialize();
          const ids = await Promise.all(Array.from({ length: sessionCount }, () => client.newSession(cwd)));
          const tally: Tally = { prompts: 0, cancels: 0, kills: 0, outcomes: {} };
          const sequences = ids.map((_, nth) => random(seed + nth));
          const half = async (): Promise<readonly (readonly string[])[]> => {
            const until = performance.now() + limitMs / 2;
            return Promise.all(
              ids.map(({ sessionId }, nth) =>
                day(engine, play, sessionId, sequences[nth] ?? assert.fail(), until, tally),
              ),
            );
          };
          const saidFirst = await half();
          // Each session has its CLI again, as at the end.
          await Promise.all(ids.map(({ sessionId }) => client.prompt(sessionId, "[[talk]] halfway")));
          await extraProcessesGone(engine, play);
          const before = await holdings(client);
          const promptsBefore = tally.prompts;
          const saidSecond = await half();
          const said = saidFirst.map((texts, nth) => [...texts, ...(saidSecond[nth] ?? [])]);
          for (const [nth, { sessionId }] of ids.entries()) {
            const { stopReason } = await client.prompt(sessionId, `[[talk]] last of ${nth}`);
            assert.equal(stopReason, "end_turn");
            const heard = api.sentTo("talk").findLast((body) => body.includes(`last of ${nth}`)) ?? "";
            const lost = (said[nth] ?? []).filter((text) => !heard.includes(text));
            assert.deepEqual(lost, [], "what was answered is part of the conversation");
          }
          await extraProcessesGone(engine, play);
          const after = await holdings(client);
          const prompts = tally.prompts - promptsBefore;
          const figures = inspect({ seed, promptsBefore, ...tally, before, after }, { breakLength: Infinity });
          assert.ok(tally.cancels > 0 && tally.kills > 0, figures);
          assert.ok(after.bytes - before.bytes < maxNoiseBytes + prompts * maxBytesPerPrompt, figures);
          assert.ok(after.residentKb - before.residentKb < maxResidentGrowthKb, figures);
          // A prewarmed CLI may have started or exited: three pipes and its guard's.
          assert.ok(after.files - before.files <= 4, figures);
        },
        { agent },
      ));
  });
}

/** Waits until only the CLIs of the sessions and a prewarmed one run. */
async function extraProcessesGone(engine: LiveEngine, { place }: SharedPlay): Promise<void> {
  const most = engine.cliCount(sessionCount) + 1;
  await waitUntil(place.root, (all) => all.filter((one) => engine.isCli(one)).length <= most);
}

interface Holdings {
  readonly bytes: number;
  readonly residentKb: number;
  readonly files: number;
}

async function holdings({ program }: AcpClient): Promise<Holdings> {
  const said = program.stderr.length;
  process.kill(program.pid, "SIGUSR2");
  const deadline = performance.now() + 5000;
  let found: RegExpExecArray | null = null;
  // Its stderr is not an event log to wait on.
  while (found === null && performance.now() < deadline) {
    await new Promise(setImmediate);
    found = /holds (\d+)/.exec(program.stderr.slice(said));
  }
  return { bytes: Number(found?.[1]), residentKb: residentKb(program.pid), files: openFiles(program.pid) };
}

/** Runs one session's prompts, one after the other; returns the words that were answered. */
async function day(
  engine: LiveEngine,
  play: SharedPlay,
  sessionId: string,
  next: () => number,
  until: number,
  tally: Tally,
): Promise<readonly string[]> {
  const { client } = play;
  const mayBe = new Set(["end_turn", "cancelled", engine.lost.answer.replace(/^answers /, "")]);
  const answered: string[] = [];
  while (performance.now() < until) {
    const fate = next();
    const text = `prompt ${tally.prompts} of ${sessionId}`;
    const marker = fate < 0.06 ? "wait" : (usual[Math.floor(next() * usual.length)] ?? "talk");
    tally.prompts++;
    const prompted = client.prompt(sessionId, `[[${marker}]] ${text}`).then(
      ({ stopReason }) => stopReason,
      (cause: Error & { code?: number }) => `${cause.code ?? ""} ${cause.message}`,
    );
    if (fate < 0.2) {
      const delayMs = 30 + next() * 300;
      // A random moment on purpose: users do not cancel at events.
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      if (next() < 0.3) tally.kills += await killCli(engine, play, sessionId);
      else tally.cancels++;
      await client.cancel(sessionId);
    }
    const outcome = await prompted;
    tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
    assert.ok(mayBe.has(outcome), outcome);
    if (outcome === "end_turn") answered.push(text);
  }
  return answered;
}

async function killCli(engine: LiveEngine, play: SharedPlay, sessionId: string): Promise<number> {
  const all = await waitUntil(play.place.root, () => true);
  const clis = all.filter((one) => engine.isCli(one));
  const cli =
    clis.find(({ command }) => command.includes(sessionId)) ?? (engine.cliCount(2) === 1 ? clis[0] : undefined);
  if (cli === undefined) return 0;
  try {
    process.kill(cli.pid, "SIGKILL");
    return 1;
  } catch {
    // Another session has just killed the CLI that they share.
    return 0;
  }
}

/** mulberry32: the same numbers for the same seed. */
function random(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
