/**
 * Wraps a launcher so that the traffic of every CLI it starts is recorded on a tape.
 *
 * Each run begins with a `meta` row that has the working directory, and ends with a
 * `stderr` row, if there was any, and an `exit` row.
 */
import type { ClaudeLink } from "../claude/index.ts";
import type { Launcher } from "../claude/engine/index.ts";
import { type LinePlace, recordedLink, type Recorder } from "../tape/index.ts";

export function recordedLauncher(launcher: Launcher, recorder: Recorder): Launcher {
  return (request) => {
    const launched = launcher(request);
    const place = { side: "claude", session: request.sessionId } as const;
    recorder.note({ dir: "meta", ...place, cwd: request.cwd });
    return { ...launched, link: recordedCli(launched.link, recorder, place) };
  };
}

function recordedCli(link: ClaudeLink, recorder: Recorder, place: LinePlace): ClaudeLink {
  const recorded = recordedLink(link, recorder, place);
  return {
    ...recorded,
    open: (callbacks) =>
      recorded.open({
        onLine: (line) => callbacks.onLine(line),
        onFault: (fault) => callbacks.onFault(fault),
        onDrain: () => callbacks.onDrain(),
        onEnd: () => callbacks.onEnd(),
        onClose(reason) {
          const { code = null, signal = null, stderr = [] } = link.exit?.() ?? {};
          if (stderr.length > 0) recorder.note({ dir: "stderr", ...place, text: stderr.join("\n") });
          recorder.note({ dir: "exit", ...place, code, signal });
          callbacks.onClose(reason);
        },
      }),
    exit: () => link.exit?.(),
    scanChildren: () => link.scanChildren?.(),
  };
}
