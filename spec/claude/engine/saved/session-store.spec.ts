/**
 * The store of the conversations that the CLI keeps on disk.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { diskStore } from "../../../../lib/claude/engine/saved/session-store.ts";
import { projectSlug } from "../../../../lib/claude/index.ts";
import { agentHarness } from "../../../support/claude/agent-harness.ts";

const home = mkdtempSync(join(realpathSync(tmpdir()), "bowline-saved-"));
const project = join(home, "projects", projectSlug(home));
const id = "0b9a3d3e-1c55-4a52-9d55-0123456789ab";
const saved = diskStore({ CLAUDE_CONFIG_DIR: home });
const file = join(project, `${id}.jsonl`);

mkdirSync(join(project, id), { recursive: true });
const line = { type: "user", uuid: "u1", parentUuid: null, isSidechain: false, sessionId: id, cwd: home };
writeFileSync(
  file,
  `${JSON.stringify({ ...line, timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "Hi there" } })}\n`,
);
after(() => rmSync(home, { recursive: true }));

describe("diskStore", () => {
  it("a saved conversation is found, listed and replayed", async () => {
    assert.equal(await saved.has(id), true);
    assert.deepEqual(
      [await saved.directoryOf(id), await saved.directoryOf(crypto.randomUUID()), await saved.directoryOf("../x")],
      [home, undefined, undefined],
    );
    assert.equal(await saved.latest(home), id);
    assert.equal(await saved.latest("/nowhere"), undefined);
    const page = await saved.list(home, undefined);
    assert.deepEqual(page.kind === "page" && page.sessions.map(({ title }) => title), ["Hi there"]);
    assert.deepEqual(await saved.list(undefined, "x"), { kind: "bad-cursor" });
    assert.equal(await saved.hasPrompt(id, "u1"), "the prompt");
    assert.equal(await saved.hasPrompt(id, "u2"), "not the prompt");
    assert.equal(await saved.hasPrompt(crypto.randomUUID(), "u1"), "nothing");
    const types: string[] = [];
    const signal = new AbortController().signal;
    const report = await saved.replay(id, (event) => void types.push(event.type), signal);
    assert.deepEqual([report?.isFound, types.includes("user")], [true, true]);
    assert.equal(await saved.replay(crypto.randomUUID(), () => {}, signal), undefined);
  });

  it("session/load and session/resume look through the projects once", async () => {
    const { readdir } = fs;
    let scans = 0;
    const counted = (...args: Parameters<typeof readdir>): ReturnType<typeof readdir> => {
      if (args[0] === join(home, "projects")) scans++;
      return readdir(...args);
    };
    Object.assign(fs, { readdir: counted });
    syncBuiltinESMExports();
    try {
      const { editor, updates } = await agentHarness({ store: diskStore({ CLAUDE_CONFIG_DIR: home }) });
      for (const method of ["session/load", "session/resume", "session/load"] as const) {
        scans = 0;
        await editor.call(method, { sessionId: id, cwd: home, mcpServers: [] });
        assert.equal(scans, 1, method);
      }
      const prompts = updates.filter((one) => one.sessionUpdate === "user_message_chunk");
      assert.equal(prompts.length, 2, "both loads were replayed");
    } finally {
      Object.assign(fs, { readdir });
      syncBuiltinESMExports();
    }
  });

  it("rename appends the CLI's own title line, also after a partial line", async () => {
    writeFileSync(file, '{"type":"us', { flag: "a" });
    await saved.rename(id, 'A "title"');
    const last = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
    assert.deepEqual(JSON.parse(last), { type: "custom-title", customTitle: 'A "title"', sessionId: id });
    const page = await saved.list(home, undefined);
    assert.deepEqual(page.kind === "page" && page.sessions.map(({ title }) => title), ['A "title"']);
    await saved.rename("../x", "nothing happens");
  });

  it("remove deletes all files of a conversation, and nothing for an invalid id", async () => {
    for (const hostile of ["..", "../projects", "", ".", crypto.randomUUID()]) await saved.remove(hostile);
    assert.ok(existsSync(file));
    await saved.remove(id);
    assert.ok(!existsSync(file) && !existsSync(join(project, id)) && existsSync(project));
    assert.equal(await saved.has(id), false);
  });
});
