/**
 * Reads the command line that Codex shows for a command: `/bin/bash -lc '…'`.
 *
 * Codex quotes it for POSIX shells, in pieces of different quotes. The user should read
 * the command itself, as the model wrote it. The model can choose the shell, so only shells
 * of the system with harmless flags are left out; anything else is shown whole.
 */

const systemShell =
  /^(?:\/(?:usr\/(?:local\/)?)?bin\/|\/opt\/homebrew\/bin\/)?(?:bash|zsh|sh|dash|ksh|fish)$|^(?:[A-Z]:\\(?:Windows\\System32\\WindowsPowerShell\\v1\.0|Program Files\\PowerShell\\\d)\\)?(?:powershell|pwsh)(?:\.exe)?$/i;
const plainFlags: ReadonlySet<string> = new Set(["-c", "-lc", "-l", "-noprofile", "-nologo", "-command"]);
const commandFlags: ReadonlySet<string> = new Set(["-c", "-lc", "-command"]);

/** The command that a shell is given; the whole line when it is not of the form `shell -c command`. */
export function shownCommand(line: string): string {
  const words = splitWords(line);
  if (words === undefined || words.length < 3) return line;
  const [shell = "", ...rest] = words;
  const flags = rest.slice(0, -1).map((flag) => flag.toLowerCase());
  const isPlain = systemShell.test(shell) && flags.every((flag) => plainFlags.has(flag));
  return isPlain && commandFlags.has(flags.at(-1) ?? "") ? (rest.at(-1) ?? line) : line;
}

/** Splits a line into words as a POSIX shell does, without expansion. Undefined when a quote is not closed. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? "";
    if (char === "'") {
      const end = line.indexOf("'", i + 1);
      if (end < 0) return undefined;
      word = (word ?? "") + line.slice(i + 1, end);
      i = end;
    } else if (char === '"') {
      const quoted = readDoubleQuoted(line, i + 1);
      if (quoted === undefined) return undefined;
      word = (word ?? "") + quoted.text;
      i = quoted.end;
    } else if (char === "\\") {
      i++;
      if (line[i] !== "\n") word = (word ?? "") + (line[i] ?? "");
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function readDoubleQuoted(line: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  for (let i = from; i < line.length; i++) {
    const char = line[i] ?? "";
    if (char === '"') return { text, end: i };
    if (char === "\\" && /["\\$`\n]/.test(line[i + 1] ?? "")) {
      i++;
      if (line[i] !== "\n") text += line[i];
    } else {
      text += char;
    }
  }
  return undefined;
}
