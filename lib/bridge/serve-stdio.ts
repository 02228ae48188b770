/**
 * Serve: the bridge on this process's own stdin and stdout.
 *
 * Ends when the client closes the pipe or is gone, or a signal comes, and not
 * before every child is gone; a second signal does not wait.
 */
import { describeBug, escapeControls, onParentGone, stdioLink } from "../wire/index.ts";
import { bridge } from "./bridge.ts";
import { processLauncher } from "./launcher.ts";

export interface ServeBridgeOptions {
  readonly callbackTimeoutMs?: number | undefined;
}

/** The longest line of the CLI is a quarter of it, and every session may have one on its way. */
const maxQueuedChars = 256 * 1024 * 1024;
const maxStopMs = 4500;
const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** Resolves with the exit code once nothing is left running. */
export async function serveBridge({ callbackTimeoutMs }: ServeBridgeOptions): Promise<number> {
  let code = 0;
  let isEnding = false;
  const { closed, close } = bridge(stdioLink({ maxQueuedChars }), {
    launcher: processLauncher(process.env, (warning) => tell(`the Claude CLI warns: ${warning}`)),
    callbackTimeoutMs,
    onRemark: (text) => tell(text),
    onBug: (doing, cause) => tell(`${doing}: ${describeBug(cause)}`),
  });
  const end = (reason: string): void => {
    if (isEnding) process.exit(code);
    isEnding = true;
    setTimeout(() => process.exit(code), maxStopMs).unref();
    close(reason);
  };
  process.stdin.once("end", () => setTimeout(() => process.exit(code), maxStopMs).unref());
  for (const signal of signals) process.on(signal, () => end(`ended by ${signal}`));
  process.on("unhandledRejection", (cause) => tell(`unhandled rejection: ${describeBug(cause)}`));
  process.on("uncaughtException", (cause) => {
    tell(`uncaught exception: ${describeBug(cause)}`);
    code = 1;
    end("a bug of ours");
  });
  onParentGone(() => isEnding || end("the client is gone"));
  await closed;
  return code;
}

function tell(text: string): void {
  process.stderr.write(`bowline bridge: ${escapeControls(text)}\n`);
}
