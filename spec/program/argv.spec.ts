/**
 * Command-line arguments: what is accepted and what is refused.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNumber, parseArgv, WrongUsage } from "../../lib/program/argv.ts";

const table = {
  "--out": { value: "<file>", short: "-o", about: "where to" },
  "--fast": { about: "at once" },
} as const;

describe("parseArgv", () => {
  it("an option's value may follow the flag, be joined to it by =, or follow the one-letter form", () => {
    for (const words of [["--out", "a=b"], ["--out=a=b"], ["-o", "a=b"]]) {
      assert.equal(parseArgv(table, words).options["--out"], "a=b");
    }
  });

  it("the result has a value for every option of the table, given or not", () => {
    assert.deepEqual(parseArgv(table, []).options, { "--out": undefined, "--fast": false });
    assert.deepEqual(parseArgv(table, ["--fast"]).options, { "--out": undefined, "--fast": true });
  });

  it("operands keep their order, and a lone dash is an operand", () => {
    assert.deepEqual(parseArgv(table, ["a", "--fast", "-", "b"]).operands, ["a", "-", "b"]);
  });

  it("everything after -- belongs to the other program, flags included", () => {
    const { operands, program } = parseArgv(table, ["a", "--", "node", "--fast", "--"]);
    assert.deepEqual([operands, program], [["a"], ["node", "--fast", "--"]]);
    assert.equal(parseArgv(table, ["a"]).program, undefined);
  });

  it("an unknown option, a missing value and a value for a boolean flag are refused", () => {
    const wrong = [["--nope"], ["-x"], ["--out"], ["--fast=1"], ["--__proto__"], ["--constructor"]];
    for (const words of wrong) assert.throws(() => parseArgv(table, words), WrongUsage, words.join(" "));
  });
});

describe("readNumber", () => {
  it("readNumber accepts a number within its bounds and nothing else", () => {
    assert.equal(readNumber("--port", " 80 ", 0, 65_535, "ports"), 80);
    for (const given of ["", " ", "x", "-1", "65536", "NaN", "1e9"]) {
      assert.throws(() => readNumber("--port", given, 0, 65_535, "ports"), WrongUsage, given);
    }
  });
});
