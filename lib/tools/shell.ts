/**
 * Shell: what can be said of a command before it runs.
 *
 * Deliberately narrow: a command is only known to read when every part of it is
 * plain words without expansion. Whatever is not understood is asked about.
 */

/** The commands of a line joined by `&&`, `||`, `;`, `|` or a line's end; undefined when it is not that plain. */
export function plainCommands(line: string): readonly string[] | undefined {
  const commands: string[] = [];
  let current = "";
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quote !== "") {
      if (quote === '"' && (char === "$" || char === "`" || char === "\\")) return undefined;
      if (char === quote) quote = "";
      current += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      current += char;
    } else if ("$`\\(){}<#~*?[!".includes(char)) {
      return undefined;
    } else if (char === ">") {
      const [harmless] = /^(?:>&[12]|>\s*\/dev\/null)(?![\w/])/.exec(line.slice(i)) ?? [];
      if (harmless === undefined) return undefined;
      current = current.replace(/(?:^|\s)[12&]$/, " ");
      i += harmless.length - 1;
    } else if (char === "&" && line[i + 1] === ">") {
      current += "&";
    } else if (char === "&" && line[i + 1] !== "&") {
      return undefined;
    } else if (char === "&" || char === "|" || char === ";" || char === "\n") {
      if (line[i + 1] === char && char !== ";" && char !== "\n") i++;
      commands.push(current.trim());
      current = "";
    } else {
      current += char;
    }
  }
  if (quote !== "") return undefined;
  const all = [...commands, current.trim()].filter((command) => command !== "");
  return all.some((command) => keyword.test(command)) ? undefined : all;
}

/** A part of something larger than a command. */
const keyword = /^(?:case|do|done|elif|else|esac|fi|for|function|if|select|then|time|until|while)\b/;

/** Whether a command only looks, and only below these directories. */
export function isReadOnly(line: string, isInside: (path: string) => boolean): boolean {
  const commands = plainCommands(line);
  return commands !== undefined && commands.length > 0 && commands.every((one) => isLooking(one, isInside));
}

/** Whether a command only changes files below these directories, in the ways an edit may. */
export function isFileWork(line: string, isInside: (path: string) => boolean): boolean {
  const commands = plainCommands(line);
  if (commands === undefined || commands.length === 0) return false;
  return commands.every((one) => {
    const [name = "", ...rest] = wordsOf(one);
    return (fileWork.has(name) && arePlaces(rest, isInside)) || isLooking(one, isInside);
  });
}

const fileWork: ReadonlySet<string> = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp"]);

const looking: ReadonlySet<string> = new Set(
  "base64 cat cmp column cut df diff du expr false grep head hexdump id ls md5sum nl od paste ps pwd readlink realpath rev rg sha1sum sha256sum sort stat strings tac tail test tr tree true type uname uptime wc which whoami".split(
    " ",
  ),
);
/** Their words are not places. */
const speaking: ReadonlySet<string> = new Set(["basename", "dirname", "echo", "printf", "seq", "sleep"]);
/** Programs that may be asked for their version; others may do anything. */
const versioned: ReadonlySet<string> = new Set(["git", "node", "python", "python3"]);
const lookingGit: ReadonlySet<string> = new Set(
  "blame describe diff log ls-files rev-parse shortlog show status".split(" "),
);
/** Options that write, or run something. */
const isWriting =
  /^(?:--output(?:=.*)?|-o.*|--exec.*|--pre(?:=.*)?|--ext-diff|--textconv|--compress-program(?:=.*)?|-S|--open-files-in-pager.*|-O.*|-s|--set(?:=.*)?)$/;

/** What `find` may do with what it finds. */
const isFindsDeed = /^-(?:delete|exec|execdir|fls|fprint0?|fprintf|ok|okdir)$/;

function isLooking(command: string, isInside: (path: string) => boolean): boolean {
  const [name = "", ...rest] = wordsOf(command);
  if (rest.length === 1 && rest[0] === "--version") return versioned.has(name);
  if (rest.some((word) => isWriting.test(word))) return false;
  switch (name) {
    case "git":
      return lookingGit.has(rest[0] ?? "") && arePlaces(rest.slice(1), isInside);
    case "cd":
      // Alone it goes home, and what follows would look around there.
      return rest.length === 1 && !rest[0]?.startsWith("-") && arePlaces(rest, isInside);
    case "find":
      return !rest.some((word) => isFindsDeed.test(word)) && arePlaces(rest, isInside);
    case "date":
      return rest.every((word) => word === "-u" || word.startsWith("+"));
    case "hostname":
      return rest.length === 0;
    case "printf":
      return !rest[0]?.startsWith("-");
    default:
      return speaking.has(name) || (looking.has(name) && arePlaces(rest, isInside));
  }
}

/** A word that could be a place outside is one, also where it is joined to its option: `-f/etc/passwd`. */
function arePlaces(words: readonly string[], isInside: (path: string) => boolean): boolean {
  return words.every((word) => {
    const [, value = word] = /^--?[\w-]+=(.*)$/.exec(word) ?? /^-\w+([/.].*)$/.exec(word) ?? [];
    if (value.startsWith("/")) return value === "/dev/null" || isInside(value);
    return !/(?:^|\/)\.\.(?:\/|$)/.test(value);
  });
}

function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ""));
}
