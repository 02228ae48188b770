/**
 * Live specs of prewarmed and idle sessions: they behave like any other session and
 * differ only in the time they take.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ClaudeHost } from "../../support/live/claude-host.ts";
import { inSession, type Play, withAgent } from "../../support/live/with-agent.ts";
import { cliOf } from "../../support/live/kill-points.ts";
import { cpuTicks, descendants, privateKb, type ProcessEntry, waitUntil } from "../../support/processes.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { ended } from "../../support/live/client/editor-mode.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const talk = { talk: [answer(say("Hello."))] };
const isCli = ({ command }: ProcessEntry): boolean => command.includes("--input-format=stream-json");

/** Waits until this many CLIs run, and returns them. */
async function clis({ place }: Play, count: number): Promise<readonly ProcessEntry[]> {
  const found = (await waitUntil(place.root, (all) => all.filter(isCli).length === count, 10_000)).filter(isCli);
  assert.equal(found.length, count);
  return found;
}

/** Waits until the unused CLI is ready, by the only sign there is: it becomes idle. */
async function waitingCli(play: Play, used: readonly string[]): Promise<ProcessEntry> {
  const all = await clis(play, used.length + 1);
  const found = all.find(({ command }) => !used.some((id) => command.includes(id))) ?? assert.fail("none waits");
  let before = -1;
  await waitUntil(play.place.root, () => {
    const now = cpuTicks(found.pid);
    const rests = now > 20 && now === before;
    before = now;
    return rests;
  });
  return found;
}

async function timed<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  return [await run(), performance.now() - began];
}

describe("a prewarmed session", () => {
  it("a prewarmed session is given at once to a client that asks for the same, and behaves as any other", () =>
    withAgent(
      { ...talk, write: [answer(call("Bash", { command: "touch made.txt" })), answer(say("Made."))] },
      async (play) => {
        const { client, cwd, api, place, own } = play;
        const raw = own(new ClaudeHost({ api, workspace: place }));
        const [, bootMs] = await timed(() => raw.initialize());
        await raw.end();
        await client.initialize();
        const first = await client.newSession(cwd);
        const used = [first.sessionId];
        const times: number[] = [];
        for (let nth = 0; nth < 3; nth++) {
          const waits = await waitingCli(play, [...used]);
          const [session, ms] = await timed(() => client.newSession(cwd));
          times.push(ms);
          used.push(session.sessionId);
          assert.ok(waits.command.includes(session.sessionId), "it is the one that waited");
          assert.deepEqual({ ...session, sessionId: "" }, { ...first, sessionId: "" });
          await client.waitFor(
            (one, id) => id === session.sessionId && one.sessionUpdate === "available_commands_update",
          );
          await client.prompt(session.sessionId, "[[write]] go");
          assert.deepEqual(
            transcript(client, cwd, session.sessionId).map((line) => line.replace(/ \[.*/, "")),
            [
              "calls execute touch made.txt",
              "asks touch made.txt",
              ended("completed", "touch made.txt"),
              "says Made.",
              "answers end_turn",
            ],
          );
          await client.request("session/close", { sessionId: session.sessionId });
          used.pop();
        }
        const commands = client.updates.items.filter(
          ({ update }) => update.sessionUpdate === "available_commands_update",
        );
        const offered = commands.map(({ update }) => JSON.stringify(update));
        assert.equal(new Set(offered).size <= 2, true, "the same commands are offered");
        const best = Math.min(...times);
        assert.ok(
          best < 0.15 * bootMs,
          `session/new took ${best.toFixed(0)} ms, the CLI's boot ${bootMs.toFixed(0)} ms`,
        );
      },
    ));

  it("a prewarmed session is not given to a client that wants another directory or other servers, and at most two wait", () =>
    withAgent(talk, async (play) => {
      const { client, cwd, path } = play;
      await client.initialize();
      const { sessionId: first } = await client.newSession(cwd);
      const waits = await waitingCli(play, [first]);
      const server = { name: "none", command: "/bin/false", args: [], env: [] };
      const { sessionId: served } = await client.newSession(cwd, { mcpServers: [server] });
      const used = [first, served];
      for (const name of ["one", "two"]) {
        mkdirSync(path(name));
        writeFileSync(path(`${name}/in-${name}`), "");
        used.push((await client.newSession(path(name))).sessionId);
      }
      assert.ok(!used.some((id) => waits.command.includes(id)));
      const isIn = (name: string, { pid }: ProcessEntry): boolean => existsSync(`/proc/${pid}/cwd/in-${name}`);
      await waitUntil(play.place.root, (all) => all.filter((one) => isCli(one) && isIn("two", one)).length === 2);
      const all = await clis(play, used.length + 2);
      assert.ok(!all.some(({ pid }) => pid === waits.pid), "the one that waited longest is gone");
    }));

  it("a prewarmed session is not given once the user has changed what a session begins with", () =>
    withAgent(talk, async (play) => {
      const { client, cwd, place } = play;
      await client.initialize();
      const { sessionId: first, modes } = await client.newSession(cwd);
      assert.equal(modes?.currentModeId, "default");
      const waits = await waitingCli(play, [first]);
      place.write(".claude/settings.json", JSON.stringify({ permissions: { defaultMode: "acceptEdits" } }));
      const second = await client.newSession(cwd);
      assert.equal(second.modes?.currentModeId, "acceptEdits");
      await waitUntil(place.root, (all) => !all.some(({ pid }) => pid === waits.pid));
      assert.ok(!waits.command.includes(second.sessionId));
    }));

  it("a prewarmed session that has died is not given to a client", () =>
    withAgent(talk, async (play) => {
      const { client, cwd } = play;
      await client.initialize();
      const { sessionId: first } = await client.newSession(cwd);
      process.kill((await waitingCli(play, [first])).pid, "SIGKILL");
      await clis(play, 1);
      const { sessionId } = await client.newSession(cwd);
      assert.deepEqual(await client.prompt(sessionId, "[[talk]] hi"), { stopReason: "end_turn" });
    }));

  it("a prewarmed session that dies while it is given is replaced unnoticed", () =>
    withAgent(talk, async (play) => {
      const { client, cwd } = play;
      await client.initialize();
      const { sessionId: first } = await client.newSession(cwd);
      // Not ready yet: it has only just started.
      const [young] = (await clis(play, 2)).filter(({ command }) => !command.includes(first));
      const opening = client.newSession(cwd);
      process.kill(young?.pid ?? assert.fail("none waits"), "SIGKILL");
      const { sessionId } = await opening;
      assert.deepEqual(await client.prompt(sessionId, "[[talk]] hi"), { stopReason: "end_turn" });
    }));

  it("there is no prewarmed session when prewarming is switched off", () =>
    withAgent(
      talk,
      async (play) => {
        const { client, cwd } = play;
        await client.initialize();
        await client.newSession(cwd);
        // Twice as long as starting would take.
        const more = await waitUntil(play.place.root, (all) => all.filter(isCli).length > 1, 3000);
        assert.equal(more.filter(isCli).length, 1);
      },
      { env: { BOWLINE_PREWARM: "0" } },
    ));
});

describe("an idle session", () => {
  const restless = { env: { BOWLINE_IDLE_MINUTES: "0.01", BOWLINE_PREWARM: "0" } };

  it("an idle session stops its CLI, and the next prompt starts it again with the conversation", () =>
    inSession(
      talk,
      async (driver) => {
        const { tell, client, sessionId, api } = driver;
        await client.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        await tell("[[talk]] PERSIMMON");
        await clis(driver, 0);
        assert.deepEqual(await tell("[[talk]] again"), ["says Hello.", "answers end_turn"]);
        assert.match(JSON.stringify(api.requestsOf("talk")[1]?.body.messages), /PERSIMMON/);
        assert.match((await cliOf(driver.place, sessionId)).command, /--permission-mode=acceptEdits/);
        await clis(driver, 0);
        await client.extension("session/set_title", { sessionId, title: "At rest" });
        assert.equal((await client.request("session/list", {})).sessions[0]?.title, "At rest");
      },
      restless,
    ));

  it("an idle session stops its CLI even if it was never prompted", () =>
    inSession(
      talk,
      async (driver) => {
        await clis(driver, 0);
        assert.deepEqual(await driver.tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      },
      restless,
    ));

  it("an idle session waits for what runs in the background", () =>
    inSession(
      {
        ...talk,
        behind: [
          answer(call("Bash", { command: "echo on; sleep 3", run_in_background: true })),
          answer(say("Started.")),
        ],
      },
      async (driver) => {
        const { tell, place } = driver;
        await tell("[[behind]] go");
        const isSleep = ({ command }: ProcessEntry): boolean => command === "sleep 3";
        const alone = await waitUntil(place.root, (all) => !all.some(isCli) || !all.some(isSleep), 10_000);
        assert.ok(alone.some(isCli), "the CLI outlives its task");
        await clis(driver, 0);
      },
      restless,
    ));
});

describe("the orphan guard", () => {
  it("the orphan guard of a CLI uses no processor time and next to no memory", () =>
    inSession(talk, async (driver) => {
      const { tell, client } = driver;
      await tell("[[talk]] hi");
      const guards = descendants(client.program.pid).filter(({ command }) => command.includes("bowline-orphan-guard"));
      assert.ok(guards.length > 0);
      for (const { pid } of guards) {
        assert.ok(cpuTicks(pid) <= 2, "it only waits");
        assert.ok(privateKb(pid) < 1024, "its own memory is small");
      }
    }));
});
