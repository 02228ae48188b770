/**
 * Launches tapes instead of the Claude CLI, one recorded CLI run per launch.
 *
 * The first session that the client opens plays the first recorded session, the second
 * plays the second, and so on; a session opened by a recorded id plays that session.
 */
import type { AgentOptions } from "../../agent/index.ts";
import { emptyStore, type Launcher } from "../../claude/engine/index.ts";
import { type Schedule } from "../../wire/index.ts";
import { ClaudeExit } from "../../claude/index.ts";
import {
  relocate,
  isHostSpecific,
  type Row,
  tapeLink,
  tapeSessions,
  FileSnapshots,
  type TapeSession,
} from "../../tape/index.ts";

export interface TapeLauncherOptions {
  readonly after: Schedule | undefined;
  readonly onMismatch: (sentence: string) => void;
}

export function tapeLauncher(
  rows: readonly Row[],
  options: TapeLauncherOptions,
): Pick<AgentOptions, "launcher" | "store" | "textOf"> {
  const isTwoSided = rows.some(({ side }) => side === "acp");
  const recorded = tapeSessions(rows).filter(({ id }) => !isTwoSided || isKnown(rows, id));
  const playingById = new Map<string, { readonly session: TapeSession; runs: number }>();
  const snapshots = new Set<FileSnapshots>();

  const launcher: Launcher = ({ sessionId, cwd }) => {
    const playing = playingById.get(sessionId) ?? claim(sessionId);
    const run = playing.session.runs[playing.runs++];
    if (run === undefined) throw new ClaudeExit("the tape has no more of this session");
    const tape = relocate(run, cwd);
    const link = tapeLink(tape, {
      ...options,
      onWait: (frame) => frame && !isTwoSided && isHostSpecific(tape, frame) && link.skip(),
    });
    const known = new FileSnapshots(tape);
    snapshots.add(known);
    const open: typeof link.open = (callbacks) =>
      link.open({
        onLine(line) {
          known.onLine();
          callbacks.onLine(line);
        },
        onFault: (fault) => callbacks.onFault(fault),
        onDrain: () => callbacks.onDrain(),
        onEnd: () => callbacks.onEnd(),
        onClose(reason) {
          snapshots.delete(known);
          callbacks.onClose(reason);
        },
      });
    const { send, pause, resume, close } = link;
    return { link: { open, send, pause, resume, close }, ready: () => {} };
  };

  function claim(sessionId: string): { readonly session: TapeSession; runs: number } {
    const taken = new Set([...playingById.values()].map(({ session }) => session));
    const session =
      recorded.find(({ id }) => id === sessionId) ?? recorded.find((one) => !taken.has(one) && one.runs.length > 0);
    if (session === undefined) throw new ClaudeExit(`the tape has no more than ${recorded.length} sessions`);
    const playing = { session, runs: 0 };
    playingById.set(sessionId, playing);
    return playing;
  }

  const store = { ...emptyStore, has: async (sessionId: string) => recorded.some(({ id }) => id === sessionId) };
  const textOf = (path: string): string | undefined => {
    for (const known of snapshots) {
      const text = known.textOf(path);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  return { launcher, store, textOf };
}

/** Whether the recorded editor saw this session id; ids of prewarmed CLIs that were never used do not appear in its messages. */
function isKnown(rows: readonly Row[], id: string | undefined): boolean {
  return id === undefined || rows.some((row) => row.side === "acp" && row.kind === "message" && row.line.includes(id));
}
