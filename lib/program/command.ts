/**
 * Defines a command of the program: its options, its help texts and its function.
 *
 * The table of options is written once; argument parsing, help pages and shell
 * completion are derived from it. Knows no command by name.
 */
import { printLine } from "./print.ts";
import { type Option, type OptionTable, parseArgv, type ParsedArgs, WrongUsage } from "./argv.ts";

/** The streams and environment a command uses; in production Node's `process`. */
export type ProgramStreams = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** Everything that help pages and shell completion say about a command. */
export interface CommandHelp {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The operands as help shows them after the name and the options, e.g. `<tape>`. */
  readonly operands?: string;
  /** Paragraphs. */
  readonly about: readonly string[];
  readonly options: OptionTable;
  readonly environment?: Readonly<Record<string, string>>;
  /** Replaces or adds to the default exit codes of help.ts. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly examples?: readonly { readonly line: string; readonly about: string }[];
  /** Other commands, or pages of the documentation. */
  readonly seeAlso?: readonly string[];
  /** What shell completion offers as an operand. */
  readonly completes?: Option["completes"];
  /** Whether another program's command line follows `--`. */
  readonly takesProgram?: boolean | "optional";
}

export interface Command extends CommandHelp {
  /** Resolves with the exit code. Throws `WrongUsage` or `CommandFailure` with a message for the user. */
  readonly run: (words: readonly string[], terminal: ProgramStreams) => Promise<number> | number;
}

export interface Definition<Table extends OptionTable> extends CommandHelp {
  readonly options: Table;
  /** How many operands the command takes; none when left out. */
  readonly operandCount?: readonly [least: number, most: number];
  readonly run: (words: ParsedArgs<Table>, terminal: ProgramStreams) => Promise<number> | number;
}

/** The command failed; the message is one sentence that says why and what to do next. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

export function command<const Table extends OptionTable>(definition: Definition<Table>): Command {
  const { operandCount: [least, most] = [0, 0], run, ...manual } = definition;
  const { takesProgram = false } = manual;
  return {
    ...manual,
    run: (given, terminal) => {
      const words = parseArgv(definition.options, given);
      const { operands, program } = words;
      if (operands.length > most)
        throw new WrongUsage(
          most === 0 ? `${manual.name} takes no arguments` : `unexpected ${JSON.stringify(operands[most])}`,
        );
      if (operands.length < least) throw new WrongUsage(`${manual.name} needs ${manual.operands ?? "more words"}`);
      if (program !== undefined && takesProgram === false) throw new WrongUsage(`${manual.name} runs no program`);
      if (takesProgram === true && least === 0 && most === 0 && (program?.length ?? 0) === 0)
        throw new WrongUsage(`${manual.name} needs ${manual.operands ?? "a program after --"}`);
      return run(words, terminal);
    },
  };
}

/** Runs a command and prints its `WrongUsage` or `CommandFailure` to stderr. Resolves with the exit code. */
export async function runCommand(
  { name, run }: Command,
  words: readonly string[],
  terminal: ProgramStreams,
): Promise<number> {
  try {
    return await run(words, terminal);
  } catch (cause) {
    if (!(cause instanceof WrongUsage || cause instanceof CommandFailure)) throw cause;
    const isWrong = cause instanceof WrongUsage;
    printLine(terminal.stderr, `bowline: ${isWrong ? withHelpHint(cause.message, name) : cause.message}`);
    return isWrong ? 2 : 1;
  }
}

/** The message with the help page that explains more; a message that ends with a question is followed by a sentence. */
export function withHelpHint(message: string, command: string): string {
  const hint = `ee bowline ${command === "" ? "" : `${command} `}--help`;
  return message.endsWith("?") ? `${message} S${hint}` : `${message}; s${hint}`;
}
