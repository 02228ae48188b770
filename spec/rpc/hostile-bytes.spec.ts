/**
 * Specs of invalid bytes sent to a whole process that serves a peer.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../support/bundled-program.ts";
import { assertRefused } from "../support/rpc/wire-script.ts";

const program = await bundledProgram(fileURLToPath(new URL("../support/rpc/echo-program.ts", import.meta.url)));
const tooLong = '{"jsonrpc":"2.0","id":1,"method":"echo","params":["' + "x".repeat(2000) + '"]}';

/** Raw input up to its newline, and the code of the one response with id null; undefined for none. */
const inputs: readonly (readonly [input: string | Uint8Array, code: number | undefined])[] = [
  [Uint8Array.of(0xef, 0xbb, 0xbf), undefined],
  ["", undefined],
  [" \t\r", undefined],
  [Uint8Array.of(0xff, 0xfe, 0xfd), -32700],
  [Uint8Array.of(0x22, 0xc3, 0x28, 0x22), -32700],
  [Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), -32700],
  [Uint8Array.of(0), -32700],
  [tooLong, -32600],
  ["x".repeat(100_000), -32600],
  ["garbage\r", -32700],
  ["[]\r", -32600],
  ['{"jsonrpc":"2.0","method":"nope"}\r', undefined],
];

describe("a process that serves a peer", () => {
  it("a process that serves a peer answers invalid bytes, survives them, answers the last request after them, and exits at EOF", async () => {
    const child = spawn(process.execPath, [program], { stdio: "pipe" });
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    for (const [input] of inputs) {
      child.stdin.write(input);
      child.stdin.write("\n");
    }
    // The last line has no newline, and EOF follows directly.
    child.stdin.end('{"jsonrpc":"2.0","id":"last","method":"echo","params":["é"]}');
    const [stdout, stderr, [exitCode]] = await said;
    const answers = stdout.trimEnd().split("\n");
    const codes = inputs.flatMap(([, code]) => (code === undefined ? [] : [code]));
    assert.equal(answers.pop(), '{"jsonrpc":"2.0","id":"last","result":["é"]}');
    assert.equal(answers.length, codes.length);
    for (const [i, code] of codes.entries()) assertRefused(answers[i] ?? "", code, "null");
    assert.deepEqual([stderr, exitCode], ["", 0]);
  });
});
