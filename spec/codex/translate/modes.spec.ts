/**
 * Specs of modes and the settings of Codex that they mean.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KnownSandbox } from "../../../lib/codex/protocol/index.ts";
import {
  codexModes,
  configuredSandbox,
  isCodexMode,
  listedModes,
  type ModeBase,
  modeOf,
  modeOverrides,
} from "../../../lib/codex/translate/index.ts";

const base: ModeBase = { sandbox: { type: "readOnly", networkAccess: false }, model: "gpt-6" };
const workspace: KnownSandbox = {
  type: "workspaceWrite",
  writableRoots: ["/data"],
  networkAccess: true,
  excludeTmpdirEnvVar: true,
  excludeSlashTmp: true,
};

describe("codexModes", () => {
  it("the modes are the six that Claude has", () => {
    assert.deepEqual(
      codexModes.map(({ id }) => id),
      ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
    );
  });

  it("the settings of each mode are read back as that mode", () => {
    for (const { id } of codexModes) {
      assert.ok(isCodexMode(id));
      assert.equal(modeOf(modeOverrides(id, base)), id);
      assert.equal(modeOf(modeOverrides(id, { ...base, sandbox: workspace })), id);
    }
  });

  it("a configuration of the user that matches no mode is shown as the mode custom, which is listed only then", () => {
    const odd = [
      { approvalPolicy: "untrusted", sandboxPolicy: workspace },
      { approvalPolicy: { granular: {} }, sandboxPolicy: workspace },
      { approvalPolicy: "on-request", sandboxPolicy: { type: "dangerFullAccess" } },
      { approvalPolicy: "never", sandboxPolicy: { type: "readOnly" } },
      { approvalPolicy: "on-request", sandboxPolicy: { type: "externalSandbox" } },
      {},
    ] as const;
    for (const settings of odd) assert.equal(modeOf(settings), "custom");
    assert.equal(listedModes("custom").length, 7);
    assert.equal(listedModes("default").length, 6);
    assert.equal(isCodexMode("custom"), false);
  });

  it("a chosen mode keeps the writable directories, the network and the rest of the user's sandbox", () => {
    for (const mode of ["acceptEdits", "auto", "dontAsk"] as const) {
      assert.deepEqual(modeOverrides(mode, { ...base, sandbox: workspace }).sandboxPolicy, workspace);
    }
  });

  it("fields of the sandbox that are not known are kept", () => {
    const sandbox = { ...workspace, newField: "kept" };
    assert.deepEqual(modeOverrides("dontAsk", { ...base, sandbox }).sandboxPolicy, sandbox);
  });

  it("a mode that writes takes the directories of the configuration when the sandbox was read-only", () => {
    const config = { sandbox_workspace_write: { writable_roots: ["/data"], network_access: true } };
    assert.deepEqual(modeOverrides("acceptEdits", { ...base, config, extraRoots: ["/more"] }).sandboxPolicy, {
      type: "workspaceWrite",
      writableRoots: ["/data", "/more"],
      networkAccess: true,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: false,
    });
  });

  it("only bypassPermissions gives full access, and only it and dontAsk never ask", () => {
    for (const { id } of codexModes) {
      assert.ok(isCodexMode(id));
      const { sandboxPolicy, approvalPolicy } = modeOverrides(id, { ...base, sandbox: { type: "dangerFullAccess" } });
      assert.equal(sandboxPolicy.type === "dangerFullAccess", id === "bypassPermissions");
      assert.equal(approvalPolicy === "never", id === "bypassPermissions" || id === "dontAsk");
    }
  });

  it("leaving plan mode sends the default collaboration mode with the current model", () => {
    const settings = { model: "gpt-6", reasoning_effort: null, developer_instructions: null };
    assert.deepEqual(modeOverrides("plan", base).collaborationMode, { mode: "plan", settings });
    assert.deepEqual(modeOverrides("default", base).collaborationMode, { mode: "default", settings });
  });
});

describe("configuredSandbox", () => {
  it("the sandbox of config.toml is written as Codex takes it", () => {
    assert.equal(configuredSandbox({}), undefined);
    assert.deepEqual(configuredSandbox({ sandbox_mode: "danger-full-access" }), { type: "dangerFullAccess" });
    const config = {
      sandbox_mode: "workspace-write",
      sandbox_workspace_write: {
        writable_roots: ["/data"],
        network_access: true,
        exclude_tmpdir_env_var: true,
        exclude_slash_tmp: true,
      },
    } as const;
    assert.deepEqual(configuredSandbox(config), workspace);
  });
});
