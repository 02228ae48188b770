/**
 * The settings of a session as ACP modes and config options, and the check of a change.
 *
 * What there is to choose from comes from the engine. Keeps no state.
 */
import {
  configOption,
  type SessionConfigOption,
  type SessionConfigSelectOption,
  type SessionModelState,
  type SessionModeState,
} from "../../acp/index.ts";
import { asSwitch, onOffOption } from "../../display/index.ts";
import type { SettingsState } from "../../engine/index.ts";

export interface SettingsView {
  readonly engineName: string;
  readonly settingsState: SettingsState;
  readonly autoResume: boolean;
  readonly autoContinue: boolean;
  readonly continueAtReset: boolean;
  /** The client shows switches (`session.configOptions.boolean`). */
  readonly hasSwitches?: boolean | undefined;
}

export function modeState({ settingsState }: SettingsView): SessionModeState {
  return { currentModeId: settingsState.mode, availableModes: settingsState.modes };
}

export function configOptions(view: SettingsView): readonly SessionConfigOption[] {
  const options = selectOptions(view);
  return view.hasSwitches === true ? options.map(asSwitch) : options;
}

function selectOptions({ engineName, settingsState, ...own }: SettingsView): readonly SessionConfigOption[] {
  const modes = settingsState.modes.map(({ id, name, description }) => ({
    value: id,
    name,
    ...(description != null && { description }),
  }));
  const models = modelOptions(settingsState);
  return [
    configOption.select("mode", modes, {
      name: "Mode",
      description: `What ${engineName} may do without asking`,
      category: "mode",
      currentValue: settingsState.mode,
    }),
    ...(models.length === 0
      ? []
      : [
          configOption.select("model", models, { name: "Model", category: "model", currentValue: settingsState.model }),
        ]),
    ...(settingsState.efforts.length === 0
      ? []
      : [
          configOption.select("effort", settingsState.efforts, {
            name: "Effort",
            description: `How much ${engineName} thinks before it answers`,
            category: "thought_level",
            currentValue: settingsState.effort,
          }),
        ]),
    onOffOption("auto_resume", own.autoResume, {
      name: "Auto-resume sessions",
      description: "The first session in a directory continues its last conversation",
    }),
    onOffOption("auto_continue", own.autoContinue, {
      name: "Auto-continue",
      description: "Go on with the plan when a turn ends with work left on it",
    }),
    onOffOption("continue_at_reset", own.continueAtReset, {
      name: "Continue at reset",
      description: "Wait when a usage limit stops a prompt, and go on when the limit resets",
    }),
    ...settingsState.options,
  ];
}

/** The models, with the current one if it is not among those that the engine lists. */
function modelOptions({ models, model }: SettingsState): readonly SessionConfigSelectOption[] {
  const isListed = model === "default" || models.some(({ value }) => value === model);
  return isListed ? models : [...models, { value: model, name: model }];
}

/** Why an option cannot have a value; undefined when it can. */
export function refusalOf(options: readonly SessionConfigOption[], id: string, value: string): string | undefined {
  const option = options.find((candidate) => candidate.id === id);
  if (option === undefined) return `configId must be one of ${options.map((candidate) => candidate.id).join(", ")}`;
  if (option.type === "boolean") return ["true", "false"].includes(value) ? undefined : "value must be true or false";
  const values = option.options.flatMap((one) => ("value" in one ? [one.value] : []));
  return values.includes(value) ? undefined : `value must be one of ${values.join(", ")}`;
}

/** The models in the form of the 2025 protocol. */
export function legacyModels({ settingsState: { models, model } }: SettingsView): SessionModelState {
  return {
    currentModelId: model,
    availableModels: models.map(({ value, name, description }) => ({
      modelId: value,
      id: value,
      name,
      ...(description != null && { description }),
    })),
  };
}
