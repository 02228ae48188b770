/**
 * Asks the user for a yes before something is written.
 */
import { createInterface } from "node:readline/promises";
import { CommandFailure, type ProgramStreams } from "./command.ts";

/** Throws a `CommandFailure` unless the user answers yes. Without a terminal the user cannot answer. */
export async function confirm(question: string, { stdin, stderr }: ProgramStreams): Promise<void> {
  if (!stdin.isTTY) throw new CommandFailure("nothing was written: add --yes to write without being asked");
  const asking = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and the end of input close the interface and count as no.
  const left = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
  const answer = await Promise.race([asking.question(question), left]);
  asking.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailure("nothing was written");
}
