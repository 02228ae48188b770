/**
 * Creates a link over a pair of web streams.
 *
 * `webLink` takes streams of bytes; `webMessageLink` takes streams of messages as
 * objects, like the official SDK's `Stream`.
 */
import { lineReader } from "./line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "./link.ts";
import { Outbox } from "./outbox.ts";

export interface WebStreams<T> {
  readonly readable: ReadableStream<T>;
  readonly writable: WritableStream<T>;
}

/** A link on a pair of web streams of bytes, one message a line. */
export function webLink(streams: WebStreams<Uint8Array>, limits: LinkLimits = {}): Link {
  const encoder = new TextEncoder();
  return link(
    streams,
    limits,
    (text) => [encoder.encode(text)],
    (callbacks) => {
      const reader = lineReader(callbacks, limits.maxLineBytes);
      return { take: reader.push, end: reader.end };
    },
  );
}

/** A link on a pair of web streams of parsed messages. */
export function webMessageLink(streams: WebStreams<object>, limits: LinkLimits = {}): Link {
  // The outbox ends every write with a newline.
  const messages = (text: string): object[] =>
    text
      .slice(0, -1)
      .split("\n")
      .map((line): object => JSON.parse(line));
  return link(streams, limits, messages, (callbacks) => ({
    take: (message) => callbacks.onLine(JSON.stringify(message)),
    end: () => {},
  }));
}

/** Turns chunks into lines. */
interface ChunkReader<T> {
  readonly take: (chunk: T) => void;
  readonly end: () => void;
}

function link<T>(
  streams: WebStreams<T>,
  limits: LinkLimits,
  encode: (text: string) => T[],
  chunkReader: (callbacks: LinkCallbacks) => ChunkReader<T>,
): Link {
  const reader = streams.readable.getReader();
  const writer = streams.writable.getWriter();
  let callbacks: LinkCallbacks | undefined;
  let closeReason: string | undefined;
  let endReason: string | undefined;
  let wake: (() => void) | undefined;
  let isPaused = false;

  const outbox = new Outbox(
    {
      write(text) {
        try {
          for (const chunk of encode(text)) writer.write(chunk).catch(failed("writing"));
        } catch (error) {
          // The line is not a message. Handled here, because an error thrown in the outbox's microtask reaches no caller.
          failed("writing")(error);
          return false;
        }
        if ((writer.desiredSize ?? 0) > 0) return true;
        writer.ready.then(() => outbox.writable(), failed("writing"));
        return false;
      },
      defer: queueMicrotask,
      onDrain: () => callbacks?.onDrain(),
      onOverflow: (maxQueuedChars) => finish(describeOverflow(maxQueuedChars)),
    },
    limits,
  );
  writer.closed.catch(failed("writing"));

  return {
    open(given) {
      callbacks = given;
      if (endReason !== undefined) return reportClosed(given, endReason);
      readAll(given).catch(failed("reading"));
    },
    // A write after the end is a stream error, which would lose the lines before it.
    send: (line) => closeReason === undefined && outbox.send(line),
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      wake?.();
    },
    close(reason) {
      closeReason ??= reason;
      outbox.flush();
      finishWhenFlushed().catch(failed("writing"));
    },
  };

  async function readAll(given: LinkCallbacks): Promise<void> {
    const { take, end } = chunkReader(given);
    for (;;) {
      const { done, value } = await reader.read();
      while (isPaused && endReason === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (endReason !== undefined) return;
      if (done) break;
      take(value);
    }
    end();
    given.onEnd();
  }

  async function finishWhenFlushed(): Promise<void> {
    while (!outbox.isEmpty && endReason === undefined) await writer.ready;
    if (endReason === undefined) await writer.close();
    finish("closed");
  }

  function failed(doing: string): (error: unknown) => void {
    return (error) => finish(`${doing} failed: ${error instanceof Error ? error.name : "unknown error"}`);
  }

  function finish(reason: string): void {
    if (endReason !== undefined) return;
    endReason = closeReason ?? reason;
    outbox.close();
    wake?.();
    // Either stream may already be closed or broken; then there is nothing to release.
    reader.cancel().catch(() => {});
    writer.abort().catch(() => {});
    if (callbacks !== undefined) reportClosed(callbacks, endReason);
  }
}
