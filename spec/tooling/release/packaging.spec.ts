/**
 * The files for package managers, and the workflows: syntax, addresses and checksums, with the
 * tools of this machine where they are installed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { releaseInfo } from "../../../lib/program/zed/release-info.ts";
import { readText } from "../../support/files.ts";
import { packagingFiles } from "./packaging.ts";

const sum = "0123456789abcdef".repeat(4);
const files = packagingFiles({ repository: releaseInfo.repository, sums: new Map([["bowline.mjs", sum]]) });

describe("the files for package managers", () => {
  it("the formula and the expression name the release's file, its checksum, version and licence", () => {
    for (const text of Object.values(files)) {
      const file = `${releaseInfo.repository}/releases/download/v${releaseInfo.version}/bowline.mjs`;
      for (const part of [file, sum, releaseInfo.website]) assert.ok(text.includes(part), part);
      assert.ok(!/undefined|latest/.test(text));
    }
  });

  it("the formula is valid Ruby", (t) => {
    const { status, error, stderr } = spawnSync("ruby", ["-c"], {
      input: files["homebrew/bowline.rb"],
      encoding: "utf8",
    });
    if (error !== undefined) return t.skip("ruby is not installed");
    assert.equal(status, 0, stderr);
  });

  it("the expression is valid Nix", (t) => {
    const text = files["nix/default.nix"] ?? "";
    const { status, error, stderr } = spawnSync("nix-instantiate", ["--parse", "-"], { input: text, encoding: "utf8" });
    if (error !== undefined) return t.skip("nix is not installed");
    assert.equal(status, 0, stderr);
  });
});

describe("the workflows", () => {
  it("the workflows call only scripts that package.json has, and give no job more rights than it needs", () => {
    const { scripts } = JSON.parse(readText("package.json"));
    for (const name of ["ci", "release"]) {
      const text = readText(`.github/workflows/${name}.yml`);
      const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = ""]) => script);
      assert.deepEqual(
        called.filter((script) => !(script in scripts)),
        [],
      );
      assert.match(text, /^permissions:\n {2}contents: read$/m);
      assert.ok(!text.includes("\t"));
    }
  });

  it("the workflows are valid YAML with the jobs for three systems", (t) => {
    const script = "import sys, json, yaml; print(json.dumps(yaml.safe_load(sys.stdin.read()), default=str))";
    for (const name of ["ci", "release"]) {
      const input = readText(`.github/workflows/${name}.yml`);
      const { status, stdout, stderr } = spawnSync("python3", ["-c", script], { input, encoding: "utf8" });
      if (/No module named|ENOENT/.test(stderr ?? "") || stdout === null) return t.skip("python3 has no yaml here");
      assert.equal(status, 0, stderr);
      assert.ok(Object.values(JSON.parse(stdout).jobs).length >= 2);
    }
  });
});
