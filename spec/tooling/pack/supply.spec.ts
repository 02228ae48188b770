/**
 * Specs of the supply chain: the shipped program consists of these sources and nothing
 * else.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { isObject } from "../../support/json.ts";
import { readText } from "../../support/files.ts";
import { currentProgram } from "../../support/program-build.ts";

const root = join(import.meta.dirname, "../../..");
const scratch = mkdtempSync(join(tmpdir(), "bowline-supply-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Builds the program from the sources in a directory. */
function built(directory: string, name: string): string {
  const file = join(scratch, name);
  execFileSync(process.execPath, [join(directory, "build.mjs"), "--program", file], { stdio: "pipe" });
  return readFileSync(file, "utf8");
}

describe("the program that is shipped", { timeout: 120_000 }, () => {
  const first = readFileSync(currentProgram(), "utf8");

  it("the shipped program has the same bytes whenever and wherever it is built", () => {
    const elsewhere = join(scratch, "elsewhere");
    for (const part of [
      "lib",
      "bin",
      "fixtures",
      "docs",
      "build.mjs",
      "spec/tooling/build/build-lines.mjs",
      "tsconfig.json",
      "package.json",
      "package-lock.json",
    ]) {
      cpSync(join(root, part), join(elsewhere, part), { recursive: true, preserveTimestamps: true });
    }
    symlinkSync(join(root, "node_modules"), join(elsewhere, "node_modules"));
    const sum = (text: string): string => createHash("sha256").update(text).digest("hex");
    assert.equal(sum(built(elsewhere, "second.mjs")), sum(first));
  });

  it("the shipped program contains no path of the build machine and imports nothing but node", () => {
    assert.ok(!first.includes(root), "no path of this machine");
    // The Lua of the snippets for Neovim is a text.
    const lua = new Set(["codecompanion", "agentic", "avante", "codecompanion.adapters"]);
    const imported = [...first.matchAll(/\b(?:require|import)\("([^"\s]+)"\)/g)].map(([, name = ""]) => name);
    assert.ok(imported.length > 50);
    assert.doesNotMatch(first, /^(?:import|export)\b/m, "the file has no other imports than these calls");
    for (const name of imported.filter((one) => !lua.has(one))) {
      assert.ok(name.startsWith("bowline:") || builtinModules.includes(name.replace(/^node:/, "")), name);
    }
  });

  it("the shipped program is pure ASCII, which Node decodes in half the time", () => {
    const other = [...first.matchAll(/[^\0-\x7f]/g)].map(({ index }) => first.slice(index - 40, index + 40));
    assert.deepEqual(other, []);
  });
});

describe("the package", () => {
  const manifest: unknown = JSON.parse(readText("package.json"));
  const lock: unknown = JSON.parse(readText("package-lock.json"));

  it("the package depends on nothing and runs nothing when it is installed", () => {
    assert.ok(isObject(manifest));
    for (const key of ["dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies"]) {
      assert.ok(!(key in manifest), key);
    }
    const scripts = Object.keys(isObject(manifest["scripts"]) ? manifest["scripts"] : {});
    assert.deepEqual(
      scripts.filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name)),
      [],
    );
  });

  it("the package pins every development tool, by version and by content", () => {
    assert.ok(isObject(manifest) && isObject(lock) && isObject(lock["packages"]));
    for (const version of Object.values(isObject(manifest["devDependencies"]) ? manifest["devDependencies"] : {})) {
      assert.match(String(version), /^\d+\.\d+\.\d+$/);
    }
    const tools = Object.entries(lock["packages"]).filter(([path]) => path !== "");
    assert.ok(tools.length > 10);
    for (const [path, tool] of tools) {
      assert.ok(isObject(tool) && tool["dev"] === true, `${path} is for development alone`);
      assert.match(String(tool["integrity"]), /^sha512-/, path);
    }
  });

  it("the lock file names the optional packages of every platform, without which npm ci refuses it", () => {
    assert.ok(isObject(lock) && isObject(lock["packages"]));
    const locked = lock["packages"];
    for (const [path, tool] of Object.entries(locked)) {
      assert.ok(isObject(tool));
      const optional = isObject(tool["optionalDependencies"]) ? Object.keys(tool["optionalDependencies"]) : [];
      for (const name of optional) assert.ok(`node_modules/${name}` in locked, `${path} needs ${name}`);
    }
  });
});
