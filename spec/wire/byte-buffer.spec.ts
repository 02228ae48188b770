/**
 * Specs of the byte buffer: appended pieces come out as one run of bytes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteBuffer } from "../../lib/wire/byte-buffer.ts";

describe("ByteBuffer", () => {
  it("the byte buffer starts empty", () => {
    const tail = new ByteBuffer();
    assert.equal(tail.length, 0);
    assert.equal(tail.take().length, 0);
  });

  it("the byte buffer holds the pieces in order, whatever their sizes", () => {
    const piece = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 6000, size: "max" }));
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 4 }), (lines) => {
        const tail = new ByteBuffer();
        for (const pieces of lines) {
          for (const part of pieces) tail.append(part);
          const whole = Buffer.concat(pieces);
          assert.equal(tail.length, whole.length);
          assert.ok(tail.take().equals(whole));
          tail.clear();
          assert.equal(tail.length, 0);
        }
      }),
    );
  });

  it("the byte buffer drops bytes from its beginning and appends after the rest", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uint8Array({ maxLength: 9000, size: "max" }), fc.nat(9000))), (steps) => {
        const tail = new ByteBuffer();
        let model = Buffer.alloc(0);
        for (const [piece, count] of steps) {
          tail.append(piece);
          model = Buffer.concat([model, piece]);
          const dropped = Math.min(count, model.length);
          tail.drop(dropped);
          model = model.subarray(dropped);
          assert.ok(tail.take().equals(model));
          assert.equal(tail.length, model.length);
        }
      }),
    );
  });

  it("the byte buffer keeps a copy of its own of each piece", () => {
    const tail = new ByteBuffer();
    for (const size of [8, 100]) {
      const piece = Buffer.alloc(size, "a");
      tail.append(piece);
      piece.fill("b");
      assert.equal(tail.take().toString(), "a".repeat(size));
      tail.clear();
    }
  });

  it("the byte buffer grows by more than it needs, so that small pieces are rarely copied again", () => {
    const tail = new ByteBuffer();
    const seen = new Set<ArrayBufferLike>();
    for (let i = 0; i < 100_000; i++) {
      tail.append(Buffer.from("0123456789"));
      seen.add(tail.take().buffer);
    }
    assert.equal(tail.length, 1_000_000);
    assert.ok(seen.size <= 10, `${seen.size} buffers`);
  });

  it("the byte buffer releases a large buffer once its line is complete, and keeps a small one", () => {
    const tail = new ByteBuffer();
    tail.append(Buffer.alloc(100_000));
    const small = tail.take().buffer;
    tail.clear();
    tail.append(Buffer.from("x"));
    assert.equal(tail.take().buffer, small);
    tail.append(Buffer.alloc(10_000_000));
    tail.clear();
    tail.append(Buffer.from("x"));
    assert.ok(tail.take().buffer.byteLength <= 256 * 1024);
  });

  it("the byte buffer keeps a buffer of exactly 256 KiB", () => {
    const tail = new ByteBuffer();
    tail.append(Buffer.alloc(256 * 1024));
    const { buffer } = tail.take();
    tail.clear();
    tail.append(Buffer.from("x"));
    assert.equal(tail.take().buffer, buffer);
  });

  it("the byte buffer leaves a taken line readable after it is cleared", () => {
    const tail = new ByteBuffer();
    tail.append(Buffer.alloc(300_000, "a"));
    const line = tail.take();
    tail.clear();
    assert.ok(line.equals(Buffer.alloc(300_000, "a")));
  });
});
