/**
 * The output and exit code of a finished shell command, collected from an ACP tool call.
 *
 * Agents send the exit code in different places: in `_meta`, in `rawOutput`, or as a
 * line of text such as "Exit code 3". The text form is removed from the output.
 */
import { isRecord } from "../schema/index.ts";
import { unfenced } from "./content.ts";

export type BashOutput = {
  readonly output: string;
  readonly metadata: {
    readonly output: string;
    /** Null when there is none: the command was killed, never ran, or continues in the background. */
    readonly exit: number | null;
    readonly description: string;
    readonly truncated: boolean;
  };
};

/** A command that has ended. */
export interface DoneCommand {
  readonly isFailed: boolean;
  readonly description: string;
  /** The texts of the call's ACP content. */
  readonly texts: readonly string[];
  /** Output and exit code from `_meta`: null when the command was killed, undefined when the agent sent none. */
  readonly terminal: { readonly output: string; readonly exit: number | null | undefined };
  /** The agent's `rawOutput`. */
  readonly rawOutput: unknown;
  /** The text found in `rawOutput`. */
  readonly rawText: string;
}

/** The CLI truncates output at this length and does not say so. */
const maxCommandChars = 30_000;

export function bashOutput({ isFailed, description, texts, terminal, rawOutput, rawText }: DoneCommand): BashOutput {
  // Bowline's agent writes the exit code in a text after the output; the CLI writes it before the output.
  const [, codeAfter] = /^Exit code (\d+)$/.exec((isFailed && texts.at(-1)) || "") ?? [];
  const shown = (codeAfter === undefined ? texts : texts.slice(0, -1)).map(unfenced).join("\n");
  const whole = terminal.output || shown || rawText;
  const isKnown = !isFailed || codeAfter !== undefined || terminal.exit !== undefined;
  const [prefix = "", codeBefore] = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(isKnown ? "" : whole) ?? [];
  const output = whole.slice(prefix.length);
  const rawCode = isRecord(rawOutput) ? (rawOutput["exit_code"] ?? rawOutput["exitCode"]) : undefined;
  const textCode = codeAfter ?? codeBefore;
  const code = terminal.exit ?? (textCode === undefined ? rawCode : Number(textCode));
  const hasNone = isFailed || terminal.exit === null || output.startsWith("Running in the background as ");
  const exit = typeof code === "number" ? code : hasNone ? null : 0;
  const truncated = output.length >= maxCommandChars || /\[\d+ (?:characters|lines) truncated\]/.test(output);
  return { output, metadata: { output, exit, description, truncated } };
}
