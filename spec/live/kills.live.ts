/**
 * Live specs of killed processes: a session survives its CLI, and no process survives
 * the program.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { inSession, withAgent, type Play } from "../support/live/with-agent.ts";
import { cliOf, command, type Moment, momentScripts, reachAll, remembers } from "../support/live/kill-points.ts";
import { type ProcessEntry, waitForCommand, waitUntil, waitUntilGone } from "../support/processes.ts";
import { answer, call, say } from "../support/live/model-script.ts";
import { ended } from "../support/live/editor-mode.ts";

const noWarm = { env: { BOWLINE_PREWARM: "0" } };
const isCli = ({ command: line }: ProcessEntry): boolean => line.includes("--input-format=stream-json");
const isCommand = (one: ProcessEntry): boolean => one.command.includes("sleep 475") && !isCli(one);

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
    "asks touch never · Ask",
    `failed touch never · Ask · ${reason}`,
    answered,
  ],
});

/** The offered config options are tested elsewhere. */
const withoutOptions = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/ \[.*\]$/, ""));

describe("a CLI killed", () => {
  it("a CLI killed at any moment ends its turn with the reason, and the session goes on with the conversation", () =>
    withAgent(
      momentScripts,
      async (play) => {
        const { client, place } = play;
        const reached = await reachAll(play);
        for (const { sessionId } of reached.values()) process.kill((await cliOf(play, sessionId)).pid, "SIGKILL");
        const expected = told("The Claude CLI ended.", "answers -32603 the Claude CLI was ended by SIGKILL");
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

  it("a CLI killed while it starts is reported by the prompt or the session that waits for it, and the next ones work", () =>
    withAgent(
      momentScripts,
      async (play) => {
        const { client, cwd } = play;
        await client.initialize();
        const ending = { code: -32603, message: "the Claude CLI was ended by SIGKILL" };
        const opening = assert.rejects(client.newSession(cwd), ending);
        process.kill((await cliOf(play, "--session-id=")).pid, "SIGKILL");
        await opening;
        const { sessionId } = await client.newSession(cwd);
        await client.prompt(sessionId, `[[talk]] PERSIMMON ${sessionId}`);
        process.kill((await cliOf(play, sessionId)).pid, "SIGKILL");
        await waitUntil(play.place.root, (all) => !all.some(isCli));
        const prompted = assert.rejects(client.prompt(sessionId, "[[talk]] lost"), ending);
        process.kill((await cliOf(play, "--resume=")).pid, "SIGKILL");
        await prompted;
        await remembers(play, sessionId);
      },
      noWarm,
    ));

  it("a CLI killed as soon as it has a prompt, saved or not, keeps the prompt in the conversation", () =>
    withAgent(
      momentScripts,
      async (play) => {
        const { client, cwd, api } = play;
        await client.initialize();
        for (const afterMs of [0, 15, 30, 60, 120]) {
          // The first prompt of a session, after which there may be no file yet, and a later one.
          for (const isFirst of [true, false]) {
            const { sessionId } = await client.newSession(cwd);
            if (!isFirst) await client.prompt(sessionId, `[[talk]] PERSIMMON ${sessionId}`);
            const cli = await cliOf(play, sessionId);
            const from = api.requests.length;
            const lost = client.prompt(sessionId, `[[streaming]] QUINCE ${sessionId}`).catch(() => {});
            await api.requests.waitFor(({ script }) => script === "streaming", { from });
            await pause(afterMs);
            process.kill(cli.pid, "SIGKILL");
            await lost;
            await client.prompt(sessionId, `[[talk]] again ${sessionId}`);
            const heard = api.requests.items.findLast(({ script }) => script === "talk")?.body.messages;
            assert.match(
              JSON.stringify(heard),
              new RegExp(`QUINCE ${sessionId}[^]*again ${sessionId}`),
              `${afterMs} ms`,
            );
            if (!isFirst) assert.match(JSON.stringify(heard), new RegExp(`PERSIMMON ${sessionId}`));
            await client.request("session/close", { sessionId });
          }
        }
      },
      noWarm,
    ));

  it("a CLI killed right after a command began, long after it was requested, takes the command with it, cancelled or not", () =>
    inSession(
      { late: [answer(call("Bash", { command, description: "Wait" })), answer(say("never"))] },
      async (driver) => {
        const { client, tell, place, sessionId } = driver;
        // Longer than the agent scans for children after a tool call was announced.
        client.editor.permissionAnswers.push(() => pause(600, "allow" as const));
        const prompted = tell("[[late]] go");
        await waitForCommand(place.root, "sleep 475");
        process.kill((await cliOf(driver, sessionId)).pid, "SIGKILL");
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

  it("a CLI that is killed leaves alone what a command put in the background for good", () =>
    inSession(
      {
        ...momentScripts,
        daemon: [answer(call("Bash", { command: "nohup sleep 476 >/dev/null 2>&1 &" })), answer(say("Started."))],
      },
      async (driver) => {
        const { tell, place, sessionId } = driver;
        assert.equal((await tell("[[daemon]] go")).at(-1), "answers end_turn");
        const daemon = await waitForCommand(place.root, "sleep 476");
        try {
          process.kill((await cliOf(driver, sessionId)).pid, "SIGKILL");
          assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
          assert.ok((await waitUntil(place.root, () => true)).some(({ pid }) => pid === daemon.pid));
        } finally {
          process.kill(daemon.pid, "SIGKILL");
        }
      },
      noWarm,
    ));
});

describe("a CLI that hangs", () => {
  it("a CLI that hangs at any moment is cancelled within the limit, and another CLI goes on with the conversation", () =>
    withAgent(
      momentScripts,
      async (play) => {
        const { client, place } = play;
        const reached = await reachAll(play);
        for (const { sessionId } of reached.values()) process.kill((await cliOf(play, sessionId)).pid, "SIGSTOP");
        const idle = reached.get("idle")?.sessionId ?? "";
        const unheard = client.prompt(idle, "[[talk]] lost");
        // Once this is answered, the prompt has been sent to a CLI that does not read it.
        await client.request("session/list", {});
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

describe("session/close", () => {
  it("session/close at any moment ends the turn, the CLI and its commands", () =>
    withAgent(
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
        const isOurs = ({ pid }: ProcessEntry): boolean => pid === client.program.pid;
        assert.deepEqual(
          (await waitUntil(place.root, (all) => all.every(isOurs))).filter((one) => !isOurs(one)),
          [],
        );
        assert.ok(performance.now() - began < 5000 * reached.size);
      },
      noWarm,
    ));
});

describe("the program, with sessions at every moment and one that starts", () => {
  const callbacks: readonly (readonly [string, number | null, (play: Play) => Promise<unknown>])[] = [
    ["its client hangs up", 0, ({ client }) => client.hangUp()],
    ["SIGTERM comes", 143, ({ client }) => client.program.kill("SIGTERM")],
    ["SIGINT comes", 130, ({ client }) => client.program.kill("SIGINT")],
    ["SIGHUP comes", 129, ({ client }) => client.program.kill("SIGHUP")],
    ["it is killed", null, ({ client }) => client.program.kill("SIGKILL")],
    ["it is killed together with its CLIs", null, killAll],
  ];
  for (const [how, code, end] of callbacks) {
    it(`the program leaves no process behind when ${how}`, () =>
      withAgent(
        momentScripts,
        async (play) => {
          const { client, cwd, place } = play;
          const reached = await reachAll(play);
          const opening = client.newSession(cwd).catch(() => {});
          await waitUntil(place.root, (all) => all.filter(isCli).length === reached.size + 1);
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

async function killAll({ client, place }: Play): Promise<void> {
  const all = await waitUntil(place.root, () => true);
  // The program is stopped first, so that it cannot clean up after its CLIs.
  process.kill(client.program.pid, "SIGSTOP");
  for (const { pid } of all.filter(isCli)) process.kill(pid, "SIGKILL");
  await client.program.kill("SIGKILL");
}
