/**
 * Wraps a link so that a recorder gets the lines of both directions.
 *
 * The wrapper passes every call on synchronously and unchanged.
 */
import type { Link, LinkCallbacks } from "../wire/index.ts";
import type { LinePlace, Recorder } from "./recorder.ts";

/** A link that records everything that passes through it. */
export function recordedLink(link: Link, recorder: Recorder, place: LinePlace): Link {
  // `in` means into the agent or CLI. This process is the agent on an ACP link, and the host on a CLI link.
  const [received, sent] = place.side === "acp" ? (["in", "out"] as const) : (["out", "in"] as const);
  return {
    open: (callbacks: LinkCallbacks) =>
      link.open({
        onLine(line) {
          recorder.line(received, line, place);
          callbacks.onLine(line);
        },
        onFault(fault) {
          recorder.note({ dir: "problem", ...place, about: `${faultText[fault.kind]}; the line is not on the tape` });
          callbacks.onFault(fault);
        },
        onDrain: () => callbacks.onDrain(),
        onEnd() {
          recorder.note({ dir: received, ...place, eof: true });
          callbacks.onEnd();
        },
        onClose: (reason) => callbacks.onClose(reason),
      }),
    send(line) {
      recorder.line(sent, line, place);
      return link.send(line);
    },
    pause: () => link.pause(),
    resume: () => link.resume(),
    close(reason) {
      recorder.note({ dir: sent, ...place, eof: true });
      link.close(reason);
    },
  };
}

const faultText = { "too-long": "a line is too long", "invalid-utf8": "a line is not UTF-8" } as const;
