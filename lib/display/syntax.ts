/**
 * Splits source code of common languages into coloured parts: keywords, strings,
 * comments, numbers, names that are called or tagged.
 *
 * One regular expression per language, matched from the left, so it takes time
 * proportional to the text. It imports nothing: the chat and the web page share it.
 */

export type SyntaxKind = "plain" | "keyword" | "string" | "comment" | "number" | "name" | "added" | "removed";

export interface SyntaxPart {
  readonly kind: SyntaxKind;
  readonly text: string;
}

/** Code longer than this stays plain. */
const maxChars = 200_000;

interface Language {
  /** Patterns in order of precedence; each is one kind. */
  readonly patterns: readonly (readonly [SyntaxKind, string])[];
  readonly flags?: string;
}

const double = String.raw`"(?:[^"\\\n]|\\.)*"?`;
const single = String.raw`'(?:[^'\\\n]|\\.)*'?`;
const template = "`(?:[^`\\\\]|\\\\[^])*`?";
const slashComment = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
const hashComment = String.raw`(?<![^\s;])#[^\n]*`;
const number = String.raw`\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w*\b`;
const callName = String.raw`\b[A-Za-z_$][\w$]*(?=\()`;

function words(list: string): string {
  return `\\b(?:${list.trim().replaceAll(/\s+/g, "|")})\\b`;
}

function curly(keywords: string, strings: string = `${double}|${single}`): Language {
  return {
    patterns: [
      ["comment", slashComment],
      ["string", strings],
      ["keyword", words(keywords)],
      ["number", number],
      ["name", callName],
    ],
  };
}

const script = curly(
  "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
  `${double}|${single}|${template}`,
);
const python: Language = {
  patterns: [
    ["comment", hashComment],
    ["string", String.raw`[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${double}|${single})`],
    [
      "keyword",
      words(
        "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
      ),
    ],
    ["number", number],
    ["name", `@[\\w.]+|${callName}`],
  ],
};
const shell: Language = {
  patterns: [
    ["comment", hashComment],
    ["string", String.raw`"(?:[^"\\]|\\[^])*"?|'[^']*'?`],
    [
      "keyword",
      words(
        "if then else elif fi for while until do done case esac in function select return exit export local readonly set unset shift source trap eval exec cd echo sudo",
      ),
    ],
    ["name", String.raw`\$\{?[\w@#?*!-]+\}?|(?<=\s)--?[A-Za-z][\w-]*`],
    ["number", String.raw`(?<=\s)\d+\b`],
  ],
};
const markup: Language = {
  patterns: [
    ["comment", String.raw`<!--[^]*?(?:-->|$)`],
    ["keyword", String.raw`<\/?[A-Za-z][\w:-]*|\/?>`],
    ["string", String.raw`(?<==)(?:"[^"]*"?|'[^']*'?)`],
    ["name", String.raw`(?<=\s)[\w:@-]+(?==)`],
  ],
};
const style: Language = {
  patterns: [
    ["comment", String.raw`\/\*[^]*?(?:\*\/|$)`],
    ["string", `${double}|${single}`],
    ["keyword", String.raw`@[\w-]+|!important`],
    ["name", String.raw`(?<=[{;]\s*|^\s*)-{0,2}[a-z][\w-]*(?=\s*:)`],
    ["number", String.raw`#[\da-fA-F]{3,8}\b|-?\b\d[\d.]*(?:%|[a-z]+)?`],
  ],
  flags: "m",
};
const json: Language = {
  patterns: [
    ["name", String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
    ["string", double],
    ["keyword", words("true false null")],
    ["number", String.raw`-?\b\d[\d.]*(?:e[+-]?\d+)?`],
    ["comment", slashComment],
  ],
};
const settings: Language = {
  patterns: [
    ["comment", String.raw`(?<![^\s])[#;][^\n]*`],
    ["keyword", String.raw`^\s*\[[^\]\n]*\]+|\b(?:true|false|null|yes|no)\b`],
    ["name", String.raw`^[ \t-]*[\w."'/-]+(?=\s*[:=])`],
    ["string", `${double}|${single}`],
    ["number", String.raw`\b\d[\d.:TZ-]*\b`],
  ],
  flags: "m",
};
const query: Language = {
  patterns: [
    ["comment", String.raw`--[^\n]*|\/\*[^]*?(?:\*\/|$)`],
    ["string", String.raw`'(?:[^']|'')*'?|${double}`],
    [
      "keyword",
      words(
        "select from where and or not in is null as on join left right inner outer full group by order having limit offset insert into values update set delete create table view index alter drop primary key foreign references unique default with union all distinct case when then else end exists between like asc desc begin commit rollback",
      ),
    ],
    ["number", number],
    ["name", callName],
  ],
  flags: "i",
};
const patch: Language = {
  patterns: [
    ["keyword", String.raw`^(?:diff |index |---|\+\+\+|@@)[^\n]*`],
    ["added", String.raw`^\+[^\n]*`],
    ["removed", String.raw`^-[^\n]*`],
  ],
  flags: "m",
};

const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries({
    "js jsx mjs cjs ts tsx mts cts javascript typescript": script,
    "py python py3": python,
    "sh bash zsh shell fish": shell,
    "html xml svg vue svelte htm": markup,
    "css scss less": style,
    "json jsonc json5 ndjson": json,
    "toml ini yaml yml cfg conf properties env dockerfile": settings,
    sql: query,
    "diff patch": patch,
    "go golang": curly(
      "break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var",
      `${double}|${template}|${single}`,
    ),
    "rs rust": curly(
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
      double,
    ),
    "c h cpp cc cxx hpp c++ objc": curly(
      "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false final float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while",
    ),
    "java kt kotlin cs csharp scala swift dart php": curly(
      "abstract as async await base bool boolean break byte case catch char class companion const continue data default do double else enum extends extension false final finally float for foreach fun func function guard if implements import in init instanceof int interface internal is lazy let long namespace new nil null object open operator out override package private protected public readonly record return sealed self short static string struct super switch this throw throws trait true try type typealias using val var virtual void when where while with yield",
    ),
    "rb ruby": {
      patterns: [
        ["comment", hashComment],
        ["string", `${double}|${single}|(?<!:):\\w+`],
        [
          "keyword",
          words(
            "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield",
          ),
        ],
        ["number", number],
        ["name", `@{1,2}\\w+|${callName}`],
      ],
    } satisfies Language,
  }).flatMap(([names, language]) => names.split(" ").map((name): [string, Language] => [name, language])),
);

const compiled = new Map<Language, RegExp>();

/** The parts of the code, in order; joined they are the code. One plain part for a language that is not known. */
export function syntaxParts(code: string, languageName: string): readonly SyntaxPart[] {
  const language = languages.get(languageName.toLowerCase());
  if (language === undefined || code.length > maxChars) return code === "" ? [] : [{ kind: "plain", text: code }];
  const pattern = patternOf(language);
  const parts: SyntaxPart[] = [];
  let from = 0;
  for (const found of code.matchAll(pattern)) {
    if (found[0] === "") continue;
    if (found.index > from) parts.push({ kind: "plain", text: code.slice(from, found.index) });
    const at = found.slice(1).findIndex((group) => group !== undefined);
    parts.push({ kind: language.patterns[at]?.[0] ?? "plain", text: found[0] });
    from = found.index + found[0].length;
  }
  if (from < code.length) parts.push({ kind: "plain", text: code.slice(from) });
  return parts;
}

/** The language of a file, by its name: its extension, if that is one of the known names. */
export function languageOf(path: string): string {
  const [, extension = ""] = /\.([\w+]+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return languages.has(name) ? name : "";
}

function patternOf(language: Language): RegExp {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const source = language.patterns.map(([, pattern]) => `(${pattern})`).join("|");
  const made = new RegExp(source, `g${language.flags ?? ""}`);
  compiled.set(language, made);
  return made;
}
