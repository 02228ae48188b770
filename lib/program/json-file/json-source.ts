/**
 * Parses a JSON text and remembers the line of every value.
 *
 * Strict JSON: no comments, no trailing commas, no repeated keys. An error names the line
 * and the column, and never quotes the text.
 */

/** One step into a value: an object key or an array index. */
type JsonPathStep = string | number;

export interface JsonSource {
  readonly value: unknown;
  /** The line of the value at a path; of its nearest parent when the value is missing. */
  readonly lineAt: (path: readonly JsonPathStep[]) => number;
}

/** The text is no JSON; `line` is where it stops being JSON. */
export class NotJson extends Error {
  override readonly name = "NotJson";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

interface Positioned {
  readonly value: unknown;
  readonly at: number;
  readonly parts: ReadonlyMap<JsonPathStep, Positioned>;
}

const maxDepth = 200;

/** Throws `NotJson`. */
export function parseJsonSource(text: string): JsonSource {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const root = readValue(0);
  if (next() !== undefined) fail("something follows the end");
  return { value: root.value, lineAt };

  function lineAt(path: readonly JsonPathStep[]): number {
    let found = root;
    for (const step of path) {
      const part = found.parts.get(step);
      if (part === undefined) break;
      found = part;
    }
    return lineOf(found.at);
  }

  function readValue(depth: number): Positioned {
    if (depth > maxDepth) fail("it is nested too deeply");
    const opening = next();
    if (opening === "{") return readObject(depth);
    if (opening === "[") return readArray(depth);
    const start = at;
    const token = take(/"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y, "a value is missing");
    return { value: parsed(token, start), at: start, parts: new Map() };
  }

  function readObject(depth: number): Positioned {
    const start = at++;
    const parts = new Map<JsonPathStep, Positioned>();
    if (next() === "}") at++;
    else {
      do {
        next();
        const keyAt = at;
        const key = String(parsed(take(/"(?:[^"\\\n]|\\.)*"/y, "a name in quotes is missing"), keyAt));
        if (parts.has(key)) {
          at = keyAt;
          fail("this name is already in the object");
        }
        next();
        take(/:/y, "a colon is missing");
        parts.set(key, { ...readValue(depth + 1), at: keyAt });
      } while (goesOn("}"));
    }
    // `fromEntries` defines keys rather than assigning them, so "__proto__" stays a key.
    const value = Object.fromEntries([...parts].map(([key, part]) => [key, part.value]));
    return { value, at: start, parts };
  }

  function readArray(depth: number): Positioned {
    const start = at++;
    const parts = new Map<JsonPathStep, Positioned>();
    if (next() === "]") at++;
    else {
      do parts.set(parts.size, readValue(depth + 1));
      while (goesOn("]"));
    }
    return { value: [...parts.values()].map((part) => part.value), at: start, parts };
  }

  /** Takes the comma before another part, or the end. */
  function goesOn(close: string): boolean {
    const found = next();
    if (found !== "," && found !== close) fail(`a comma or ${close} is missing`);
    at++;
    if (found === "," && next() === close) fail(`a comma before ${close} is not JSON`);
    return found === ",";
  }

  function next(): string | undefined {
    const space = /[ \t\r\n]*/y;
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
    return text[at];
  }

  function take(token: RegExp, missing: string): string {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? fail(missing);
    at += found.length;
    return found;
  }

  function parsed(token: string, start: number): unknown {
    try {
      return JSON.parse(token);
    } catch {
      at = start;
      return fail("this is not JSON");
    }
  }

  function fail(why: string): never {
    const column = at - text.lastIndexOf("\n", at - 1);
    throw new NotJson(lineOf(at), `column ${column}: ${why}`);
  }

  function lineOf(position: number): number {
    let line = 1;
    for (let i = text.indexOf("\n"); i !== -1 && i < position; i = text.indexOf("\n", i + 1)) line++;
    return line;
  }
}
