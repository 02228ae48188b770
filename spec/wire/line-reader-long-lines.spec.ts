/**
 * Specs of the line reader for lines of more than a megabyte, which it decodes in parts.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LineFault, lineReader } from "../../lib/wire/index.ts";
import { inPieces, readChunks } from "../support/wire/chunks.ts";

const megabyte = 1024 * 1024;

interface LinesAndFaults {
  readonly lines: string[];
  readonly faults: LineFault["kind"][];
}

function readLong(bytes: Buffer, chunkBytes: number, maxLineBytes = 16 * megabyte): LinesAndFaults {
  const result: LinesAndFaults = { lines: [], faults: [] };
  const reader = lineReader(
    { onLine: (line) => result.lines.push(line), onFault: ({ kind }) => result.faults.push(kind) },
    maxLineBytes,
  );
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  reader.end();
  return result;
}

function assertLines(result: LinesAndFaults, lines: readonly string[]): void {
  assert.deepEqual(result.faults, []);
  assert.equal(result.lines.length, lines.length);
  // Not compared by deepEqual, which would print megabytes of difference.
  for (const [i, line] of lines.entries()) assert.ok(result.lines[i] === line, `line ${i} is another`);
}

describe("lineReader, for lines over a megabyte", () => {
  it("the line reader keeps a character of any length that lies across a megabyte", () => {
    for (const character of ["é", "€", "😀", "\ufeff"]) {
      for (let before = 0; before < 5; before++) {
        const line = `${"a".repeat(before)}${character.repeat(600_000)}b`;
        assertLines(readLong(Buffer.from(`${line}\nnext\n`), 64 * 1024), [before === 0 ? bare(line) : line, "next"]);
      }
    }
  });

  it("the line reader reads a long line of ASCII, then other characters, then ASCII", () => {
    const line = `${"a".repeat(1.5 * megabyte)}${"€uro".repeat(300_000)}${"z".repeat(1.5 * megabyte)}`;
    for (const chunkBytes of [1000, 65_536, 3 * megabyte]) {
      assertLines(readLong(Buffer.from(`first\r\n${line}\r\nnext`), chunkBytes), ["first", line, "next"]);
    }
  });

  it("the line reader reads a line that ends exactly at a megabyte", () => {
    for (const length of [megabyte - 1, megabyte, megabyte + 1, 2 * megabyte]) {
      const line = "a".repeat(length);
      assertLines(readLong(Buffer.from(`${line}\n{}\n${line}`), 1024), [line, "{}", line]);
    }
  });

  it("the line reader reports invalid UTF-8 in a long line once, wherever it is, and goes on", () => {
    for (const at of [10, megabyte - 1, megabyte, 2.5 * megabyte]) {
      const bytes = Buffer.from(`${"a".repeat(3 * megabyte)}\nnext\n`);
      bytes[at] = 0xff;
      const result = readLong(bytes, 65_536);
      assert.deepEqual(result.faults, ["invalid-utf8"]);
      assert.deepEqual(result.lines, ["next"]);
    }
  });

  it("the line reader counts bytes of a long line against the limit, not characters, and reports it once", () => {
    const line = "€".repeat(megabyte);
    assertLines(readLong(Buffer.from(`${line}\nnext`), 65_536, 3 * megabyte), [line, "next"]);
    const result = readLong(Buffer.from(`${line}€\nnext`), 65_536, 3 * megabyte);
    assert.deepEqual(result.faults, ["too-long"]);
    assert.deepEqual(result.lines, ["next"]);
  });
});

/** The line without the byte order mark at its start. */
function bare(line: string): string {
  return line.startsWith("\ufeff") ? line.slice(1) : line;
}

/** Longer than the part of a line that is buffered before it is decoded. */
const longBytes = 1_200_000;
const pieceSizes = [65_536, 300_001, longBytes, 10 * longBytes];

function isExpected(got: unknown, expected: unknown): boolean {
  // Compared by hand: a difference in a megabyte of text takes minutes to print.
  return typeof expected === "string" ? got === expected : String(got) === String(expected);
}

/** Reads a line between short neighbours; the chunks begin with the line. */
function readsIn(chunks: readonly Uint8Array[], expected: unknown, maxLineBytes?: number): void {
  const stream = [Buffer.from("before\n"), ...chunks, Buffer.from("\nafter\n")];
  const [before, line, after, ...rest] = readChunks(stream, maxLineBytes);
  assert.deepEqual([before, after, rest], ["before", "after", []]);
  assert.ok(isExpected(line, expected));
}

function readsLongAs(line: Uint8Array, expected: unknown, maxLineBytes?: number): void {
  for (const size of pieceSizes) readsIn(inPieces(line, size), expected, maxLineBytes);
}

describe("lineReader, for a long line decoded in parts", () => {
  it("a long line keeps every character", () => {
    for (const unit of ["x", "é", "€", "\u{1f600}", "aé€\u{1f600}"]) {
      const text = unit.repeat(Math.ceil((2.5 * longBytes) / Buffer.byteLength(unit)));
      readsLongAs(Buffer.from(text), text);
    }
  });

  it("a long line keeps a character that is split where its beginning is decoded", () => {
    for (const odd of ["é", "€", "\u{1f600}", "€\u{1f600}", "\u{1f600}é"]) {
      const oddBytes = Buffer.byteLength(odd);
      for (let cut = 0; cut <= oddBytes; cut++) {
        const text = `${"x".repeat(longBytes - cut)}${odd}y`;
        const bytes = Buffer.from(text);
        readsIn([bytes.subarray(0, longBytes), bytes.subarray(longBytes)], text);
        readsIn([bytes.subarray(0, longBytes), ...inPieces(bytes.subarray(longBytes), 1)], text);
      }
    }
  });

  it("a long line loses its carriage return and, when it is the first, its byte order mark", () => {
    const text = "é".repeat(longBytes / 2);
    const stream = Buffer.from(`\ufeff${text}\r\n\ufeff${text}\r\nafter`);
    for (const size of pieceSizes) {
      const got = readChunks(inPieces(stream, size));
      assert.ok(got[0] === text && got[1] === `\ufeff${text}` && got[2] === "after", `in pieces of ${size}`);
    }
  });

  it("a long line keeps a carriage return where its beginning is decoded, unless the line ends there", () => {
    const text = `${"x".repeat(longBytes - 1)}\r`;
    readsIn([Buffer.from(text), Buffer.from("y")], `${text}y`);
    readsIn([Buffer.from(text)], text.slice(0, -1));
  });

  it("a long line is skipped when it is blank", () => {
    const stream = Buffer.from(`${" ".repeat(2 * longBytes)}\na\n`);
    for (const size of pieceSizes) assert.deepEqual(readChunks(inPieces(stream, size)), ["a"]);
  });

  it("a long line may be the last, without a newline, when nothing follows its decoded part", () => {
    const text = "x".repeat(longBytes);
    const got = readChunks([Buffer.from(text)]);
    assert.ok(got.length === 1 && got[0] === text);
  });

  it("a long line may be followed by another at once", () => {
    const [first, second] = ["é".repeat(longBytes), "€".repeat(longBytes)];
    const stream = Buffer.from(`${first}\n${second}\n`);
    for (const size of pieceSizes) {
      const got = readChunks(inPieces(stream, size));
      assert.ok(got.length === 2 && got[0] === first && got[1] === second, `in pieces of ${size}`);
    }
  });

  it("a long line may be exactly as long as the limit", () => {
    for (const limit of [longBytes, longBytes + 1, 2 * longBytes + 3]) {
      const longest = Buffer.alloc(limit, "x");
      readsLongAs(longest, longest.toString(), limit);
      readsLongAs(Buffer.concat([longest, Buffer.from("x")]), ["too-long"], limit);
      readsLongAs(Buffer.concat([longest.subarray(1), Buffer.from("é")]), ["too-long"], limit);
    }
  });
});

describe("lineReader, for a long line that is not UTF-8", () => {
  const bad: ReadonlyMap<string, readonly number[]> = new Map([
    ["a lone continuation byte", [0x80]],
    ["a byte that never occurs", [0xff]],
    ["a cut character", [0xf0, 0x9f, 0x98]],
    ["a surrogate", [0xed, 0xa0, 0xbd]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["one continuation byte too many", [0xc3, 0xa9, 0x80]],
    ["five continuation bytes", [0x80, 0x80, 0x80, 0x80, 0x80]],
  ]);

  for (const [name, codes] of bad) {
    it(`a long line that is not UTF-8 is one fault, also where its beginning is decoded: ${name}`, () => {
      for (let cut = 0; cut <= codes.length; cut++) {
        const line = Buffer.alloc(longBytes + 100, "x");
        line.set(codes, longBytes - cut);
        readsIn([line.subarray(0, longBytes), line.subarray(longBytes)], ["invalid-utf8"]);
        readsIn([line.subarray(0, longBytes), ...inPieces(line.subarray(longBytes), 1)], ["invalid-utf8"]);
      }
    });

    it(`a long line that is not UTF-8 is one fault, also when the fault is at its end or fills it: ${name}`, () => {
      const line = Buffer.alloc(2 * longBytes, "x");
      line.set(codes, line.length - codes.length);
      readsLongAs(line, ["invalid-utf8"]);
      readsLongAs(Buffer.alloc(2 * longBytes, Uint8Array.from(codes)), ["invalid-utf8"]);
    });
  }

  it("a long line is one fault when the stream ends in the middle of a character", () => {
    const cut = Buffer.from("€".repeat(longBytes)).subarray(0, -1);
    for (const size of pieceSizes) assert.deepEqual(readChunks(inPieces(cut, size)), [["invalid-utf8"]]);
  });

  it("a long line that is not UTF-8 is one fault when it is also too long", () => {
    const stream = Buffer.concat([Buffer.alloc(2 * longBytes, 0xff), Buffer.from("\nafter")]);
    for (const size of pieceSizes) {
      const [fault, ...rest] = readChunks(inPieces(stream, size), longBytes);
      assert.ok(Array.isArray(fault));
      assert.deepEqual(rest, ["after"]);
    }
  });
});
