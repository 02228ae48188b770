/**
 * Specs of the WebSocket frame reader, as a table of the cases that the Autobahn test suite
 * has published: all of the sections 1 to 7, 9 and 10 (12 and 13 are about compression, which
 * is declined). Cases that differ from another only in how their bytes are cut up are not
 * repeated: every case is read by a server and by a client, whole and in pieces, but those of
 * section 9, which are large, by a server alone and as a socket delivers them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyMask, plainFrame, textFrames } from "../../../lib/wire/websocket/frame.ts";
import { FrameReader } from "../../../lib/wire/websocket/frame-reader.ts";
import { utf8Cases } from "../../support/wire/utf8-sequences.ts";

interface TestFrame {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** A length that the payload does not have. */
  readonly length?: number;
}

const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

function encode(frame: TestFrame, isServer: boolean): Buffer {
  const { opcode, isFinal = true, reserved = 0, isMasked = isServer } = frame;
  const payload = Buffer.from(frame.payload ?? "");
  const size = frame.length ?? payload.length;
  const head = [(isFinal ? 0x80 : 0) | (reserved << 4) | opcode];
  const maskBit = isMasked ? 0x80 : 0;
  const extended = Buffer.alloc(8);
  extended.writeBigUInt64BE(BigInt(size));
  if (size < 126) head.push(maskBit | size);
  else if (size < 0x10000) head.push(maskBit | 126, ...extended.subarray(6));
  else head.push(maskBit | 127, ...extended);
  const body = Buffer.from(payload);
  if (isMasked) applyMask(body, 0, body.length, mask, 0);
  return Buffer.concat([Buffer.from(head), isMasked ? mask : Buffer.alloc(0), body]);
}

/** What a reader reports: `text a`, `ping a`, `close 1000 bye`, `fault 1002`. Long payloads by their size. */
function read(pieces: readonly Buffer[], isServer: boolean, maxMessageBytes = 32 * 1024 * 1024): readonly string[] {
  const events: string[] = [];
  const short = (text: string): string => (text.length > 200 ? `${Buffer.byteLength(text)} bytes` : text);
  const reader = new FrameReader(
    {
      onText: (text) => events.push(`text ${short(text)}`),
      onBinary: () => events.push("binary"),
      onPing: (payload) => events.push(`ping ${payload.toString("latin1")}`),
      onPong: (payload) => events.push(`pong ${payload.toString("latin1")}`),
      onClose: ({ code, reason }) => events.push(`close ${code} ${reason}`.trim()),
      onFault: ({ code }) => events.push(`fault ${code}`),
    },
    { isServer, maxMessageBytes },
  );
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return events;
}

const text = (payload: string | Buffer, rest: Partial<TestFrame> = {}): TestFrame => ({ opcode: 1, payload, ...rest });
const binary = (payload: string | Buffer): TestFrame => ({ opcode: 2, payload });
const more = (payload: string | Buffer, isFinal: boolean): TestFrame => ({ opcode: 0, payload, isFinal });
const ping = (payload: string | Buffer = "", rest: Partial<TestFrame> = {}): TestFrame => ({
  opcode: 9,
  payload,
  ...rest,
});
const pong = (payload: string | Buffer = "", rest: Partial<TestFrame> = {}): TestFrame => ({
  opcode: 10,
  payload,
  ...rest,
});
const close = (code?: number, reason: string | Buffer = ""): TestFrame => {
  const head = Buffer.alloc(code === undefined ? 0 : 2);
  if (code !== undefined) head.writeUInt16BE(code);
  return { opcode: 8, payload: Buffer.concat([head, Buffer.from(reason)]) };
};
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

type Case = readonly [name: string, frames: readonly TestFrame[], events: readonly string[]];

const sizes = [0, 125, 126, 127, 128, 65_535, 65_536];
const long = (size: number): string => "*".repeat(size);
const shown = (size: number): string => (size > 200 ? `${size} bytes` : long(size));

/** A text in fragments of one byte. */
function bytewise(payload: Buffer): readonly TestFrame[] {
  return [...payload].map((byte, i) => ({
    opcode: i === 0 ? 1 : 0,
    payload: Buffer.from([byte]),
    isFinal: i === payload.length - 1,
  }));
}

/** A message of so many bytes in fragments. */
function fragmented(opcode: number, size: number, fragment: number): readonly TestFrame[] {
  const payload = Buffer.alloc(fragment, "*");
  return Array.from({ length: size / fragment }, (_, i) => ({
    opcode: i === 0 ? opcode : 0,
    payload,
    isFinal: (i + 1) * fragment === size,
  }));
}

const kinds = [
  { opcode: 1, name: "text", event: (size: number) => `text ${shown(size)}` },
  { opcode: 2, name: "binary", event: () => "binary" },
] as const;

/** Section 9, by its numbers: messages by size, fragments, pieces of the stream, and many messages. */
const largeCases: readonly (readonly [...Case, pieceBytes: number])[] = kinds.flatMap(({ opcode, name, event }, k) => [
  ...[64, 256, 1024, 4096, 8192, 16_384].map(
    (kib, i) =>
      [
        `9.${1 + k}.${i + 1} a ${name} message of ${kib} KiB`,
        [{ opcode, payload: Buffer.alloc(kib << 10, "*") }],
        [event(kib << 10)],
        1 << 16,
      ] as const,
  ),
  ...[64, 256, 1024, 4096, 16_384, 65_536, 1 << 18, 1 << 20, 1 << 22].map(
    (fragment, i) =>
      [
        `9.${3 + k}.${i + 1} a ${name} message of 4 MiB in fragments of ${fragment} bytes`,
        fragmented(opcode, 4 << 20, fragment),
        [event(4 << 20)],
        1 << 16,
      ] as const,
  ),
  ...[64, 128, 256, 512, 1024, 2048].map(
    (piece, i) =>
      [
        `9.${5 + k}.${i + 1} a ${name} message of 1 MiB in pieces of ${piece} bytes`,
        [{ opcode, payload: Buffer.alloc(1 << 20, "*") }],
        [event(1 << 20)],
        piece,
      ] as const,
  ),
  ...[0, 16, 64, 256, 1024, 4096].map(
    (size, i) =>
      [
        `9.${7 + k}.${i + 1} 1,000 ${name} messages of ${size} bytes`,
        Array.from({ length: 1000 }, () => ({ opcode, payload: long(size) })),
        Array.from({ length: 1000 }, () => event(size)),
        1 << 16,
      ] as const,
  ),
]);

const cases: readonly Case[] = [
  ...sizes.map((size, i): Case => [`1.1.${i + 1} text of ${size} bytes`, [text(long(size))], [`text ${shown(size)}`]]),
  ...sizes.map((size, i): Case => [`1.2.${i + 1} binary of ${size} bytes`, [binary(long(size))], ["binary"]]),
  ["2.1 a ping without payload", [ping()], ["ping "]],
  ["2.2 a ping with text", [ping("Hello, world!")], ["ping Hello, world!"]],
  [
    "2.3 a ping with bytes that are no UTF-8",
    [ping(bytes("00 ff fe fd fc fb 00 ff"))],
    ["ping \0\xff\xfe\xfd\xfc\xfb\0\xff"],
  ],
  ["2.4 a ping of 125 bytes", [ping(long(125))], [`ping ${long(125)}`]],
  ["2.5 a ping of 126 bytes", [ping(long(126))], ["fault 1002"]],
  ["2.7 an unsolicited pong", [pong()], ["pong "]],
  ["2.8 an unsolicited pong with payload", [pong("unsolicited pong payload")], ["pong unsolicited pong payload"]],
  ["2.9 an unsolicited pong, then a ping", [pong("a"), ping("b")], ["pong a", "ping b"]],
  [
    "2.10 ten pings",
    Array.from({ length: 10 }, (_, i) => ping(`payload-${i}`)),
    Array.from({ length: 10 }, (_, i) => `ping payload-${i}`),
  ],
  ...[1, 2, 3, 4, 5, 6, 7].map((reserved): Case => [
    `3.${reserved} reserved bits ${reserved} behind a good text`,
    [text("good"), text("bad", { reserved }), ping()],
    ["text good", "fault 1002"],
  ]),
  ["3.6 a reserved bit in a ping", [ping("a", { reserved: 4 })], ["fault 1002"]],
  ["3.7 reserved bits in a close", [{ ...close(1000), reserved: 7 }], ["fault 1002"]],
  ...[3, 4, 5, 6, 7].map((opcode): Case => [
    `4.1.${opcode - 2} the reserved opcode ${opcode}`,
    [text("good"), { opcode, payload: "x" }, ping()],
    ["text good", "fault 1002"],
  ]),
  ...[11, 12, 13, 14, 15].map((opcode): Case => [
    `4.2.${opcode - 10} the reserved control opcode ${opcode}`,
    [text("good"), { opcode }, ping()],
    ["text good", "fault 1002"],
  ]),
  ["5.1 a ping in two fragments", [ping("frag", { isFinal: false }), more("ment", true)], ["fault 1002"]],
  ["5.2 a pong in two fragments", [pong("frag", { isFinal: false }), more("ment", true)], ["fault 1002"]],
  [
    "5.3 a text in two fragments",
    [text("fragment1", { isFinal: false }), more("fragment2", true)],
    ["text fragment1fragment2"],
  ],
  [
    "5.6 a ping between two fragments",
    [text("fragment1", { isFinal: false }), ping("ping payload"), more("fragment2", true)],
    ["ping ping payload", "text fragment1fragment2"],
  ],
  [
    "5.7 and 5.8 a ping between two fragments, and a text behind them",
    [text("a", { isFinal: false }), ping("b"), more("c", true), text("d")],
    ["ping b", "text ac", "text d"],
  ],
  ["5.9 a continuation without a message", [more("non-continuation payload", true), text("Hello")], ["fault 1002"]],
  [
    "5.12 a continuation that is not final without a message",
    [more("non-continuation payload", false), text("Hello")],
    ["fault 1002"],
  ],
  [
    "5.15 a continuation behind a complete message",
    [text("fragment1", { isFinal: false }), more("fragment2", true), more("fragment3", false), text("fragment4")],
    ["text fragment1fragment2", "fault 1002"],
  ],
  ...[false, true].map((isFinal, i): Case => [
    `5.${16 + i} a continuation that is ${isFinal ? "" : "not "}final before a fragmented text, twice`,
    [0, 1].flatMap(() => [more("fragment1", isFinal), text("fragment2", { isFinal: false }), more("fragment3", true)]),
    ["fault 1002"],
  ]),
  [
    "5.18 a second text before the first is complete",
    [text("fragment1", { isFinal: false }), text("fragment2")],
    ["fault 1002"],
  ],
  [
    "5.19 five fragments with pings between them",
    [
      text("fragment1", { isFinal: false }),
      more("fragment2", false),
      ping("a"),
      more("fragment3", false),
      more("fragment4", false),
      ping("b"),
      more("fragment5", true),
    ],
    ["ping a", "ping b", "text fragment1fragment2fragment3fragment4fragment5"],
  ],
  ["6.1.1 an empty text", [text("")], ["text "]],
  ["6.1.2 three empty fragments", [text("", { isFinal: false }), more("", false), more("", true)], ["text "]],
  [
    "6.1.3 an empty, a full and an empty fragment",
    [text("", { isFinal: false }), more("middle frame payload", false), more("", true)],
    ["text middle frame payload"],
  ],
  ["6.2.1 valid UTF-8 in one frame", [text("Hello-µ@ßöäüàá-UTF-8!!")], ["text Hello-µ@ßöäüàá-UTF-8!!"]],
  [
    "6.2.2 valid UTF-8 cut between characters",
    [text("Hello-µ@ßöä", { isFinal: false }), more("üàá-UTF-8!!", true)],
    ["text Hello-µ@ßöäüàá-UTF-8!!"],
  ],
  ["6.2.3 valid UTF-8 in fragments of one byte", bytewise(Buffer.from("κόσμε!")), ["text κόσμε!"]],
  [
    "6.2.4 valid UTF-8 of several lengths in fragments of one byte",
    bytewise(bytes("cebae1bdb9cf83cebcceb5")),
    ["text \u03ba\u1f79\u03c3\u03bc\u03b5"],
  ],
  [
    "6.3.2 invalid UTF-8 in fragments of one byte",
    bytewise(bytes("cebae1bdb9cf83cebcceb5eda080656469746564")),
    ["fault 1007"],
  ],
  ["6.3.1 invalid UTF-8 in the middle", [text(bytes("cebae1bdb9cf83cebcceb5eda080656469746564"))], ["fault 1007"]],
  [
    "6.4.1 invalid UTF-8 in the second fragment",
    [text(bytes("cebae1bdb9cf83cebcceb5"), { isFinal: false }), more(bytes("f4908080"), false), more("edited", true)],
    ["fault 1007"],
  ],
  [
    "6.4.2 invalid UTF-8 whose last byte is in another fragment",
    [
      text(bytes("cebae1bdb9cf83cebcceb5f4"), { isFinal: false }),
      more(bytes("90"), false),
      more(bytes("8080656469746564"), true),
    ],
    ["fault 1007"],
  ],
  ...utf8Cases.map(([name, payload, isValid]): Case => [
    name,
    [text(payload)],
    [isValid ? `text ${payload.toString()}` : "fault 1007"],
  ]),
  ["7.1.1 a text, then a close", [text("Hello"), close(1000)], ["text Hello", "close 1000"]],
  ["7.1.2 two closes", [close(1000), close(1000)], ["close 1000"]],
  ["7.1.3 a ping behind a close", [close(1000), ping()], ["close 1000"]],
  ["7.1.4 a text behind a close", [close(1000), text("late")], ["close 1000"]],
  [
    "7.1.5 a close between two fragments",
    [text("fragment1", { isFinal: false }), close(1000), more("fragment2", true)],
    ["close 1000"],
  ],
  ["7.3.1 a close without payload", [close()], ["close 1005"]],
  ["7.3.2 a close with one byte", [{ opcode: 8, payload: "a" }], ["fault 1002"]],
  ["7.3.3 a close with a code", [close(1000)], ["close 1000"]],
  ["7.3.4 a close with a reason", [close(1000, "Hello World!")], ["close 1000 Hello World!"]],
  ["7.3.5 a close with a reason of 123 bytes", [close(1000, long(123))], [`close 1000 ${long(123)}`]],
  ["7.3.6 a close with a reason of 124 bytes", [close(1000, long(124))], ["fault 1002"]],
  [
    "7.5.1 a close whose reason is not UTF-8",
    [close(1000, bytes("cebae1bdb9cf83cebcceb5eda080656469746564"))],
    ["fault 1007"],
  ],
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map((code, i): Case => [
    `7.7.${i + 1} the close code ${code}`,
    [close(code)],
    [`close ${code}`],
  ]),
  ...[0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].map((code, i): Case => [
    `7.9.${i + 1} the close code ${code}`,
    [close(code)],
    ["fault 1002"],
  ]),
  ["7.13.1 the close code 5000", [close(5000)], ["fault 1002"]],
  ["7.13.2 the close code 65535", [close(65_535)], ["fault 1002"]],
  [
    "7.1.6 a long text, a close and a ping",
    [text(long(256 << 10)), text("Hello World!"), close(1000), ping()],
    [`text ${256 << 10} bytes`, "text Hello World!", "close 1000"],
  ],
  [
    "10.1.1 a text of 64 KiB in fragments of 1300 bytes",
    Array.from({ length: 51 }, (_, i) => ({
      opcode: i === 0 ? 1 : 0,
      payload: long(i === 50 ? 536 : 1300),
      isFinal: i === 50,
    })),
    ["text 65536 bytes"],
  ],
];

for (const isServer of [true, false]) {
  describe(`the frame reader of a ${isServer ? "server" : "client"}, by Autobahn's cases`, () => {
    for (const [name, frames, events] of cases) {
      it(`case ${name} is read as published`, () => {
        const whole = Buffer.concat(frames.map((frame) => encode(frame, isServer)));
        assert.deepEqual(read([whole], isServer), events, "whole");
        const steps = whole.length > 10_000 ? [997] : [1, 2, 3];
        for (const step of steps) {
          const pieces: Buffer[] = [];
          for (let at = 0; at < whole.length; at += step) pieces.push(whole.subarray(at, at + step));
          assert.deepEqual(read(pieces, isServer), events, `in pieces of ${step} bytes`);
        }
      });
    }
  });
}

describe("the frame reader of a server, by Autobahn's large cases", () => {
  for (const [name, frames, events, pieceBytes] of largeCases) {
    it(`case ${name} is read as published`, () => {
      const whole = Buffer.concat(frames.map((frame) => encode(frame, true)));
      const pieces: Buffer[] = [];
      for (let at = 0; at < whole.length; at += pieceBytes) pieces.push(whole.subarray(at, at + pieceBytes));
      assert.deepEqual(read(pieces, true), events);
    });
  }
});

describe("frames", () => {
  it("a mask is applied byte by byte of its key, at any place and length", () => {
    const plain = Buffer.from(Array.from({ length: 23 }, (_, i) => i * 11));
    for (let from = 0; from < 6; from++)
      for (let to = from; to < plain.length; to++)
        for (let phase = 0; phase < 5; phase++) {
          const masked = Buffer.from(plain);
          applyMask(masked, from, to, mask, phase);
          const expected = plain.map((byte, i) =>
            i < from || i >= to ? byte : byte ^ (mask[(phase + i - from) & 3] ?? 0),
          );
          assert.deepEqual([...masked], [...expected], `${from} to ${to}, phase ${phase}`);
        }
  });

  it("the frame of a line as text has the same bytes as the frame as a buffer, and only ASCII has one", () => {
    for (const size of [0, 1, 125, 126, 255, 256, 16_000]) {
      const frame = plainFrame(long(size));
      assert.ok(frame !== undefined);
      assert.deepEqual(Buffer.from(frame, "latin1"), textFrames([long(size)]), `${size} bytes`);
    }
    for (const line of ["\u00e9", "a\u0080", "\u20ac", long(16_001)]) assert.equal(plainFrame(line), undefined);
  });
});

describe("the frame reader's own limits", () => {
  it("a server refuses a frame that is not masked, and a client one that is", () => {
    assert.deepEqual(read([encode(text("a", { isMasked: false }), true)], true), ["fault 1002"]);
    assert.deepEqual(read([encode(text("a", { isMasked: true }), false)], false), ["fault 1002"]);
  });

  it("a message over the limit is refused by its header alone, before its payload arrives", () => {
    const header = encode(text("", { length: 11 }), false);
    assert.deepEqual(read([header], false, 10), ["fault 1009"]);
  });

  it("fragments that are over the limit together are refused", () => {
    const frames = [text("123456", { isFinal: false }), more("789012", true)];
    assert.deepEqual(read([Buffer.concat(frames.map((one) => encode(one, false)))], false, 10), ["fault 1009"]);
  });

  it("the limit holds for each message, not for their sum", () => {
    const frames = [text("123456"), text("789012"), binary("123456")];
    const events = read([Buffer.concat(frames.map((one) => encode(one, true)))], true, 10);
    assert.deepEqual(events, ["text 123456", "text 789012", "binary"]);
  });

  it("a length with its highest bit set is refused", () => {
    assert.deepEqual(read([bytes("81 7f ff ff ff ff ff ff ff ff")], false), ["fault 1002"]);
  });

  it("a length beyond 2^53 is over every limit", () => {
    assert.deepEqual(read([bytes("81 7f 7f ff ff ff ff ff ff ff")], false), ["fault 1009"]);
  });
});
