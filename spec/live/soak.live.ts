/**
 * Live soak test: hundreds of prompts over several sessions, with random cancels and
 * kills. Every prompt is answered exactly once, no text is lost, and the program holds
 * no more at the end than at the beginning.
 *
 * Short by default; `BOWLINE_SOAK=<minutes>` makes it long, `BOWLINE_SEED` sets its
 * seed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { AcpClient } from "../support/live/acp-client.ts";
import { withAgent, type Play } from "../support/live/with-agent.ts";
import { openFiles, type ProcessEntry, residentKb, waitUntil } from "../support/processes.ts";
import { answer, answering, call, say, words } from "../support/live/model-script.ts";

const seed = Number(process.env["BOWLINE_SEED"] ?? 4711);
const limitMs = Number(process.env["BOWLINE_SOAK"] ?? 0.4) * 60_000;
const sessionCount = 4;
/** How much more heap the program may hold at the end, after garbage collection: a leak of a few KB a turn shows. */
const maxGrowthBytes = 1_500_000;
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
  fileURLToPath(new URL("../../dist/bowline.mjs", import.meta.url)),
];

const scripts = {
  talk: [answer(say("Hello."))],
  words: [answer(words(200))],
  slow: [answering({ everyMs: 20 }, words(20))],
  tool: [answer(say("Running."), call("Bash", { command: "echo done" })), answer(say("Ran."))],
  wait: [answer(call("Bash", { command: "echo on; sleep 477" })), answer(say("never"))],
};
/** Kinds of turns that end by themselves are more frequent. */
const usual = ["talk", "talk", "words", "slow", "tool", "tool"] as const;

const isCli = ({ command }: ProcessEntry): boolean => command.includes("--input-format=stream-json");

interface Tally {
  prompts: number;
  cancels: number;
  kills: number;
  readonly outcomes: Record<string, number>;
}

describe("a long run", () => {
  it("a long run with random cancels and kills loses nothing and leaves no process", () =>
    withAgent(
      scripts,
      async (play) => {
        const { client, cwd, api, place } = play;
        await client.initialize();
        const ids = await Promise.all(Array.from({ length: sessionCount }, () => client.newSession(cwd)));
        const tally: Tally = { prompts: 0, cancels: 0, kills: 0, outcomes: {} };
        const until = performance.now() + limitMs;
        // What a session holds after its first turns does not count as growth.
        await Promise.all(ids.map(({ sessionId }) => client.prompt(sessionId, "[[words]] first")));
        const before = await holdings(client);
        const days = ids.map(({ sessionId }, nth) => day(play, sessionId, random(seed + nth), until, tally));
        const said = await Promise.all(days);
        for (const [nth, { sessionId }] of ids.entries()) {
          assert.deepEqual(await client.prompt(sessionId, `[[talk]] last of ${nth}`), { stopReason: "end_turn" });
          const last = api.requests.items.findLast(({ body }) =>
            JSON.stringify(body.messages).includes(`last of ${nth}`),
          );
          const heard = JSON.stringify(last?.body.messages);
          const lost = (said[nth] ?? []).filter((words) => !heard.includes(words));
          assert.deepEqual(lost, [], "what was answered is part of the conversation");
        }
        await waitUntil(place.root, (all) => all.filter(isCli).length <= sessionCount + 1);
        const after = await holdings(client);
        const figures = inspect({ seed, ...tally, before, after }, { breakLength: Infinity });
        assert.ok(tally.cancels > 0 && tally.kills > 0, figures);
        assert.ok(after.bytes - before.bytes < maxGrowthBytes, figures);
        assert.ok(after.residentKb - before.residentKb < maxResidentGrowthKb, figures);
        // A prewarmed CLI may have started or exited: three pipes and its guard's.
        assert.ok(after.files - before.files <= 4, figures);
      },
      { agent },
    ));
});

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
  { client, place }: Play,
  sessionId: string,
  next: () => number,
  until: number,
  tally: Tally,
): Promise<readonly string[]> {
  const answered: string[] = [];
  for (let nth = 0; performance.now() < until; nth++) {
    const fate = next();
    const text = `prompt ${nth} of ${sessionId}`;
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
      if (next() < 0.3) tally.kills += await killCli(place.root, sessionId);
      else tally.cancels++;
      await client.cancel(sessionId);
    }
    const outcome = await prompted;
    tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
    assert.match(outcome, /^(end_turn|cancelled|-32603 the Claude CLI was ended by SIGKILL)$/);
    if (outcome === "end_turn") answered.push(text);
  }
  return answered;
}

async function killCli(root: string, sessionId: string): Promise<number> {
  const all = await waitUntil(root, () => true);
  const cli = all.find((one) => isCli(one) && one.command.includes(sessionId));
  if (cli === undefined) return 0;
  process.kill(cli.pid, "SIGKILL");
  return 1;
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
