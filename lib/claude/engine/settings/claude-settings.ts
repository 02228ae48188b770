/**
 * The settings of one conversation with the CLI: mode, model, effort, the options
 * that the CLI offers, and the two for the editor's files and terminals.
 *
 * A change by the client is applied to the running CLI; a change by the CLI is taken over.
 * The settings outlive a run of the CLI: the next run is started with them. The lists of
 * models and efforts come from the CLI's answer to `initialize`.
 */
import type { SessionConfigSelectOption, SessionMode } from "../../../acp/index.ts";
import { EngineFailure, type SettingsState } from "../../../engine/index.ts";
import {
  ClaudeExit,
  type ClaudeLaunch,
  ControlTimeout,
  type InitializeAnswer,
  type ModelOffer,
  type OutgoingControlRequests,
} from "../../index.ts";
import {
  changedCliOption,
  changedFlagSettings,
  type CliOptions,
  cliOptionsLaunch,
  offeredCliOptions,
  readCliOptions,
} from "./cli-options.ts";
import { type EditorFeatures, editorOptions } from "./editor-options.ts";
import { cliFailure } from "../failures.ts";

/** A setting that is undefined is the CLI's own default. */
export interface Settings {
  readonly mode: string;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  /** Files are read and written through the editor. */
  readonly edits: boolean;
  /** Commands run in the editor's terminals. */
  readonly commands: boolean;
  readonly cli: CliOptions;
}

export interface ClaudeSettingsOptions {
  /** False when the CLI would refuse bypassPermissions. */
  readonly mayBypass: boolean;
  readonly editor: () => EditorFeatures;
  /** The CLI changed a setting. */
  readonly onChanged: () => void;
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
const bypassMode = "bypassPermissions";

export class ClaudeSettings {
  readonly #options: ClaudeSettingsOptions;
  #answer: InitializeAnswer = {};
  #settings: Settings;
  /** The first CLI is started with the mode of the user's own settings, unless the client chose one; later ones with the session's. */
  #isModeChosen: boolean;
  /** The user has chosen the mode that asks nothing, here or in the settings. */
  #hasChosenBypass: boolean;
  /** Rules for what the user has rejected for the session. `LastingRejections` limits their number. */
  readonly #denied: string[] = [];

  /** `chosen`: option values by the ids of the options. */
  constructor(chosen: Readonly<Record<string, string>>, options: ClaudeSettingsOptions) {
    this.#options = options;
    this.#isModeChosen = chosen["mode"] !== undefined;
    this.#hasChosenBypass = chosen["mode"] === bypassMode;
    this.#settings = {
      mode: chosen["mode"] ?? "default",
      model: chosen["model"],
      effort: chosen["effort"],
      edits: chosen["edits"] === "true",
      commands: chosen["commands"] === "true",
      cli: readCliOptions(chosen),
    };
  }

  get current(): Settings {
    return this.#settings;
  }

  get state(): SettingsState {
    const { model, mode, effort } = this.#settings;
    return {
      modes: this.#modes(),
      mode,
      models: (this.#answer.models ?? []).map(modelOption),
      model: model ?? defaultModel,
      efforts: effortOptions(this.#offerOf(model)),
      effort: effort ?? defaultEffort,
      options: [
        ...offeredCliOptions(this.#settings.cli, this.#answer, this.#offerOf(model)),
        ...editorOptions(this.#options.editor(), this.#settings),
      ],
    };
  }

  /** Settings for the next CLI, in addition to the user's. */
  get launchSettings(): Readonly<Record<string, unknown>> | undefined {
    const { settings } = cliOptionsLaunch(this.#settings.cli);
    return this.#denied.length === 0 ? settings : { ...settings, ...this.#denying };
  }

  /** Makes this CLI and every later CLI of the session deny what the rule names, in every mode and whatever else is allowed. */
  async deny(control: OutgoingControlRequests | undefined, rule: string): Promise<void> {
    if (this.#denied.includes(rule)) return;
    this.#denied.push(rule);
    await control?.request("apply_flag_settings", { settings: this.#denying });
  }

  get #denying(): Readonly<Record<string, unknown>> {
    return { permissions: { deny: [...this.#denied] } };
  }

  /** The launch options for the next CLI. The first one takes the mode of the user's own settings if none is chosen. */
  get launch(): ClaudeLaunch {
    const { mode, model, effort, cli } = this.#settings;
    return {
      ...cliOptionsLaunch(cli).launch,
      ...(model !== undefined && model !== defaultModel && { model }),
      ...(effort !== undefined && { effort }),
      ...(this.#isModeChosen && { permissionMode: mode }),
    };
  }

  /** Takes over the CLI's answer to `initialize`: the models it offers and its current mode. */
  setAnswer(answer: InitializeAnswer): void {
    this.#answer = answer;
    const { current_permission_mode: mode } = answer;
    if (!this.#isModeChosen && mode !== undefined) this.#settings = { ...this.#settings, mode };
    this.#hasChosenBypass ||= this.#settings.mode === bypassMode;
    // Settings that change during the session do not change its mode.
    this.#isModeChosen ||= mode !== undefined;
  }

  /** Changes one option, in the running CLI too. The caller has checked that the value is offered. */
  async change(control: OutgoingControlRequests | undefined, id: string, value: string): Promise<void> {
    const before = this.#settings;
    const after = this.#changed(id, value);
    // Set before the CLI is asked, so that the CLI's report of this change does not count as a second change.
    this.#settings = after;
    this.#hasChosenBypass ||= after.mode === bypassMode;
    try {
      await applySettings(control, before, after);
    } catch (cause) {
      if (this.#settings === after) this.#settings = before;
      throw cause;
    }
    if (before.mode !== after.mode) this.#isModeChosen = true;
  }

  /**
   * Takes over the mode that the CLI reports. Resolves with what the user has to know when it is set back: the CLI is
   * started so that the user may choose the mode that asks nothing, and a hook could set it instead.
   */
  async syncMode(mode: string | undefined, control: OutgoingControlRequests | undefined): Promise<string | undefined> {
    if (mode === undefined || mode === this.#settings.mode) return undefined;
    if (mode === bypassMode && !this.#hasChosenBypass) {
      await applySettings(control, { ...this.#settings, mode }, this.#settings);
      return "A hook set the mode that asks nothing. You have not chosen it, and it was set back.";
    }
    this.#settings = { ...this.#settings, mode };
    this.#isModeChosen = true;
    this.#options.onChanged();
    return undefined;
  }

  /**
   * Takes over the model that the CLI reports; a slash command may have changed it. Does
   * nothing when the CLI does not report what its models resolve to.
   */
  syncModel(resolved: string | undefined): void {
    const { model: set } = this.#settings;
    const current = this.#offerOf(set)?.resolvedModel;
    if (resolved === undefined || resolved === set || current === undefined || current === resolved) return;
    const named = this.#answer.models?.find(({ resolvedModel }) => resolvedModel === resolved)?.value;
    this.#settings = { ...this.#settings, model: named ?? resolved };
    this.#options.onChanged();
  }

  #changed(id: string, value: string): Settings {
    const settings = this.#settings;
    switch (id) {
      case "mode":
        return { ...settings, mode: value };
      case "model": {
        // The effort is kept if the new model has it.
        const isKept = this.#offerOf(value)?.supportedEffortLevels?.includes(settings.effort ?? "") === true;
        return { ...settings, model: value, effort: isKept ? settings.effort : undefined };
      }
      case "effort":
        return { ...settings, effort: value === defaultEffort ? undefined : value };
      case "edits":
      case "commands":
        return { ...settings, [id]: value === "true" };
      default: {
        const cli = changedCliOption(settings.cli, id, value);
        if (cli === undefined) throw new EngineFailure("invalid", `the Claude CLI has no option ${id}`);
        return { ...settings, cli };
      }
    }
  }

  #modes(): readonly SessionMode[] {
    const hasAuto = this.#offerOf(this.#settings.model)?.supportsAutoMode === true;
    return Object.entries(modes).flatMap(([id, { name, description }]) => {
      if (id === "auto" && !hasAuto) return [];
      if (id === "bypassPermissions" && !this.#options.mayBypass) return [];
      return [{ id, name, description }];
    });
  }

  #offerOf(model: string | undefined): ModelOffer | undefined {
    return this.#answer.models?.find(
      ({ value, resolvedModel }) => value === (model ?? defaultModel) || resolvedModel === model,
    );
  }
}

/**
 * Sends the changed settings to the running CLI. A refusal by the CLI is an invalid
 * parameter. A CLI that has exited is ignored: the next one is started with the settings.
 */
async function applySettings(
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
    const flags = changedFlagSettings(before.cli, after.cli);
    if (Object.keys(flags).length > 0) await control.request("apply_flag_settings", { settings: flags });
    if (after.mode !== before.mode) await control.request("set_permission_mode", { mode: after.mode });
  } catch (cause) {
    if (cause instanceof ClaudeExit) return;
    if (cause instanceof ControlTimeout) throw cliFailure(cause);
    const why = cause instanceof Error ? cause.message : "the Claude CLI refused the change";
    throw new EngineFailure("invalid", why, { cause });
  }
}

function modelOption({ value, displayName, description }: ModelOffer): SessionConfigSelectOption {
  return { value, name: displayName ?? value, ...(description !== undefined && { description }) };
}

function effortOptions(offer: ModelOffer | undefined): readonly SessionConfigSelectOption[] {
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
