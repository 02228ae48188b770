/**
 * Web link: a pair of web streams as a link.
 *
 * `webLink` takes streams of bytes, `webMessageLink` streams of whole messages
 * (objects, as the official SDK's `Stream` carries them).
 */
import { lineReader } from "./lines.ts";
import { describeOverflow, type Link, type LinkEnds, type LinkLimits } from "./link.ts";
import { Outbox } from "./outbox.ts";

export interface WebStreams<T> {
  readonly readable: ReadableStream<T>;
  readonly writable: WritableStream<T>;
}

export function webLink(streams: WebStreams<Uint8Array>, limits: LinkLimits = {}): Link {
  const encoder = new TextEncoder();
  return link(
    streams,
    limits,
    (text) => [encoder.encode(text)],
    (ends) => {
      const reader = lineReader(ends, limits.maxLineBytes);
      return { take: reader.push, end: reader.end };
    },
  );
}

export function webMessageLink(streams: WebStreams<object>, limits: LinkLimits = {}): Link {
  // The outbox ends every write with a newline.
  const messages = (text: string): object[] =>
    text
      .slice(0, -1)
      .split("\n")
      .map((line): object => JSON.parse(line));
  return link(streams, limits, messages, (ends) => ({
    take: (message) => ends.onLine(JSON.stringify(message)),
    end: () => {},
  }));
}

interface Intake<T> {
  readonly take: (chunk: T) => void;
  readonly end: () => void;
}

function link<T>(
  streams: WebStreams<T>,
  limits: LinkLimits,
  encode: (text: string) => T[],
  intake: (ends: LinkEnds) => Intake<T>,
): Link {
  const reader = streams.readable.getReader();
  const writer = streams.writable.getWriter();
  let ends: LinkEnds | undefined;
  let closeReason: string | undefined;
  let isClosed = false;
  let wake: (() => void) | undefined;
  let isPaused = false;

  const outbox = new Outbox(
    {
      write(text) {
        for (const chunk of encode(text)) writer.write(chunk).catch(failed("writing"));
        if ((writer.desiredSize ?? 0) > 0) return true;
        writer.ready.then(() => outbox.writable(), failed("writing"));
        return false;
      },
      defer: queueMicrotask,
      onDrain: () => ends?.onDrain(),
      onOverflow: (maxQueuedChars) => finish(describeOverflow(maxQueuedChars)),
    },
    limits,
  );
  writer.closed.catch(failed("writing"));

  return {
    open(given) {
      ends = given;
      readAll(given).catch(failed("reading"));
    },
    send: (line) => outbox.send(line),
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

  async function readAll(given: LinkEnds): Promise<void> {
    const { take, end } = intake(given);
    for (;;) {
      if (isPaused) await new Promise<void>((resolve) => (wake = resolve));
      const { done, value } = await reader.read();
      if (done) break;
      take(value);
    }
    end();
    if (!isClosed) given.onEnd();
  }

  async function finishWhenFlushed(): Promise<void> {
    while (!outbox.isEmpty && !isClosed) await writer.ready;
    if (!isClosed) await writer.close();
    finish("closed");
  }

  function failed(doing: string): (error: unknown) => void {
    return (error) => finish(`${doing} failed: ${error instanceof Error ? error.name : "unknown error"}`);
  }

  function finish(reason: string): void {
    if (isClosed) return;
    isClosed = true;
    outbox.close();
    wake?.();
    // Both may already be closed or broken; then there is nothing left to release.
    reader.cancel().catch(() => {});
    writer.abort().catch(() => {});
    ends?.onClose(closeReason ?? reason);
  }
}
