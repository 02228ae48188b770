/**
 * The permission mode of a conversation that is loaded, resumed or forked.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClaudeSettings } from "../../../../lib/claude/engine/settings/claude-settings.ts";
import { lastPermissionMode, restoreMode } from "../../../../lib/claude/engine/settings/saved-mode.ts";
import { agentHarness } from "../../../support/claude/agent-harness.ts";
import { memoryStore } from "../../../support/claude/memory-store.ts";

const here = { cwd: "/", mcpServers: [] };

describe("the mode of a saved conversation", () => {
  async function opened(mode: string, method: "session/load" | "session/resume" | "session/fork", settings = {}) {
    const store = memoryStore("a");
    store.modes.set("a", mode);
    const harness = await agentHarness({ store, settings });
    const opening = harness.editor.call(method, { sessionId: "a", ...here });
    return { ...harness, opening, fakeCli: await harness.cli.run(0) };
  }

  it("session/load, session/resume and session/fork set the mode of the last prompt before they are answered", async () => {
    for (const method of ["session/load", "session/resume", "session/fork"] as const) {
      const { opening, fakeCli } = await opened("plan", method);
      const asked = await fakeCli.hear("set_permission_mode");
      assert.equal(asked["request"].mode, "plan");
      fakeCli.answer(asked, { mode: "plan" });
      const { modes, configOptions } = await opening;
      assert.equal(modes?.currentModeId, "plan");
      assert.equal(configOptions?.find(({ id }) => id === "mode")?.currentValue, "plan");
    }
  });

  it("auto-resume sets the mode too", async () => {
    const store = memoryStore("a");
    store.modes.set("a", "acceptEdits");
    const { editor, cli } = await agentHarness({ store, settings: { autoResume: true } });
    const opening = editor.call("session/new", here);
    const fakeCli = await cli.run(0);
    fakeCli.answer(await fakeCli.hear("set_permission_mode"), { mode: "acceptEdits" });
    assert.equal((await opening).modes?.currentModeId, "acceptEdits");
  });

  it("bypassPermissions is not set again, nor an unknown mode, and a notice after the replay says so", async () => {
    for (const [mode, text] of [
      ["bypassPermissions", /had all permissions.*The mode is Ask\./],
      ["bubble", /\(bubble\) is not available/],
    ] as const) {
      const { opening, fakeCli, updates } = await opened(mode, "session/load");
      assert.equal((await opening).modes?.currentModeId, "default");
      assert.match(JSON.stringify(updates), text);
      assert.ok(!JSON.stringify(fakeCli.frames).includes("set_permission_mode"));
    }
  });

  it("a mode that asks is not set over plan or dontAsk of the user's settings, and the user is told", async () => {
    for (const [now, mode, isSet] of [
      ["plan", "acceptEdits", false],
      ["dontAsk", "default", false],
      ["dontAsk", "plan", true],
      ["acceptEdits", "default", true],
    ] as const) {
      const editor = () => ({ hasFiles: false, hasTerminals: false });
      const settings = new ClaudeSettings({}, { mayBypass: false, editor, onChanged: () => {} });
      settings.setAnswer({ current_permission_mode: now });
      const said = await restoreMode(settings, undefined, mode);
      assert.equal(settings.state.mode, isSet ? mode : now);
      assert.equal(said === undefined, isSet, said);
    }
  });

  it("a session whose CLI refuses the mode opens in the mode it has, with a notice", async () => {
    const { opening, fakeCli, updates } = await opened("plan", "session/resume");
    const { request_id } = await fakeCli.hear("set_permission_mode");
    fakeCli.say({ type: "control_response", response: { subtype: "error", request_id, error: "not now" } });
    assert.equal((await opening).modes?.currentModeId, "default");
    await new Promise(setImmediate);
    assert.match(JSON.stringify(updates), /\(Plan\) could not be set: .*not now/);
  });
});

describe("lastPermissionMode", () => {
  const modeIn = (...lines: readonly (object | string)[]): Promise<string | undefined> => {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    return lastPermissionMode("x", async (_, bytes) => Buffer.from(text).subarray(-bytes));
  };
  const prompt = (permissionMode: unknown) => ({ type: "user", permissionMode, message: { content: "hi" } });

  it("the last prompt of the main conversation decides", async () => {
    const others = [
      { ...prompt("dontAsk"), isSidechain: true },
      { type: "user", toolUseResult: { permissionMode: "dontAsk" } },
      { type: "user", message: { content: '{"type":"user","permissionMode":"dontAsk"}' } },
      prompt(7),
      '{"type":"user","permissionMode":"dontAsk","mess',
    ];
    assert.equal(await modeIn(prompt("default"), prompt("plan"), ...others), "plan");
    assert.equal(await modeIn(...others), undefined);
    assert.equal(await modeIn(prompt("plan"), "x".repeat(300 * 1024)), "plan");
    assert.equal(await modeIn(prompt("plan"), "x".repeat(17 * 1024 * 1024)), undefined);
  });

  it("a file that cannot be read has none", async () => {
    assert.equal(await lastPermissionMode("x", () => Promise.reject(new Error("EACCES"))), undefined);
  });
});
