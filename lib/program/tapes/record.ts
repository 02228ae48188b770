/**
 * Recording: a tape begun, and the person told where it is.
 *
 * One line on stderr when it begins and one when it has to stop; a recording that
 * fails stops nothing else.
 */
import type { ServeOptions } from "../../agent/index.ts";
import { type Fields, recordedLink, type Recorder, startRecording } from "../../tape/index.ts";
import { version } from "../../version.ts";
import type { Terminal } from "../command.ts";
import { printLine } from "../print.ts";

export interface RecordOptions {
  /** Which command records. */
  readonly what: "agent" | "tap";
  readonly to: string;
  readonly isDirectory: boolean;
  readonly isScrubbed: boolean;
  /** More for the first row. */
  readonly meta?: Fields;
}

/** Why a tape is for its owner alone, by whether it is scrubbed. */
function warning(isScrubbed: boolean): string {
  return isScrubbed ? "scrubbing hides only the secrets it recognises" : "nothing in it is scrubbed";
}

/** Undefined when nothing can be written; the person was told why. */
export function record(params: RecordOptions, { env, stderr }: Terminal): Recorder | undefined {
  const { what, meta, ...where } = params;
  // A closed stderr must take nothing down with it.
  stderr.on("error", () => {});
  const tell = (sentence: string): void => void printLine(stderr, `bowline: ${sentence}`);
  const facts = { recorded: what, bowline: version, cwd: process.cwd(), platform: process.platform, ...meta };
  const recording = startRecording({ ...where, env, meta: facts, warn: tell });
  if (recording !== undefined)
    tell(`recording to ${recording.path}; keep it to yourself, ${warning(where.isScrubbed)}`);
  return recording?.recorder;
}

/** What makes the agent record both its sides, as its environment asks for. */
export function recordedAgent(terminal: Terminal): Pick<ServeOptions, "recorder" | "around"> {
  const { BOWLINE_RECORD: to = "", BOWLINE_RECORD_SECRETS: secrets } = terminal.env;
  const recorder = record({ what: "agent", to, isDirectory: true, isScrubbed: secrets !== "1" }, terminal);
  return recorder === undefined ? {} : { recorder, around: (link) => recordedLink(link, recorder, { side: "acp" }) };
}
