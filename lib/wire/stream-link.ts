/**
 * Stream link: a Node readable and writable as a link.
 *
 * Every stream error ends the link once, with a reason, and none is thrown.
 * A broken pipe is the other side going away, not a fault.
 */
import type { Readable, Writable } from "node:stream";
import { lineReader } from "./lines.ts";
import { describeOverflow, type Link, type LinkEnds, type LinkLimits } from "./link.ts";
import { Outbox } from "./outbox.ts";

/** The reason when the other side went away. */
export const pipeClosed = "the other side closed the pipe";

export interface NodeStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export function streamLink({ input, output }: NodeStreams, limits: LinkLimits = {}): Link {
  let ends: LinkEnds | undefined;
  let closeReason: string | undefined;
  let isEnding = false;
  let isClosed = false;

  const outbox = new Outbox(
    {
      write: (text) => output.write(text, "utf8"),
      defer: process.nextTick,
      onDrain: () => ends?.onDrain(),
      onOverflow: (maxQueuedChars) => finish(describeOverflow(maxQueuedChars)),
    },
    limits,
  );
  // Without listeners from the first moment on, an early EPIPE would be an uncaught exception.
  output.on("error", (error) => finish(describeStreamError("writing", error)));
  input.on("error", (error) => finish(describeStreamError("reading", error)));
  output.on("close", () => finish("the output was closed"));
  output.on("drain", () => {
    outbox.writable();
    endWhenFlushed();
  });

  return {
    open(given) {
      ends = given;
      const reader = lineReader(given, limits.maxLineBytes);
      input.on("data", reader.push);
      input.on("end", () => {
        reader.end();
        given.onEnd();
      });
      input.on("close", () => {
        if (!input.readableEnded) given.onEnd();
      });
    },
    send: (line) => outbox.send(line),
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
    output.end(() => finish(reason));
  }

  function finish(reason: string): void {
    if (isClosed) return;
    isClosed = true;
    outbox.close();
    input.destroy();
    output.destroy();
    ends?.onClose(closeReason ?? reason);
  }
}

function describeStreamError(doing: string, error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED"
    ? pipeClosed
    : `${doing} failed: ${code}`;
}
