/**
 * Records a tape to a file that only its owner can read.
 *
 * A full or slow disk ends the recording with one warning and has no other effect.
 */
import { constants, createWriteStream, fchmodSync, fstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { codeOf } from "../wire/index.ts";
import { Recorder, type TapeSink } from "./recorder.ts";
import type { RowFields } from "./tape-rows.ts";
import { scrubber } from "./scrub/scrub.ts";

/** Rows are written in batches: each write wakes a thread of the pool, which competes with the traffic for cores. */
const writeEveryMs = 50;
const maxWriteChars = 64 * 1024;
/** Bytes that may wait for the disk. */
const maxBacklogBytes = 32 * 1024 * 1024;
/** How long the program waits at its end for the last rows to be written. */
const endLimitMs = 1000;

export interface RecordingOptions {
  /** A file, or a directory in which a new file is created. With `isDirectory` the directory is created too. */
  readonly to: string;
  readonly isDirectory: boolean;
  readonly isScrubbed: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** RowFields of the first row that describe the recording. */
  readonly meta: RowFields;
  /** Called at most once, with one sentence. */
  readonly warn: (sentence: string) => void;
}

export interface Recording {
  readonly path: string;
  readonly recorder: Recorder;
}

/** Undefined when the file cannot be created; the warning says why. */
export function startRecording({
  to,
  isDirectory,
  isScrubbed,
  env,
  meta,
  warn,
}: RecordingOptions): Recording | undefined {
  const begun = new Date();
  let path = to;
  let sink: TapeSink;
  try {
    if (isDirectory) mkdirSync(to, { recursive: true, mode: 0o700 });
    const isNew = isDirectory || statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isNew) path = join(to, `${begun.toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}.ndjson`);
    sink = tapeSink(createWriteStream(path, { fd: openPrivate(path, isNew) }), path, warn);
  } catch (cause) {
    warn(`nothing is recorded: ${path} cannot be written (${reasonOf(cause)})`);
    return undefined;
  }
  const startMs = performance.now();
  const scrub = isScrubbed ? scrubber({ env, home: env["HOME"] ?? homedir() }) : undefined;
  const recorder = new Recorder(sink, { scrub, now: () => performance.now() - startMs });
  recorder.note({ dir: "meta", tape: 1, start: begun.toISOString(), scrubbed: isScrubbed, ...meta });
  return { path, recorder };
}

/** The directory of tapes when no other is given. */
export function defaultTapeDirectory(env: RecordingOptions["env"]): string {
  const home = homedir();
  const state =
    process.platform === "win32"
      ? (env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"))
      : (env["XDG_STATE_HOME"] ?? join(home, ".local", "state"));
  return join(state, "bowline", "tapes");
}

/** A sink that writes rows to a stream; a stream error disables the sink with one warning. */
export function tapeSink(stream: Writable, path: string, warn: (sentence: string) => void): TapeSink {
  let isOff = false;
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const closed = new Promise<void>((resolve) => stream.on("close", resolve));
  stream.on("error", (cause) => fail(reasonOf(cause)));
  return {
    write(text) {
      waiting += text;
      if (waiting.length > maxWriteChars) flush();
      else timer ??= setTimeout(flush, writeEveryMs);
      return !isOff;
    },
    async end() {
      flush();
      stream.end();
      const limit = new Promise<void>((resolve) => setTimeout(resolve, endLimitMs).unref());
      await Promise.race([closed, limit]);
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isOff && waiting !== "") stream.write(waiting);
    waiting = "";
    if (!isOff && stream.writableLength > maxBacklogBytes) fail("the disk does not keep up");
  }

  function fail(why: string): void {
    if (isOff) return;
    isOff = true;
    stream.destroy();
    warn(`the recording ${path} stopped (${why}); everything else goes on`);
  }
}

function openPrivate(path: string, isNew: boolean): number {
  // A generated name never exists already, unless an attacker created it.
  const how = isNew ? constants.O_EXCL | (constants.O_NOFOLLOW ?? 0) : constants.O_TRUNC;
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | how, 0o600);
  if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
  return file;
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  return code === "ENOSPC" ? "no space left on the disk" : code;
}
