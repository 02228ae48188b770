/**
 * Removes the user's secrets from text and messages before they are recorded.
 *
 * Hides keys, tokens, passwords, headers, the environment of MCP servers, the values of
 * secret variables of this process's environment, and the user name in home paths. Each
 * is replaced by `scrubbed`; strings stay strings, so messages keep their shape. Every
 * pattern is bounded, so hostile text takes time proportional to its length.
 */
import { type RowFields, isFields } from "../tape-rows.ts";
import { commandHints, commandRules, openCommand } from "./secret-commands.ts";
import { innerFormats, tokenFormats } from "./secret-formats.ts";
import { nameHints, nameRules, openName, secretName } from "./secret-names.ts";
import { replaced, type SecretRule } from "./secret-rule.ts";
import { openBlockAt, openSyntax, syntaxHints, syntaxRules } from "./secret-syntax.ts";

export interface Secrets {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
}

export interface Scrub {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
  /** The index from which further text could still complete a secret; the text's length when there is none. */
  readonly undecidedFrom: (text: string) => number;
}

const mask = "scrubbed";

/** Deeper than any message of either protocol; a hostile one must not end the recording. */
const maxDepth = 200;
/** Shorter values would also match inside ordinary words. */
const minKnownChars = 8;

const isSecretName = new RegExp(`(?:${secretName}|^pass)$`, "i");
/** `dbPass`; not `bypass`. */
const isSecretCamel = /[a-z](?:Pass|Pwd)$/;
const isSecretVariable =
  /token(?!s$)|secret|passw|passphrase|_pass$|_pwd$|credential|headers$|(?:api|access|auth|private)_?key|_key$/i;
/** `auth` is a password in base64 in Docker's configuration; elsewhere it may be an ordinary word. */
const isAuth = (key: string, text: string): boolean => /^_?auth$/.test(key) && /^[\w+/=-]{12,}$/.test(text);
/** Keys whose whole value is an environment or a list of headers. */
const isWholeSecret = /^(?:env|environment|headers|http_?headers)$/i;
const isSecretFlag = new RegExp(`^--?[\\w-]{0,40}(?:${secretName}|-pass)$`, "i");

const pem =
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g;
/** A token begins where a word begins. */
const tokens = new RegExp(`(?<![A-Za-z0-9])(?:${Object.values(tokenFormats).join("|")})`, "g");
const inner = Object.values(innerFormats).map((source) => new RegExp(source, "g"));
const people: readonly SecretRule[] = [
  [
    /((?<![\w.~-])\/(?:home|Users)\/|\b[a-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/))(?!Shared\b)[^\s/\\:"'`<>|,;)]+/gi,
    "$1user",
  ],
  [/((?<=[/\\])-(?:home|Users)-)[^\s/\\:"'`<>|,;)-]+/g, "$1user"],
];
const names = nameRules(mask);
const commands = commandRules(mask);
const syntax = syntaxRules(mask);
/** Text whose end may be the beginning of a secret. */
const openSecret = new RegExp(`(?:${openName}|${openCommand}|${openSyntax})$`, "i");
const isPersonal = /[/\\-](?:home|users)\b/i;

/** Functions that replace the secrets in texts and messages. */
export function scrubber({ env, home }: Secrets): Scrub {
  const known = knownIn(env);
  const homes = homePatterns(home);
  const wide = [...known, home ?? ""].filter((one) => /\s/.test(one));
  return { text, value: (one) => value(one, "", 0), undecidedFrom: (given) => undecidedFrom(given, wide) };

  function text(given: string): string {
    let clean = given;
    for (const one of known) clean = clean.replaceAll(one, mask);
    for (const [pattern, shown] of homes) clean = clean.replace(pattern, shown);
    if (clean.includes("BEGIN ")) clean = clean.replace(pem, mask);
    clean = clean.replace(tokens, mask);
    for (const pattern of inner) clean = clean.replace(pattern, `$1${mask}`);
    if (nameHints.test(clean)) clean = replaced(clean, names);
    if (syntaxHints.test(clean)) clean = replaced(clean, syntax);
    if (commandHints.test(clean)) clean = replaced(clean, commands);
    return isPersonal.test(clean) ? replaced(clean, people) : clean;
  }

  function value(one: unknown, key: string, depth: number): unknown {
    if (typeof one === "string") {
      return isSecretName.test(key) || isSecretCamel.test(key) || isAuth(key, one) ? hidden(one) : text(one);
    }
    if (typeof one !== "object" || one === null) return one;
    if (depth > maxDepth) return mask;
    const isHidden = isWholeSecret.test(key);
    if (Array.isArray(one)) return list(one, isHidden, depth + 1);
    return isFields(one) ? fields(one, isHidden, depth + 1) : one;
  }

  function list(items: readonly unknown[], isHidden: boolean, depth: number): unknown {
    return items.map((item, i) => {
      const before = items[i - 1];
      const isValue = typeof before === "string" && isSecretFlag.test(before);
      if (typeof item === "string" && (isValue || isHidden)) return isHidden ? pairHidden(item) : hidden(item);
      return isHidden && isFields(item) ? fields(item, true, depth) : value(item, "", depth);
    });
  }

  function fields(given: RowFields, isHidden: boolean, depth: number): RowFields {
    const { name } = given;
    // `{name, value}` is how ACP writes a variable or a header; the name may be shown.
    const isPair = typeof name === "string" && "value" in given;
    const isSecretPair = isPair && (isHidden || isSecretVariable.test(name));
    return Object.fromEntries(
      Object.entries(given).map(([key, one]) => {
        const isShown = isPair ? !(isSecretPair && key === "value") : !isHidden;
        const clean = typeof one === "string" && !isShown ? hidden(one) : value(one, key, depth);
        return [text(key), clean];
      }),
    );
  }
}

/** The last word is always undecided, because more letters may follow; `wide` are known secrets that contain spaces. */
function undecidedFrom(text: string, wide: readonly string[]): number {
  const begin = Math.max(text.lastIndexOf("-----BEGIN "), text.lastIndexOf("---- BEGIN "));
  if (begin >= 0 && !/---- ?END [A-Z0-9 ]{0,40} ?----/.test(text.slice(begin))) return begin;
  const block = openBlockAt(text);
  if (block >= 0) return block;
  const from = Math.max(0, text.length - maxContextChars);
  const open = openSecret.exec(text.slice(from));
  let start = open === null ? text.length : from + open.index;
  for (const one of wide) {
    for (let length = Math.min(one.length - 1, text.length); text.length - length < start; length--) {
      if (text.endsWith(one.slice(0, length))) start = text.length - length;
    }
  }
  while (start > 0 && !isSpace(text.charCodeAt(start - 1))) start--;
  return start;
}

const maxContextChars = 600;
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function hidden(text: string): string {
  return text === "" ? "" : mask;
}

/** Hides the value of `NAME=value`; hides any other text whole. */
function pairHidden(text: string): string {
  const end = text.indexOf("=");
  return end > 0 ? `${text.slice(0, end + 1)}${hidden(text.slice(end + 1))}` : hidden(text);
}

/** Values of secret variables, plain and JSON-escaped; longest first, because one may contain another. */
function knownIn(env: Secrets["env"]): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) => {
    const isKnown = isSecretVariable.test(name) && value.length >= minKnownChars && !/^\d+$/.test(value);
    return isKnown ? [value, JSON.stringify(value).slice(1, -1)] : [];
  });
  return [...new Set(values)].toSorted((left, right) => right.length - left.length);
}

/** Patterns for a home directory outside /home and /Users, such as /root: plain, JSON-escaped, and as a slug. */
function homePatterns(home: string | undefined): readonly (readonly [RegExp, string])[] {
  if (home === undefined || home.length < 4) return [];
  const forms = [home, JSON.stringify(home).slice(1, -1)].map((form) => form.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const slug = home.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return [
    [new RegExp(`(?<![\\w.-])(?:${[...new Set(forms)].join("|")})(?![\\w-])`, "g"), "/home/user"],
    [new RegExp(`(?<=[/\\\\])${slug}(?![a-zA-Z0-9])`, "g"), "-home-user"],
  ];
}
