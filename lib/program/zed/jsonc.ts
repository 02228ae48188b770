/**
 * Sets a member in a JSONC text (JSON with comments and trailing commas).
 *
 * The text is parsed only for positions; everything that is not replaced stays as it is,
 * byte for byte.
 */

/** The text cannot be parsed, or has no object at the path; the message says where. */
export class NotJsonc extends Error {
  override readonly name = "NotJsonc";
}

/** The position of a value in the text. */
interface JsonRange {
  readonly start: number;
  readonly end: number;
  /** Undefined when the value is no object. */
  readonly members?: readonly Member[];
  readonly hasTrailingComma?: boolean;
}

interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: JsonRange;
}

const maxDepth = 200;

/** Returns the text with `value` at `path`. Throws `NotJsonc`. */
export function withMember(text: string, path: readonly string[], value: unknown): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const root = text.trim() === "" ? undefined : parse(text);
  const unit = /^[ \t]+/.exec(indentAt(text, root?.members?.[0]?.start ?? 0))?.[0] ?? "  ";
  const print = (printed: unknown, indent: string): string =>
    JSON.stringify(printed, null, unit).replaceAll("\n", newline + indent);
  if (root === undefined) return text.trimEnd() + print(nested(path, value), "") + newline;
  let range = root;
  let start = root.start;
  for (const [i, key] of path.entries()) {
    const { members } = range;
    if (members === undefined) throw new NotJsonc(`${path[i - 1] ?? "the file"} is not an object`);
    const member = members.findLast((one) => one.key === key);
    if (member === undefined) return added(range, members, key, nested(path.slice(i + 1), value));
    ({ value: range, start } = member);
  }
  if (isSame(text.slice(range.start, range.end), value)) return text;
  return text.slice(0, range.start) + print(value, indentAt(text, start)) + text.slice(range.end);

  /** Adds a member after the last one and its comments. */
  function added(object: JsonRange, members: readonly Member[], key: string, inner: unknown): string {
    const close = object.end - 1;
    const outer = indentAt(text, object.start);
    const [first, last] = [members[0], members.at(-1)];
    const isOnItsLine = first !== undefined && text.slice(object.start, first.start).includes("\n");
    const indent = isOnItsLine ? indentAt(text, first.start) : outer + unit;
    const after = last?.value.end ?? object.start + 1;
    const from = text.slice(0, close).trimEnd().length;
    const needsComma = last !== undefined && object.hasTrailingComma !== true;
    const member = `${newline}${indent}${JSON.stringify(key)}: ${print(inner, indent)}`;
    const rest = text.slice(from, close).includes("\n") ? text.slice(from) : newline + outer + text.slice(close);
    return [
      text.slice(0, after),
      needsComma ? "," : "",
      text.slice(after, from),
      member,
      object.hasTrailingComma === true ? "," : "",
      rest,
    ].join("");
  }
}

/** Whether the text has this value already, in any layout. */
function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** The indentation of the line at `at`. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
}

/** Parses the text to positions. */
function parse(text: string): JsonRange {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const root = value(0);
  if (next() !== undefined) fail("something follows the end");
  return root;

  function value(depth: number): JsonRange {
    if (depth > maxDepth) fail("it is nested too deeply");
    const opening = next();
    const start = at;
    if (opening === "{" || opening === "[") return list(depth, opening === "{");
    take(/"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y, "a value");
    return { start, end: at };
  }

  function list(depth: number, isObject: boolean): JsonRange {
    const start = at++;
    const close = isObject ? "}" : "]";
    const members: Member[] = [];
    let hasTrailingComma = false;
    for (let isFirst = true; next() !== close; isFirst = false) {
      if (!isFirst && !hasTrailingComma) fail(`a comma or ${close} is missing`);
      if (isObject) members.push(member(depth));
      else value(depth + 1);
      hasTrailingComma = next() === ",";
      if (hasTrailingComma) at++;
    }
    at++;
    return { start, end: at, hasTrailingComma, ...(isObject && { members }) };
  }

  function member(depth: number): Member {
    const start = at;
    const key: unknown = JSON.parse(take(/"(?:[^"\\\n]|\\.)*"/y, "a name in quotes"));
    next();
    take(/:/y, "a colon");
    return { key: String(key), start, value: value(depth + 1) };
  }

  /** The next character that is neither white space nor in a comment. */
  function next(): string | undefined {
    const trivia = /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y;
    do trivia.lastIndex = at;
    while (trivia.test(text) && (at = trivia.lastIndex) > 0);
    return text[at];
  }

  function take(token: RegExp, what: string): string {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? fail(`${what} is missing`);
    at += found.length;
    return found;
  }

  function fail(why: string): never {
    throw new NotJsonc(`line ${text.slice(0, at).split("\n").length}: ${why}`);
  }
}
