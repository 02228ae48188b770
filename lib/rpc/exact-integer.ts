/**
 * Reads an integer from JSON text without the rounding of JSON.parse.
 *
 * A response must carry the request's id exactly, also past 2^53, so the digits are
 * taken from the text. Scans the text once, without recursion, and is used only when a
 * parsed id is not a safe integer.
 */

/**
 * The integer at a path of keys, in text that is known to be valid JSON. Undefined when
 * there is no integer, or one with more than `maxDigits` digits. As in JSON.parse, the
 * last of repeated keys wins.
 */
export function exactInteger(text: string, path: readonly string[]): bigint | undefined {
  let found: bigint | undefined;
  let depth = 0;
  // How many keys of the path lead to the innermost open object.
  let matched = 0;
  let isOnKey = false;
  for (let at = 0; at < text.length;) {
    const isOnPath = depth === matched + 1;
    const isLastStep = matched === path.length - 1;
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      const after = endOfBlanks(text, end);
      const isKey = text[after] === ":";
      if (isOnPath) isOnKey = isKey && keyOf(text.slice(at, end)) === path[matched];
      // A repeated key overrides the earlier one.
      if (isOnPath && isOnKey) found = undefined;
      at = isKey ? after + 1 : end;
    } else if (char === "{" || char === "[") {
      if (isOnPath && isOnKey && !isLastStep && char === "{") matched++;
      isOnKey = false;
      depth++;
      at++;
    } else if (char === "}" || char === "]") {
      if (isOnPath && matched > 0) matched--;
      isOnKey = false;
      depth--;
      at++;
    } else {
      const scalar = scalarAt(text, at);
      if (scalar !== "" && isOnPath && isOnKey && isLastStep) found = integerOf(scalar);
      at += scalar.length || 1;
    }
  }
  return found;
}

/** No counter has so many digits, and writing a million digits back would take a third of a second. */
const maxDigits = 1000;

const quote = 34;
const comma = 44;
const backslash = 92;
const bracket = 93;
const brace = 125;

/** The index after the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === backslash) i++;
    else if (code === quote) return i + 1;
  }
  return text.length;
}

function endOfBlanks(text: string, start: number): number {
  let i = start;
  while (i < text.length && text.charCodeAt(i) <= 32) i++;
  return i;
}

function scalarAt(text: string, start: number): string {
  let i = start;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === comma || code === bracket || code === brace) break;
  }
  return text.slice(start, i);
}

/** A key may be written with escapes: `"\u0069d"` is `id`. */
function keyOf(quoted: string): unknown {
  return quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
}

function integerOf(scalar: string): bigint | undefined {
  return scalar.length <= maxDigits && /^-?\d+$/.test(scalar) ? BigInt(scalar) : undefined;
}
