/**
 * Tape Claude: the recorded side of the CLI in the place of a real one, session by
 * session and run by run.
 *
 * The first session that is opened plays the first that was recorded, and so on; one
 * that is opened by a recorded id plays that.
 */
import { type Launcher, nothingSaved, type ServeOptions } from "../agent/index.ts";
import { type After, ClaudeExit } from "../claude/index.ts";
import {
  inDirectory,
  isForeign,
  type Row,
  tapeLink,
  tapeSessions,
  TapeTexts,
  type TapeSession,
} from "../tape/index.ts";

export interface TapeClaudeOptions {
  readonly after: After | undefined;
  readonly onDeparture: (sentence: string) => void;
}

export function tapeClaude(
  rows: readonly Row[],
  options: TapeClaudeOptions,
): Pick<ServeOptions, "launcher" | "saved" | "textOf"> {
  const isTwoSided = rows.some(({ side }) => side === "acp");
  const recorded = tapeSessions(rows).filter(({ id }) => !isTwoSided || isKnown(rows, id));
  const claimed = new Map<string, { readonly session: TapeSession; runs: number }>();
  const texts = new Set<TapeTexts>();

  const launcher: Launcher = ({ sessionId, cwd }) => {
    const playing = claimed.get(sessionId) ?? claim(sessionId);
    const run = playing.session.runs[playing.runs++];
    if (run === undefined) throw new ClaudeExit("the tape has no more of this session");
    const tape = inDirectory(run, cwd);
    const link = tapeLink(tape, {
      ...options,
      onWait: (frame) => frame && !isTwoSided && isForeign(tape, frame) && link.skip(),
    });
    const known = new TapeTexts(tape);
    texts.add(known);
    const open: typeof link.open = (ends) =>
      link.open({
        onLine(line) {
          known.heard();
          ends.onLine(line);
        },
        onFault: (fault) => ends.onFault(fault),
        onDrain: () => ends.onDrain(),
        onEnd: () => ends.onEnd(),
        onClose(reason) {
          texts.delete(known);
          ends.onClose(reason);
        },
      });
    const { send, pause, resume, close } = link;
    return { link: { open, send, pause, resume, close }, ready: () => {} };
  };

  function claim(sessionId: string): { readonly session: TapeSession; runs: number } {
    const taken = new Set([...claimed.values()].map(({ session }) => session));
    const session =
      recorded.find(({ id }) => id === sessionId) ?? recorded.find((one) => !taken.has(one) && one.runs.length > 0);
    if (session === undefined) throw new ClaudeExit(`the tape has no more than ${recorded.length} sessions`);
    const playing = { session, runs: 0 };
    claimed.set(sessionId, playing);
    return playing;
  }

  const saved = { ...nothingSaved, has: async (sessionId: string) => recorded.some(({ id }) => id === sessionId) };
  const textOf = (path: string): string | undefined => {
    for (const known of texts) {
      const text = known.textOf(path);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  return { launcher, saved, textOf };
}

/** The editor knew it; one that only waited to be used was never known. */
function isKnown(rows: readonly Row[], id: string | undefined): boolean {
  return id === undefined || rows.some((row) => row.side === "acp" && row.kind === "message" && row.line.includes(id));
}
