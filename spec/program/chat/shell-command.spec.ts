/**
 * Commands that the user types after `!` in the chat.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runShell } from "../../../lib/program/chat/shell-command.ts";

const env = { PATH: process.env["PATH"], SHELL: "/bin/sh" };

describe("runShell", { skip: process.platform === "win32" }, () => {
  it("a command whose process left its group and keeps the output open can be cancelled", async () => {
    const cancel = new AbortController();
    // The process ends long after the cancel.
    const running = runShell("setsid sleep 12 & exit 0", process.cwd(), env, cancel.signal);
    setTimeout(() => cancel.abort(), 500);
    const startMs = Date.now();
    assert.equal((await running).status, "exit code 0");
    assert.ok(Date.now() - startMs < 10_000);
  });
});
