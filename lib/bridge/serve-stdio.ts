/**
 * Runs the bridge on this process's stdin and stdout.
 *
 * Ends when the client closes stdin, when the parent process exits, or on a signal,
 * and waits until every CLI has exited, at most 4.5 s. A second signal exits at once.
 */
import { describeBug, escapeControls, onParentGone, stdioLink } from "../wire/index.ts";
import { bridge } from "./bridge.ts";
import { processLauncher } from "./launcher.ts";

export interface ServeBridgeOptions {
  readonly callbackTimeoutMs?: number | undefined;
}

/** Four times the longest line that a CLI may write, because several sessions may send one at once. */
const maxQueuedChars = 256 * 1024 * 1024;
const maxStopMs = 4500;
const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** Resolves with the exit code once every CLI has exited. */
export async function serveBridge({ callbackTimeoutMs }: ServeBridgeOptions): Promise<number> {
  let code = 0;
  let isEnding = false;
  const { closed, close } = bridge(stdioLink({ maxQueuedChars }), {
    launcher: processLauncher(process.env, (warning) => log(`the Claude CLI warns: ${warning}`)),
    callbackTimeoutMs,
    onRemark: (text) => log(text),
    onBug: (doing, cause) => log(`${doing}: ${describeBug(cause)}`),
  });
  const end = (reason: string): void => {
    if (isEnding) process.exit(code);
    isEnding = true;
    setTimeout(() => process.exit(code), maxStopMs).unref();
    close(reason);
  };
  process.stdin.once("end", () => setTimeout(() => process.exit(code), maxStopMs).unref());
  for (const signal of signals) process.on(signal, () => end(`ended by ${signal}`));
  process.on("unhandledRejection", (cause) => log(`unhandled rejection: ${describeBug(cause)}`));
  process.on("uncaughtException", (cause) => {
    log(`uncaught exception: ${describeBug(cause)}`);
    code = 1;
    end("a bug of ours");
  });
  onParentGone(() => isEnding || end("the client is gone"));
  await closed;
  return code;
}

function log(text: string): void {
  process.stderr.write(`bowline bridge: ${escapeControls(text)}\n`);
}
