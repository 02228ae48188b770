/**
 * Specs of `locateCodex`: where the Codex CLI is found.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { locateCodex } from "../../../lib/codex/index.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "find-codex-")));
after(() => rmSync(root, { recursive: true, force: true }));

function program(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

const isNotFound = (cause: unknown): boolean =>
  cause instanceof EngineFailure && cause.kind === "not_found" && /npm install -g @openai\/codex/.test(cause.message);

const isWrongVariable = (cause: unknown): boolean =>
  cause instanceof EngineFailure && cause.kind === "not_found" && /^CODEX_[A-Z]+ /.test(cause.message);

describe("locateCodex", () => {
  it("the executable named by a variable is taken, CODEX_EXECUTABLE before CODEX_PATH", () => {
    const [first, second] = [program("one/codex"), program("two/codex")];
    const env = { CODEX_EXECUTABLE: first, CODEX_PATH: second, PATH: join(root, "two") };
    assert.deepEqual(locateCodex({ env }), { command: first, args: [], path: first, from: "CODEX_EXECUTABLE" });
    assert.equal(locateCodex({ env: { CODEX_PATH: second } }).path, second);
  });

  it("a variable that names no program is an error, not skipped", () => {
    const PATH = dirname(program("one/codex"));
    assert.throws(() => locateCodex({ env: { CODEX_EXECUTABLE: join(root, "none"), PATH } }), isWrongVariable);
    assert.throws(() => locateCodex({ env: { CODEX_EXECUTABLE: "codex", PATH } }), isWrongVariable);
    assert.throws(() => locateCodex({ env: { CODEX_PATH: root, PATH } }), isWrongVariable);
  });

  it("PATH is searched before the usual places, without its relative entries", () => {
    const [found, usual] = [program("path/codex"), program("usual/codex")];
    const places = [dirname(usual)];
    assert.equal(locateCodex({ env: { PATH: `.:${dirname(found)}` }, places }).path, found);
    assert.deepEqual(locateCodex({ env: { PATH: "." }, places }).from, "usual place");
    assert.throws(() => locateCodex({ env: { PATH: "." }, places: [] }), isNotFound);
  });

  it(
    "the launcher of npm is replaced by the binary that it would start",
    { skip: process.platform === "win32" },
    () => {
      const modules = "lib/node_modules/@openai";
      const launcher = program(`${modules}/codex/bin/codex.js`);
      mkdirSync(join(root, "bin"));
      symlinkSync(launcher, join(root, "bin/codex"));
      const env = { PATH: join(root, "bin") };
      assert.deepEqual(locateCodex({ env }).args, [launcher], "without a binary the launcher is used");
      const triple = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-${
        process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl"
      }`;
      const platform = `codex-${process.platform}-${process.arch}`;
      const binary = program(`${modules}/${platform}/vendor/${triple}/bin/codex`);
      assert.deepEqual(locateCodex({ env }), { command: binary, args: [], path: binary, from: "PATH" });
    },
  );
});
