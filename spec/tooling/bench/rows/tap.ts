/**
 * Measures what `bowline tap` adds to a round trip, with recording, scrubbing and
 * checking.
 *
 * The same agent twice, once behind the tap, called alternately over real pipes. The
 * figure is the difference between the two within one run. The floor is a Node that only
 * pipes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, dirname } from "node:path";
import type { Row, Setting } from "../row.ts";
import { textOf } from "../messages.ts";

/** Round trips of each variant in one run. */
const trips = 1500;
const warmUps = 200;

export function tapRows(setting: Setting): Row[] {
  const row = (name: string, share: number): Row => ({
    name: `tap: added to a round trip, ${name}`,
    scale: { kind: "plain", unit: " ms" },
    target: 1,
    rounds: 9,
    quickRounds: 3,
    warmUps: 0,
    open: () => ({
      contestants: {
        floor: () => added(setting, [process.execPath, setting.program("pipe-floor")], share),
        ours: () => added(setting, tapOf(setting), share),
      },
    }),
  });
  return [row("median", 0.5), row("99 of 100", 0.99)];
}

function tapOf({ program }: Setting): readonly string[] {
  const tape = join(dirname(program("bowline")), "tap.ndjson");
  return [process.execPath, program("bowline"), "tap", "-o", tape, "--"];
}

async function added({ program }: Setting, between: readonly string[], share: number): Promise<number> {
  const agent = [process.execPath, program("prompt-floor")];
  const direct = caller(agent);
  const tapped = caller([...between, ...agent]);
  const times = new Map([
    [direct, [] as number[]],
    [tapped, [] as number[]],
  ]);
  for (let i = 0; i < warmUps + trips; i++) {
    for (const one of i % 2 === 0 ? [direct, tapped] : [tapped, direct]) {
      const ms = await one.ask(i);
      if (i >= warmUps) times.get(one)?.push(ms);
    }
  }
  await Promise.all([direct.end(), tapped.end()]);
  const [without = NaN, withTap = NaN] = [direct, tapped].map((one) => quantile(times.get(one) ?? [], share));
  return withTap - without;
}

interface Caller {
  readonly ask: (id: number) => Promise<number>;
  readonly end: () => Promise<void>;
}

function caller([command = "", ...args]: readonly string[]): Caller {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  let answered = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => text.endsWith("\n") && answered());
  return {
    ask: (id) =>
      new Promise((resolve) => {
        const params = { sessionId: "s", prompt: [{ type: "text", text: textOf(id) }] };
        const line = `${JSON.stringify({ jsonrpc: "2.0", id, method: "session/prompt", params })}\n`;
        const started = performance.now();
        answered = () => resolve(performance.now() - started);
        child.stdin.write(line);
      }),
    end: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? NaN;
}
