/**
 * Finds secrets by the names before them: `password=…`, `api_key: …`, `--token …`.
 *
 * The value after such a name is hidden unless it clearly is no secret: a type, a
 * variable, a call, a word of a sentence. The rules examine a bounded part of the text
 * around a value, so they take time proportional to the text.
 */
import type { Replacer, SecretRule } from "./secret-rule.ts";

/** The endings of secrets' names. */
export const secretName = String.raw`(?:authorization|cookies?|passw(?:or)?d|passphrase|passcode|(?<=[-_])(?:pass|pwd)|secret(?:[-_]?key[-_]?base)?|credentials?|(?<![a-z])psk|(?:api|access|account|private|auth|secret|signing|encryption|master|deploy|license)[-_ ]?key|[-_]key|key-data|token|connection[-_]?string)`;
/** The quote before a value, and the value: there is no further quote in it. */
export const quoteStart = String.raw`\\*(?:"(?=[^"\\\r\n])|'(?=[^'\\\r\n]))`;
export const quotedValue = String.raw`((?<=")[^"\\\r\n]+|[^'\\\r\n]+)`;
const bare = "[^\\s\"'`,;&<>(){}\\[\\]\\\\]";

/** How many characters around a value are examined. */
const maxLineChars = 80;
export const shortestSecretWithDigit = 8;

/** Words that take the place of a value in code, schemas and sentences, and are no secrets. */
export const ordinaryWords: ReadonlySet<string> = new Set(
  (
    "string str text number integer int float boolean bool any unknown never void null none nil undefined true false " +
    "object array bytes required optional missing invalid expired empty default hidden secret token password key " +
    "value const let var new await async return function typeof keyof readonly private public this self super " +
    "the a an is are was not and or for to of in it if with from by as on at be you your my his her its option flag " +
    "argument parameter field header variable basic bearer digest yes no ok scrubbed redacted changeme example"
  ).split(" "),
);

export function nameRules(mask: string): readonly SecretRule[] {
  const hide = (isSecret: (value: string, separator: string, before: string, after: string) => boolean): Replacer => {
    return (whole, before, value, ...rest) => {
      const text = String(rest.at(-1));
      const at = Number(rest.at(-2));
      const after = text.slice(at + whole.length, at + whole.length + maxLineChars);
      const isHidden = isSecret(value, before, text.slice(Math.max(0, at - maxLineChars), at), after);
      return isHidden ? before + mask : whole;
    };
  };
  return [
    // Header lines: the whole value.
    [/((?:authorization|cookie)\\*["']?\s?[:=]\s?\\*["']?)[^\r\n"'\\]{4,}/gi, `$1${mask}`],
    // Quoted values, as in JSON, YAML and code.
    [
      new RegExp(`(${secretName}\\\\*["']?\\s{0,9}(?::=|[:=])\\s{0,9}${quoteStart})${quotedValue}`, "gi"),
      hide((value) => !ordinaryWords.has(value.toLowerCase())),
    ],
    // NAME=value and name: value.
    [new RegExp(`(${secretName}[ \\t]?[:=][ \\t]?)(${bare}+)`, "gi"), hide(isBareSecret)],
    [/((?<![\w$-])(?:pwd|pass|sig)=)([^\s"'`,;&<>(){}[\]\\/~$]+)/gi, hide((value) => !ordinaryWords.has(value))],
    [/(\b[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASS|_PWD|CREDENTIALS?|_KEY)=)([^\s"'`;&\\$]+)/g, `$1${mask}`],
    // pwd: value. A directory has a slash.
    [/((?<![\w$-])(?:pwd|pass):[ \t]?)([^\s"'`,;&<>(){}[\]\\/~$]+)/gi, hide(isBareSecret)],
    // setenv NAME value, set -x NAME value
    [
      /(\b(?:setenv|set(?:[ \t]{1,3}--?[\w-]{1,20}){1,3})[ \t]{1,3}\w{0,60}(?:token|secret|passw(?:or)?d|_pass|pwd|credentials?|key)[ \t]{1,3}\\*["']?)[^\s"'\\$]+/gi,
      `$1${mask}`,
    ],
    // <password>value</password>, <add key="ApiKey" value="value" />
    [
      new RegExp(
        `(<[\\w:.-]{0,40}(?:${secretName}|\\b(?:pwd|pass))(?:\\s[^<>]{0,200})?>\\s{0,9})[^<>\\s][^<>]{0,399}(?=</)`,
        "gi",
      ),
      `$1${mask}`,
    ],
    [
      new RegExp(
        `(\\b(?:key|name)=\\\\*["'][\\w.:-]{0,80}${secretName}\\\\*["']\\s{1,9}value=\\\\*["'])[^"'\\\\\\r\\n]+`,
        "gi",
      ),
      `$1${mask}`,
    ],
    // {"auth":"base64"} of Docker, _auth=base64 of npm
    [/((?:["']auth\\*["']\s{0,9}:\s{0,9}\\*["']|\b_auth\s?=\s?\\*["']?))[\w+/=-]{8,}/g, `$1${mask}`],
    // --name value
    [
      new RegExp(
        `((?<![\\w-])--?[\\w.-]{0,40}(?:${secretName}|-pass)(?:=|[ \\t]{1,3}))([^\\s"'\`\\\\$<>|&;-][^\\s"'\`\\\\]*)`,
        "gi",
      ),
      hide((value, before) => before.endsWith("=") || (value.length > 2 && !ordinaryWords.has(value.toLowerCase()))),
    ],
    [
      new RegExp(
        `((?<![\\w-])--?[\\w-]{0,40}(?:${secretName}|-pass)(?:=|[ \\t]{1,3})(["']))(?:(?!\\2)[^\\\\\\r\\n])+`,
        "gi",
      ),
      `$1${mask}`,
    ],
    [/(\b(?:machine\s{1,9}\S{1,200}|default)\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9})\S+/g, `$1${mask}`],
    [/((?<![\w.*:/-])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:)[^\s:"'\\]+/g, `$1${mask}`],
    [/(\bbearer\s)(?:[\w.~+/=-]{16,}|(?=[\w.~+/=-]{0,300}\d)[\w.~+/=-]{8,})/gi, `$1${mask}`],
    [
      /([?&](?:key|sig|signature|code|auth|x-amz-(?:signature|credential|security-token)|x-goog-signature)=)[^&\s"'#\\]{8,}/gi,
      `$1${mask}`,
    ],
    // https://user:password@host and https://token@host
    [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,500}(?=@)/gi, `$1${mask}`],
    [/(\bhttps?:\/\/)(?=[^\s/:@"']{0,200}\d)[^\s/:@"']{16,500}(?=@)/gi, `$1${mask}`],
  ];
}

/** Whether an unquoted value is a secret, decided by the text around it. */
function isBareSecret(value: string, separator: string, before: string, after: string): boolean {
  const word = value.replace(/[.:!?]+$/, "");
  if (word === "" || ordinaryWords.has(word.toLowerCase()) || /^[=$]/.test(value) || /^[([{<]/.test(after))
    return false;
  // The value follows: in the next lines of a YAML block, or after the end of bold text.
  if (/^(?:[|>][-+\d]{0,2}|\*{2,3}|__)$/.test(value)) return false;
  if (value.length >= shortestSecretWithDigit && /\d/.test(value)) return true;
  // A value that is itself a name, such as `token=token` or `this.token`, is code.
  if (
    /(?:token|secret|passw(?:or)?d|_?key)$/i.test(word) ||
    /^(?:this|self|process|os|env|options|config)\./.test(word)
  )
    return false;
  if (separator.endsWith("=") && !/\s/.test(separator)) return true;
  const isLineEnd = /^[ \t]*(?:#[^\r\n]*)?(?:[\r\n"']|\\+[nr"]|$)/.test(after);
  const line = before.slice(Math.max(before.lastIndexOf("\n") + 1, before.lastIndexOf("\\n") + 2, 0));
  const isLineStart = line.length < maxLineChars && /^[ \t"']*(?:- |export |set |[#;] ?)?[\w.-]*$/.test(line);
  return isLineEnd && (isLineStart || /(?:passw(?:or)?d|passphrase)\s?[:=]\s?$/i.test(separator));
}

/** The source of a pattern for a secret's name without its value, or with a value that may continue. */
export const openName =
  `(?:api|access|account|private|auth|secret|signing|encryption|master|deploy|license) (?:ke?)?|---- B?E?G?I?N?|${secretName}\\\\*["']?\\s{0,9}(?:(?::=|=>|[:=])\\s{0,9}(?:\\\\*(["'])(?:(?!\\1)[^\\\\\\r\\n])*|\\\\*|[^\\s"'\\\\]*[ \\t]*(?:#[^\\r\\n]*)?))?` +
  `|(?:authorization|cookie)\\\\*["']?\\s?[:=]\\s?\\\\*["']?[^\\r\\n"'\\\\]*|(?:${secretName}|-pass)[ \\t]{1,3}(?:["'][^"'\\r\\n]*|\\S*)|bearer\\s{1,4}\\S*` +
  `|<[\\w:.-]{0,40}(?:${secretName}|\\b(?:pwd|pass))(?:\\s[^<>]{0,200})?>[^<>]{0,400}(?:</?[\\w:.-]{0,60})?|\\b(?:key|name)=\\\\*["'][\\w.:-]{0,80}${secretName}\\\\*["']\\s{0,9}[a-z]{0,5}=?\\\\*(?:["'][^"'\\r\\n]*)?` +
  `|auth\\\\*["']\\s{0,9}:?\\s{0,9}\\\\*(?:["'][\\w+/=-]*)?|\\b_auth\\s?=?\\s?\\\\*["']?[\\w+/=-]*|(?<![\\w$-])(?:pwd|pass):[ \\t]?\\S*` +
  `|\\b(?:setenv|set(?=[ \\t]{0,3}(?:-|$)))(?:[ \\t]{1,3}--?[\\w-]{0,20}){0,3}[ \\t]{0,3}(?:\\w{0,80}(?:[ \\t]{1,3}\\\\*["']?\\S*)?)?` +
  `|\\b(?:machine\\s{1,9}\\S{0,200}|machine|default)(?:\\s{1,9}login?)?(?:\\s{1,9}\\S{0,200}(?:\\s{1,9}p\\w{0,7}(?:\\s{1,9}\\S*)?)?)?\\s{0,9}`;

/** A cheap test that is true for every text in which a rule could match. */
export const nameHints =
  /authoriz|cookie|pass|pwd|psk|secret|credential|key|token|connection|:\/\/|bearer|[?&](?:sig|code|auth|x-)|sig=|:(?:\d{2,5}|\*):|auth\\*["']|_auth/i;
