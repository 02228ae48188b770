/**
 * Reads a transcript file as entries, one chunk at a time.
 *
 * Yields to the event loop between chunks and holds at most one chunk and the longest line
 * in memory. Lines are numbered from 0; blank lines are not counted.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { lineReader } from "../../wire/index.ts";
import { readEntry, type TranscriptEntry } from "./entry.ts";

export interface TranscriptLine {
  readonly number: number;
  readonly chars: number;
  readonly entry: TranscriptEntry | undefined;
  /** Why the line, or a part of it, could not be read. */
  readonly fault: string | undefined;
}

export interface LinesOptions {
  /** Lines for which this returns false are not parsed. */
  readonly wants?: ((number: number) => boolean) | undefined;
  readonly maxLineBytes?: number | undefined;
  /** Reading stops at this offset. */
  readonly endBytes?: number | undefined;
}

const defaultMaxTranscriptLineBytes = 64 * 1024 * 1024;

/** Yields batches of lines. Throws file system errors, also for symbolic links and other non-files. */
export async function* transcriptLines(
  path: string,
  options: LinesOptions = {},
): AsyncGenerator<readonly TranscriptLine[]> {
  const { wants = () => true, maxLineBytes = defaultMaxTranscriptLineBytes, endBytes = Infinity } = options;
  const file = await openPlain(path);
  try {
    let batch: TranscriptLine[] = [];
    let number = 0;
    const fault = (why: string): void => {
      const at = number++;
      if (wants(at)) batch.push({ number: at, chars: 0, entry: undefined, fault: why });
    };
    const reader = lineReader(
      {
        onLine: (line) => {
          const at = number++;
          const got = wants(at) ? readEntry(line) : undefined;
          if (got?.kind === "entry") batch.push({ number: at, chars: line.length, entry: got.entry, fault: undefined });
          else if (got) batch.push({ number: at, chars: line.length, entry: got.rescued, fault: got.why });
        },
        onFault: ({ kind }) => fault(kind === "too-long" ? `longer than ${maxLineBytes} bytes` : "not UTF-8"),
      },
      maxLineBytes,
    );
    let offset = 0;
    while (offset < endBytes) {
      // A new buffer each time, because the line reader may keep the one it was given.
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(chunkBytes),
        0,
        Math.min(chunkBytes, endBytes - offset),
        offset,
      );
      if (bytesRead === 0) break;
      offset += bytesRead;
      reader.push(buffer.subarray(0, bytesRead));
      yield batch;
      batch = [];
    }
    reader.end();
    yield batch;
  } finally {
    await file.close();
  }
}

/** Opens a plain file. Refuses symbolic links and does not block on pipes or devices. */
export async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
  await file.close();
  throw Object.assign(new Error("not a plain file"), { code: "EINVAL" });
}

const chunkBytes = 256 * 1024;
