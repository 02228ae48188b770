/**
 * Words: what a person may type, and what is refused.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNumber, parseArgv, WrongUsage } from "../../lib/program/argv.ts";

const table = {
  "--out": { value: "<file>", short: "-o", about: "where to" },
  "--fast": { about: "at once" },
} as const;

describe("readWords", () => {
  it("reads values beside the flag, joined to it, and by its letter", () => {
    for (const words of [["--out", "a=b"], ["--out=a=b"], ["-o", "a=b"]]) {
      assert.equal(parseArgv(table, words).options["--out"], "a=b");
    }
  });

  it("gives every option of the table a value, given or not", () => {
    assert.deepEqual(parseArgv(table, []).options, { "--out": undefined, "--fast": false });
    assert.deepEqual(parseArgv(table, ["--fast"]).options, { "--out": undefined, "--fast": true });
  });

  it("keeps operands in order and takes a lone dash for one", () => {
    assert.deepEqual(parseArgv(table, ["a", "--fast", "-", "b"]).operands, ["a", "-", "b"]);
  });

  it("leaves everything after -- to the program, flags included", () => {
    const { operands, program } = parseArgv(table, ["a", "--", "node", "--fast", "--"]);
    assert.deepEqual([operands, program], [["a"], ["node", "--fast", "--"]]);
    assert.equal(parseArgv(table, ["a"]).program, undefined);
  });

  it("refuses what the table does not have, a missing value and a value for a switch", () => {
    const wrong = [["--nope"], ["-x"], ["--out"], ["--fast=1"], ["--__proto__"], ["--constructor"]];
    for (const words of wrong) assert.throws(() => parseArgv(table, words), WrongUsage, words.join(" "));
  });
});

describe("readNumber", () => {
  it("takes a number within its bounds and nothing else", () => {
    assert.equal(readNumber("--port", " 80 ", 0, 65_535, "ports"), 80);
    for (const given of ["", " ", "x", "-1", "65536", "NaN", "1e9"]) {
      assert.throws(() => readNumber("--port", given, 0, 65_535, "ports"), WrongUsage, given);
    }
  });
});
