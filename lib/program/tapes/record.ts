/**
 * Starts a recording for a command and tells the user where the tape is.
 *
 * Prints one line on stderr when the recording starts and one if it fails. A recording
 * that fails never stops the session.
 */
import { statSync } from "node:fs";
import type { ServeOptions } from "../../agent/index.ts";
import { type RowFields, recordedLink, type Recorder, startRecording } from "../../tape/index.ts";
import { version } from "../../version.ts";
import type { ProgramStreams } from "../command.ts";
import { printLine } from "../print.ts";

export interface RecordOptions {
  /** The command that records. */
  readonly what: "agent" | "tap";
  readonly to: string;
  readonly isDirectory: boolean;
  readonly isScrubbed: boolean;
  /** Extra fields of the tape's first row. */
  readonly meta?: RowFields;
}

/** Why the tape should not be shared. */
function warning(isScrubbed: boolean): string {
  return isScrubbed ? "scrubbing hides only the secrets it recognises" : "nothing in it is scrubbed";
}

/** Undefined when the tape cannot be written; stderr says why. */
export function record(params: RecordOptions, { env, stderr }: ProgramStreams): Recorder | undefined {
  const { what, meta, ...where } = params;
  // Without a listener a write to a closed stderr would end the process.
  stderr.on("error", () => {});
  const report = (sentence: string): void => void printLine(stderr, `bowline: ${sentence}`);
  const facts = { recorded: what, bowline: version, cwd: process.cwd(), platform: process.platform, ...meta };
  const recording = startRecording({ ...where, env, meta: facts, warn: report });
  if (recording !== undefined)
    report(`recording to ${recording.path}; keep it to yourself, ${warning(where.isScrubbed)}`);
  return recording?.recorder;
}

/**
 * Whether `-o` or BOWLINE_RECORD names a file: a path that ends with `.ndjson`, or a file
 * that exists. Any other path is a directory, in which each run gets a tape of its own.
 */
export function isTapeFile(path: string): boolean {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts !== undefined) return !facts.isDirectory();
  } catch {
    // A part of the path is not a directory; the recorder reports it.
  }
  return path.endsWith(".ndjson");
}

/** Agent options that record the editor's and the CLI's side, as BOWLINE_RECORD asks. */
export function recordedAgent(terminal: ProgramStreams): Pick<ServeOptions, "recorder" | "around"> {
  const { BOWLINE_RECORD: to = "", BOWLINE_RECORD_SECRETS: secrets } = terminal.env;
  const recorder = record({ what: "agent", to, isDirectory: !isTapeFile(to), isScrubbed: secrets !== "1" }, terminal);
  return recorder === undefined ? {} : { recorder, around: (link) => recordedLink(link, recorder, { side: "acp" }) };
}
