/**
 * Measures updates from an agent to a client in one process, from one session and from
 * many that stream at the same time.
 *
 * The cost of more sessions is each contestant's own time for many over its time for
 * one, taken alternately.
 */
import type { Run } from "../measure.ts";
import { type Pair, pairContest, stream } from "../pairs.ts";
import type { Row, Setting } from "../row.ts";

export function sessionRows({ bowline, isQuick }: Setting): Row[] {
  const count = isQuick ? 1000 : 5000;
  const against = (sessions: number): Row => ({
    name: `sessions: an update at ${sessions} sessions, against 1`,
    scale: { kind: "plain", unit: "x" },
    target: 1.2,
    warmUps: 2,
    open: async () => {
      const { floor: _, ...contestants } = await pairContest(bowline, (pair) => againstOne(pair, sessions, count));
      return { contestants };
    },
  });
  return [
    {
      name: "sessions: updates of one, to its client",
      scale: { kind: "rate", count, unit: "/s" },
      warmUps: 3,
      open: async () => ({ contestants: await pairContest(bowline, (pair) => () => stream(pair, 1, count)) }),
    },
    against(10),
    against(100),
  ];
}

function againstOne(pair: Pair, sessions: number, count: number): Run {
  return async () => {
    const one = await stream(pair, 1, count);
    const many = await stream(pair, sessions, count);
    return many / one;
  };
}
