/**
 * Generates completion scripts for bash, zsh and fish from the table of commands.
 *
 * The scripts offer what the argument parser accepts, because both read the same table.
 * A script needs nothing but its shell; it does not call bowline.
 */
import type { CommandHelp } from "../command.ts";
import type { Option } from "../argv.ts";

export type Shell = keyof typeof scripts;

type Completes = NonNullable<Option["completes"]>;

export const scripts = { bash, zsh, fish } as const;

/** The command that runs when none is given. */
const defaultCommand = "agent";
const help: readonly [string, Option] = ["--help", { short: "-h", about: "show the page of the command" }];
const own: readonly (readonly [string, Option])[] = [help, ["--version", { about: "print the version" }]];

function optionsOf({ options }: CommandHelp): readonly (readonly [string, Option])[] {
  return [...Object.entries(options), help];
}

/** Options that may stand in place of a command. */
function firstOptions(commands: readonly CommandHelp[]): readonly (readonly [string, Option])[] {
  return [...own, ...Object.entries(commands.find(({ name }) => name === defaultCommand)?.options ?? {})];
}

function bash(commands: readonly CommandHelp[]): string {
  const values = commands.flatMap((one) =>
    optionsOf(one).flatMap(([flag, { value, short, completes }]) => {
      const patterns = [flag, short].flatMap((word) => (word === undefined ? [] : [`"${one.name} ${word}"`]));
      return value === undefined ? [] : [`    ${patterns.join(" | ")}) ${bashOffer(completes)}; return ;;`];
    }),
  );
  const words = commands.map((one) => {
    const flags = optionsOf(one).map(([flag]) => flag);
    const offers = one.completes === undefined ? "" : `; [[ $cur == -* ]] || { ${bashOffer(one.completes)}; }`;
    return `    ${one.name}) _bowline_words ${quoted(flags.join(" "))}${offers} ;;`;
  });
  const names = commands.map(({ name }) => name).join(" ");
  return `# bash completion for bowline: source <(bowline completion bash)
_bowline_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
_bowline_files() { compopt -o filenames 2> /dev/null; local IFS=$'\\n'; COMPREPLY+=($(compgen "$1" -- "$cur")); }
_bowline() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  # Bash takes the = of --option=value for a word of its own.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      if ((i == COMP_CWORD - 1)); then _bowline_files -c; fi
      _bowline_files -f
      return
    fi
    if [[ -z $command && \${COMP_WORDS[i]} != -* ]]; then command=\${COMP_WORDS[i]}; fi
  done
  case "\${command:-${defaultCommand}} $prev" in
${values.join("\n")}
  esac
  case $command in
    "") _bowline_words ${quoted(`${names} help ${own.map(([flag]) => flag).join(" ")}`)}; [[ $cur != -* ]] || command=${defaultCommand} ;;
    help) _bowline_words ${quoted(names)} ;;
  esac
  case $command in
${words.join("\n")}
  esac
}
complete -F _bowline bowline
`;
}

/** The bash code that offers values. */
function bashOffer(completes: Completes | undefined): string {
  if (completes === undefined) return ":";
  if (completes === "file") return "_bowline_files -f";
  return completes === "directory" ? "_bowline_files -d" : `_bowline_words ${quoted(completes.join(" "))}`;
}

function zsh(commands: readonly CommandHelp[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map((one) => {
    const program = one.takesProgram === undefined ? [] : [quoted("*:: :_normal")];
    const operand = one.completes === undefined ? [] : [quoted(`1: :${zshOffer(one.completes)}`)];
    const words = [...optionsOf(one).flatMap(zshOption), ...operand, ...program];
    return `        ${one.name}) _arguments -S ${words.join(" ")} ;;`;
  });
  return `#compdef bowline
# zsh completion for bowline: source <(bowline completion zsh), or a file _bowline in $fpath
_bowline() {
  local curcontext=$curcontext state line
  local -a commands=(
${described.join("\n")}
    'help:show the page of a command'
  )
  _arguments -C ${firstOptions(commands).flatMap(zshOption).join(" ")} '1: :->command' '*:: :->words'
  case $state in
    command) _describe command commands ;;
    words)
      case $words[1] in
${cases.join("\n")}
        help) _describe command commands ;;
      esac ;;
  esac
}
if [[ $funcstack[1] == _bowline ]]; then _bowline "$@"; else compdef _bowline bowline; fi
`;
}

function zshOption([flag, { value, short, about, completes }]: readonly [string, Option]): readonly string[] {
  const text = `[${about.replaceAll(/[[\]:]/g, "\\$&")}]`;
  const description = value === undefined ? text : `${text}:${value.replaceAll(/[<>:]/g, "")}:${zshOffer(completes)}`;
  const letters = short === undefined ? [] : [quoted(short + description)];
  return [...letters, quoted(flag + (value === undefined ? "" : "=") + description)];
}

function zshOffer(completes: Completes | undefined): string {
  if (completes === undefined) return "";
  if (completes === "file") return "_files";
  return completes === "directory" ? "_files -/" : `(${completes.join(" ")})`;
}

function fish(commands: readonly CommandHelp[]): string {
  const rule = (condition: string, rest: string): string => `complete -c bowline -n ${quoted(condition)} ${rest}\n`;
  const first = "__fish_use_subcommand";
  const option = ([flag, { value, short, about, completes }]: readonly [string, Option]): string => {
    const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
    return `-l ${flag.slice(2)}${letter}${value === undefined ? "" : fishOffer(completes)} -d ${quoted(about)}`;
  };
  const lines = commands.flatMap((one) => {
    const seen = `__fish_seen_subcommand_from ${one.name}`;
    return [
      rule(first, `-a ${one.name} -d ${quoted(one.summary)}`),
      ...optionsOf(one).map((each) => rule(seen, option(each))),
      ...(one.completes === undefined ? [] : [rule(seen, fishOffer(one.completes).replace(" -r", "").trim())]),
      ...(one.takesProgram === undefined
        ? []
        : [rule(`${seen}; and contains -- -- (commandline -opc)`, "-a '(__fish_complete_command)' -F")]),
    ];
  });
  return [
    "# fish completion for bowline: bowline completion fish | source\n",
    "complete -c bowline -f\n",
    ...firstOptions(commands).map((each) => rule(first, option(each))),
    rule(first, "-a help -d 'show the page of a command'"),
    rule("__fish_seen_subcommand_from help", `-a ${quoted(commands.map(({ name }) => name).join(" "))}`),
    ...lines,
  ].join("");
}

/** The fish arguments that offer values; without `-F` fish offers no files. */
function fishOffer(completes: Completes | undefined): string {
  if (completes === "file") return " -r -F";
  if (completes === "directory") return " -x -a '(__fish_complete_directories)'";
  return completes === undefined ? " -x" : ` -x -a ${quoted(completes.join(" "))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
