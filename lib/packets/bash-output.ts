/**
 * Bash output: what a command printed and how it ended, wherever that is said.
 *
 * The exit code may stand beside ACP, in the agent's raw output, or in words.
 */
import { isRecord } from "../schema/index.ts";
import { unfenced } from "./code-fence.ts";

export type BashOutput = {
  readonly output: string;
  readonly metadata: {
    readonly output: string;
    /** Null when there is none: it was killed, never ran, or runs on. */
    readonly exit: number | null;
    readonly description: string;
    readonly truncated: boolean;
  };
};

/** A command that is over. */
export interface DoneCommand {
  readonly isFailed: boolean;
  readonly description: string;
  /** What people are shown. */
  readonly texts: readonly string[];
  /** What its terminal showed, and how it ended. */
  readonly terminal: { readonly output: string; readonly exit: number | null | undefined };
  /** The agent's own, and the text in it. */
  readonly rawOutput: unknown;
  readonly rawText: string;
}

/** The CLI cuts longer output without a word. */
const maxCommandChars = 30_000;

export function bashOutput({ isFailed, description, texts, terminal, rawOutput, rawText }: DoneCommand): BashOutput {
  // Our agent says the exit code after the output, the CLI before it.
  const [, last] = /^Exit code (\d+)$/.exec((isFailed && texts.at(-1)) || "") ?? [];
  const shown = (last === undefined ? texts : texts.slice(0, -1)).map(unfenced).join("\n");
  const whole = terminal.output || shown || rawText;
  const isTold = !isFailed || last !== undefined || terminal.exit !== undefined;
  const [words = "", first] = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(isTold ? "" : whole) ?? [];
  const output = whole.slice(words.length);
  const own = isRecord(rawOutput) ? (rawOutput["exit_code"] ?? rawOutput["exitCode"]) : undefined;
  const said = last ?? first;
  const known = terminal.exit ?? (said === undefined ? own : Number(said));
  const hasNone = isFailed || terminal.exit === null || output.startsWith("Running in the background as ");
  const exit = typeof known === "number" ? known : hasNone ? null : 0;
  const truncated = output.length >= maxCommandChars || /\[\d+ (?:characters|lines) truncated\]/.test(output);
  return { output, metadata: { output, exit, description, truncated } };
}
