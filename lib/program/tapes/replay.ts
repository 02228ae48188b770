/**
 * Replay: an agent on stdin and stdout that plays a tape.
 *
 * The same each time, without a network, an account or a Claude. A client that
 * departs from the tape is told how, in the answer and on stderr.
 */
import { serveClaude } from "../../agent/index.ts";
import { type Schedule, wallClock, stdioLink } from "../../wire/index.ts";
import { acpTape, agentTapeLink, type Row } from "../../tape/index.ts";
import { CommandFailure } from "../command.ts";
import { tapeLauncher } from "./tape-launcher.ts";

const patienceMs = 10_000;

export interface ReplayOptions {
  /** How many times as fast as it was recorded; undefined: at once. */
  readonly speed: number | undefined;
  /** The first departure ends it with exit code 1, and prompts are held to the tape. */
  readonly isStrict: boolean;
  readonly tell: (sentence: string) => void;
  /** How long a client that waits for us may leave us waiting for it. */
  readonly waitsMs?: number | undefined;
}

/** Resolves with the exit code when the client has left. */
export function replayAgent(rows: readonly Row[], options: ReplayOptions, link = stdioLink): Promise<number> {
  const { speed, isStrict, tell, waitsMs = patienceMs } = options;
  const tape = acpTape(rows);
  if (tape.rows.length === 0)
    throw new CommandFailure("the tape has nothing of an editor's side; play the CLI's with bowline replay --claude");
  return new Promise((resolve) => {
    const client = link();
    let cancelTimer = (): void => {};
    const finish = (code: number, why: string): void => {
      cancelTimer();
      agent.close(why);
      client.close(why);
      resolve(code);
    };
    const depart = (sentence: string): void => {
      tell(sentence);
      // Its answer goes first.
      if (isStrict) setImmediate(() => setImmediate(() => finish(1, sentence)));
    };
    const agent = agentTapeLink(tape, {
      isStrict,
      after: afterAt(speed),
      onMismatch: depart,
      onWait(awaited) {
        cancelTimer();
        // A person may take as long as they like for an answer.
        if (awaited === undefined || awaited.startsWith("the answer")) return;
        cancelTimer = wallClock(waitsMs, () => {
          if (!agent.isAsked()) return;
          depart(`the client departs from the tape: it does not send ${awaited}, which the recording has`);
          agent.skip();
        });
      },
    });
    agent.open({
      onLine: (line) => client.send(line) || agent.pause(),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => {},
      onClose: (reason) => finish(agent.exitCode() ?? 0, reason),
    });
    client.open({
      onLine: (line) => agent.send(line),
      onFault: () => tell("a line of the client could not be read"),
      onDrain: () => agent.resume(),
      // What it asked last is answered first.
      onEnd: () =>
        agent.whenStill(() => {
          const remaining = isStrict ? agent.remaining() : undefined;
          if (remaining !== undefined) tell(`the client left before ${remaining}, which the recording has`);
          finish(remaining === undefined ? 0 : 1, "the client left");
        }),
      onClose: (reason) => finish(0, reason),
    });
  });
}

/** The real agent, with the tape in the place of its CLI. */
export function replayClaude(rows: readonly Row[], { speed, isStrict, tell }: ReplayOptions): Promise<number> {
  if (!rows.some((row) => row.side === "claude" && row.kind === "message"))
    throw new CommandFailure("the tape has nothing of the CLI's side; play the editor's without --claude");
  let end = (_code: number): void => {};
  const until = new Promise<number>((resolve) => (end = resolve));
  const claude = tapeLauncher(rows, {
    after: afterAt(speed),
    onMismatch(sentence) {
      tell(sentence);
      // The prompt's own answer goes first.
      if (isStrict) setImmediate(() => setImmediate(() => end(1)));
    },
  });
  return serveClaude({ isLegacy: false, settings: {}, prewarms: false, idleTimeoutMs: 0, ...claude, until });
}

function afterAt(speed: number | undefined): Schedule | undefined {
  return speed === undefined ? undefined : (delayMs, run) => wallClock(delayMs / speed, run);
}
