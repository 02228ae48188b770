/**
 * A recorder that turns messages into spans instead of writing a tape.
 */
import { readRows, Recorder } from "../../tape/index.ts";
import { SpanFold, type SpanFoldOptions } from "./span-fold.ts";

export interface TraceRecorderOptions extends Omit<SpanFoldOptions, "seed"> {
  /** Resolves when the spans are sent or given up. */
  readonly onEnd: () => Promise<void>;
}

export function traceRecorder({ onEnd, ...options }: TraceRecorderOptions): Recorder {
  const begun = new Date();
  const fold = new SpanFold({ ...options, seed: `${begun.toISOString()} ${process.pid}` });
  const sink = {
    write(text: string): boolean {
      for (const row of readRows(text)) fold.row(row);
      return true;
    },
    end(): Promise<void> {
      fold.end();
      return onEnd();
    },
  };
  const startMs = performance.now();
  const recorder = new Recorder(sink, { scrub: undefined, now: () => performance.now() - startMs });
  recorder.note({ dir: "meta", start: begun.toISOString() });
  return recorder;
}
