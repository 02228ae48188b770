/**
 * Recording: a tape begun, and the person told where it is.
 *
 * One line on stderr when it begins and one when it has to stop; a recording that
 * fails stops nothing else.
 */
import { type Fields, type Recorder, startRecording } from "../tape/index.ts";
import { version } from "../version.ts";
import type { Terminal } from "./command.ts";

export interface RecordingWish {
  /** Which command records. */
  readonly what: "agent" | "tap";
  readonly to: string;
  readonly isDirectory: boolean;
  readonly isScrubbed: boolean;
  /** More for the first row. */
  readonly meta?: Fields;
}

export function record(wish: RecordingWish, env: Terminal["env"], stderr: Terminal["stderr"]): Recorder | undefined {
  const { what, meta, ...where } = wish;
  // A closed stderr must take nothing down with it.
  stderr.on("error", () => {});
  const tell = (sentence: string): void => void stderr.write(`bowline: ${sentence}\n`);
  const facts = { recorded: what, bowline: version, cwd: process.cwd(), platform: process.platform, ...meta };
  const recording = startRecording({ ...where, env, meta: facts, warn: tell });
  if (recording !== undefined) tell(`recording to ${recording.path}`);
  return recording?.recorder;
}
