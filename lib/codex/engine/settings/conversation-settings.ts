/**
 * The settings of a conversation: the current values in its thread, the values that the user has
 * chosen, and the values to choose from.
 *
 * Only the values that the user has chosen are sent to Codex; all others are the user's own
 * configuration. They are sent again when the thread is resumed, because Codex forgets the
 * sandbox.
 */
import type { SessionConfigSelectOption } from "../../../acp/index.ts";
import { EngineFailure, type SettingsState } from "../../../engine/index.ts";
import type { CodexConfig, CodexModel, OpenedThread, ThreadSettings } from "../../protocol/index.ts";
import { isCodexMode, listedModes, modeOf, modeOverrides } from "../../translate/index.ts";

type Overrides = Readonly<Record<string, unknown>>;

/** How many choices that Codex has not reported yet are remembered. */
const maxUnreported = 16;

interface ChosenSettings {
  readonly mode?: string;
  readonly model?: string;
  readonly effort?: string;
}

export class ConversationSettings {
  #models: readonly CodexModel[] = [];
  #chosen: ChosenSettings;
  #current: ThreadSettings = {};
  /** The settings of the thread before any choice: the user's own. */
  #own: ThreadSettings = {};
  #config: CodexConfig = {};
  /** Mode, model and effort at the start and after each choice that Codex has not reported yet, oldest first. */
  #unreported: readonly string[] = [];
  readonly #additionalDirectories: readonly string[];

  /** `chosen` are choices for new conversations, by the id of the option. */
  constructor(chosen: Readonly<Record<string, string>>, additionalDirectories: readonly string[]) {
    const { mode, model, effort } = chosen;
    this.#chosen = {
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
    };
    this.#additionalDirectories = additionalDirectories;
  }

  get current(): ThreadSettings {
    return this.#current;
  }

  setModels(models: readonly CodexModel[]): void {
    this.#models = models.filter(({ hidden }) => hidden !== true);
  }

  /** The effective configuration of the directory. */
  setConfig(config: CodexConfig): void {
    this.#config = config;
  }

  /** The thread was started, resumed or forked with these settings. */
  onOpened(opened: OpenedThread): void {
    const { model, modelProvider, approvalPolicy, approvalsReviewer, sandbox, reasoningEffort, collaborationMode } =
      opened;
    this.#current = {
      model,
      modelProvider,
      approvalPolicy,
      approvalsReviewer,
      collaborationMode,
      sandboxPolicy: sandbox,
      effort: reasoningEffort,
    };
    this.#own = this.#current;
    // Codex may report what the thread was opened with, and that report may come after a choice.
    this.#unreported = [choiceKey(this.#current)];
  }

  /** What to send to a thread that was opened just now; undefined when the user has chosen nothing. */
  overrides(): Overrides | undefined {
    const { mode, model, effort } = this.#chosen;
    const all = {
      ...this.#widerSandbox(),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(mode !== undefined && this.#modeSettings(mode, model ?? this.#model, effort ?? this.#current.effort)),
    };
    if (Object.keys(all).length === 0) return undefined;
    return this.#apply(all);
  }

  /**
   * Codex reports the settings. Returns whether `state` has changed. The report of a
   * choice may come after the next choice; it must not undo that one.
   */
  onUpdated(settings: ThreadSettings): boolean {
    const reported = this.#unreported.indexOf(choiceKey({ ...this.#current, ...settings }));
    this.#unreported = reported < 0 ? [] : this.#unreported.slice(reported + 1);
    if (this.#unreported.length > 0) return false;
    const before = JSON.stringify(this.state);
    this.#current = { ...this.#current, ...settings };
    return JSON.stringify(this.state) !== before;
  }

  /** Takes a choice of the user and returns what to send. Throws an `EngineFailure` of kind `invalid`. */
  choose(optionId: string, value: string): Overrides {
    const { modes, models, efforts } = this.state;
    switch (optionId) {
      case "mode": {
        check(
          "mode",
          value,
          modes.map(({ id }) => id),
        );
        this.#chosen = { ...this.#chosen, mode: value };
        return this.#apply(this.#modeSettings(value, this.#model, this.#current.effort));
      }
      case "model": {
        check(
          "model",
          value,
          models.map((model) => model.value),
        );
        const effort = keptEffort(this.#modelNamed(value), this.#current.effort ?? undefined);
        this.#chosen = { ...this.#chosen, model: value, ...(effort !== undefined && { effort }) };
        // The settings of a mode contain the model and the effort.
        const { mode } = this.#chosen;
        return this.#apply({
          ...(mode !== undefined && this.#modeSettings(mode, value, effort)),
          model: value,
          effort: effort ?? null,
        });
      }
      case "effort": {
        check(
          "effort",
          value,
          efforts.map((effort) => effort.value),
        );
        this.#chosen = { ...this.#chosen, effort: value };
        const { mode } = this.#chosen;
        return this.#apply({
          ...(mode !== undefined && this.#modeSettings(mode, this.#model, value)),
          effort: value,
        });
      }
      default:
        throw new EngineFailure("invalid", "configId must be one of mode, model, effort");
    }
  }

  get state(): SettingsState {
    const model = this.#model;
    const named = this.#modelNamed(model);
    const mode = modeOf(this.#current);
    return {
      modes: listedModes(mode),
      mode,
      models: modelChoices(this.#models, model),
      model,
      efforts: effortChoices(named),
      effort: this.#current.effort ?? named?.defaultReasoningEffort ?? "",
      options: [],
    };
  }

  get #model(): string {
    return this.#current.model ?? "";
  }

  #modelNamed(model: string): CodexModel | undefined {
    return this.#models.find((one) => one.model === model);
  }

  /** Empty for the mode that means the user's configuration. */
  #modeSettings(mode: string, model: string, effort: string | null | undefined): Overrides {
    if (!isCodexMode(mode)) return {};
    const overrides = modeOverrides(mode, {
      sandbox: this.#own.sandboxPolicy,
      config: this.#config,
      extraRoots: this.#additionalDirectories,
      model,
      effort,
    });
    return { ...overrides };
  }

  /** The user's own sandbox with the directories of the session added; nothing when it has them or cannot write. */
  #widerSandbox(): Overrides {
    const { sandboxPolicy } = this.#current;
    if (sandboxPolicy?.type !== "workspaceWrite") return {};
    const roots = sandboxPolicy.writableRoots ?? [];
    const missing = this.#additionalDirectories.filter((path) => !roots.includes(path));
    if (missing.length === 0) return {};
    return { sandboxPolicy: { ...sandboxPolicy, writableRoots: [...roots, ...missing] } };
  }

  #apply(overrides: Overrides): Overrides {
    this.#current = { ...this.#current, ...overrides };
    this.#unreported = [...this.#unreported, choiceKey(this.#current)].slice(-maxUnreported);
    return overrides;
  }
}

/** What the user can choose, as one string. */
function choiceKey(settings: ThreadSettings): string {
  return JSON.stringify([modeOf(settings), settings.model, settings.effort]);
}

/** The model of a provider of the user's own is not in Codex's list. */
function modelChoices(models: readonly CodexModel[], current: string): readonly SessionConfigSelectOption[] {
  const choices = models.map(({ model, displayName, description }) => ({
    value: model,
    name: displayName ?? model,
    ...(description != null && { description }),
  }));
  const isListed = current === "" || choices.some(({ value }) => value === current);
  return isListed ? choices : [{ value: current, name: current }, ...choices];
}

function effortChoices(model: CodexModel | undefined): readonly SessionConfigSelectOption[] {
  return (model?.supportedReasoningEfforts ?? []).map(({ reasoningEffort, description }) => ({
    value: reasoningEffort,
    name: effortName(reasoningEffort),
    ...(description != null && { description }),
  }));
}

function effortName(effort: string): string {
  return effort === "xhigh" ? "Extra high" : effort.charAt(0).toUpperCase() + effort.slice(1);
}

/** The effort if the model has it; otherwise the model's default. */
function keptEffort(model: CodexModel | undefined, effort: string | undefined): string | undefined {
  const isSupported = model?.supportedReasoningEfforts?.some(({ reasoningEffort }) => reasoningEffort === effort);
  return isSupported === true ? effort : (model?.defaultReasoningEffort ?? undefined);
}

function check(what: string, value: string, accepted: readonly string[]): void {
  if (accepted.includes(value)) return;
  throw new EngineFailure("invalid", `${what} must be one of ${accepted.join(", ")}`);
}
