/**
 * Live specs of faults: a CLI that hangs before it reads its prompt, and disks that
 * cannot be written.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hangProbeMs } from "../../../lib/claude/engine/turn/hang-detector.ts";
import { inSession } from "../../support/live/with-agent.ts";
import { liveEngines, say } from "../../support/live/live-engines.ts";
import { answer, say as says } from "../../support/live/api/model-script.ts";

const talks = ["says Hello.", "answers end_turn"];

for (const engine of liveEngines) {
  describe(`a ${engine.cli} that hangs before its prompt`, () => {
    it(`a prompt that a hung ${engine.cli} did not read is answered by another ${engine.cli}, with the conversation so far`, () =>
      engine.inSession(
        { talk: [say("Hello.")] },
        async (driver) => {
          const { tell, sessionId, api } = driver;
          assert.deepEqual(await tell("[[talk]] PERSIMMON"), talks);
          const { pid } = await engine.cliOf(driver, sessionId);
          process.kill(pid, "SIGSTOP");
          const began = performance.now();
          assert.deepEqual(await tell("[[talk]] and again"), talks);
          const tookMs = performance.now() - began;
          assert.ok(tookMs >= hangProbeMs * 3 && tookMs < hangProbeMs * 3 + 20_000, `${tookMs} ms`);
          assert.notEqual((await engine.cliOf(driver, sessionId)).pid, pid);
          const sent = api.sentTo("talk").at(-1) ?? "";
          assert.match(sent, /PERSIMMON.*and again/);
          assert.equal(sent.split("and again").length, 2, "it was asked once");
        },
        { env: { BOWLINE_PREWARM: "0" } },
      ));
  });
}

describe("a config directory that cannot be written", () => {
  it("a config directory that cannot be written loses the saved conversation, not the running one", async () => {
    const root = mkdtempSync(join(tmpdir(), "bowline-config-"));
    const file = join(root, "file");
    writeFileSync(file, "not a directory");
    try {
      await inSession(
        { talk: [answer(says("Hello."))] },
        async ({ tell, client }) => {
          assert.deepEqual((await tell("[[talk]] hi")).at(-1), "answers end_turn");
          assert.deepEqual((await tell("[[talk]] hi")).at(-1), "answers end_turn");
          assert.deepEqual((await client.request("session/list", {})) as object, { sessions: [] });
        },
        { env: { CLAUDE_CONFIG_DIR: join(file, "deeper") } },
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

/** A full disk of 64 KB; undefined where this process may not mount one. */
function fullDisk(): { readonly path: string; readonly remove: () => void } | undefined {
  const path = mkdtempSync(join(tmpdir(), "bowline-full-"));
  const remove = (): void => {
    spawnSync("umount", [path]);
    rmSync(path, { recursive: true, force: true });
  };
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).status !== 0) {
    remove();
    return undefined;
  }
  try {
    for (let i = 0; ; i++) writeFileSync(join(path, `filler-${i}`), "x".repeat(4096));
  } catch {
    return { path, remove };
  }
}

describe("a disk that is full", () => {
  const disk = fullDisk();
  const options = disk === undefined ? { skip: "no disk can be mounted here" } : {};

  it("a full disk loses the saved conversation, not the running one", options, async () => {
    try {
      await inSession(
        { talk: [answer(says("Hello."))] },
        async ({ tell }) => {
          assert.equal((await tell("[[talk]] hi")).at(-1), "answers end_turn");
          assert.equal((await tell("[[talk]] and again")).at(-1), "answers end_turn");
        },
        { env: { CLAUDE_CONFIG_DIR: join(disk?.path ?? "", "config") } },
      );
    } finally {
      disk?.remove();
    }
  });
});
