/**
 * Long lines: more than a megabyte, read while they are still coming.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LineFault, lineReader } from "../../lib/wire/index.ts";

const megabyte = 1024 * 1024;

interface Heard {
  readonly lines: string[];
  readonly faults: LineFault["kind"][];
}

function read(bytes: Buffer, chunkBytes: number, maxLineBytes = 16 * megabyte): Heard {
  const heard: Heard = { lines: [], faults: [] };
  const reader = lineReader(
    { onLine: (line) => heard.lines.push(line), onFault: ({ kind }) => heard.faults.push(kind) },
    maxLineBytes,
  );
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  reader.end();
  return heard;
}

function assertLines(heard: Heard, lines: readonly string[]): void {
  assert.deepEqual(heard.faults, []);
  assert.equal(heard.lines.length, lines.length);
  // Megabytes of difference help nobody.
  for (const [i, line] of lines.entries()) assert.ok(heard.lines[i] === line, `line ${i} is another`);
}

describe("lineReader, with lines past a megabyte", () => {
  it("keeps a character of any length that lies across a megabyte", () => {
    for (const character of ["é", "€", "😀", "\ufeff"]) {
      for (let before = 0; before < 5; before++) {
        const line = `${"a".repeat(before)}${character.repeat(600_000)}b`;
        assertLines(read(Buffer.from(`${line}\nnext\n`), 64 * 1024), [before === 0 ? bare(line) : line, "next"]);
      }
    }
  });

  it("reads plain text, then other text, then plain text", () => {
    const line = `${"a".repeat(1.5 * megabyte)}${"€uro".repeat(300_000)}${"z".repeat(1.5 * megabyte)}`;
    for (const chunkBytes of [1000, 65_536, 3 * megabyte]) {
      assertLines(read(Buffer.from(`first\r\n${line}\r\nnext`), chunkBytes), ["first", line, "next"]);
    }
  });

  it("reads a line that ends with its megabyte", () => {
    for (const length of [megabyte - 1, megabyte, megabyte + 1, 2 * megabyte]) {
      const line = "a".repeat(length);
      assertLines(read(Buffer.from(`${line}\n{}\n${line}`), 1024), [line, "{}", line]);
    }
  });

  it("reports bytes that are not UTF-8 once, wherever they are, and reads on", () => {
    for (const at of [10, megabyte - 1, megabyte, 2.5 * megabyte]) {
      const bytes = Buffer.from(`${"a".repeat(3 * megabyte)}\nnext\n`);
      bytes[at] = 0xff;
      const heard = read(bytes, 65_536);
      assert.deepEqual(heard.faults, ["invalid-utf8"]);
      assert.deepEqual(heard.lines, ["next"]);
    }
  });

  it("counts bytes against the limit, not characters, and reports it once", () => {
    const line = "€".repeat(megabyte);
    assertLines(read(Buffer.from(`${line}\nnext`), 65_536, 3 * megabyte), [line, "next"]);
    const heard = read(Buffer.from(`${line}€\nnext`), 65_536, 3 * megabyte);
    assert.deepEqual(heard.faults, ["too-long"]);
    assert.deepEqual(heard.lines, ["next"]);
  });
});

/** Without the byte order mark at its start. */
function bare(line: string): string {
  return line.startsWith("\ufeff") ? line.slice(1) : line;
}
