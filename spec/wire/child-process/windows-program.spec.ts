/**
 * Specs of reading npm's batch files and of the names that a command may have on Windows.
 * spec/windows/programs.win.ts starts such programs in the real node.exe.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readShim, variable, windowsNames } from "../../../lib/wire/child-process/windows-program.ts";
import { npmProgramShim, npmScriptShim, npxShim, pnpmScriptShim, windowsLines } from "../../support/wire/npm-shims.ts";

const script = "node_modules\\@openai\\codex\\bin\\codex.js";
const program = "node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe";

describe("readShim", () => {
  it("readShim finds the script and the program behind batch files of npm, pnpm and Node", () => {
    assert.deepEqual(readShim(npmScriptShim(script)), { path: script, isNodeScript: true });
    assert.deepEqual(readShim(npmProgramShim(program)), { path: program, isNodeScript: false });
    assert.deepEqual(readShim(pnpmScriptShim(`..\\${script}`)), { path: `..\\${script}`, isNodeScript: true });
    assert.deepEqual(readShim(npxShim), { path: "node_modules\\npm\\bin\\npx-cli.js", isNodeScript: true });
    const withoutExtension = "node_modules\\acpx\\bin\\acpx";
    assert.deepEqual(readShim(npmScriptShim(withoutExtension)), { path: withoutExtension, isNodeScript: true });
  });

  it("readShim finds nothing in a batch file that does more than start one program", () => {
    const others = [
      "",
      windowsLines(["@echo off", "volta run %~n0 %*"]),
      windowsLines(['"%dp0%\\tool.exe" --flag %*']),
      windowsLines(['"%_prog%" "%dp0%\\tool.exe" %*']),
      windowsLines(['"C:\\elsewhere\\tool.exe" %*']),
      windowsLines(['"%dp0%\\%NAME%.exe" %*']),
      npmScriptShim(script).replace('"_prog=node"', '"_prog=python"'),
    ];
    for (const text of others) assert.equal(readShim(text), undefined, text);
  });
});

describe("windowsNames", () => {
  it("windowsNames adds the extensions of PATHEXT that can be started, in their order", () => {
    assert.deepEqual(windowsNames("npx", {}), ["npx.com", "npx.exe", "npx.bat", "npx.cmd"]);
    assert.deepEqual(windowsNames("npx", { PathExt: ".CMD;.JS;.EXE;.VBS" }), ["npx.cmd", "npx.exe"]);
    assert.deepEqual(windowsNames("a.CMD", { PATHEXT: ".CMD" }), ["a.CMD", "a.CMD.cmd"]);
    assert.deepEqual(windowsNames("a.mjs", { PATHEXT: ".EXE" }), ["a.mjs.exe"]);
  });

  it("variable finds a variable whatever the case of its name", () => {
    assert.equal(variable({ Path: "C:\\bin" }, "PATH"), "C:\\bin");
    assert.equal(variable({ HOME: "x" }, "PATH"), undefined);
  });
});
