/**
 * Wraps a launcher so that the traffic of every CLI it starts is recorded on a tape.
 *
 * Each run begins with a `meta` row, which has the working directory of a Claude CLI, and
 * ends with a `stderr` row, if there was any, and an `exit` row.
 */
import type { Launcher } from "../claude/engine/index.ts";
import type { CodexLauncher } from "../codex/index.ts";
import type { ProcessExit } from "../process/index.ts";
import { type LinePlace, recordedLink, type Recorder } from "../tape/index.ts";
import type { Link } from "../wire/index.ts";

export function recordedLauncher(launcher: Launcher, recorder: Recorder): Launcher {
  return (request) => {
    const launched = launcher(request);
    const { link } = launched;
    const place = { side: "claude", session: request.sessionId } as const;
    recorder.note({ dir: "meta", ...place, cwd: request.cwd });
    const methods = { exit: () => link.exit?.(), scanChildren: () => link.scanChildren?.() };
    return { ...launched, link: { ...recordedCli(link, recorder, place), ...methods } };
  };
}

/** All conversations share one app-server, so its rows have no session. */
export function recordedCodexLauncher(launcher: CodexLauncher, recorder: Recorder): CodexLauncher {
  return () => {
    const link = launcher();
    const place = { side: "codex" } as const;
    recorder.note({ dir: "meta", ...place });
    return {
      ...recordedCli(link, recorder, place),
      exit: () => link.exit?.(),
      scanChildren: () => link.scanChildren?.(),
      kill: async () => link.kill?.(),
    };
  };
}

/** The part of a link to a CLI process that Claude and Codex have in common. */
interface CliLink extends Link {
  readonly exit?: (() => Partial<Pick<ProcessExit, "code" | "signal" | "stderr">> | undefined) | undefined;
}

function recordedCli(link: CliLink, recorder: Recorder, place: LinePlace): Link {
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
  };
}
