/**
 * Finds every small fault that could be made in a source file.
 *
 * Works on text whose comments and literals are masked, so that only code changes.
 * Relies on the formatter: operators are between spaces, and a statement ends its line.
 * Types are erased when specs run, so a mutant need not type-check.
 */
export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
  /** The whole source with the fault. */
  readonly source: string;
}

interface Change {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

interface Operator {
  readonly name: string;
  /** Where it applies in the masked text, and what replaces it. */
  readonly changes: (masked: string, source: string) => Iterable<Change>;
}

/** Replaces every match; `swap` returns undefined to leave one alone. */
function replacing(pattern: RegExp, swap: (found: string) => string | undefined): Operator["changes"] {
  return function* (masked) {
    for (const { 0: found, index } of masked.matchAll(pattern)) {
      const text = swap(found);
      if (text !== undefined) yield { at: index, length: found.length, text };
    }
  };
}

const swaps =
  (table: Readonly<Record<string, string>>) =>
  (found: string): string | undefined =>
    table[found];

const operators: readonly Operator[] = [
  { name: "equality", changes: replacing(/ [!=]== /g, swaps({ " === ": " !== ", " !== ": " === " })) },
  {
    name: "boundary",
    changes: replacing(/ [<>]=? /g, swaps({ " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > " })),
  },
  {
    name: "direction",
    changes: replacing(/ [<>]=? /g, swaps({ " < ": " >= ", " <= ": " > ", " > ": " <= ", " >= ": " < " })),
  },
  { name: "and/or", changes: replacing(/ (?:&&|\|\|) /g, swaps({ " && ": " || ", " || ": " && " })) },
  { name: "negation", changes: replacing(/(?<=[\s(])!(?=[\w(])/g, () => "") },
  { name: "off by one", changes: replacing(/ [+-] 1\b/g, swaps({ " + 1": " - 1", " - 1": " + 1" })) },
  { name: "count", changes: replacing(/\+\+|--(?!>)/g, swaps({ "++": "--", "--": "++" })) },
  { name: "sum", changes: replacing(/ [+-]= /g, swaps({ " += ": " -= ", " -= ": " += " })) },
  {
    name: "truth",
    changes: replacing(
      /(?<=[=(,?:] |return |=> |\()(?:true|false)(?=[;,)\s])/g,
      swaps({ true: "false", false: "true" }),
    ),
  },
  {
    name: "statement",
    changes: replacing(
      /^ +(?:(?:this\.)?[#\w.?]+\(.*\)|(?:this\.)?[#\w.]+ (?:[+*?&|-]{0,2})= [^=].*|(?:this\.)?[#\w.]+(?:\+\+|--));$/gm,
      (found) => (isBalanced(found) && !/^ +(?:return|throw|super)\b/.test(found) ? "" : undefined),
    ),
  },
  {
    name: "guard",
    changes: replacing(/^ +if \(.*\) (?:return|continue|break)\b.*;$/gm, (found) =>
      isBalanced(found) ? "" : undefined,
    ),
  },
  {
    name: "condition",
    changes: function* (masked, source) {
      for (const { index } of masked.matchAll(/\bif \(/g)) {
        const open = index + 3;
        const close = closing(masked, open);
        const text = `(!${source.slice(open, close + 1)})`;
        if (close > 0) yield { at: open, length: close + 1 - open, text };
      }
    },
  },
  {
    name: "result",
    changes: replacing(/(?<=^ +(?:if \(.*\) )?return )[^;]+(?=;$)/gm, (found) =>
      found === "undefined" || !isBalanced(found) ? undefined : "undefined",
    ),
  },
];

/** All of them, in the order of the source. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const masked = mask(source);
  const found = operators.flatMap(({ name, changes }) =>
    [...changes(masked, source)].map((change) => ({ name, change })),
  );
  return found
    .filter(({ change }) => !isDeclaration(lineAt(source, change.at)))
    .sort((left, right) => left.change.at - right.change.at)
    .map(({ name, change: { at, length, text } }) => {
      const mutated = source.slice(0, at) + text + source.slice(at + length);
      return {
        file,
        line: source.slice(0, at).split("\n").length,
        operator: name,
        before: lineAt(source, at).trim(),
        after: lineAt(mutated, at).trim(),
        source: mutated,
      };
    });
}

/** The same length, with spaces for comments and underscores for the insides of literals. */
function mask(source: string): string {
  const literals =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[=(,:] ?|return )\/(?![*/ ])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
  return source.replaceAll(literals, (found) => {
    const blank = found.startsWith("/*") || found.startsWith("//") ? " " : "_";
    return found.replaceAll(/[^\n]/g, blank);
  });
}

function lineAt(source: string, at: number): string {
  const start = source.lastIndexOf("\n", at - 1) + 1;
  const end = source.indexOf("\n", at);
  return source.slice(start, end < 0 ? source.length : end);
}

function isDeclaration(line: string): boolean {
  return /^\s*(?:import|export type|export interface|type|interface|readonly \w+\??:)\b/.test(line);
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if ("([{".includes(char)) depth++;
    if (")]}".includes(char) && --depth < 0) return false;
  }
  return depth === 0;
}

/** The position of the bracket that closes the one at `open`; -1 when there is none. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return i;
  }
  return -1;
}
