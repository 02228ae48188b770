/**
 * The command that a person reads, out of the quoted line that Codex shows.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { shownCommand, splitWords } from "../../../../lib/codex/translate/calls/shell-words.ts";

describe("shownCommand", () => {
  it("the command of a shell is shown without the shell and its quotes", () => {
    assert.equal(shownCommand("/bin/bash -lc 'ls -1 && cat hello.txt'"), "ls -1 && cat hello.txt");
    assert.equal(shownCommand("/usr/bin/zsh -c ls"), "ls");
    assert.equal(shownCommand('bash -lc "echo \\"a\\" \\$HOME"'), 'echo "a" $HOME');
  });

  it("pieces with different quotes are one command", () => {
    const line = `/bin/bash -lc "read -p 'name? ' n; echo hi "'$n'`;
    assert.equal(shownCommand(line), "read -p 'name? ' n; echo hi $n");
  });

  it("a line that is not a shell with a command is shown as it is", () => {
    for (const line of ["git status", "node -e 'x'", "bash script.sh arg", "bash -lc", "bash 'unclosed", "", "a b c"]) {
      assert.equal(shownCommand(line), line);
    }
  });

  it("a shell that the model chose, and flags that change what runs, are not hidden", () => {
    for (const line of [
      "/tmp/evil/bash -lc ls",
      "./sh -c ls",
      "bash --rcfile /tmp/evil -c ls",
      "bash --rcfile=/tmp/evil -c ls",
      "/bin/bash -x -c ls",
    ]) {
      assert.equal(shownCommand(line), line);
    }
  });

  it("the command of PowerShell is shown without it", () => {
    assert.equal(shownCommand("powershell.exe -NoProfile -Command 'Get-Item a'"), "Get-Item a");
    const path = "'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'";
    assert.equal(shownCommand(`${path} -Command ls`), "ls");
  });

  it("words after the command are not hidden", () => {
    const line = "/bin/bash -lc 'echo safe' rm -rf /";
    assert.equal(shownCommand(line), line);
  });
});

describe("splitWords", () => {
  it("words are split as a shell splits them", () => {
    const piece = fc.constantFrom("a", " ", "'", '"', "\\", "$x", "é", "\n", "`");
    const lines = fc
      .sample(fc.array(piece, { maxLength: 12 }), { numRuns: 400, seed: 7 })
      .map((parts) => parts.join(""));
    // Lines that a shell would expand or cannot read are left out.
    const plain = lines.filter(
      (line) => !/[$`\n]/.test(line) && splitWords(line) !== undefined && !line.endsWith("\\"),
    );
    assert.ok(plain.length > 50, `${plain.length} lines`);
    const script = plain.map((line) => `printf '[%s]' ${line}; echo`).join("\n");
    const printed = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" }).stdout.split("\n");
    for (const [i, line] of plain.entries()) {
      const words = splitWords(line) ?? [];
      assert.equal(printed[i], words.length === 0 ? "[]" : words.map((word) => `[${word}]`).join(""), line);
    }
  });

  it("a line with an open quote has no words", () => {
    assert.equal(splitWords("echo 'a"), undefined);
    assert.equal(splitWords('echo "a'), undefined);
  });
});
