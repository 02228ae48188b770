/**
 * Specs of variables that are taken from the login shell.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import {
  missingDirectories,
  readShellEnvironment,
  shellEnvironment,
  withShellEnvironment,
} from "../../lib/process/index.ts";

const home = mkdtempSync(join(tmpdir(), "bowline-shell-"));
after(() => rmSync(home, { recursive: true, force: true }));

/** A fake login shell: a script that runs the profile and then the command. */
function shell(name: string, profile: string): string {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${profile}\n[ "$1 $2 $3" = "-i -l -c" ] && eval "$4"\n`, { mode: 0o755 });
  return path;
}

const base = { PATH: "/usr/bin:/bin", HOME: home, LANG: "C" };
const isPosix = process.platform !== "win32";

describe("the environment of the login shell", { skip: !isPosix }, () => {
  it("directories and variables that are missing are added, and nothing that is set is replaced", async () => {
    const SHELL = shell(
      "good",
      `echo Welcome; export PATH=/opt/tools/bin:/usr/bin:relative LANG=de KEY='a
b=c' BOWLINE_X=1 SHLVL=7`,
    );
    const env = await shellEnvironment({ ...base, SHELL });
    assert.equal(env["PATH"], "/usr/bin:/bin:/opt/tools/bin");
    assert.equal(env["LANG"], "C");
    assert.equal(env["KEY"], "a\nb=c");
    for (const name of ["BOWLINE_X", "SHLVL", "PWD", "_"]) assert.equal(env[name], undefined, name);
  });

  it("a profile runs in the home directory, not in the directory of the project", async () => {
    const project = mkdtempSync(join(tmpdir(), "bowline-project-"));
    const before = process.cwd();
    try {
      writeFileSync(join(project, ".env"), "export EVIL=1\n");
      process.chdir(project);
      const env = await shellEnvironment({ ...base, SHELL: shell("dotenv", "[ -f .env ] && . ./.env; export GOOD=1") });
      assert.deepEqual([env["GOOD"], env["EVIL"]], ["1", undefined]);
    } finally {
      process.chdir(before);
      rmSync(project, { recursive: true });
    }
  });

  it("a shell that hangs is killed with what it started, and the environment stays as it is", async () => {
    const SHELL = shell("slow", "sleep 60 & sleep 60");
    const before = performance.now();
    assert.equal(await readShellEnvironment({ ...base, SHELL }, 300), undefined);
    assert.ok(performance.now() - before < 20_000);
  });

  it("a background process of the profile that keeps the output open does not delay the answer", async () => {
    const SHELL = shell("daemon", "sleep 30 &\nexport PATH=/opt/d/bin:$PATH");
    const before = performance.now();
    const found = await readShellEnvironment({ ...base, SHELL }, 60_000);
    assert.equal(found?.get("PATH"), "/opt/d/bin:/usr/bin:/bin");
    assert.ok(performance.now() - before < 25_000);
  });

  it("a shell that fails, prints without end, or is none tells nothing", async () => {
    const failing = shell("failing", "exit 3");
    const endless = shell("endless", "yes; exit");
    for (const SHELL of [failing, endless, "/no/such/shell", "zsh", undefined]) {
      assert.equal(await readShellEnvironment({ ...base, SHELL }, 5000), undefined, SHELL);
    }
    assert.deepEqual(await shellEnvironment({ ...base, SHELL: failing }), { ...base, SHELL: failing });
    assert.equal(await readShellEnvironment({ ...base, SHELL: "/bin/sh" }, 5000, "win32"), undefined);
  });

  it("each missing directory is named once", () => {
    const found = new Map([["PATH", "/a:/b::/a:/usr/bin"]]);
    assert.deepEqual(missingDirectories(base, found), ["/a", "/b"]);
    assert.equal(withShellEnvironment({}, found)["PATH"], "/a:/b:/usr/bin");
  });
});
