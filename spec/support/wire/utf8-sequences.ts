/**
 * The byte sequences of the Autobahn test suite's section 6.5 to 6.23, which are Markus Kuhn's
 * UTF-8 decoder test and a few more, each with the number of its case and whether it is UTF-8.
 */
export type Utf8Case = readonly [name: string, bytes: Buffer, isValid: boolean];

const greek = "ce ba e1 bd b9 cf 83 ce bc ce b5";
/** The lengths at which the Greek word ends with a whole character. */
const wholeLengths = [2, 5, 7, 9, 11];
const cut = [
  "c0",
  "e0 80",
  "f0 80 80",
  "f8 80 80 80",
  "fc 80 80 80 80",
  "df",
  "ef bf",
  "f7 bf bf",
  "fb bf bf bf",
  "fd bf bf bf bf",
];
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i);
const hexOf = (bytes: readonly number[]): string => Buffer.from(bytes).toString("hex");
/** The first bytes from one to before another, each with a space behind it. */
const lonely = (from: number, to: number): string => hexOf(range(from, to).flatMap((byte) => [byte, 0x20]));
const surrogates = {
  high: ["ed a0 80", "ed ad bf", "ed ae 80", "ed af bf"],
  low: ["ed b0 80", "ed be 80", "ed bf bf"],
};
/** The last two code points of each plane. */
const noncharacters = range(0, 17).flatMap((plane) => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]);

const sections: readonly (readonly [section: number, what: string, isValid: boolean, hex: readonly string[]])[] = [
  [7, "the first character of a length", true, ["00", "c2 80", "e0 a0 80", "f0 90 80 80"]],
  [8, "the first sequence of 5 and 6 bytes", false, ["f8 88 80 80 80", "fc 84 80 80 80 80"]],
  [9, "the last character of a length", true, ["7f", "df bf", "ef bf bf", "f4 8f bf bf"]],
  [10, "the last sequence of 4, 5 and 6 bytes", false, ["f7 bf bf bf", "fb bf bf bf bf", "fd bf bf bf bf bf"]],
  [
    12,
    "continuation bytes alone",
    false,
    [
      "80",
      "bf",
      ...[2, 3, 4, 5, 6].map((length) => hexOf(range(0, length).map((i) => (i % 2 === 0 ? 0x80 : 0xbf)))),
      hexOf(range(0x80, 0xbf)),
    ],
  ],
  [
    13,
    "first bytes alone",
    false,
    [lonely(0xc0, 0xdf), lonely(0xe0, 0xef), lonely(0xf0, 0xf7), lonely(0xf8, 0xfb), lonely(0xfc, 0xfd)],
  ],
  [14, "a sequence without its last byte", false, cut],
  [15, "all sequences without their last byte", false, [cut.join(" ")]],
  [16, "bytes that never occur", false, ["fe", "ff", "fe fe ff ff"]],
  [17, "an overlong slash", false, ["c0 af", "e0 80 af", "f0 80 80 af", "f8 80 80 80 af", "fc 80 80 80 80 af"]],
  [
    18,
    "the longest overlong sequence",
    false,
    ["c1 bf", "e0 9f bf", "f0 8f bf bf", "f8 87 bf bf bf", "fc 83 bf bf bf bf"],
  ],
  [19, "an overlong U+0000", false, ["c0 80", "e0 80 80", "f0 80 80 80", "f8 80 80 80 80", "fc 80 80 80 80 80"]],
  [20, "a surrogate alone", false, [...surrogates.high, ...surrogates.low]],
  [
    21,
    "a pair of surrogates",
    false,
    surrogates.high.flatMap((high) => ["ed b0 80", "ed bf bf"].map((low) => `${high} ${low}`)),
  ],
  [22, "a noncharacter", true, noncharacters.map((code) => Buffer.from(String.fromCodePoint(code)).toString("hex"))],
  [
    23,
    "a special character",
    true,
    range(0xfff9, 0x10000).map((code) => Buffer.from(String.fromCodePoint(code)).toString("hex")),
  ],
];

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

export const utf8Cases: readonly Utf8Case[] = [
  ...["24", "c2 a2", "e2 82 ac", "f0 a4 ad a2"].map((hex, i): Utf8Case => [
    `6.5.${i + 1} a character between words`,
    Buffer.concat([Buffer.from("hello"), bytesOf(hex), Buffer.from("world")]),
    true,
  ]),
  ["6.5.5 a Greek word", bytesOf(greek), true],
  ...range(1, 12).map((length): Utf8Case => [
    `6.6.${length} the first ${length} bytes of a Greek word`,
    bytesOf(greek).subarray(0, length),
    wholeLengths.includes(length),
  ]),
  ...["ed 9f bf", "ee 80 80", "ef bf bd", "f4 8f bf bf", "f4 90 80 80"].map((hex, i): Utf8Case => [
    `6.11.${i + 1} the characters beside a limit`,
    bytesOf(hex),
    i < 4,
  ]),
  ...sections.flatMap(([section, what, isValid, all]) =>
    all.map((hex, i): Utf8Case => [`6.${section}.${i + 1} ${what}`, bytesOf(hex), isValid]),
  ),
];
