/**
 * Specs of the WebSocket frame reader, as a table of cases chosen from those that the Autobahn test
 * suite has published (sections 1 to 7, 9 and 10; 12 and 13 are about compression, which
 * is declined). Every case is read by a server and by a client, whole and in pieces.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyMask } from "../../../lib/wire/websocket/frame.ts";
import { FrameReader } from "../../../lib/wire/websocket/frame-reader.ts";

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

/** 6.*: byte sequences that are UTF-8, and some that are not. */
const utf8: readonly (readonly [name: string, hex: string, isValid: boolean])[] = [
  ["6.5 a Greek word", "ce ba e1 bd b9 cf 83 ce bc ce b5", true],
  ["6.6.1 the first byte of a character alone", "ce", false],
  ["6.6.3 a character cut after its first byte", "ce ba e1", false],
  ["6.7.1 U+0000", "00", true],
  ["6.7.2 U+0080, the first of two bytes", "c2 80", true],
  ["6.7.3 U+0800, the first of three bytes", "e0 a0 80", true],
  ["6.7.4 U+10000, the first of four bytes", "f0 90 80 80", true],
  ["6.8.1 a sequence of five bytes", "f8 88 80 80 80", false],
  ["6.8.2 a sequence of six bytes", "fc 84 80 80 80 80", false],
  ["6.9.1 U+007F", "7f", true],
  ["6.9.2 U+07FF", "df bf", true],
  ["6.9.3 U+FFFF", "ef bf bf", true],
  ["6.9.4 U+10FFFF", "f4 8f bf bf", true],
  ["6.10.1 U+13FFFF", "f4 bf bf bf", false],
  ["6.10.2 U+3FFFFFF", "fb bf bf bf bf", false],
  ["6.10.3 U+7FFFFFFF", "fd bf bf bf bf bf", false],
  ["6.11.1 U+D7FF", "ed 9f bf", true],
  ["6.11.2 U+E000", "ee 80 80", true],
  ["6.11.3 U+FFFD", "ef bf bd", true],
  ["6.11.5 U+110000", "f4 90 80 80", false],
  ["6.12.1 a lonely continuation byte 80", "80", false],
  ["6.12.2 a lonely continuation byte BF", "bf", false],
  ["6.12.7 seven continuation bytes", "80 bf 80 bf 80 bf be", false],
  ["6.13.1 the first bytes of two, each with a space", "c0 20 c1 20 c2 20 df 20", false],
  ["6.13.2 the first bytes of three, each with a space", "e0 20 e1 20 ef 20", false],
  ["6.13.3 the first bytes of four, each with a space", "f0 20 f1 20 f7 20", false],
  ["6.13.5 the first bytes of six, each with a space", "fc 20 fd 20", false],
  ["6.14.1 two bytes without the last", "c0", false],
  ["6.14.2 three bytes without the last", "e0 80", false],
  ["6.14.3 four bytes without the last", "f0 80 80", false],
  ["6.14.6 U+07FF without the last byte", "df", false],
  ["6.15.1 several cut characters in a row", "c0 e0 80 f0 80 80 f8 80 80 80 fc 80 80 80 80 df ef bf", false],
  ["6.16.1 the byte FE", "fe", false],
  ["6.16.2 the byte FF", "ff", false],
  ["6.17.1 an overlong slash in two bytes", "c0 af", false],
  ["6.17.2 an overlong slash in three bytes", "e0 80 af", false],
  ["6.17.3 an overlong slash in four bytes", "f0 80 80 af", false],
  ["6.18.1 an overlong U+007F", "c1 bf", false],
  ["6.18.2 an overlong U+07FF", "e0 9f bf", false],
  ["6.18.3 an overlong U+FFFF", "f0 8f bf bf", false],
  ["6.19.1 an overlong U+0000", "c0 80", false],
  ["6.20.1 the surrogate U+D800", "ed a0 80", false],
  ["6.20.4 the surrogate U+DC00", "ed b0 80", false],
  ["6.20.7 the surrogate U+DFFF", "ed bf bf", false],
  ["6.21.1 a pair of surrogates", "ed a0 80 ed b0 80", false],
  ["6.21.8 the last pair of surrogates", "ed af bf ed bf bf", false],
  ["6.22.1 the noncharacter U+FFFE", "ef bf be", true],
  ["6.22.34 the noncharacter U+10FFFF", "f4 8f bf bf", true],
  ["6.23.1 U+FFF9", "ef bf b9", true],
];

const sizes = [0, 125, 126, 127, 128, 65_535, 65_536];
const long = (size: number): string => "*".repeat(size);
const shown = (size: number): string => (size > 200 ? `${size} bytes` : long(size));

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
  [
    "6.2.3 valid UTF-8 in fragments of one byte",
    [...Buffer.from("κόσμε!")].map((byte, i, { length }) => ({
      opcode: i === 0 ? 1 : 0,
      payload: Buffer.from([byte]),
      isFinal: i === length - 1,
    })),
    ["text κόσμε!"],
  ],
  ["6.3.1 invalid UTF-8 in the middle", [text(bytes("cebae1bdb9cf83cebcceb5eda080656469746564"))], ["fault 1007"]],
  [
    "6.4.1 invalid UTF-8 in the second fragment",
    [text(bytes("cebae1bdb9cf83cebcceb5"), { isFinal: false }), more(bytes("f4908080"), false), more("edited", true)],
    ["fault 1007"],
  ],
  ...utf8.map(([name, hex, isValid]): Case => [
    name,
    [text(bytes(hex))],
    [isValid ? `text ${bytes(hex).toString()}` : "fault 1007"],
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
  ["9.1.4 a text of 4 MiB", [text(long(4 << 20))], [`text ${4 << 20} bytes`]],
  [
    "9.3.1 a text of 256 KiB in fragments of 64 bytes",
    Array.from({ length: 4096 }, (_, i) => ({ opcode: i === 0 ? 1 : 0, payload: long(64), isFinal: i === 4095 })),
    [`text ${256 << 10} bytes`],
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
