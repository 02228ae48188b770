/**
 * Lines: the same lines whatever the chunks were.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lineReader } from "../../lib/wire/index.ts";
import { everyCut, inPieces, readChunks } from "../support/chunks.ts";

/** Asserts the lines of a text, cut in every way. */
function readsAs(text: string | Uint8Array, lines: readonly string[]): void {
  for (const chunks of everyCut(Buffer.from(text))) {
    assert.deepEqual(readChunks(chunks), lines, `cut in ${chunks.length}, first ${chunks[0]?.length} bytes`);
  }
}

describe("lineReader", () => {
  it("reads lines however they are cut", () => {
    readsAs('{"a":1}\n{"b":[2,3]}\n{}\n', ['{"a":1}', '{"b":[2,3]}', "{}"]);
  });

  it("keeps a character whose bytes arrive in two chunks", () => {
    readsAs("é\n€\n\u{1f600}\nżółć\n", ["é", "€", "\u{1f600}", "żółć"]);
  });

  it("reads a stream longer than any small-chunk shortcut", () => {
    const lines = Array.from({ length: 12 }, (_, i) => `${"é".repeat(i * 3)}${i}`);
    readsAs(lines.map((line) => `${line}\n`).join(""), lines);
  });

  it("hands over a last line without a newline", () => {
    readsAs("one\ntwo", ["one", "two"]);
    readsAs("only", ["only"]);
  });

  it("takes CRLF for one ending and keeps any other carriage return", () => {
    readsAs("one\r\ntwo\r\n", ["one", "two"]);
    readsAs("a\rb\r\r\n\rc\n", ["a\rb\r", "\rc"]);
    readsAs("last\r", ["last"]);
  });

  it("passes over lines that are empty or only white", () => {
    readsAs("\n\n\r\n  \n\t\n \t\r\none\n\n\ntwo\n \n", ["one", "two"]);
    readsAs("", []);
    readsAs("\n", []);
    readsAs("   ", []);
  });

  it("keeps the white space of a line that has more", () => {
    readsAs(" one \n\ttwo\t\n", [" one ", "\ttwo\t"]);
  });

  it("drops a byte order mark at the very start", () => {
    readsAs("\ufeff{}\n[]\n", ["{}", "[]"]);
    readsAs("\ufeff\n[]\n", ["[]"]);
    readsAs("\ufeff", []);
    readsAs("\ufeff \n\ufeff[]\n", ["\ufeff[]"]);
  });

  it("keeps a byte order mark anywhere else", () => {
    readsAs("a\ufeffb\n\ufeffc\n", ["a\ufeffb", "\ufeffc"]);
    readsAs("\n\ufeffc\n", ["\ufeffc"]);
    readsAs("\ufeff\ufeffc\n", ["\ufeffc"]);
  });

  it("keeps NUL, U+2028, U+2029 and U+0085 inside lines", () => {
    readsAs("\0\na\0b\n\u2028\nc\u2029d\u0085e\n", ["\0", "a\0b", "\u2028", "c\u2029d\u0085e"]);
  });

  it("takes chunks of any kind of byte array", () => {
    const bytes = new TextEncoder().encode("xxone\ntwoxx");
    assert.deepEqual(readChunks([bytes.subarray(2, 4), new Uint8Array(0), bytes.subarray(4, 9)]), ["one", "two"]);
  });

  it("does not keep a chunk, so its owner may write over it", () => {
    const lines: string[] = [];
    const { push, end } = lineReader({ onLine: (line) => lines.push(line), onFault: () => assert.fail() });
    const chunk = Buffer.from("on");
    push(chunk);
    chunk.write("e\n");
    push(chunk);
    chunk.write("tw");
    push(chunk);
    chunk.write("o!");
    push(chunk.subarray(0, 1));
    chunk.fill("?");
    end();
    assert.deepEqual(lines, ["one", "two"]);
  });

  it("ends once: a second end hands over nothing", () => {
    const lines: string[] = [];
    const { push, end } = lineReader({ onLine: (line) => lines.push(line), onFault: () => assert.fail() });
    push(Buffer.from("one"));
    end();
    end();
    assert.deepEqual(lines, ["one"]);
  });

  it("hands over every line of a chunk before push returns", () => {
    const lines: string[] = [];
    const { push } = lineReader({ onLine: (line) => lines.push(line), onFault: () => assert.fail() });
    push(Buffer.from("one\ntwo\nthr"));
    assert.deepEqual(lines, ["one", "two"]);
    push(Buffer.from("ee\n"));
    assert.deepEqual(lines, ["one", "two", "three"]);
  });

  it("starts the next line clean when onLine throws", () => {
    const lines: string[] = [];
    const onLine = (line: string): void => {
      if (line === "bad") throw new Error("from the caller");
      lines.push(line);
    };
    const { push } = lineReader({ onLine, onFault: () => assert.fail() });
    push(Buffer.from("ba"));
    assert.throws(() => push(Buffer.from("d\n")));
    push(Buffer.from("go"));
    push(Buffer.from("od\n"));
    assert.deepEqual(lines, ["good"]);
  });
});

describe("any lines in any chunks", () => {
  const line = fc
    .string({ unit: "binary", maxLength: 60, size: "max" })
    .map((text) => text.replace(/[\n\r\ufeff]/g, ""));
  const ending = fc.constantFrom("\n", "\r\n");

  it("arrive unchanged", () => {
    const stream = fc.array(fc.tuple(line, ending), { maxLength: 20, size: "max" });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(90), { minLength: 1, maxLength: 30 }), (parts, sizes) => {
        const bytes = Buffer.from(parts.map(([text, end]) => text + end).join(""));
        const expected = parts.map(([text]) => text).filter((text) => /[^ \t]/.test(text));
        assert.deepEqual(readChunks(cutBy(bytes, sizes)), expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("give the same whole, in two and in single bytes, valid or not", () => {
    const nasty = fc.constantFrom(
      0x0a,
      0x0d,
      0x20,
      0x41,
      0xc3,
      0xa9,
      0xe2,
      0x82,
      0xac,
      0xef,
      0xbb,
      0xbf,
      0xf0,
      0x9f,
      0xff,
    );
    const bytes = fc.array(nasty, { maxLength: 60, size: "max" }).map((codes) => Uint8Array.from(codes));
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 12 }), (given, size, limit) => {
        const whole = readChunks([given], limit);
        assert.deepEqual(readChunks(inPieces(given, size), limit), whole);
        assert.deepEqual(readChunks(inPieces(given, 1), limit), whole);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Cuts into pieces of these sizes, over and over; a size of 0 makes an empty chunk. */
function cutBy(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = (sizes[turn % sizes.length] ?? 0) + (turn % sizes.length === 0 ? 1 : 0);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
