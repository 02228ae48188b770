/**
 * Measures how cost grows: ten times the sessions, message size or history against one.
 *
 * Both are taken in one round; 1.00 is a cost proportional to the work. The whole agent
 * runs in memory, with fake CLIs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realTimer } from "../../../../lib/wire/index.ts";
import { agentHarness, type AgentHarness, ends, says, takes, wants } from "../../../support/claude/agent-harness.ts";
import type { Frame, FakeCli } from "../../../support/claude/fake-cli.ts";
import { textOf } from "../messages.ts";
import { type Run, timedAsync } from "../measure.ts";
import { pairContest, stream } from "../pairs.ts";
import type { Contest, Row, Setting } from "../row.ts";
import { replayedTranscript } from "../replayed-transcript.ts";

export function growthRows({ bowline, isQuick }: Setting): Row[] {
  const common = { scale: { kind: "plain", unit: "x" }, target: 1.2, warmUps: 2, isSwept: true } as const;
  const deltas = isQuick ? 1000 : 10_000;
  const turns = isQuick ? 10 : 100;
  const megabytes = isQuick ? 1 : 2;
  const [bytes, count] = [100 * 1024, isQuick ? 20 : 200];
  return [
    ...[10, 100].map((sessions): Row => ({
      ...common,
      name: `growth: a delta through the agent at ${sessions} sessions, against 1`,
      open: () => sessionsContest(sessions, deltas),
    })),
    {
      ...common,
      // JSON itself costs more for each byte of long texts; only our own addition counts.
      scale: { kind: "cost", unit: "x" },
      name: "growth: a byte of 1 MB messages, against 100 KB",
      open: async () => ({
        contestants: await pairContest(bowline, (pair) =>
          against(
            () => stream(pair, 1, count, longText(bytes)),
            () => stream(pair, 1, count / 10, longText(10 * bytes)),
          ),
        ),
      }),
    },
    {
      ...common,
      name: `growth: a turn after ${10 * turns} others, against after ${turns}`,
      open: () => historyContest(turns, deltas),
    },
    {
      ...common,
      name: `growth: a byte of a saved ${10 * megabytes} MB conversation, against ${megabytes} MB`,
      open: () => savedContest(megabytes),
    },
  ];
}

/** One, then ten, then the other way round, so that the order favours neither. */
function against(one: () => Promise<number>, ten: () => Promise<number>): Run {
  return async () => {
    const [first, second, third, fourth] = [await one(), await ten(), await ten(), await one()];
    return (second + third) / (first + fourth);
  };
}

function longText(bytes: number): (i: number) => string {
  return (i) => `${i} `.padEnd(bytes, "some words of a long answer, ");
}

/** A session that can be given turns. */
interface Stand {
  readonly harness: AgentHarness;
  readonly sessionId: string;
  readonly fakeCli: FakeCli;
}

async function stand(at: AgentHarness): Promise<Stand> {
  return { harness: at, ...(await at.open()) };
}

async function sessionsContest(sessions: number, deltas: number): Promise<Contest> {
  const at = await agentHarness({ after: realTimer });
  const stands: Stand[] = [];
  for (let i = 0; i < sessions; i++) stands.push(await stand(at));
  return {
    contestants: {
      ours: against(
        () => timedAsync(() => speak(stands.slice(0, 1), deltas)),
        () => timedAsync(() => speak(stands, deltas / sessions)),
      ),
    },
  };
}

async function historyContest(turns: number, deltas: number): Promise<Contest> {
  const [short, long] = [
    await stand(await agentHarness({ after: realTimer })),
    await stand(await agentHarness({ after: realTimer })),
  ];
  for (let i = 0; i < turns; i++) await work(short, i);
  for (let i = 0; i < 10 * turns; i++) await work(long, i);
  return {
    contestants: {
      ours: against(
        () => timedAsync(() => speak([short], deltas)),
        () => timedAsync(() => speak([long], deltas)),
      ),
    },
  };
}

/** A turn of this many words in each session, all at once. */
async function speak(stands: readonly Stand[], deltas: number): Promise<void> {
  await Promise.all(stands.map((on) => turn(on, () => say(on, deltas))));
  for (const { harness: at } of stands) at.updates.length = 0;
}

async function say({ fakeCli }: Stand, deltas: number): Promise<void> {
  fakeCli.say({ type: "stream_event", event: { type: "message_start", message: { id: "msg_1", usage: {} } } });
  for (let i = 0; i < deltas; i++) {
    const delta = { type: "text_delta", text: textOf(i) };
    fakeCli.say({ type: "stream_event", event: { type: "content_block_delta", index: 0, delta } });
    if (i % 10 === 0) await new Promise(setImmediate);
  }
}

/** A turn with a command. */
async function work(on: Stand, number: number): Promise<void> {
  const id = `toolu_${number}`;
  const output = { type: "tool_result", tool_use_id: id, content: "all green\n".repeat(20) };
  await turn(on, async () => {
    on.fakeCli.say(wants("Bash", { command: `npm test -- ${number}` }, id));
    on.fakeCli.say({ type: "user", message: { role: "user", content: [output] } }, says("Done."));
  });
}

async function turn({ harness: at, sessionId, fakeCli }: Stand, during: () => Promise<void>): Promise<void> {
  const answered = at.prompt(sessionId, "go on");
  const frame: Frame = await fakeCli.hear("user");
  fakeCli.say(...takes(frame));
  await during();
  fakeCli.say(...ends(frame));
  await answered;
}

/** The cost of replaying a conversation, per byte. */
function savedContest(megabytes: number): Contest {
  const root = mkdtempSync(join(tmpdir(), "bowline-bench-"));
  const [short, long] = [replayedTranscript(root, 1, megabytes), replayedTranscript(root, 2, 10 * megabytes)];
  return {
    contestants: {
      ours: against(
        async () => (await timedAsync(short.replay)) / short.bytes,
        async () => (await timedAsync(long.replay)) / long.bytes,
      ),
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
