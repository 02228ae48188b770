/**
 * Choices: what is set in a session, the same in the CLI and in the editor.
 *
 * A change that one side makes reaches the other, and is told once. What is set
 * outlives a run of the CLI: the next one is started with it.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { ClaudeLaunch, OutgoingControlRequests, InitializeAnswer } from "../../claude/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { EditorFeatures } from "./editor-settings.ts";
import {
  applySettings,
  changeOption,
  configOptions,
  launchSettings,
  modelNamed,
  type CliFeatures,
  type Settings,
} from "./settings.ts";

export interface SessionSettingsOptions {
  readonly push: (update: SessionUpdate) => void;
  /** The model changed, for clients of the older dialect. */
  readonly onModel: (model: string | undefined) => void;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass: boolean;
  readonly editor: () => EditorFeatures;
}

export class SessionSettings {
  readonly #options: SessionSettingsOptions;
  #answer: InitializeAnswer = {};
  #settings: Settings;
  /** Until somebody has chosen a mode it is left to the user's own settings. */
  #isModeChosen: boolean;

  constructor(current: Partial<Settings>, options: SessionSettingsOptions) {
    this.#options = options;
    this.#settings = { mode: "default", autoResume: false, edits: false, commands: false, ...current };
    this.#isModeChosen = current.mode !== undefined;
  }

  get features(): CliFeatures {
    const { mayBypass, editor } = this.#options;
    return { answer: this.#answer, mayBypass, editor: editor() };
  }

  get current(): Settings {
    return this.#settings;
  }

  /** What a CLI is started with. */
  get launch(): ClaudeLaunch {
    return launchSettings(this.#settings, this.#isModeChosen);
  }

  /** What the CLI offers, and the mode it began in. */
  setOffers(answer: InitializeAnswer): void {
    this.#answer = answer;
    const { current_permission_mode: mode } = answer;
    if (!this.#isModeChosen && mode !== undefined) this.#settings = { ...this.#settings, mode };
  }

  /** The person changes one option, in the running CLI too. */
  async set(control: OutgoingControlRequests | undefined, id: string, value: string | boolean): Promise<void> {
    const before = this.#settings;
    const changed = changeOption(this.features, before, id, value);
    if (changed.kind === "refused") throw new RpcError(errorCodes.invalidParams, changed.why);
    // Set before the CLI hears of it, so that its own report of the change is no news.
    this.#settings = changed.settings;
    try {
      await applySettings(control, before, changed.settings);
    } catch (cause) {
      if (this.#settings === changed.settings) this.#settings = before;
      throw cause;
    }
    const { mode, model } = changed.settings;
    if (before.mode !== mode) this.#modeChanged(mode);
    if (before.model !== model) this.#options.onModel(model);
  }

  /** All options, after a change that the editor did not make through them. */
  publish(): void {
    this.#options.push(update.configOptions(configOptions(this.features, this.#settings)));
  }

  /** The CLI says which mode it is in. */
  syncMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.#settings.mode) return;
    this.#settings = { ...this.#settings, mode };
    this.#modeChanged(mode);
    this.publish();
  }

  /** The CLI says which model it uses; a slash command may have changed it. */
  syncModel(resolved: string | undefined): void {
    const model = modelNamed(this.#answer, this.#settings.model, resolved);
    if (model === undefined) return;
    this.#settings = { ...this.#settings, model };
    this.#options.onModel(model);
    this.publish();
  }

  #modeChanged(mode: string): void {
    this.#isModeChosen = true;
    this.#options.push(update.currentMode(mode));
  }
}
