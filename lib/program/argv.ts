/**
 * Parses command-line arguments by a table of options.
 *
 * Accepts `--flag value`, `--flag=value`, one-letter forms, and operands in between;
 * everything after `--` is the command line of another program. Options that are not
 * in the table are refused with `WrongUsage`.
 */

import { closestMatch } from "./closest-match.ts";

export interface Option {
  /** The placeholder of the value in help, in square brackets if it may be left out (it is then ""); an option without `value` is a boolean flag. */
  readonly value?: string;
  /** A one-letter form, e.g. `-o`. */
  readonly short?: `-${string}`;
  readonly about: string;
  /** The option may be given several times; its values are joined by newlines. */
  readonly isRepeated?: true;
  /** What shell completion offers as the value. */
  readonly completes?: "file" | "directory" | readonly string[];
}

export type OptionTable = Readonly<Record<`--${string}`, Option>>;

export type Given<Table extends OptionTable> = {
  readonly [Flag in keyof Table]: Table[Flag] extends { readonly value: string } ? string | undefined : boolean;
};

export interface ParsedArgs<Table extends OptionTable> {
  readonly options: Given<Table>;
  readonly operands: readonly string[];
  /** The arguments after `--`. */
  readonly program: readonly string[] | undefined;
}

/** The command line is invalid; the message says what is wrong. Exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

export function parseArgv<Table extends OptionTable>(table: Table, args: readonly string[]): ParsedArgs<Table> {
  const end = args.indexOf("--");
  const rest = end === -1 ? [...args] : args.slice(0, end);
  const values = new Map<string, string | boolean | undefined>();
  for (const [flag, { value }] of Object.entries(table)) values.set(flag, value === undefined ? false : undefined);
  const operands: string[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg);
      continue;
    }
    const [, name = arg, joined] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const flag = flagNamed(table, name);
    if (flag === undefined) throw unknownOption(name, table);
    const { value, isRepeated } = table[flag] ?? {};
    if (value === undefined) {
      if (joined !== undefined) throw new WrongUsage(`${flag} takes no value`);
      values.set(flag, true);
      continue;
    }
    const isOptional = value.startsWith("[");
    const given = joined ?? (isOptional && (rest[0] ?? "-").startsWith("-") ? "" : rest.shift());
    if (given === undefined) throw new WrongUsage(`${flag} needs ${value}`);
    const earlier = isRepeated === true ? values.get(flag) : undefined;
    values.set(flag, earlier === undefined ? given : `${String(earlier)}\n${given}`);
  }
  // The map has every flag of the table, with the type of value that the table declares.
  const options = Object.fromEntries(values) as Given<Table>;
  return { options, operands, program: end === -1 ? undefined : args.slice(end + 1) };
}

/** Reads the value of a numeric option. */
export function readNumber(flag: string, given: string, least: number, most: number, unit: string): number {
  const number = given.trim() === "" ? NaN : Number(given);
  if (!(number >= least && number <= most)) throw new WrongUsage(`${flag} must be a number of ${unit}`);
  return number;
}

function unknownOption(name: string, table: OptionTable): WrongUsage {
  const meant = name.startsWith("--") ? closestMatch(name, Object.keys(table)) : undefined;
  return new WrongUsage(
    `unknown option ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
  );
}

function flagNamed<Table extends OptionTable>(table: Table, name: string): (keyof Table & `--${string}`) | undefined {
  for (const flag in table) {
    if (isFlag(flag) && (flag === name || table[flag]?.short === name)) return flag;
  }
  return undefined;
}

function isFlag(name: string): name is `--${string}` {
  return name.startsWith("--");
}
