/**
 * The files of the command relay are never where a command of the session may write unasked.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { relayDirectory, relayDirectoryObstacle } from "../../../lib/editor-tools/commands/relay-directory.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "bowline-relay-directory-")));
after(() => rmSync(home, { recursive: true, force: true }));
const relay = relayDirectory({ HOME: home });
const project = join(home, "project");
mkdirSync(project);
symlinkSync(home, join(project, "link-to-home"));

describe("the directory of the command relay", () => {
  it("the relay may keep its files beside the project", () =>
    assert.equal(relayDirectoryObstacle(relay, [project]), undefined));

  it("the files are beside those that the CLI lets nobody replace, wherever its configuration is", () => {
    assert.equal(relay, join(home, ".claude", "shell-snapshots", "bowline"));
    const moved = relayDirectory({ HOME: home, CLAUDE_CONFIG_DIR: "/elsewhere" });
    assert.equal(moved, join("/elsewhere", "shell-snapshots", "bowline"));
  });

  it("the relay has an obstacle when the CLI's configuration has a relative path", () =>
    assert.match(relayDirectoryObstacle(relayDirectory({ CLAUDE_CONFIG_DIR: "here" }), [project]) ?? "", /relative/));

  for (const [what, directories, files = relay] of [
    ["the home directory is the project", [home]],
    ["the home directory is an additional directory", [project, home]],
    ["a link to the home directory is an additional directory", [project, join(project, "link-to-home")]],
    ["the project is the directory of the files itself", [relay]],
    ["a directory among its files is an additional directory", [project, join(relay, "bowline-aB3dE6")]],
    ["the project is the root of the file system", ["/"]],
    ["the files are behind a link that lies in the project", [project], join(project, "link-to-home", "state")],
  ] as const)
    it(`the relay has an obstacle when ${what}`, () =>
      assert.match(relayDirectoryObstacle(files, directories) ?? "", /^the session's directory contains/));
});
