/**
 * Serves a tape as an agent on stdin and stdout, the same each time, without a network,
 * an account or a CLI.
 *
 * A client that deviates from the tape gets an error response and a line on stderr.
 */
import { type AgentOptions, serveAgent } from "../../agent/index.ts";
import { type Link, type Schedule, realTimer, stdioLink } from "../../wire/index.ts";
import { acpTape, agentTapeLink, hasCodex, type Row } from "../../tape/index.ts";
import { CommandFailure } from "../command.ts";
import { describeSetup } from "../commands/doctor.ts";
import { codexTapeLauncher } from "./codex-tape-launcher.ts";
import { tapeLauncher, type TapeLauncherOptions } from "./tape-launcher.ts";

const defaultWaitMs = 10_000;

export interface ReplayOptions {
  /** Playback speed as a multiple of the recorded one; undefined: without delays. */
  readonly speed: number | undefined;
  /** Exits with code 1 at the first deviation, and compares the text of prompts too. */
  readonly isStrict: boolean;
  readonly report: (sentence: string) => void;
  /** How long a client with an open request may withhold the message that the tape expects next. */
  readonly waitsMs?: number | undefined;
  /** The connection with the client; stdin and stdout when left out. */
  readonly link?: (() => Link) | undefined;
}

/** Resolves with the exit code when the client has closed the connection. */
export function replayAgent(rows: readonly Row[], options: ReplayOptions): Promise<number> {
  const { speed, isStrict, report, waitsMs = defaultWaitMs, link = stdioLink } = options;
  const tape = acpTape(rows);
  if (tape.rows.length === 0)
    throw new CommandFailure(
      `the tape has nothing of an editor's side; play the CLI's with bowline replay --${hasCodex(rows) ? "codex" : "claude"}`,
    );
  return new Promise((resolve) => {
    const client = link();
    let cancelTimer = (): void => {};
    const finish = (code: number, why: string): void => {
      cancelTimer();
      agent.close(why);
      client.close(why);
      resolve(code);
    };
    const onDeviation = (sentence: string): void => {
      report(sentence);
      // Two event-loop turns later: the error response is written first.
      if (isStrict) setImmediate(() => setImmediate(() => finish(1, sentence)));
    };
    const agent = agentTapeLink(tape, {
      isStrict,
      after: afterAt(speed),
      onMismatch: onDeviation,
      onWait(awaited) {
        cancelTimer();
        // No limit for a permission request: the user may take any time to answer.
        if (awaited === undefined || awaited.startsWith("the answer")) return;
        cancelTimer = realTimer(waitsMs, () => {
          if (!agent.isAsked()) return;
          onDeviation(`the client departs from the tape: it does not send ${awaited}, which the recording has`);
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
      onFault: () => report("a line of the client could not be read"),
      onDrain: () => agent.resume(),
      // The client's last requests are answered before the replay ends.
      onEnd: () =>
        agent.whenStill(() => {
          const remaining = isStrict ? agent.remaining() : undefined;
          if (remaining !== undefined) report(`the client left before ${remaining}, which the recording has`);
          finish(remaining === undefined ? 0 : 1, "the client left");
        }),
      onClose: (reason) => finish(0, reason),
    });
  });
}

/** Runs the real agent with a tape in place of the Claude CLI. */
export function replayClaude(rows: readonly Row[], options: ReplayOptions): Promise<number> {
  if (!rows.some((row) => row.side === "claude" && row.kind === "message"))
    throw new CommandFailure("the tape has nothing of the CLI's side; play the editor's without --claude");
  return replayCli((played) => tapeLauncher(rows, played), options);
}

/** Runs the real agent with a tape in place of `codex app-server`. */
export function replayCodex(rows: readonly Row[], options: ReplayOptions): Promise<number> {
  if (!hasCodex(rows))
    throw new CommandFailure("the tape has nothing of Codex's side; play the editor's without --codex");
  return replayCli((played) => codexTapeLauncher(rows, played), options);
}

function replayCli(
  play: (options: TapeLauncherOptions) => AgentOptions,
  { speed, isStrict, report, link }: ReplayOptions,
): Promise<number> {
  let end = (_code: number): void => {};
  const until = new Promise<number>((resolve) => (end = resolve));
  const played = play({
    after: afterAt(speed),
    onMismatch(sentence) {
      report(sentence);
      // Two event-loop turns later: the response to the prompt is written first.
      if (isStrict) setImmediate(() => setImmediate(() => end(1)));
    },
  });
  return serveAgent({
    isLegacy: false,
    settings: {},
    prewarms: false,
    idleTimeoutMs: 0,
    describeSetup: () => describeSetup(process.env),
    ...played,
    link: link?.(),
    until,
  });
}

function afterAt(speed: number | undefined): Schedule | undefined {
  return speed === undefined ? undefined : (delayMs, run) => realTimer(delayMs / speed, run);
}
