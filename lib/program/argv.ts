/**
 * Words: a command line read by a table of options.
 *
 * `--flag value`, `--flag=value`, the one-letter form, operands in between, and
 * everything after `--` as a program of its own. Whatever the table does not have
 * is refused.
 */

export interface Option {
  /** What its value is called; an option without one is a switch. */
  readonly value?: string;
  /** A one-letter form, e.g. `-o`. */
  readonly short?: `-${string}`;
  readonly about: string;
  /** What a shell offers as its value. */
  readonly completes?: "file" | "directory" | readonly string[];
}

export type OptionTable = Readonly<Record<`--${string}`, Option>>;

export type Given<Table extends OptionTable> = {
  readonly [Flag in keyof Table]: Table[Flag] extends { readonly value: string } ? string | undefined : boolean;
};

export interface ParsedArgs<Table extends OptionTable> {
  readonly options: Given<Table>;
  readonly operands: readonly string[];
  /** What follows `--`. */
  readonly program: readonly string[] | undefined;
}

/** It was called wrongly; the message says what is wrong. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

export function parseArgv<Table extends OptionTable>(table: Table, words: readonly string[]): ParsedArgs<Table> {
  const end = words.indexOf("--");
  const own = end === -1 ? [...words] : words.slice(0, end);
  const values = new Map<string, string | boolean | undefined>();
  for (const [flag, { value }] of Object.entries(table)) values.set(flag, value === undefined ? false : undefined);
  const operands: string[] = [];
  for (let word = own.shift(); word !== undefined; word = own.shift()) {
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const [, name = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const flag = flagNamed(table, name);
    if (flag === undefined) throw new WrongUsage(`unknown option ${JSON.stringify(name)}`);
    const { value } = table[flag] ?? {};
    if (value === undefined) {
      if (joined !== undefined) throw new WrongUsage(`${flag} takes no value`);
      values.set(flag, true);
      continue;
    }
    const given = joined ?? own.shift();
    if (given === undefined) throw new WrongUsage(`${flag} needs ${value}`);
    values.set(flag, given);
  }
  // The map has every flag of the table, with the kind of value the table says.
  const options = Object.fromEntries(values) as Given<Table>;
  return { options, operands, program: end === -1 ? undefined : words.slice(end + 1) };
}

/** A number given as an option. */
export function readNumber(flag: string, given: string, least: number, most: number, unit: string): number {
  const number = given.trim() === "" ? NaN : Number(given);
  if (!(number >= least && number <= most)) throw new WrongUsage(`${flag} must be a number of ${unit}`);
  return number;
}

function flagNamed<Table extends OptionTable>(table: Table, name: string): (keyof Table & `--${string}`) | undefined {
  for (const flag in table) {
    if (isFlag(flag) && (flag === name || table[flag]?.short === name)) return flag;
  }
  return undefined;
}

function isFlag(word: string): word is `--${string}` {
  return word.startsWith("--");
}
