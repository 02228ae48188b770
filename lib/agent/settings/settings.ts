/**
 * The settings of a session as ACP modes and config options, and how a change of them
 * is checked and applied to a running CLI.
 *
 * The lists of models and efforts come from the CLI's answer to `initialize`. Keeps no
 * state: the current settings of a session are in session-settings.ts.
 */
import {
  configOption,
  type SessionConfigOption,
  type SessionConfigSelectOption,
  type SessionMode,
  type SessionModeState,
} from "../../acp/index.ts";
import {
  ClaudeExit,
  type ClaudeLaunch,
  type OutgoingControlRequests,
  ControlTimeout,
  type InitializeAnswer,
  type ModelOffer,
} from "../../claude/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { type EditorFeatures, editorSettings, onOff } from "./editor-settings.ts";
import { cliFailure } from "../errors.ts";

/** A setting that is undefined is the CLI's own default. */
export interface Settings {
  readonly mode: string;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** The first session in a directory continues its last conversation. */
  readonly autoResume: boolean;
  /** Files are read and written through the editor. */
  readonly edits: boolean;
  /** Commands run in the editor's terminals. */
  readonly commands: boolean;
}

/** What the CLI and the editor offer to choose from. */
export interface CliFeatures {
  readonly answer: InitializeAnswer;
  /** The CLI refuses bypassPermissions as root outside a sandbox. */
  readonly mayBypass: boolean;
  readonly editor: EditorFeatures;
}

/** The model value that means the CLI's own choice. */
const defaultModel = "default";
const defaultEffort = "default";

const modes = {
  default: { name: "Ask", description: "Ask before each edit and command" },
  acceptEdits: { name: "Accept edits", description: "Edit files without asking, ask before commands" },
  plan: { name: "Plan", description: "Read and plan, change nothing" },
  auto: { name: "Auto", description: "Let Claude judge what is safe to do without asking" },
  dontAsk: { name: "Don't ask", description: "Never ask: what is not already allowed is denied" },
  bypassPermissions: { name: "Bypass permissions", description: "Do everything without asking" },
} as const;

export function availableModes({ answer, mayBypass }: CliFeatures, { model }: Settings): readonly SessionMode[] {
  return Object.entries(modes).flatMap(([id, { name, description }]) => {
    if (id === "auto" && modelOf(answer, model)?.supportsAutoMode !== true) return [];
    if (id === "bypassPermissions" && !mayBypass) return [];
    return [{ id, name, description }];
  });
}

export function modeState(features: CliFeatures, settings: Settings): SessionModeState {
  return { currentModeId: settings.mode, availableModes: availableModes(features, settings) };
}

export function configOptions(features: CliFeatures, settings: Settings): readonly SessionConfigOption[] {
  const { answer } = features;
  const models = modelChoices(answer, settings.model);
  const efforts = effortChoices(answer, settings.model);
  return [
    configOption.select(
      "mode",
      availableModes(features, settings).map(({ id, name, description }) => ({ value: id, name, description })),
      { name: "Mode", description: "What Claude may do without asking", category: "mode", currentValue: settings.mode },
    ),
    ...(models.length === 0
      ? []
      : [
          configOption.select("model", models, {
            name: "Model",
            category: "model",
            currentValue: settings.model ?? defaultModel,
          }),
        ]),
    ...(efforts.length === 0
      ? []
      : [
          configOption.select("effort", efforts, {
            name: "Effort",
            description: "How much Claude thinks before it answers",
            category: "thought_level",
            currentValue: settings.effort ?? defaultEffort,
          }),
        ]),
    onOff("auto_resume", settings.autoResume, {
      name: "Auto-resume sessions",
      description: "The first session in a directory continues its last conversation",
    }),
    ...editorSettings(features.editor, settings),
  ];
}

export type Changed =
  | { readonly kind: "changed"; readonly settings: Settings }
  | { readonly kind: "refused"; readonly why: string };

/** The settings with one option changed, or why the change is refused. */
export function changeOption(features: CliFeatures, settings: Settings, id: string, value: string | boolean): Changed {
  const options = configOptions(features, settings);
  const option = options.find((candidate) => candidate.id === id);
  if (option === undefined) {
    const ids = options.map((candidate) => candidate.id);
    return refused("configId", ids);
  }
  const values = option.type === "select" ? option.options.flatMap((one) => ("value" in one ? [one.value] : [])) : [];
  const chosen = String(value);
  if (!values.includes(chosen)) return refused("value", values);
  switch (id) {
    case "mode":
      return { kind: "changed", settings: { ...settings, mode: chosen } };
    case "model":
      return { kind: "changed", settings: { ...settings, model: chosen, ...keptEffort(features, settings, chosen) } };
    case "effort":
      return { kind: "changed", settings: { ...settings, effort: chosen === defaultEffort ? undefined : chosen } };
    case "edits":
    case "commands":
      return { kind: "changed", settings: { ...settings, [id]: chosen === "true" } };
    default:
      return { kind: "changed", settings: { ...settings, autoResume: chosen === "true" } };
  }
}

/** The models in the form of the 2025 protocol. */
export function legacyModels({ answer: { models = [] } }: CliFeatures, { model }: Settings): object {
  return {
    currentModelId: model ?? defaultModel,
    availableModels: models.map(({ value, displayName, description }) => ({
      modelId: value,
      name: displayName ?? value,
      description,
    })),
  };
}

/** The launch options for a CLI. Without a chosen mode the CLI takes the mode of the user's own settings. */
export function launchSettings({ mode, model, effort }: Settings, isModeChosen: boolean): ClaudeLaunch {
  return {
    ...(model !== undefined && model !== defaultModel && { model }),
    ...(effort !== undefined && { effort }),
    ...(isModeChosen && { permissionMode: mode }),
  };
}

/**
 * The option value of the model that the CLI reports (`resolved`). Undefined when it is
 * the model that is set, or when the CLI does not report what its models resolve to.
 */
export function modelNamed(
  answer: InitializeAnswer,
  set: string | undefined,
  resolved: string | undefined,
): string | undefined {
  const current = modelOf(answer, set);
  if (resolved === undefined || resolved === set || current?.resolvedModel === undefined) return undefined;
  if (current.resolvedModel === resolved) return undefined;
  return answer.models?.find(({ resolvedModel }) => resolvedModel === resolved)?.value ?? resolved;
}

/**
 * Sends the changed settings to the running CLI. A refusal by the CLI is an invalid
 * parameter. A CLI that has exited is ignored: the next one is started with the settings.
 */
export async function applySettings(
  control: OutgoingControlRequests | undefined,
  before: Settings,
  after: Settings,
): Promise<void> {
  if (control === undefined) return;
  try {
    if (after.model !== before.model) await control.request("set_model", { model: after.model ?? defaultModel });
    if (after.effort !== before.effort) {
      await control.request("apply_flag_settings", { settings: { effortLevel: after.effort ?? null } });
    }
    if (after.mode !== before.mode) await control.request("set_permission_mode", { mode: after.mode });
  } catch (cause) {
    if (cause instanceof ClaudeExit) return;
    if (cause instanceof ControlTimeout) throw cliFailure(cause);
    const why = cause instanceof Error ? cause.message : "the Claude CLI refused the change";
    throw new RpcError(errorCodes.invalidParams, why, undefined, { cause });
  }
}

/** The effort if the new model has it; otherwise the default. */
function keptEffort(
  { answer }: CliFeatures,
  { effort }: Settings,
  model: string,
): { readonly effort: string | undefined } {
  return { effort: modelOf(answer, model)?.supportedEffortLevels?.includes(effort ?? "") ? effort : undefined };
}

function modelOf({ models }: InitializeAnswer, model: string | undefined): ModelOffer | undefined {
  return models?.find(({ value, resolvedModel }) => value === (model ?? defaultModel) || resolvedModel === model);
}

function modelChoices(
  { models = [] }: InitializeAnswer,
  model: string | undefined,
): readonly SessionConfigSelectOption[] {
  const choices = models.map(({ value, displayName, description }) => ({
    value,
    name: displayName ?? value,
    ...(description !== undefined && { description }),
  }));
  const isListed = model === undefined || choices.some(({ value }) => value === model);
  return isListed ? choices : [...choices, { value: model, name: model }];
}

function effortChoices(answer: InitializeAnswer, model: string | undefined): readonly SessionConfigSelectOption[] {
  const offer = modelOf(answer, model);
  const levels = offer?.supportsEffort === true ? (offer.supportedEffortLevels ?? []) : [];
  if (levels.length === 0) return [];
  return [
    { value: defaultEffort, name: "Default" },
    ...levels.map((level) => ({ value: level, name: effortName(level) })),
  ];
}

function effortName(level: string): string {
  return level === "xhigh" ? "Extra high" : level.charAt(0).toUpperCase() + level.slice(1);
}

function refused(what: string, accepted: readonly string[]): Changed {
  return { kind: "refused", why: `${what} must be one of ${accepted.join(", ")}` };
}
