/**
 * Recorded link: a link, and a recorder that hears both its directions.
 *
 * Nothing passes later, earlier or otherwise for being recorded.
 */
import type { Link, LinkCallbacks } from "../wire/index.ts";
import type { LinePlace, Recorder } from "./recorder.ts";

export function recordedLink(link: Link, recorder: Recorder, place: LinePlace): Link {
  // The agent is at the near end of an ACP link, and the CLI at the far end of its own.
  const [heard, said] = place.side === "acp" ? (["in", "out"] as const) : (["out", "in"] as const);
  return {
    open: (callbacks: LinkCallbacks) =>
      link.open({
        onLine(line) {
          recorder.line(heard, line, place);
          callbacks.onLine(line);
        },
        onFault(fault) {
          recorder.note({ dir: "problem", ...place, about: `${faultText[fault.kind]}; the line is not on the tape` });
          callbacks.onFault(fault);
        },
        onDrain: () => callbacks.onDrain(),
        onEnd() {
          recorder.note({ dir: heard, ...place, eof: true });
          callbacks.onEnd();
        },
        onClose: (reason) => callbacks.onClose(reason),
      }),
    send(line) {
      recorder.line(said, line, place);
      return link.send(line);
    },
    pause: () => link.pause(),
    resume: () => link.resume(),
    close(reason) {
      recorder.note({ dir: said, ...place, eof: true });
      link.close(reason);
    },
  };
}

const faultText = { "too-long": "a line is too long", "invalid-utf8": "a line is not UTF-8" } as const;
