/**
 * Reading the user's task list.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openDotTasks, readDotTasks } from "../../lib/agent/dot-tasks.ts";

describe("the open tasks of dot", () => {
  it("the titles of tasks that are not done are read, and anything else is no task", () => {
    const dots = [
      { title: "One", status: "open" },
      { title: "Two", status: "done" },
      { id: "3" },
      "four",
      { title: 5 },
    ];
    assert.deepEqual(readDotTasks(JSON.stringify(dots)), ["One", "3"]);
    for (const answer of ["", "no JSON", "{}", "null", "[[]]"]) assert.deepEqual(readDotTasks(answer), [], answer);
  });

  it("the program dot on PATH is asked in the directory, and without it or when it fails there are no tasks", async () => {
    const directory = mkdtempSync(join(tmpdir(), "bowline-dots-"));
    try {
      assert.deepEqual(await openDotTasks(directory, { PATH: directory }), []);
      const program = join(directory, "dot");
      writeFileSync(program, `#!/bin/sh\n[ "$1 $2" = "ls --json" ] && printf '[{"title":"%s"}]' "$(pwd)"\n`);
      chmodSync(program, 0o755);
      assert.deepEqual(await openDotTasks(directory, { PATH: directory }), [directory]);
      writeFileSync(program, "#!/bin/sh\nexit 1\n");
      assert.deepEqual(await openDotTasks(directory, { PATH: directory }), []);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
