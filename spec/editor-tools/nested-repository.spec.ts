/**
 * Which directories on the way to a file are git repositories.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DiskFacts } from "../../lib/editor-tools/file-access.ts";
import { repositoryOnWay } from "../../lib/editor-tools/nested-repository.ts";

/** `entries`: paths, with a slash at the end for a directory and an @ for a link to nothing. */
function found(path: string, ...entries: readonly string[]): Promise<string | undefined> {
  const factsOf = (isDirectory: boolean): DiskFacts => ({
    isDirectory,
    isFile: !isDirectory,
    linkCount: 1,
    sizeBytes: 1,
    changedMs: 0,
  });
  return repositoryOnWay(path, "/p", {
    facts: async (one) => {
      if (entries.includes(one)) return factsOf(false);
      return entries.includes(`${one}/`) ? factsOf(true) : undefined;
    },
    isLink: async (one) => entries.includes(`${one}@`),
  });
}

describe("repositoryOnWay", () => {
  it("a directory with an entry .git on the way is a repository, whatever the entry is", async () => {
    for (const entry of ["/p/sub/.git", "/p/sub/.git/", "/p/sub/.git@"]) {
      assert.equal(await found("/p/sub/a.ts", entry), "/p/sub", entry);
      assert.equal(await found("/p/sub/src/deep/a.ts", entry), "/p/sub", entry);
      assert.equal(await found("/p/other/a.ts", entry), undefined, entry);
    }
    assert.equal(await found("/p/sub/in/a.ts", "/p/sub/.git", "/p/sub/in/.git"), "/p/sub/in");
  });

  it("a directory with a file HEAD is a git directory, also the session's own", async () => {
    for (const entry of ["/p/data/HEAD", "/p/data/HEAD@"]) {
      assert.equal(await found("/p/data/config", entry), "/p/data", entry);
      assert.equal(await found("/p/data/hooks/pre-commit", entry), "/p/data", entry);
    }
    assert.equal(await found("/p/config", "/p/HEAD"), "/p");
    assert.equal(await found("/p/config", "/p/HEAD/"), undefined, "a directory of this name is not");
  });

  it("the session's own repository is none, nor is what lies above it", async () => {
    assert.equal(await found("/p/src/a.ts", "/p/.git/", "/.git/", "/HEAD"), undefined);
  });
});
