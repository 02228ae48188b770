/**
 * Stream link: a Node readable and writable as a link.
 *
 * Every stream error ends the link once, with a reason, and none is thrown.
 * A broken pipe is the other side going away, not a fault.
 */
import type { Readable, Writable } from "node:stream";
import { codeOf } from "./error-text.ts";
import { lineReader } from "./line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "./link.ts";
import { Outbox } from "./outbox.ts";

/** The reason when the other side went away. */
const pipeClosed = "the other side closed the pipe";

export interface NodeStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * The end of the output ends the link, unless `onOutputGone` is given: then it is
 * told instead and reading goes on, since what was written before is still to come.
 */
export function streamLink({ input, output }: NodeStreams, limits: LinkLimits = {}, onOutputGone?: () => void): Link {
  let callbacks: LinkCallbacks | undefined;
  let closeReason: string | undefined;
  let endReason: string | undefined;
  let isEnding = false;

  const outbox = new Outbox(
    {
      write: (text) => output.write(text, "utf8"),
      defer: process.nextTick,
      onDrain: () => callbacks?.onDrain(),
      onOverflow: (maxQueuedChars) => finish(describeOverflow(maxQueuedChars)),
    },
    limits,
  );
  // Without listeners from the first moment on, an early EPIPE would be an uncaught exception.
  output.on("error", (error) => outputGone(describeStreamError("writing", error)));
  input.on("error", (error) => finish(describeStreamError("reading", error)));
  output.on("close", () => outputGone("the output was closed"));
  output.on("drain", () => {
    outbox.writable();
    endWhenFlushed();
  });

  return {
    open(given) {
      callbacks = given;
      if (endReason !== undefined) return reportClosed(given, endReason);
      const reader = lineReader(given, limits.maxLineBytes);
      input.on("data", (chunk: Buffer | string) => {
        // Text comes from a stream whose owner has set an encoding.
        if (endReason === undefined) reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      });
      input.on("end", () => {
        if (endReason !== undefined) return;
        reader.end();
        given.onEnd();
      });
      input.on("close", () => {
        if (endReason === undefined && !input.readableEnded) given.onEnd();
      });
      if (input.closed) queueMicrotask(() => given.onEnd());
    },
    // A line after the end would be an error that takes those before it along.
    send: (line) => closeReason === undefined && outbox.send(line),
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    close(reason) {
      closeReason ??= reason;
      outbox.flush();
      endWhenFlushed();
    },
  };

  function endWhenFlushed(): void {
    if (closeReason === undefined || isEnding || !outbox.isEmpty) return;
    isEnding = true;
    const reason = closeReason;
    output.end(() => outputGone(reason));
  }

  function outputGone(reason: string): void {
    if (onOutputGone === undefined) return finish(reason);
    outbox.close();
    onOutputGone();
  }

  function finish(reason: string): void {
    if (endReason !== undefined) return;
    endReason = closeReason ?? reason;
    outbox.close();
    // Deno goes on waiting for a standard input that was destroyed without being paused, and never exits.
    input.pause();
    input.destroy();
    output.destroy();
    if (callbacks !== undefined) reportClosed(callbacks, endReason);
  }
}

function describeStreamError(doing: string, error: Error): string {
  const code = codeOf(error);
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED"
    ? pipeClosed
    : `${doing} failed: ${code}`;
}
