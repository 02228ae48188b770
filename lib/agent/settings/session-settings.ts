/**
 * The current settings of one session, kept the same in the CLI and in the client.
 *
 * A change by the client is applied to the running CLI; a change by the CLI is sent to
 * the client once. The settings outlive a run of the CLI: the next run is started with
 * them.
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
  /** The model changed; clients of the 2025 protocol are notified of it separately. */
  readonly onModel: (model: string | undefined) => void;
  /** False when the CLI would refuse bypassPermissions. */
  readonly mayBypass: boolean;
  readonly editor: () => EditorFeatures;
}

export class SessionSettings {
  readonly #options: SessionSettingsOptions;
  #answer: InitializeAnswer = {};
  #settings: Settings;
  /** Until the user chooses a mode, the CLI is started with the mode of the user's own settings. */
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

  /** The launch options for the next CLI. */
  get launch(): ClaudeLaunch {
    return launchSettings(this.#settings, this.#isModeChosen);
  }

  /** Takes over the CLI's answer to `initialize`: the models it offers and its current mode. */
  setOffers(answer: InitializeAnswer): void {
    this.#answer = answer;
    const { current_permission_mode: mode } = answer;
    if (!this.#isModeChosen && mode !== undefined) this.#settings = { ...this.#settings, mode };
  }

  /** The user changes one option, in the running CLI too. */
  async set(control: OutgoingControlRequests | undefined, id: string, value: string | boolean): Promise<void> {
    const before = this.#settings;
    const changed = changeOption(this.features, before, id, value);
    if (changed.kind === "refused") throw new RpcError(errorCodes.invalidParams, changed.why);
    // Set before the CLI is asked, so that the CLI's own report of the change is not sent as another change.
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

  /** Sends all config options, after a change that the client did not make with `session/set_config_option`. */
  publish(): void {
    this.#options.push(update.configOptions(configOptions(this.features, this.#settings)));
  }

  /** Takes over the mode that the CLI reports. */
  syncMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.#settings.mode) return;
    this.#settings = { ...this.#settings, mode };
    this.#modeChanged(mode);
    this.publish();
  }

  /** Takes over the model that the CLI reports; a slash command may have changed it. */
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
