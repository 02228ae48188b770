/**
 * Finds secrets by their names where the value follows in the syntax of a language: typed
 * assignments, calls, YAML blocks, Markdown and SQL.
 *
 * secret-names.ts has the plain forms `name=value` and `name: value`. The rules examine a
 * bounded part of the text around a value, so they take time proportional to the text.
 */
import { ordinaryWords, quoteStart, quotedValue, secretName, shortestSecretWithDigit } from "./secret-names.ts";
import type { SecretRule } from "./secret-rule.ts";

/** Names whose value may be any word; the value of a key or token has a digit or is long. */
const isPassword = /passw(?:or)?d|passphrase|passcode/i;
/** A first line of a YAML block with more words is a description. */
const maxWordsOfSecret = 5;
const longSecretChars = 20;
/** A shorter word in quotes after "password" is part of a sentence. */
const minQuotedChars = 6;

const type = String.raw`[A-Za-z_&*][\w.<>|&*[\]?' ]{0,40}?`;
const passwordMethod = String.raw`(?:passw(?:or)?d|passphrase|(?:api|secret|access|private)_?key)`;
const setter = String.raw`(?:define|putenv|append|header|(?:set|put|add|with)\w{0,30})`;
const blockHead = String.raw`${secretName}["']?[ \t]?:[ \t]{0,3}[|>][-+\d]{0,2}[ \t]{0,3}(?:#[^\r\n\\]{0,200})?`;
const blockHint = /:[ \t]{0,3}[|>][-+\d]{0,2}[ \t]{0,3}[#\r\n\\]/;
const marks = String.raw`(?:\*{1,3}|_{1,2})?`;
const labelled = String.raw`${secretName}(?:["'${"`"}]|${marks})[ \t]{0,3}(?::|=|\bis\b)${marks}[ \t]{0,3}`;
const cell = "(?:\\*{2}|`)?";

export function syntaxRules(mask: string): readonly SecretRule[] {
  const hideIf =
    (isSecret: (value: string, before: string) => boolean) =>
    (whole: string, before: string, value: string): string =>
      isSecret(value, before) ? before + mask + whole.slice(before.length + value.length) : whole;
  const literal = hideIf((value) => !ordinaryWords.has(value.toLowerCase()));
  const argument = hideIf(isArgument);
  const global = (source: string, flags = "gi"): RegExp => new RegExp(source, flags);
  return [
    // const apiKey: string = "value", password: str = "value", var password string = "value"
    [
      global(`(${secretName}[?!]?\\s{0,3}:\\s{0,3}${type}\\s{0,3}=\\s{0,3}${quoteStart})${quotedValue}`),
      literal,
      /:\s{0,3}[A-Za-z_&*][\w.<>|&*[\]?' ]{0,40}\s{0,3}=\s{0,3}\\*["']/,
    ],
    [
      global(
        `(\\b(?:var|const|let|val|static|final)\\s{1,3}[\\w.]{0,60}?${secretName}\\s{1,3}[*[\\]\\w.]{1,30}\\s{0,3}=\\s{0,3}${quoteStart})${quotedValue}`,
      ),
      literal,
    ],
    // :password => "value", 'password' => 'value'. A bare name of a token or key may be the parameter of a function.
    [
      global(
        `((?:(?<=[:"'][\\w.-]{0,60})${secretName}|${passwordMethod}|secret)\\\\*["']?\\s{0,9}=>\\s{0,9}${quoteStart})${quotedValue}`,
      ),
      literal,
      /=>\s{0,9}\\*["']/,
    ],
    // define('DB_PASSWORD', 'value'), setProperty("password", "value")
    [
      global(
        `(\\b${setter}\\(\\s{0,3}\\\\*["'][\\w.:-]{0,60}?${secretName}\\\\*["']\\s{0,3},\\s{0,3}${quoteStart})${quotedValue}`,
      ),
      argument,
    ],
    // setPassword("value"), .password("value")
    [global(`(\\b(?:set|with)\\w{0,40}?${secretName}\\(\\s{0,3}${quoteStart})${quotedValue}`), argument],
    [global(`(\\.${passwordMethod}\\(\\s{0,3}${quoteStart})${quotedValue}`), argument],
    // password: | with the value on the next lines; also in a JSON string.
    [
      global(`(${blockHead}\\r?\\n([ \\t]{1,40}))(?=\\S)([^\\r\\n]*)(?:\\r?\\n(?:\\2[^\\r\\n]*|(?=\\r?\\n)))*`),
      (whole, before, _indent, firstLine) => (isBlock(String(firstLine)) ? before + mask : whole),
      blockHint,
    ],
    [
      global(`(${blockHead}\\\\{1,4}n([ \\t]{1,40}))([^\\s\\\\"'][^\\\\"'\\r\\n]*)(?:\\\\{1,4}n\\2[^\\\\"'\\r\\n]*)*`),
      (whole, before, _indent, firstLine) => (isBlock(String(firstLine)) ? before + mask : whole),
      blockHint,
    ],
    // **Password:** `value`, Password: `value`, **Password:** value
    [global(`(${labelled}\`)([^\`\\r\\n\\\\]{3,200})`), hideIf(isInline), /[:=s][*_]{0,3}[ \t]{0,3}`/],
    [
      global(
        `(${secretName}(?:\\*{2,3}|__)?:(?:\\*{2,3}|__)[ \\t]{1,3})([^\\s\`*|<>()"'\\\\]{4,200})(?=[ \\t]{0,3}(?:[\\r\\n]|\\\\+n|$))`,
      ),
      hideIf(isInline),
      /:(?:\*\*|__)/,
    ],
    // | password | value |
    [
      global(
        `(\\|[ \\t]{1,20}${cell}[\\w .-]{0,40}${secretName}${cell}[ \\t]{1,20}\\|[ \\t]{1,20}\`?)([^\\s|\`\\\\]{4,200})(?=\`?[ \\t]{0,60}\\|)`,
      ),
      hideIf(isCell),
    ],
    // IDENTIFIED BY 'value', WITH PASSWORD 'value', SET PASSWORD FOR user = 'value'
    [
      global(
        `(\\bidentified\\s{1,9}(?:with\\s{1,9}[\\w"'.]{1,60}\\s{1,9})?(?:by|as)\\s{1,9}(?:password\\s{1,9})?${quoteStart})${quotedValue}`,
      ),
      literal,
    ],
    [/(\bIDENTIFIED\s{1,9}BY\s{1,9})([^\s"'\\;]{3,})/g, `$1${mask}`],
    [
      global(
        `(\\bpassword\\s{1,9}(?:for\\s{1,9}[^\\s=]{1,100}\\s{0,3}=\\s{0,3}(?:password\\()?)?\\\\*')([^'\\\\\\r\\n]{1,200})(?=\\\\*')`,
      ),
      hideIf((value, before) => before.includes("PASSWORD") || (value.length >= minQuotedChars && isArgument(value))),
    ],
  ];
}

/** Whether the text ends in an unfinished block; the index of its head, or -1. */
export function openBlockAt(text: string): number {
  let head: RegExpExecArray | undefined;
  for (const found of text.matchAll(openBlockHead)) head = found;
  if (head === undefined) return -1;
  const lines = text.slice(head.index + head[0].length);
  // The block ends with a line that is not indented.
  return /[\r\n](?![\s])(?!$)/.test(`\n${lines}`) ? -1 : head.index;
}
const openBlockHead = new RegExp(`${blockHead}(?:\\r?\\n|\\r?$)`, "gi");

/** A literal that is passed to a function: no label, message or other name. */
function isArgument(value: string): boolean {
  const isName = /^[A-Za-z_.-]+$/.test(value) && /passw|secret|token|key$/i.test(value);
  return !isName && !/\s/.test(value) && !ordinaryWords.has(value.toLowerCase());
}

function isBlock(firstLine: string): boolean {
  return firstLine.trim().split(/\s+/).length <= maxWordsOfSecret;
}

/** A value in Markdown after the name of a secret: no code, option, path or name of a variable. */
function isInline(value: string, before: string): boolean {
  const word = value.replace(/[.,:!?]+$/, "");
  if (/[\s(){}<>$[\]]|^[-/.~]/.test(word) || ordinaryWords.has(word.toLowerCase())) return false;
  if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(word) || /(?:token|secret|passw(?:or)?d|key)$/i.test(word)) return false;
  return isPassword.test(before) || (word.length >= shortestSecretWithDigit && /\d/.test(word));
}

/** A cell of a table may hold a type, a word or a translation: a secret has a digit or a sign, or is long. */
function isCell(value: string): boolean {
  if (/[(){}<>$[\]]|^[-/.~]/.test(value) || /(?:token|secret|passw(?:or)?d|key)$/i.test(value)) return false;
  return (value.length >= 6 && /\d|[!@#%^&*+=?]/.test(value)) || value.length >= longSecretChars;
}

const openLiteral = String.raw`\\*(?:["'][^"'\r\n]{0,200})?`;
/** The source of a pattern for text that may still get a value; `openBlockAt` finds open blocks. */
export const openSyntax = [
  String.raw`${secretName}[?!]?\s{0,3}:?\s{0,3}(?:[A-Za-z_&*][\w.<>|&*[\]?' ]{0,40}(?:=\s{0,3}${openLiteral})?)?`,
  String.raw`\b(?:var|const|let|val|static|final)\s{1,3}[\w.]{0,60}(?:\s{1,3}[*[\]\w.]{0,30})?\s{0,3}(?:=\s{0,3}${openLiteral})?`,
  String.raw`\b${setter}\(\s{0,3}(?:\\*["'][^"'\r\n]{0,80}(?:\\*["']\s{0,3}(?:,\s{0,3}${openLiteral})?)?)?`,
  String.raw`(?:\b(?:set|with)\w{0,40}|\.)${secretName}\(\s{0,3}${openLiteral}`,
  `${labelled}\`?[^\`\\r\\n]{0,200}`,
  `${secretName}(?:["'\`]|${marks})[ \\t]{0,3}(?:(?::|=|is?)${marks})?[ \\t]{0,3}`,
  `\\|[^|\\r\\n]{0,80}(?:\\|[^|\\r\\n]{0,260}\\|?)?`,
  String.raw`\bidentified(?:\s[^\r\n]{0,160})?`,
  String.raw`\bpassword\s{1,9}(?:f\w{0,2}(?:\s{1,9}[^\s=]{0,100}(?:\s{0,3}=?\s{0,3}(?:pass\w{0,4}\(?)?)?)?)?\\*(?:'[^'\r\n]{0,200})?`,
].join("|");

/** A cheap test that is true for every text in which a rule could match. */
export const syntaxHints = /pass|secret|credential|key|token|cookie|authoriz|psk|pwd|connection|identified/i;
