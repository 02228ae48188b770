/**
 * Modes: what the user chooses in the editor, and the sandbox and approval policy of Codex that
 * each mode means.
 *
 * Until the user chooses a mode, nothing is sent and the user's config.toml applies. A chosen
 * mode changes only its sandbox and approval policy; the network, the writable directories and
 * the temporary directories of the configuration stay.
 */
import type { SessionMode } from "../../acp/index.ts";
import type { ApprovalPolicy, CodexConfig, CollaborationMode, KnownSandbox, SandboxPolicy } from "../protocol/index.ts";

export type CodexModeId = "default" | "acceptEdits" | "plan" | "auto" | "dontAsk" | "bypassPermissions";

/** The mode that is shown when the configuration fits none of the others. It cannot be chosen. */
const customModeId = "custom";

const modes: Readonly<Record<CodexModeId, { readonly name: string; readonly description: string }>> = {
  default: {
    name: "Ask",
    description: "Read files; ask before each edit and command that changes something. Codex may propose instead of do",
  },
  acceptEdits: {
    name: "Accept edits",
    description: "Edit files and run commands in the project, ask for anything else",
  },
  plan: { name: "Plan", description: "Read and plan, change nothing" },
  auto: { name: "Auto", description: "Let a second model judge what needs more than the project" },
  dontAsk: { name: "Don't ask", description: "Work in the project, never ask: anything else is denied" },
  bypassPermissions: { name: "Bypass permissions", description: "Do everything without asking and without a sandbox" },
};

/** The modes that can be chosen. */
export const codexModes: readonly SessionMode[] = Object.entries(modes).map(([id, mode]) => ({ id, ...mode }));

const customMode: SessionMode = {
  id: customModeId,
  name: "As in config.toml",
  description: "The sandbox and the approval policy of the user's own configuration",
};

/** The modes to list: the custom one only while it holds. */
export function listedModes(current: string): readonly SessionMode[] {
  return current === customModeId ? [customMode, ...codexModes] : codexModes;
}

export function isCodexMode(id: string): id is CodexModeId {
  return Object.hasOwn(modes, id);
}

/** The fields of `thread/start` and `thread/settings/updated` that decide the mode. */
export interface ModeSettings {
  readonly approvalPolicy?: ApprovalPolicy | null | undefined;
  readonly approvalsReviewer?: string | null | undefined;
  readonly sandboxPolicy?: SandboxPolicy | null | undefined;
  readonly collaborationMode?: CollaborationMode | null | undefined;
}

/** The mode that these settings are. */
export function modeOf(settings: ModeSettings): CodexModeId | typeof customModeId {
  const { approvalPolicy, approvalsReviewer, sandboxPolicy, collaborationMode } = settings;
  const sandbox = sandboxPolicy?.type;
  if (approvalPolicy === "never") {
    if (collaborationMode?.mode === "plan") return customModeId;
    return sandbox === "dangerFullAccess"
      ? "bypassPermissions"
      : sandbox === "workspaceWrite"
        ? "dontAsk"
        : customModeId;
  }
  if (approvalPolicy !== "on-request") return customModeId;
  if (collaborationMode?.mode === "plan") return "plan";
  if (approvalsReviewer === "auto_review") return sandbox === "workspaceWrite" ? "auto" : customModeId;
  return sandbox === "readOnly" ? "default" : sandbox === "workspaceWrite" ? "acceptEdits" : customModeId;
}

/** The settings to send for a mode. */
export interface ModeOverrides {
  readonly approvalPolicy: "on-request" | "never";
  readonly approvalsReviewer: "user" | "auto_review";
  readonly sandboxPolicy: KnownSandbox;
  readonly collaborationMode: {
    readonly mode: "default" | "plan";
    readonly settings: {
      readonly model: string;
      readonly reasoning_effort: string | null;
      readonly developer_instructions: null;
    };
  };
}

/** What the settings of a mode are built on. */
export interface ModeBase {
  /** The sandbox that held before the user chose a mode. */
  readonly sandbox: SandboxPolicy | null | undefined;
  readonly config?: CodexConfig | undefined;
  /** Directories that the client added to the session. */
  readonly extraRoots?: readonly string[];
  /** The model and effort that hold now; Codex demands the model here. */
  readonly model: string;
  readonly effort?: string | null | undefined;
}

export function modeOverrides(mode: CodexModeId, base: ModeBase): ModeOverrides {
  return {
    approvalPolicy: mode === "dontAsk" || mode === "bypassPermissions" ? "never" : "on-request",
    approvalsReviewer: mode === "auto" ? "auto_review" : "user",
    sandboxPolicy: sandboxOf(mode, base),
    collaborationMode: {
      mode: mode === "plan" ? "plan" : "default",
      settings: { model: base.model, reasoning_effort: base.effort ?? null, developer_instructions: null },
    },
  };
}

/** The sandbox that the configuration asks for; undefined when it leaves that to Codex. */
export function configuredSandbox(config: CodexConfig, extraRoots: readonly string[] = []): KnownSandbox | undefined {
  switch (config.sandbox_mode) {
    case "read-only":
      return { type: "readOnly", networkAccess: false };
    case "workspace-write":
      return workspaceSandbox({ sandbox: undefined, config, extraRoots });
    case "danger-full-access":
      return { type: "dangerFullAccess" };
    case null:
    case undefined:
      return undefined;
  }
}

/** The sandboxes of Codex's own permission profiles. */
export const profileSandboxes: ReadonlyMap<string, KnownSandbox> = new Map<string, KnownSandbox>([
  [":read-only", { type: "readOnly", networkAccess: false }],
  [":workspace", workspaceSandbox({ sandbox: undefined })],
  [":danger-full-access", { type: "dangerFullAccess" }],
]);

function sandboxOf(mode: CodexModeId, base: ModeBase): KnownSandbox {
  switch (mode) {
    case "default":
    case "plan":
      return base.sandbox?.type === "readOnly" ? base.sandbox : { type: "readOnly", networkAccess: false };
    case "acceptEdits":
    case "auto":
    case "dontAsk":
      return workspaceSandbox(base);
    case "bypassPermissions":
      return { type: "dangerFullAccess" };
  }
}

function workspaceSandbox({
  sandbox,
  config,
  extraRoots = [],
}: Pick<ModeBase, "sandbox" | "config" | "extraRoots">): KnownSandbox {
  // With a permission profile Codex ignores the rest.
  const configured = config?.default_permissions == null ? config?.sandbox_workspace_write : undefined;
  const held = sandbox?.type === "workspaceWrite" ? sandbox : undefined;
  const roots = held?.writableRoots ?? configured?.writable_roots ?? [];
  return {
    ...held,
    type: "workspaceWrite",
    writableRoots: [...new Set([...roots, ...extraRoots])],
    networkAccess: held?.networkAccess ?? configured?.network_access ?? false,
    excludeTmpdirEnvVar: held?.excludeTmpdirEnvVar ?? configured?.exclude_tmpdir_env_var ?? false,
    excludeSlashTmp: held?.excludeSlashTmp ?? configured?.exclude_slash_tmp ?? false,
  };
}
