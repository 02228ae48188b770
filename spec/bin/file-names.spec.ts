/**
 * The built program under other file names and below other packages.
 *
 * Node exits silently with code 0 when a file without an extension below a package of
 * type "commonjs" has module syntax.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { version } from "../../lib/version.ts";
import { builtProgram } from "../support/built-program.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const input = `${JSON.stringify(initialize)}\n`;
const root = realpathSync(mkdtempSync(join(tmpdir(), "names-")));
after(() => rmSync(root, { recursive: true, force: true }));

describe("the single file", { timeout: 120_000 }, () => {
  for (const type of ["commonjs", "module", undefined]) {
    const where = type === undefined ? "no package" : `a package of type ${type}`;
    for (const name of ["bowline", "bowline.js", "bowline.mjs"]) {
      it(`the single file answers under the name ${name} below ${where}`, () => {
        const directory = join(root, `${type}-${name}`, "a (b) #c %20 é");
        mkdirSync(directory, { recursive: true });
        if (type !== undefined) writeFileSync(join(directory, "package.json"), JSON.stringify({ type }));
        const file = join(directory, name);
        copyFileSync(builtProgram, file);
        const env = { PATH: process.env["PATH"], HOME: root };
        const agent = spawnSync(process.execPath, [file], { input, env, encoding: "utf8" });
        assert.deepEqual([agent.status, agent.stderr], [0, ""]);
        assert.equal(JSON.parse(agent.stdout).id, 1);
        // This command is in another layer of the file than the agent.
        const told = spawnSync(process.execPath, [file, "--version"], { env, encoding: "utf8" });
        assert.deepEqual([told.status, told.stdout, told.stderr], [0, `${version}\n`, ""]);
      });
    }
  }

  it("the single file runs from standard input, because it does not read its own file", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["-", "--version"], {
      input: readFileSync(builtProgram),
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout, stderr], [0, `${version}\n`, ""]);
  });
});
