/**
 * Specs of the line reader: the same lines however the stream is cut into chunks.
 *
 * One bad line costs that line only, and long lines are read like short ones.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { defaultMaxLineBytes, type LineFault, lineReader, parseBoundedJson, parseJson } from "../../lib/wire/index.ts";
import { everyCut, inPieces, readChunks } from "../support/wire/chunks.ts";

/** Asserts the lines of a text, cut in every way. */
function readsAs(text: string | Uint8Array, lines: readonly string[]): void {
  for (const chunks of everyCut(Buffer.from(text))) {
    assert.deepEqual(readChunks(chunks), lines, `cut in ${chunks.length}, first ${chunks[0]?.length} bytes`);
  }
}

describe("lineReader", () => {
  it("the line reader reads the same lines however they are cut", () => {
    readsAs('{"a":1}\n{"b":[2,3]}\n{}\n', ['{"a":1}', '{"b":[2,3]}', "{}"]);
  });

  it("the line reader keeps a character whose bytes arrive in two chunks", () => {
    readsAs("é\n€\n\u{1f600}\nżółć\n", ["é", "€", "\u{1f600}", "żółć"]);
  });

  it("the line reader reads a stream longer than its limit for small chunks", () => {
    const lines = Array.from({ length: 12 }, (_, i) => `${"é".repeat(i * 3)}${i}`);
    readsAs(lines.map((line) => `${line}\n`).join(""), lines);
  });

  it("the line reader emits a last line without a newline", () => {
    readsAs("one\ntwo", ["one", "two"]);
    readsAs("only", ["only"]);
  });

  it("the line reader reads CRLF as one line ending and keeps any other carriage return", () => {
    readsAs("one\r\ntwo\r\n", ["one", "two"]);
    readsAs("a\rb\r\r\n\rc\n", ["a\rb\r", "\rc"]);
    readsAs("last\r", ["last"]);
  });

  it("the line reader skips lines that are empty or blank", () => {
    readsAs("\n\n\r\n  \n\t\n \t\r\none\n\n\ntwo\n \n", ["one", "two"]);
    readsAs("", []);
    readsAs("\n", []);
    readsAs("   ", []);
  });

  it("the line reader keeps the white space of a line that has other characters", () => {
    readsAs(" one \n\ttwo\t\n", [" one ", "\ttwo\t"]);
  });

  it("the line reader drops a byte order mark at the start of the stream", () => {
    readsAs("\ufeff{}\n[]\n", ["{}", "[]"]);
    readsAs("\ufeff\n[]\n", ["[]"]);
    readsAs("\ufeff", []);
    readsAs("\ufeff \n\ufeff[]\n", ["\ufeff[]"]);
  });

  it("the line reader keeps a byte order mark anywhere else", () => {
    readsAs("a\ufeffb\n\ufeffc\n", ["a\ufeffb", "\ufeffc"]);
    readsAs("\n\ufeffc\n", ["\ufeffc"]);
    readsAs("\ufeff\ufeffc\n", ["\ufeffc"]);
  });

  it("the line reader keeps NUL, U+2028, U+2029 and U+0085 inside lines", () => {
    readsAs("\0\na\0b\n\u2028\nc\u2029d\u0085e\n", ["\0", "a\0b", "\u2028", "c\u2029d\u0085e"]);
  });

  it("the line reader accepts chunks of any kind of byte array", () => {
    const bytes = new TextEncoder().encode("xxone\ntwoxx");
    assert.deepEqual(readChunks([bytes.subarray(2, 4), new Uint8Array(0), bytes.subarray(4, 9)]), ["one", "two"]);
  });

  it("the line reader keeps no reference to a chunk, so its owner may overwrite it", () => {
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

  it("the line reader emits nothing at a second end", () => {
    const lines: string[] = [];
    const { push, end } = lineReader({ onLine: (line) => lines.push(line), onFault: () => assert.fail() });
    push(Buffer.from("one"));
    end();
    end();
    assert.deepEqual(lines, ["one"]);
  });

  it("the line reader emits every line of a chunk before push returns", () => {
    const lines: string[] = [];
    const { push } = lineReader({ onLine: (line) => lines.push(line), onFault: () => assert.fail() });
    push(Buffer.from("one\ntwo\nthr"));
    assert.deepEqual(lines, ["one", "two"]);
    push(Buffer.from("ee\n"));
    assert.deepEqual(lines, ["one", "two", "three"]);
  });

  it("the line reader starts the next line empty when onLine throws", () => {
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

describe("lineReader, for random lines in random chunks", () => {
  const line = fc
    .string({ unit: "binary", maxLength: 60, size: "max" })
    .map((text) => text.replace(/[\n\r\ufeff]/g, ""));
  const ending = fc.constantFrom("\n", "\r\n");

  it("any lines in any chunks arrive unchanged", () => {
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

  it("any stream gives the same lines and faults as a whole, in two chunks and in single bytes", () => {
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

/** Asserts the lines and faults of a stream, cut in every way. */
function reportsAs(bytes: Uint8Array, expected: readonly unknown[], maxLineBytes?: number): void {
  for (const chunks of everyCut(bytes)) {
    const got = readChunks(chunks, maxLineBytes);
    assert.deepEqual(got, expected, `cut in ${chunks.length}, first ${chunks[0]?.length} bytes`);
  }
}

describe("lineReader, for a line over the limit", () => {
  it("a line over the limit is reported once and skipped, and the next line is read", () => {
    reportsAs(Buffer.from(`one\n${"x".repeat(50)}\ntwo\n`), ["one", ["too-long"], "two"], 10);
  });

  it("a line over the limit is reported with the limit", () => {
    const faults: LineFault[] = [];
    const { push } = lineReader({ onLine: () => {}, onFault: (fault) => faults.push(fault) }, 10);
    push(Buffer.from("x".repeat(11)));
    push(Buffer.from("x".repeat(11)));
    assert.deepEqual(faults, [{ kind: "too-long", maxLineBytes: 10 }]);
  });

  it("a line is over the limit when it is one byte longer than the limit", () => {
    for (const ending of ["\n", ""]) {
      reportsAs(Buffer.from(`${"x".repeat(10)}${ending}`), ["x".repeat(10)], 10);
      reportsAs(Buffer.from(`${"x".repeat(11)}${ending}`), [["too-long"]], 10);
    }
    reportsAs(Buffer.from(`${"x".repeat(9)}\r\n`), ["x".repeat(9)], 10);
  });

  it("a line over the limit is measured in bytes, not in characters", () => {
    reportsAs(Buffer.from("ééééé\néééééé\na\n"), ["ééééé", ["too-long"], "a"], 10);
  });

  it("a line over the limit does not count against its neighbours", () => {
    const lines = Array.from({ length: 8 }, (_, i) => String(i).repeat(10));
    reportsAs(Buffer.from(lines.map((line) => `${line}\n`).join("")), lines, 10);
    reportsAs(Buffer.from("a\nxxxx\nyyyy\nb\nzzzz"), ["a", ["too-long"], ["too-long"], "b", ["too-long"]], 3);
  });

  it("a line over the limit may be the first, and includes its byte order mark", () => {
    reportsAs(Buffer.from("\ufeffxxxx\n\ufeff\na"), [["too-long"], "\ufeff", "a"], 4);
  });

  it("a blank line may be over the limit", () => {
    reportsAs(Buffer.from(`${" ".repeat(20)}\na\n`), [["too-long"], "a"], 10);
  });

  it("a line over the limit is reported before its end arrives", () => {
    const expected: unknown[] = [];
    const { push } = lineReader(
      { onLine: (line) => expected.push(line), onFault: ({ kind }) => expected.push([kind]) },
      10,
    );
    push(Buffer.from("x".repeat(11)));
    assert.deepEqual(expected, [["too-long"]]);
    push(Buffer.from("more\nnext\n"));
    assert.deepEqual(expected, [["too-long"], "next"]);
  });

  it("a line over the limit is not kept in memory", () => {
    const piece = Buffer.alloc(1024 * 1024, "x");
    let faults = 0;
    const { push, end } = lineReader({ onLine: () => assert.fail(), onFault: () => faults++ }, 4 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 256; sent++) push(piece);
    const grown = process.memoryUsage().arrayBuffers - before;
    end();
    assert.equal(faults, 1);
    assert.ok(grown < 32 * 1024 * 1024, `${grown} bytes more are held`);
  });

  it("the limit of a line is 32 MiB by default", () => {
    assert.equal(defaultMaxLineBytes, 32 * 1024 * 1024);
    const longest = Buffer.alloc(defaultMaxLineBytes, "x");
    assert.equal(readChunks([longest, Buffer.from("\n")])[0]?.length, defaultMaxLineBytes);
    assert.deepEqual(readChunks([longest, Buffer.from("x\n")]), [["too-long"]]);
  });
});

describe("lineReader, for a line that is not UTF-8", () => {
  const bad: ReadonlyMap<string, readonly number[]> = new Map([
    ["a lone continuation byte", [0x80]],
    ["a byte that never occurs", [0xff]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong NUL", [0xe0, 0x80, 0x80]],
    ["an overlong euro sign", [0xf0, 0x82, 0x82, 0xac]],
    ["a high surrogate", [0xed, 0xa0, 0xbd]],
    ["a low surrogate", [0xed, 0xb8, 0x80]],
    ["a pair of surrogates", [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ["a code point past the last", [0xf4, 0x90, 0x80, 0x80]],
    ["two of three bytes", [0xe2, 0x82]],
    ["three of four bytes", [0xf0, 0x9f, 0x98]],
    ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
  ]);

  for (const [name, codes] of bad) {
    it(`a line that is not UTF-8 is reported alone among good lines: ${name}`, () => {
      const wrong = Buffer.from(codes);
      const stream = [Buffer.from("gööd\n"), wrong, Buffer.from("\n€\n\u{1f600}"), wrong, Buffer.from("\nlast\n")];
      reportsAs(Buffer.concat(stream), ["gööd", ["invalid-utf8"], "€", ["invalid-utf8"], "last"]);
    });

    it(`a line that is not UTF-8 is reported when it is the last and has no newline: ${name}`, () => {
      reportsAs(Buffer.concat([Buffer.from("one\n"), Buffer.from(codes)]), ["one", ["invalid-utf8"]]);
    });
  }

  it("a line that is not UTF-8 does not join its incomplete character with the next line", () => {
    reportsAs(Buffer.from([0xe2, 0x82, 0x0a, 0xac, 0x0a, 0x61, 0x0a]), [["invalid-utf8"], ["invalid-utf8"], "a"]);
  });

  it("a line that is not UTF-8 leaves the endings and blank lines around it unchanged", () => {
    reportsAs(Buffer.from([0x61, 0x0d, 0x0a, 0xff, 0x0d, 0x0a, 0x0d, 0x0a, 0x20, 0x0a, 0x62]), [
      "a",
      ["invalid-utf8"],
      "b",
    ]);
  });

  it("a line that is not UTF-8 counts as the first line, so a byte order mark after it is text", () => {
    reportsAs(Buffer.from([0xff, 0x0a, 0xef, 0xbb, 0xbf, 0x61]), [["invalid-utf8"], "\ufeffa"]);
  });

  it("a line that is not UTF-8 leaves its neighbour the whole limit", () => {
    reportsAs(
      Buffer.concat([Buffer.from("0123456789\n"), Buffer.from([0xff, 0x0a])]),
      ["0123456789", ["invalid-utf8"]],
      10,
    );
  });

  it("a line that is too long and not UTF-8 is reported as too long", () => {
    reportsAs(Buffer.from([...Array.from({ length: 11 }, () => 0xff), 0x0a, 0x61]), [["too-long"], "a"], 10);
  });
});

describe("parseJson", () => {
  it("parseJson reads any JSON value, and returns undefined for text that is not JSON", () => {
    assert.deepEqual(parseJson('{"a":[1,null]}'), { a: [1, null] });
    assert.equal(parseJson("null"), null);
    for (const text of ["", "{", "undefined", "1 2"]) assert.equal(parseJson(text), undefined);
  });
});

describe("parseBoundedJson", () => {
  it("parseBoundedJson reads what JSON.stringify can write again, and nothing that is nested deeper", () => {
    const nested = (depth: number, inner: string): string => `${'{"a":['.repeat(depth)}${inner}${"]}".repeat(depth)}`;
    assert.deepEqual(parseBoundedJson(nested(500, "1")), JSON.parse(nested(500, "1")));
    assert.equal(parseBoundedJson(nested(501, "1")), undefined);
    assert.equal(parseBoundedJson(nested(50_000, "1")), undefined);
    const wide = JSON.stringify(Array.from({ length: 2000 }, (_, i) => [{ i }]));
    assert.deepEqual(parseBoundedJson(wide), JSON.parse(wide));
  });

  it("parseBoundedJson counts no bracket within a text, whatever stands before its end", () => {
    for (const text of ["[".repeat(5000), `"${"{".repeat(5000)}`, `\\${"[".repeat(5000)}`, `\\"${"[".repeat(5000)}\\`])
      assert.deepEqual(parseBoundedJson(JSON.stringify({ [text]: text })), { [text]: text });
    for (const text of [`"${"[".repeat(5000)}`, `"${"[".repeat(5000)}\\"`])
      assert.equal(parseBoundedJson(text), undefined);
  });
});
