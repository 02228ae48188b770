/**
 * Breaks minified code into lines that can be read, searched and compared, and joins
 * such parts into one file with one source map.
 *
 * esbuild's own `lineLimit` splits strings. This breaks a line only after `;`, `{` or `}`
 * and only where the source map has the beginning of a token, which is never inside a
 * string, and where a line break never changes the meaning of JavaScript. Where the code
 * of another source file begins, a comment names the file.
 */

/** Lines are broken at the first place after this many characters. */
const minLineChars = 100;

/** `map` is a source map of version 3. `segments` are the mappings of each line. */
export function breakLines(code, { mappings, sources, names }, nameOf) {
  const lines = [];
  const segments = [];
  const mapped = readMappings(mappings);
  let named;
  for (const [i, line] of code.split("\n").entries()) {
    let start = 0;
    let own = [];
    const end = (at) => {
      lines.push(line.slice(start, at));
      segments.push(own);
      [start, own] = [at, []];
    };
    for (const [column, source, ...place] of mapped[i] ?? []) {
      const isOther = source !== undefined && source !== named;
      const isPlace = column > start && ";{}".includes(line[column - 1]) && line[column - 2] !== "$";
      if (isPlace && (isOther || column - start >= minLineChars || startsDeclaration(line, column))) end(column);
      if (isOther && column === start) {
        lines.push(`// ${nameOf(sources[source])}`);
        segments.push([]);
        named = source;
      }
      own.push(source === undefined ? [column - start] : [column - start, source, ...place]);
    }
    end(line.length);
  }
  return { code: lines.join("\n"), segments, sources, names };
}

/** Joins parts of code, each of which ends with a line break, and makes the source map of the whole. */
export function joinParts(parts, file) {
  const segments = [];
  const sources = [];
  const names = [];
  for (const part of parts) {
    const [firstSource, firstName] = [sources.length, names.length];
    for (let i = 0; i < part.code.split("\n").length - 1; i++) {
      const own = part.segments?.[i] ?? [];
      segments.push(
        own.map(([column, source, line, at, name]) => {
          if (source === undefined) return [column];
          const place = [column, source + firstSource, line, at];
          return name === undefined ? place : [...place, name + firstName];
        }),
      );
    }
    sources.push(...(part.sources ?? []));
    names.push(...(part.names ?? []));
  }
  const code = parts.map((part) => part.code).join("");
  return { code, map: { version: 3, file, sources, names, mappings: writeMappings(segments) } };
}

/** Each function and class begins a line. */
function startsDeclaration(line, column) {
  return ["function ", "function*", "async function", "class "].some((word) => line.startsWith(word, column));
}

// A segment is up to five numbers: column, source, line and column in the source, name. Each is written as the
// difference to the one before it, in base 64 with five bits in each digit. Columns start again at each line.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function readMappings(mappings) {
  const last = [0, 0, 0, 0, 0];
  return mappings.split(";").map((line) => {
    last[0] = 0;
    return line === "" ? [] : line.split(",").map((segment) => readNumbers(segment).map((by, i) => (last[i] += by)));
  });
}

function readNumbers(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function writeMappings(lines) {
  const last = [0, 0, 0, 0, 0];
  const write = (value, i) => {
    const text = writeNumber(value - last[i]);
    last[i] = value;
    return text;
  };
  const written = lines.map((segments) => {
    last[0] = 0;
    return segments.map((segment) => segment.map(write).join("")).join(",");
  });
  return written.join(";");
}

function writeNumber(number) {
  let left = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = left & 31;
    left >>= 5;
    text += digits[left > 0 ? digit | 32 : digit];
  } while (left > 0);
  return text;
}
