/**
 * Live specs of killed processes: a session survives its CLI, and no process survives
 * the program.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { cliOf, command, type Moment, momentScripts, reachAll, remembers } from "../../support/live/kill-points.ts";
import { type ProcessEntry, waitForCommand, waitUntil, waitUntilGone } from "../../support/processes.ts";
import { answer, call, say as says } from "../../support/live/api/model-script.ts";
import { asking, type LiveEngine, liveEngines, say, type SharedPlay } from "../../support/live/live-engines.ts";
import { ended } from "../../support/live/client/editor-mode.ts";

const noWarm = { env: { BOWLINE_PREWARM: "0" } };
/** Not a shell or a CLI that has the command in its arguments. */
const isCommand = (one: ProcessEntry): boolean => one.command.startsWith("sleep 475");

type Told = Readonly<Record<Moment, readonly string[]>>;

/** What the user had seen when the turn was over. */
const told = (reason: string, answered: string): Told => ({
  idle: [],
  streaming: ["says Some ", answered],
  "in a tool": [
    "says Waiting.",
    `calls execute ${command}`,
    `asks ${command} · Wait`,
    ended("failed", command, "Wait", reason),
    answered,
  ],
  "with a permission open": [
    "calls execute touch never",
    "asks touch never · Wait",
    `failed touch never · Wait · ${reason}`,
    answered,
  ],
});

/** Sends a signal to the processes behind these sessions. */
async function signalAll(
  engine: LiveEngine,
  play: SharedPlay,
  sessions: Iterable<{ readonly sessionId: string }>,
  signal: NodeJS.Signals,
): Promise<void> {
  const pids = new Set<number>();
  for (const { sessionId } of sessions) pids.add((await engine.cliOf(play, sessionId)).pid);
  for (const pid of pids) process.kill(pid, signal);
}

/** The offered config options are tested elsewhere. */
const withoutOptions = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/ \[.*\]$/, ""));

for (const engine of liveEngines) {
  const { cli } = engine;

  describe(`a ${cli} killed`, () => {
    it(`a ${cli} killed at any moment ends its turn with the reason, and the session goes on with the conversation`, () =>
      engine.withAgent(
        momentScripts,
        async (play) => {
          const { client, place } = play;
          const reached = await reachAll(play);
          await signalAll(engine, play, reached.values(), "SIGKILL");
          const expected = told(engine.lost.reason, engine.lost.answer);
          for (const [moment, { ended, seen }] of reached) {
            await ended;
            assert.deepEqual(withoutOptions(seen()), expected[moment], moment);
          }
          assert.deepEqual((await waitUntil(place.root, (all) => !all.some(isCommand))).filter(isCommand), []);
          const asked = client.editor.asked.items.find(({ request }) => JSON.stringify(request).includes("never"));
          assert.ok(asked?.isWithdrawn, "the question is taken back");
          await Promise.all([...reached.values()].map(({ sessionId }) => remembers(play, sessionId)));
        },
        noWarm,
      ));

    it(`a ${cli} killed as soon as it has a prompt, saved or not, keeps the prompt in the conversation`, () =>
      engine.withAgent(
        momentScripts,
        async (play) => {
          const { client, cwd, api } = play;
          await client.initialize();
          for (const afterMs of [0, 15, 30, 60, 120]) {
            // The first prompt of a session, after which there may be no file yet, and a later one.
            for (const isFirst of [true, false]) {
              const { sessionId } = await client.newSession(cwd);
              if (!isFirst) await client.prompt(sessionId, `[[talk]] PERSIMMON ${sessionId}`);
              const process_ = await engine.cliOf(play, sessionId);
              const from = api.sentTo("streaming").length;
              const lost = client.prompt(sessionId, `[[streaming]] QUINCE ${sessionId}`).catch(() => {});
              while (api.sentTo("streaming").length === from) await pause(5);
              await pause(afterMs);
              process.kill(process_.pid, "SIGKILL");
              await lost;
              await client.prompt(sessionId, `[[talk]] again ${sessionId}`);
              const heard = api.sentTo("talk").at(-1) ?? "";
              assert.match(heard, new RegExp(`QUINCE ${sessionId}[^]*again ${sessionId}`), `${afterMs} ms`);
              if (!isFirst) assert.match(heard, new RegExp(`PERSIMMON ${sessionId}`));
              await client.request("session/close", { sessionId });
            }
          }
        },
        noWarm,
      ));

    it(`a ${cli} killed right after a command began, long after it was requested, takes the command with it, cancelled or not`, () =>
      engine.inSession(
        { late: [asking(command), say("never")] },
        async (driver) => {
          const { client, tell, place, sessionId } = driver;
          // Longer than the agent scans for children after a tool call was announced.
          client.editor.permissionAnswers.push(() => pause(600, "allow" as const));
          const prompted = tell("[[late]] go");
          await waitForCommand(place.root, "sleep 475");
          process.kill((await engine.cliOf(driver, sessionId)).pid, "SIGKILL");
          // The interrupt goes to a pipe that no process reads.
          await client.cancel(sessionId);
          await prompted;
          assert.deepEqual((await waitUntil(place.root, (all) => !all.some(isCommand))).filter(isCommand), []);
          // With commands in the editor's terminal, the program in the terminal ends a moment after its command.
          const { all } = client.editor.terminals;
          while ([...all.values()].some(({ isReleased }) => !isReleased)) await pause(20);
        },
        noWarm,
      ));
  });

  describe(`a ${cli} that hangs`, () => {
    it(`a ${cli} that hangs at any moment is cancelled within the limit, and another goes on with the conversation`, () =>
      engine.withAgent(
        momentScripts,
        async (play) => {
          const { client, place } = play;
          const reached = await reachAll(play);
          await signalAll(engine, play, reached.values(), "SIGSTOP");
          const idle = reached.get("idle")?.sessionId ?? "";
          const unheard = client.prompt(idle, "[[talk]] lost");
          // Once this is answered, the prompt has been sent to a CLI that does not read it.
          await client.extension("session/status", { sessionId: idle });
          const began = performance.now();
          for (const { sessionId } of reached.values()) await client.cancel(sessionId);
          const expected = told("Cancelled.", "answers cancelled");
          for (const [moment, { ended, seen }] of reached) {
            await (ended ?? unheard);
            if (moment === "idle") assert.deepEqual(seen(), ["answers cancelled"]);
            else assert.deepEqual(withoutOptions(seen()), expected[moment], moment);
          }
          assert.ok(performance.now() - began < 4500, "the limit is 3 s");
          await Promise.all([...reached.values()].map(({ sessionId }) => remembers(play, sessionId)));
          assert.deepEqual((await waitUntil(place.root, (all) => !all.some(isCommand))).filter(isCommand), []);
        },
        noWarm,
      ));
  });

  describe(`session/close with a ${cli}`, () => {
    it(`session/close at any moment ends the turn, the ${cli} and its commands`, () =>
      engine.withAgent(
        momentScripts,
        async (play) => {
          const { client, place } = play;
          const reached = await reachAll(play);
          const began = performance.now();
          for (const { sessionId } of reached.values()) await client.request("session/close", { sessionId });
          const expected = told("The session was closed.", "answers cancelled");
          for (const [moment, { ended, seen }] of reached) {
            await ended;
            assert.deepEqual(withoutOptions(seen()), expected[moment], moment);
          }
          // The app-server serves the next session, and the guard guards it.
          const mayStay = ({ pid, command: line }: ProcessEntry): boolean =>
            pid === client.program.pid || (engine.name === "Codex" && !/^sleep 475|bash -lc/.test(line));
          assert.deepEqual(
            (await waitUntil(place.root, (all) => all.every(mayStay))).filter((one) => !mayStay(one)),
            [],
          );
          assert.ok(performance.now() - began < 5000 * reached.size);
        },
        noWarm,
      ));
  });

  describe(`the program, with sessions of a ${cli} at every moment and one that starts`, () => {
    const suffix = engine.name === "Claude" ? "" : ", with Codex";
    const callbacks: readonly (readonly [string, number | null, (play: SharedPlay) => Promise<unknown>])[] = [
      ["its client hangs up", 0, ({ client }) => client.hangUp()],
      ["SIGTERM comes", 143, ({ client }) => client.program.kill("SIGTERM")],
      ["SIGINT comes", 130, ({ client }) => client.program.kill("SIGINT")],
      ["SIGHUP comes", 129, ({ client }) => client.program.kill("SIGHUP")],
      ["it is killed", null, ({ client }) => client.program.kill("SIGKILL")],
      ["it is killed together with its CLIs", null, (play) => killAll(engine, play)],
    ];
    for (const [how, code, end] of callbacks) {
      it(`the program leaves no process behind when ${how}${suffix}`, () =>
        engine.withAgent(
          momentScripts,
          async (play) => {
            const { client, cwd, place } = play;
            const reached = await reachAll(play);
            const opening = client.newSession(cwd).catch(() => {});
            await waitUntil(
              place.root,
              (all) => all.filter((one) => engine.isCli(one)).length === engine.cliCount(reached.size + 1),
            );
            const began = performance.now();
            await end(play);
            assert.deepEqual(await waitUntilGone(place.root), []);
            assert.ok(performance.now() - began < 5000);
            assert.equal((await client.program.exited).code, code);
            await Promise.all([opening, ...[...reached.values()].map(({ ended }) => ended)]);
          },
          { ...noWarm, overlook: { mayBeOpen: true } },
        ));
    }
  });
}

describe("a Claude CLI killed", () => {
  it("a CLI killed while it starts is reported by the prompt or the session that waits for it, and the next ones work", () =>
    withAgent(
      { talk: [answer(says("Hello."))] },
      async (play) => {
        const { client, cwd } = play;
        await client.initialize();
        const ending = { code: -32603, message: "the Claude CLI was ended by SIGKILL" };
        const opening = assert.rejects(client.newSession(cwd), ending);
        process.kill((await cliOf(play.place, "--session-id=")).pid, "SIGKILL");
        await opening;
        const { sessionId } = await client.newSession(cwd);
        await client.prompt(sessionId, `[[talk]] PERSIMMON ${sessionId}`);
        process.kill((await cliOf(play.place, sessionId)).pid, "SIGKILL");
        await waitUntil(
          play.place.root,
          (all) => !all.some(({ command: line }) => line.includes("--input-format=stream-json")),
        );
        const prompted = assert.rejects(client.prompt(sessionId, "[[talk]] lost"), ending);
        process.kill((await cliOf(play.place, "--resume=")).pid, "SIGKILL");
        await prompted;
        await remembers(play, sessionId);
      },
      noWarm,
    ));

  it("a CLI that is killed leaves alone what a command put in the background for good", () =>
    inSession(
      {
        talk: [answer(says("Hello."))],
        daemon: [answer(call("Bash", { command: "nohup sleep 476 >/dev/null 2>&1 &" })), answer(says("Started."))],
      },
      async ({ tell, place, sessionId }) => {
        assert.equal((await tell("[[daemon]] go")).at(-1), "answers end_turn");
        const daemon = await waitForCommand(place.root, "sleep 476");
        try {
          process.kill((await cliOf(place, sessionId)).pid, "SIGKILL");
          assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
          assert.ok((await waitUntil(place.root, () => true)).some(({ pid }) => pid === daemon.pid));
        } finally {
          process.kill(daemon.pid, "SIGKILL");
        }
      },
      noWarm,
    ));
});

async function killAll(engine: LiveEngine, { client, place }: SharedPlay): Promise<void> {
  const all = await waitUntil(place.root, () => true);
  // The program is stopped first, so that it cannot clean up after its CLIs.
  process.kill(client.program.pid, "SIGSTOP");
  for (const { pid } of all.filter((one) => engine.isCli(one))) process.kill(pid, "SIGKILL");
  await client.program.kill("SIGKILL");
}
