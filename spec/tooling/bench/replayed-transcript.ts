/**
 * A long conversation on disk, and its replay as `session/load` does it.
 */
import { writeFileSync } from "node:fs";
import { readTranscript, sessionFiles } from "../../../lib/claude/index.ts";
import { fold, TranslationState } from "../../../lib/claude/translate/index.ts";
import { longTranscript, uuidOf } from "./transcript-files.ts";

export interface ReplayedTranscript {
  readonly path: string;
  readonly bytes: number;
  /** Reads the whole file and folds it into updates. */
  readonly replay: () => Promise<void>;
}

/** Written below `root`, under this number. */
export function replayedTranscript(root: string, number: number, megabytes: number): ReplayedTranscript {
  const files = sessionFiles(root, uuidOf(number));
  if (files === undefined) throw new Error("not a session id");
  const text = longTranscript(megabytes * 1024 * 1024);
  writeFileSync(files.transcript, text);
  const view = { cwd: "/", showsTerminals: true, showsNotices: true, showsCompaction: true, textOf: () => undefined };
  return {
    path: files.transcript,
    bytes: text.length,
    replay: async () => {
      const state = new TranslationState(view);
      await readTranscript(files, { onEvent: (event) => void fold(state, event) });
    },
  };
}
