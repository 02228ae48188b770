/**
 * The submodules that git's index has, read from indexes that git itself has written.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gitLinksAround } from "../../../lib/agent/routes/git-links.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-links-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A repository with the links and with files around them. */
function repository(name: string, links: readonly string[]): string {
  const cwd = join(root, name);
  mkdirSync(join(cwd, "src"), { recursive: true });
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd, stdio: "ignore", env: { PATH: process.env["PATH"], HOME: root } });
  git("init");
  for (const file of ["a.txt", "src/main.ts", "src/maine.ts", "zz.txt"]) writeFileSync(join(cwd, file), file);
  git("add", ".");
  for (const link of links) git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${link}`);
  return cwd;
}

describe("gitLinksAround", () => {
  const links = ["lib/one", "lib/one-more", "src/ünë"];

  for (const version of ["2", "3", "4"]) {
    it(`the links of an index of version ${version} are found, from a directory below too`, () => {
      const cwd = repository(version, links);
      execFileSync("git", ["update-index", "--index-version", version], { cwd });
      if (version === "3") execFileSync("git", ["update-index", "--skip-worktree", "a.txt"], { cwd });
      const expected = links.map((name) => join(cwd, name));
      assert.deepEqual(gitLinksAround(cwd), expected);
      assert.deepEqual(gitLinksAround(join(cwd, "src")), expected);
    });
  }

  it("an index that is split, damaged or unknown is not understood, and a directory without a repository has none", () => {
    const split = repository("split", links);
    execFileSync("git", ["update-index", "--split-index"], { cwd: split });
    assert.equal(gitLinksAround(split), undefined);
    const damaged = repository("damaged", links);
    for (const text of ["", "DIRC", `DIRC\0\0\0\x02\0\0\0\x09${"x".repeat(100)}`, `DIRC\0\0\0\x05${"\0".repeat(99)}`]) {
      writeFileSync(join(damaged, ".git", "index"), text);
      assert.equal(gitLinksAround(damaged), undefined, JSON.stringify(text));
    }
    mkdirSync(join(root, "none"));
    assert.deepEqual(gitLinksAround(join(root, "none")), []);
  });
});
