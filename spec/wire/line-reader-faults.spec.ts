/**
 * Line faults: one bad line costs that line and nothing else.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultMaxLineBytes, type LineFault, lineReader } from "../../lib/wire/index.ts";
import { everyCut, readChunks } from "../support/chunks.ts";

/** Asserts what a stream is told as, cut in every way. */
function readsAs(bytes: Uint8Array, told: readonly unknown[], maxLineBytes?: number): void {
  for (const chunks of everyCut(bytes)) {
    const got = readChunks(chunks, maxLineBytes);
    assert.deepEqual(got, told, `cut in ${chunks.length}, first ${chunks[0]?.length} bytes`);
  }
}

describe("a line over the limit", () => {
  it("is reported once and skipped, and the next is read", () => {
    readsAs(Buffer.from(`one\n${"x".repeat(50)}\ntwo\n`), ["one", ["too-long"], "two"], 10);
  });

  it("is told with the limit", () => {
    const faults: LineFault[] = [];
    const { push } = lineReader({ onLine: () => {}, onFault: (fault) => faults.push(fault) }, 10);
    push(Buffer.from("x".repeat(11)));
    push(Buffer.from("x".repeat(11)));
    assert.deepEqual(faults, [{ kind: "too-long", maxLineBytes: 10 }]);
  });

  it("is one byte longer than the longest that is read", () => {
    for (const ending of ["\n", ""]) {
      readsAs(Buffer.from(`${"x".repeat(10)}${ending}`), ["x".repeat(10)], 10);
      readsAs(Buffer.from(`${"x".repeat(11)}${ending}`), [["too-long"]], 10);
    }
    readsAs(Buffer.from(`${"x".repeat(9)}\r\n`), ["x".repeat(9)], 10);
  });

  it("is measured in bytes, not in characters", () => {
    readsAs(Buffer.from("ééééé\néééééé\na\n"), ["ééééé", ["too-long"], "a"], 10);
  });

  it("does not count against its neighbours", () => {
    const lines = Array.from({ length: 8 }, (_, i) => String(i).repeat(10));
    readsAs(Buffer.from(lines.map((line) => `${line}\n`).join("")), lines, 10);
    readsAs(Buffer.from("a\nxxxx\nyyyy\nb\nzzzz"), ["a", ["too-long"], ["too-long"], "b", ["too-long"]], 3);
  });

  it("may be the first, and takes its byte order mark along", () => {
    readsAs(Buffer.from("\ufeffxxxx\n\ufeff\na"), [["too-long"], "\ufeff", "a"], 4);
  });

  it("may be blank", () => {
    readsAs(Buffer.from(`${" ".repeat(20)}\na\n`), [["too-long"], "a"], 10);
  });

  it("is known before it ends", () => {
    const told: unknown[] = [];
    const { push } = lineReader({ onLine: (line) => told.push(line), onFault: ({ kind }) => told.push([kind]) }, 10);
    push(Buffer.from("x".repeat(11)));
    assert.deepEqual(told, [["too-long"]]);
    push(Buffer.from("more\nnext\n"));
    assert.deepEqual(told, [["too-long"], "next"]);
  });

  it("is not kept in memory", () => {
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

  it("starts at 32 MiB unless said otherwise", () => {
    assert.equal(defaultMaxLineBytes, 32 * 1024 * 1024);
    const longest = Buffer.alloc(defaultMaxLineBytes, "x");
    assert.equal(readChunks([longest, Buffer.from("\n")])[0]?.length, defaultMaxLineBytes);
    assert.deepEqual(readChunks([longest, Buffer.from("x\n")]), [["too-long"]]);
  });
});

describe("a line that is not UTF-8", () => {
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
    it(`is reported alone among good ones: ${name}`, () => {
      const wrong = Buffer.from(codes);
      const stream = [Buffer.from("gööd\n"), wrong, Buffer.from("\n€\n\u{1f600}"), wrong, Buffer.from("\nlast\n")];
      readsAs(Buffer.concat(stream), ["gööd", ["invalid-utf8"], "€", ["invalid-utf8"], "last"]);
    });

    it(`is reported when it is the last and has no newline: ${name}`, () => {
      readsAs(Buffer.concat([Buffer.from("one\n"), Buffer.from(codes)]), ["one", ["invalid-utf8"]]);
    });
  }

  it("does not join its cut character with the next line", () => {
    readsAs(Buffer.from([0xe2, 0x82, 0x0a, 0xac, 0x0a, 0x61, 0x0a]), [["invalid-utf8"], ["invalid-utf8"], "a"]);
  });

  it("keeps the endings and the blank lines around it as they are", () => {
    readsAs(Buffer.from([0x61, 0x0d, 0x0a, 0xff, 0x0d, 0x0a, 0x0d, 0x0a, 0x20, 0x0a, 0x62]), [
      "a",
      ["invalid-utf8"],
      "b",
    ]);
  });

  it("takes the place of the first line, after which a byte order mark is text", () => {
    readsAs(Buffer.from([0xff, 0x0a, 0xef, 0xbb, 0xbf, 0x61]), [["invalid-utf8"], "\ufeffa"]);
  });

  it("leaves its neighbour the whole limit", () => {
    readsAs(
      Buffer.concat([Buffer.from("0123456789\n"), Buffer.from([0xff, 0x0a])]),
      ["0123456789", ["invalid-utf8"]],
      10,
    );
  });

  it("is called too long when it is both", () => {
    readsAs(Buffer.from([...Array.from({ length: 11 }, () => 0xff), 0x0a, 0x61]), [["too-long"], "a"], 10);
  });
});
