/**
 * Place: where a chat takes place, read from the terminal it was started in.
 *
 * Drawn where a person sits at both ends and the terminal can move its cursor; plain
 * everywhere else.
 */
import type { ReadStream, WriteStream } from "node:tty";
import type { Terminal } from "../command.ts";
import type { Front } from "./front.ts";
import type { History } from "./history.ts";
import type { Look } from "./look.ts";
import { isColourful, paint } from "./paint.ts";
import { plainFront, type PlainOptions } from "./plain.ts";
import { RichFront } from "./rich.ts";

export interface Place {
  readonly look: Look;
  /** The drawn front, where there can be one. */
  readonly rich: RichFront | undefined;
  readonly front: Front;
  /** Prompts come from elsewhere, so that nobody has seen them. */
  readonly echoes: boolean;
}

export interface PlaceOptions {
  readonly history: () => History;
  readonly showsThoughts?: boolean;
  /** Nobody types here but the program itself. */
  readonly isShow?: boolean;
  readonly unattended: PlainOptions["unattended"];
}

/** Longer lines are hard to read. */
const maxColumns = 100;

export function placeOf({ stdin, stdout, env }: Terminal, options: PlaceOptions): Place {
  const isLive = stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
  const look: Look = {
    paint: paint(isColourful(env, stdout.isTTY === true)),
    // The last column is left free: terminals disagree about what comes after it.
    columns: () => (stdout.isTTY === true ? Math.max(20, Math.min(maxColumns, (stdout.columns || 80) - 1)) : Infinity),
    isLive,
    showsThoughts: options.showsThoughts ?? false,
  };
  if (!isLive) {
    const isTyped = stdin.isTTY === true && options.isShow !== true;
    const front = plainFront({
      input: stdin,
      output: stdout,
      look,
      isAttended: isTyped,
      unattended: options.unattended,
    });
    return { look, rich: undefined, front, echoes: !isTyped };
  }
  const rich = new RichFront({
    input: stdin satisfies ReadStream,
    output: stdout satisfies WriteStream,
    look,
    history: options.history(),
    isShow: options.isShow ?? false,
  });
  return { look, rich, front: rich, echoes: true };
}
