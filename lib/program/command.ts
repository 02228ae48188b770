/**
 * Command: one word of the program, with everything there is to say about it.
 *
 * The table of options is written once; reading the words, the help and the shell's
 * completion all come from it. Knows no command by name.
 */
import { printLine } from "./print.ts";
import { type Option, type OptionTable, parseArgv, type ParsedArgs, WrongUsage } from "./argv.ts";

/** Where a command reads and writes. Node's `process` is one. */
export type Terminal = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** What people read about a command. */
export interface CommandHelp {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What follows the name and its options, e.g. `<tape>`. */
  readonly operands?: string;
  /** Paragraphs. */
  readonly about: readonly string[];
  readonly options: OptionTable;
  readonly environment?: Readonly<Record<string, string>>;
  /** Only where they say more than the usual ones. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly examples?: readonly { readonly line: string; readonly about: string }[];
  /** Other commands, or pages of the documentation. */
  readonly seeAlso?: readonly string[];
  /** What a shell offers as an operand. */
  readonly completes?: Option["completes"];
  /** Whether a program to run follows `--`. */
  readonly takesProgram?: boolean | "optional";
}

export interface Command extends CommandHelp {
  /** Resolves with the exit code. Throws `WrongUsage` or `CommandFailure` for the person at the terminal. */
  readonly run: (words: readonly string[], terminal: Terminal) => Promise<number> | number;
}

export interface Definition<Table extends OptionTable> extends CommandHelp {
  readonly options: Table;
  /** How many operands it takes; none when left out. */
  readonly operandCount?: readonly [least: number, most: number];
  readonly run: (words: ParsedArgs<Table>, terminal: Terminal) => Promise<number> | number;
}

/** It could not be done; the message is one sentence that says what to do next. */
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

/** Runs it and tells what went wrong, if something did. Resolves with the exit code. */
export async function runCommand(
  { name, run }: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return await run(words, terminal);
  } catch (cause) {
    if (!(cause instanceof WrongUsage || cause instanceof CommandFailure)) throw cause;
    const isWrong = cause instanceof WrongUsage;
    printLine(terminal.stderr, `bowline: ${cause.message}${isWrong ? `; see bowline ${name} --help` : ""}`);
    return isWrong ? 2 : 1;
  }
}
