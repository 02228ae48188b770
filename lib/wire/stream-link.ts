/**
 * Creates a link over a Node readable and a Node writable stream.
 *
 * A stream error closes the link once, with a reason, and is never thrown. A broken
 * pipe means that the other side has left and is not reported as a failure.
 */
import type { Readable, Writable } from "node:stream";
import { codeOf } from "./error-text.ts";
import { lineReader } from "./line-reader.ts";
import { describeOverflow, type Link, type LinkCallbacks, type LinkLimits, reportClosed } from "./link.ts";
import { Outbox } from "./outbox.ts";

/** The close reason when the other side has left. */
const pipeClosed = "the other side closed the pipe";

export interface NodeStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * The link closes when the output closes. With `onOutputGone`, that function is called
 * instead and reading continues, because input written earlier may still arrive.
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
  // Attached before `open`: without a listener, an early EPIPE would be an uncaught exception.
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
        // Chunks are strings when the owner of the stream has set an encoding.
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
    // A write after the end is a stream error, which would lose the lines before it.
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
    // Deno keeps waiting for a stdin that was destroyed without being paused, and never exits.
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
