/**
 * Runs the bridge on this process's stdin and stdout.
 *
 * Ends when the client closes stdin, when the parent process exits, or on a signal,
 * and waits until every CLI has exited, at most 4.5 s. A second signal exits at once.
 */
import { describeBug, escapeControls, onParentGone, Shutdown, stdioLink } from "../wire/index.ts";
import { bridge } from "./bridge.ts";
import { processLauncher } from "./launcher.ts";

export interface ServeBridgeOptions {
  readonly callbackTimeoutMs?: number | undefined;
}

/** Four times the longest line that a CLI may write, because several sessions may send one at once. */
const maxQueuedChars = 256 * 1024 * 1024;
const maxStopMs = 4500;

/** Resolves with the exit code once every CLI has exited. */
export async function serveBridge({ callbackTimeoutMs }: ServeBridgeOptions): Promise<number> {
  const onBug = (doing: string, cause: unknown): void => log(`${doing}: ${describeBug(cause)}`);
  const shutdown = new Shutdown(onBug);
  const { closed, close } = bridge(stdioLink({ maxQueuedChars }), {
    launcher: processLauncher(process.env, (warning) => log(`the Claude CLI warns: ${warning}`)),
    callbackTimeoutMs,
    onRemark: (text) => log(text),
    onBug,
  });
  void closed.then(shutdown.end);
  process.stdin.once("end", () => shutdown.end("the client ended its output"));
  onParentGone(() => shutdown.end("the client is gone"));
  await shutdown.finish(maxStopMs, async (reason) => {
    close(reason);
    await closed;
  });
  return shutdown.code === 1 ? 1 : 0;
}

function log(text: string): void {
  process.stderr.write(`bowline bridge: ${escapeControls(text)}\n`);
}
