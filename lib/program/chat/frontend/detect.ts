/**
 * Chooses the frontend of a chat by the terminal the program was started in.
 *
 * The drawn frontend needs a terminal on stdin and stdout that can move its cursor; the
 * plain one is used everywhere else.
 */
import type { ReadStream, WriteStream } from "node:tty";
import type { ProgramStreams } from "../../command.ts";
import type { Frontend } from "./frontend.ts";
import type { PromptHistory } from "../input/prompt-history.ts";
import type { Theme } from "../render/theme.ts";
import { textStyle, wantsColour } from "../../ansi.ts";
import { pipeFrontend, type PipeFrontendOptions } from "./pipe.ts";
import { TerminalFrontend } from "./terminal.ts";

export interface DetectedFrontend {
  readonly theme: Theme;
  /** The drawn frontend; undefined where only the plain one is possible. */
  readonly drawn: TerminalFrontend | undefined;
  readonly frontend: Frontend;
  /** Prompts have to be printed, because no terminal echoed them. */
  readonly echoes: boolean;
}

export interface DetectOptions {
  readonly history: () => PromptHistory;
  readonly showsThoughts?: boolean;
  /** The program types the prompts itself (demo). */
  readonly isShow?: boolean;
  readonly unattended: PipeFrontendOptions["unattended"];
}

/** Lines are not wider than this, for readability. */
const maxColumns = 100;

export function detectFrontend({ stdin, stdout, env }: ProgramStreams, options: DetectOptions): DetectedFrontend {
  const isLive = stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
  const hasColours = wantsColour(env, stdout.isTTY === true);
  const theme: Theme = {
    // NO_COLOR asks for no colours; in a terminal bold and italic stay.
    paint: textStyle(hasColours || isLive, hasColours),
    // The last column stays free: terminals differ in when they wrap after it.
    columns: () => (stdout.isTTY === true ? Math.max(20, Math.min(maxColumns, (stdout.columns || 80) - 1)) : Infinity),
    isLive,
    showsThoughts: options.showsThoughts ?? false,
  };
  if (!isLive) {
    const isTyped = stdin.isTTY === true && options.isShow !== true;
    const frontend = pipeFrontend({
      input: stdin,
      output: stdout,
      theme,
      isAttended: isTyped,
      unattended: options.unattended,
    });
    return { theme, drawn: undefined, frontend, echoes: !isTyped };
  }
  const drawn = new TerminalFrontend({
    input: stdin satisfies ReadStream,
    output: stdout satisfies WriteStream,
    theme,
    history: options.history(),
    isShow: options.isShow ?? false,
  });
  return { theme, drawn, frontend: drawn, echoes: true };
}
