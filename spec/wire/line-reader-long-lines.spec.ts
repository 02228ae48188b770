/**
 * Long lines: the same as short ones, though longer than any buffer on their way.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inPieces, readChunks } from "../support/chunks.ts";

/** Longer than what is kept before a line's beginning is decoded. */
const longBytes = 1_200_000;
const pieceSizes = [65_536, 300_001, longBytes, 10 * longBytes];

function isTold(got: unknown, told: unknown): boolean {
  // Compared by hand: a difference in a megabyte of text takes minutes to print.
  return typeof told === "string" ? got === told : String(got) === String(told);
}

/** Reads a line between short neighbours; the chunks begin with the line. */
function readsIn(chunks: readonly Uint8Array[], told: unknown, maxLineBytes?: number): void {
  const stream = [Buffer.from("before\n"), ...chunks, Buffer.from("\nafter\n")];
  const [before, line, after, ...rest] = readChunks(stream, maxLineBytes);
  assert.deepEqual([before, after, rest], ["before", "after", []]);
  assert.ok(isTold(line, told));
}

function readsAs(line: Uint8Array, told: unknown, maxLineBytes?: number): void {
  for (const size of pieceSizes) readsIn(inPieces(line, size), told, maxLineBytes);
}

describe("a long line", () => {
  it("keeps every character", () => {
    for (const unit of ["x", "é", "€", "\u{1f600}", "aé€\u{1f600}"]) {
      const text = unit.repeat(Math.ceil((2.5 * longBytes) / Buffer.byteLength(unit)));
      readsAs(Buffer.from(text), text);
    }
  });

  it("keeps a character cut where its beginning is decoded", () => {
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

  it("loses its carriage return and, when it is the first, its byte order mark", () => {
    const text = "é".repeat(longBytes / 2);
    const stream = Buffer.from(`\ufeff${text}\r\n\ufeff${text}\r\nafter`);
    for (const size of pieceSizes) {
      const got = readChunks(inPieces(stream, size));
      assert.ok(got[0] === text && got[1] === `\ufeff${text}` && got[2] === "after", `in pieces of ${size}`);
    }
  });

  it("keeps a carriage return where its beginning is decoded, unless it ends there", () => {
    const text = `${"x".repeat(longBytes - 1)}\r`;
    readsIn([Buffer.from(text), Buffer.from("y")], `${text}y`);
    readsIn([Buffer.from(text)], text.slice(0, -1));
  });

  it("is passed over when it is blank", () => {
    const stream = Buffer.from(`${" ".repeat(2 * longBytes)}\na\n`);
    for (const size of pieceSizes) assert.deepEqual(readChunks(inPieces(stream, size)), ["a"]);
  });

  it("may be the last, without a newline, though nothing follows what was decoded", () => {
    const text = "x".repeat(longBytes);
    const got = readChunks([Buffer.from(text)]);
    assert.ok(got.length === 1 && got[0] === text);
  });

  it("may be followed by another at once", () => {
    const [first, second] = ["é".repeat(longBytes), "€".repeat(longBytes)];
    const stream = Buffer.from(`${first}\n${second}\n`);
    for (const size of pieceSizes) {
      const got = readChunks(inPieces(stream, size));
      assert.ok(got.length === 2 && got[0] === first && got[1] === second, `in pieces of ${size}`);
    }
  });

  it("is as long as the limit to the byte", () => {
    for (const limit of [longBytes, longBytes + 1, 2 * longBytes + 3]) {
      const longest = Buffer.alloc(limit, "x");
      readsAs(longest, longest.toString(), limit);
      readsAs(Buffer.concat([longest, Buffer.from("x")]), ["too-long"], limit);
      readsAs(Buffer.concat([longest.subarray(1), Buffer.from("é")]), ["too-long"], limit);
    }
  });
});

describe("a long line that is not UTF-8", () => {
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
    it(`is one fault, also across the place where its beginning is decoded: ${name}`, () => {
      for (let cut = 0; cut <= codes.length; cut++) {
        const line = Buffer.alloc(longBytes + 100, "x");
        line.set(codes, longBytes - cut);
        readsIn([line.subarray(0, longBytes), line.subarray(longBytes)], ["invalid-utf8"]);
        readsIn([line.subarray(0, longBytes), ...inPieces(line.subarray(longBytes), 1)], ["invalid-utf8"]);
      }
    });

    it(`is one fault, also when it ends in it or is made of it: ${name}`, () => {
      const line = Buffer.alloc(2 * longBytes, "x");
      line.set(codes, line.length - codes.length);
      readsAs(line, ["invalid-utf8"]);
      readsAs(Buffer.alloc(2 * longBytes, Uint8Array.from(codes)), ["invalid-utf8"]);
    });
  }

  it("is one fault when it ends the stream in the middle of a character", () => {
    const cut = Buffer.from("€".repeat(longBytes)).subarray(0, -1);
    for (const size of pieceSizes) assert.deepEqual(readChunks(inPieces(cut, size)), [["invalid-utf8"]]);
  });

  it("is one fault when it is also too long", () => {
    const stream = Buffer.concat([Buffer.alloc(2 * longBytes, 0xff), Buffer.from("\nafter")]);
    for (const size of pieceSizes) {
      const [fault, ...rest] = readChunks(inPieces(stream, size), longBytes);
      assert.ok(Array.isArray(fault));
      assert.deepEqual(rest, ["after"]);
    }
  });
});
